//! The table of the synchronisation objects' operations lists all operations, and no others.
//!
//! An operation is a public function that returns a value which a task awaits, a thread blocks on,
//! or both: a type of the object's files that is a `Future`, an `Operation`, or both.

use std::collections::{BTreeMap, BTreeSet};

use super::Problem;
use super::tree::{File, Tree};

/// The page with the table.
const PAGE: &str = "docs/book/synchronisation.md";
/// The beginning of the table.
const HEAD: &str = "| object | operation | try | async task | thread |";
/// The directory of the objects, in files with their names.
const OBJECTS: &str = "quintet/src/sync/";

/// The contexts that can wait for an operation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Waits {
    task: bool,
    thread: bool,
}

/// Checks the table, where there is one.
pub fn check(tree: &Tree, problems: &mut Vec<Problem>) {
    let Some(page) = tree.file(PAGE) else { return };
    let mut lines = page.lines().skip_while(|(_, line)| *line != HEAD);
    let Some((first, _)) = lines.next() else {
        let message = format!("the table of operations begins with `{HEAD}`");
        return problems.push(Problem::new(PAGE, 1, message));
    };
    let mut said: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (number, line) in lines.skip(1).take_while(|(_, line)| line.starts_with('|')) {
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        let &[object, operation, try_, task, thread] = cells.as_slice() else {
            problems.push(Problem::new(PAGE, number, "a row has five cells"));
            continue;
        };
        let (object, operation) = (object.trim_matches('`'), operation.trim_matches('`'));
        let mut say = |message| problems.push(Problem::new(PAGE, number, message));
        said.entry(object.to_owned()).or_default().insert(operation.to_owned());
        let functions = functions(tree, object);
        let attempt = match try_ {
            "yes" => Some(format!("try_{operation}")),
            "no" => None,
            other => Some(other.trim_matches('`').to_owned()),
        };
        if let Some(attempt) = attempt.filter(|attempt| !functions.contains_key(attempt)) {
            say(format!("`{object}` has no `{attempt}`"));
        }
        let (is, should) = (functions.get(operation), [task == "yes", thread == "yes"]);
        match is.copied().filter(|waits| *waits != Waits::default()) {
            None => say(format!("`{object}` has no operation `{operation}`")),
            Some(Waits { task, thread }) if [task, thread] != should => {
                let word = |can| if can { "yes" } else { "no" };
                let (task, thread) = (word(task), word(thread));
                say(format!("`{object}`: `{operation}` has async task {task}, thread {thread}"));
            }
            Some(_) => {}
        }
    }
    for (object, operations) in said {
        let all = functions(tree, &object);
        let operation = |(name, waits): &(&String, &Waits)| {
            **waits != Waits::default() && !operations.contains(*name)
        };
        for (missing, _) in all.iter().filter(operation) {
            let message = format!("`{object}` has `{missing}`, of which the table says nothing");
            problems.push(Problem::new(PAGE, first, message));
        }
    }
}

/// Returns the public functions of an object's file, and of the directory beside it, with the
/// contexts that can wait for their results.
fn functions(tree: &Tree, object: &str) -> BTreeMap<String, Waits> {
    let mut name = String::new();
    for character in object.chars() {
        if character.is_uppercase() && !name.is_empty() && object != "RwLock" {
            name.push('_');
        }
        name.extend(character.to_lowercase());
    }
    let (file, directory) = (format!("{OBJECTS}{name}.rs"), format!("{OBJECTS}{name}/"));
    let is_its = |one: &&File| one.path == file || one.path.starts_with(&directory);
    let files: Vec<&File> = tree.files.iter().filter(is_its).collect();
    let implements = |trait_: &str, name: &str| {
        let words = format!(" {trait_} for {name}<");
        files.iter().any(|file| file.text.contains(&words))
    };
    let mut functions: BTreeMap<String, Waits> = BTreeMap::new();
    for file in &files {
        for (function, returned) in file.text.split("    pub ").skip(1).filter_map(declaration) {
            let waits = functions.entry(function).or_default();
            waits.task |= implements("Future", returned);
            waits.thread |= implements("Operation", returned);
        }
    }
    functions
}

/// Returns the name of the declared function, and of its return type, if it has one.
fn declaration(text: &str) -> Option<(String, &str)> {
    let is_word = |character: char| character.is_alphanumeric() || character == '_';
    let rest = text.strip_prefix("const ").unwrap_or(text);
    let rest = rest.strip_prefix("async ").unwrap_or(rest).strip_prefix("fn ")?;
    let name = rest.split(|character| !is_word(character)).next()?;
    let signature = rest.split(" {").next()?;
    let returned = signature.rsplit_once("-> ").map_or("", |(_, returned)| returned);
    Some((name.to_owned(), returned.split(|character| !is_word(character)).next()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: &str = "impl ThreadMutex {
    pub fn try_take(&self) -> Result<(), Exhausted> {
    pub const fn take<'a>(&'a self)
        -> Taking<'a>
    where
        P: LockedFor<'a>, {
    pub const fn len(&self) -> usize {
impl Operation for Taking<'_> {
";

    fn problems(row: &str) -> Vec<String> {
        let file = |path: &str, text: String| File { path: path.to_owned(), text };
        let page = format!("# Page\n\n{HEAD}\n|---|---|---|---|---|\n{row}\n\nEnd.\n");
        let files =
            vec![file(PAGE, page), file("quintet/src/sync/thread_mutex.rs", SOURCE.to_owned())];
        let mut problems = Vec::new();
        check(&Tree { files, paths: Vec::new() }, &mut problems);
        problems.into_iter().map(|problem| problem.to_string()).collect()
    }

    #[test]
    fn a_table_that_says_what_there_is_is_fine() {
        assert_eq!(problems("| `ThreadMutex` | `take` | yes | no | yes |"), [""; 0]);
        assert_eq!(problems("| `ThreadMutex` | `take` | `try_take` | no | yes |"), [""; 0]);
    }

    #[test]
    fn what_there_is_not_and_what_is_left_out_are_reported() {
        let message = |line, text| format!("{PAGE}:{line}: {text}");
        assert_eq!(
            problems("| `ThreadMutex` | `take` | `attempt` | yes | yes |"),
            [
                message(5, "`ThreadMutex` has no `attempt`"),
                message(5, "`ThreadMutex`: `take` has async task no, thread yes"),
            ]
        );
        assert_eq!(
            problems("| `ThreadMutex` | `len` | no | no | no |"),
            [
                message(5, "`ThreadMutex` has no operation `len`"),
                message(3, "`ThreadMutex` has `take`, of which the table says nothing"),
            ]
        );
        assert_eq!(
            problems("| `ThreadMutex` | `take` | yes |"),
            [message(5, "a row has five cells")]
        );
    }
}
