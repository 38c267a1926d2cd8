//! The table of the synchronisation objects' forms says what the objects have, and all of it.

use std::collections::BTreeSet;

use super::Problem;
use super::tree::{File, Tree};

/// The page with the table.
const PAGE: &str = "docs/book/synchronisation.md";
/// How the table begins.
const HEAD: &str = "| object | operation | try | async | blocking | until, timeout |";
/// Where the objects are, in files of their names.
const OBJECTS: &str = "quintet/src/sync/";
/// What a form with an end adds to the blocking one.
const TIMED: [&str; 2] = ["_until", "_timeout"];

/// Checks the table, where there is one.
pub fn check(tree: &Tree, problems: &mut Vec<Problem>) {
    let Some(page) = tree.file(PAGE) else { return };
    let mut lines = page.lines().skip_while(|(_, line)| *line != HEAD);
    let Some((first, _)) = lines.next() else {
        let message = format!("the table of forms begins with `{HEAD}`");
        return problems.push(Problem::new(PAGE, 1, message));
    };
    let mut said = BTreeSet::new();
    let mut objects = BTreeSet::new();
    for (number, line) in lines.skip(1).take_while(|(_, line)| line.starts_with('|')) {
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        let &[object, operation, try_, future, blocking, timed] = cells.as_slice() else {
            problems.push(Problem::new(PAGE, number, "a row has six cells"));
            continue;
        };
        let (object, operation) = (object.trim_matches('`'), operation.trim_matches('`'));
        objects.insert(object.to_owned());
        let usual = format!("{operation}_blocking");
        let mut row = |form: String, cell: &str| match cell {
            "no" => {}
            "yes" => drop(said.insert((object.to_owned(), form, number))),
            other => {
                said.insert((object.to_owned(), other.trim_matches('`').to_owned(), number));
            }
        };
        row(format!("try_{operation}"), try_);
        row(operation.to_owned(), future);
        row(usual.clone(), blocking);
        TIMED.iter().for_each(|end| row(format!("{usual}{end}"), timed));
    }
    for (object, form, number) in &said {
        if !functions(tree, object).contains(form) {
            let message = format!("`{object}` has no `{form}`");
            problems.push(Problem::new(PAGE, *number, message));
        }
    }
    for object in objects {
        let is_said =
            |form: &String| said.iter().any(|(one, other, _)| *one == object && other == form);
        for form in functions(tree, &object).iter().filter(|form| is_form(form)) {
            if !is_said(form) {
                let message = format!("`{object}` has `{form}`, of which the table says nothing");
                problems.push(Problem::new(PAGE, first, message));
            }
        }
    }
}

/// Whether the function's name says how it waits. `try_give` and the like of which nobody waits for
/// the opposite are no forms.
fn is_form(name: &str) -> bool {
    name.ends_with("_blocking")
        || TIMED.iter().any(|end| name.ends_with(&format!("_blocking{end}")))
}

/// The public functions of an object's file, and of the directory beside it.
fn functions(tree: &Tree, object: &str) -> BTreeSet<String> {
    let mut name = String::new();
    for character in object.chars() {
        if character.is_uppercase() && !name.is_empty() && object != "RwLock" {
            name.push('_');
        }
        name.extend(character.to_lowercase());
    }
    let (file, directory) = (format!("{OBJECTS}{name}.rs"), format!("{OBJECTS}{name}/"));
    let is_its = |one: &&File| one.path == file || one.path.starts_with(&directory);
    let files = tree.files.iter().filter(is_its);
    files.flat_map(|file| file.text.lines().filter_map(public_function)).collect()
}

/// The name of the public function that a line declares.
fn public_function(line: &str) -> Option<String> {
    let rest = line.trim_start().strip_prefix("pub ")?;
    let rest = rest.strip_prefix("const ").unwrap_or(rest);
    let rest = rest.strip_prefix("async ").unwrap_or(rest).strip_prefix("fn ")?;
    Some(rest.split(['(', '<']).next().unwrap_or_default().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problems(row: &str) -> Vec<String> {
        let file = |path: &str, text: String| File { path: path.to_owned(), text };
        let functions = "pub fn try_take(&self) {}\n    pub const fn take(&self) {}\n\
                         pub fn take_blocking<T>(&self) {}\n";
        let page = format!("# Page\n\n{HEAD}\n|---|---|---|---|---|---|\n{row}\n\nEnd.\n");
        let files =
            vec![file(PAGE, page), file("quintet/src/sync/thread_mutex.rs", functions.to_owned())];
        let mut problems = Vec::new();
        check(&Tree { files, paths: Vec::new() }, &mut problems);
        problems.into_iter().map(|problem| problem.to_string()).collect()
    }

    #[test]
    fn a_table_that_says_what_there_is_is_fine() {
        assert_eq!(problems("| `ThreadMutex` | `take` | yes | yes | yes | no |"), [""; 0]);
        assert_eq!(problems("| `ThreadMutex` | `take` | `try_take` | no | yes | no |"), [""; 0]);
    }

    #[test]
    fn what_there_is_not_and_what_is_left_out_are_reported() {
        let found = problems("| `ThreadMutex` | `take` | yes | yes | no | yes |");
        let message = |line, text| format!("{PAGE}:{line}: {text}");
        let expected = [
            message(5, "`ThreadMutex` has no `take_blocking_timeout`"),
            message(5, "`ThreadMutex` has no `take_blocking_until`"),
            message(3, "`ThreadMutex` has `take_blocking`, of which the table says nothing"),
        ];
        assert_eq!(found, expected);
    }
}
