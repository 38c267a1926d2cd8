//! The documentation of every function that returns a future describes the drop of that future.

use std::collections::BTreeSet;

use super::Problem;
use super::tree::{File, Tree};

/// The framework. Its tests have futures of their own.
const CRATE: &str = "quintet/src/";
/// The words of this description.
const SAID: &str = "ancel safety";

/// Checks the public functions of the framework.
pub fn check(tree: &Tree, problems: &mut Vec<Problem>) {
    let is_framework = |file: &&File| file.path.starts_with(CRATE) && !file.path.contains("/tests");
    let files: Vec<&File> = tree.files.iter().filter(is_framework).collect();
    let futures: BTreeSet<&str> =
        files.iter().flat_map(|file| file.text.lines().filter_map(future)).collect();
    for file in files {
        let lines: Vec<&str> = file.text.lines().collect();
        for index in 0..lines.len() {
            if returns_future(&lines[index..], &futures) && !is_documented(&lines[..index]) {
                let message = "say under `# Cancel safety` what happens when the future is dropped";
                problems.push(Problem::new(&file.path, index + 1, message));
            }
        }
    }
}

/// The type that a line makes a future.
fn future(line: &str) -> Option<&str> {
    let (_, rest) = line.strip_prefix("impl")?.split_once("Future for ")?;
    rest.split(['<', ' ']).next()
}

/// Returns `true` if a public function begins here that is `async` or returns one of the futures.
fn returns_future(lines: &[&str], futures: &BTreeSet<&str>) -> bool {
    let first = lines[0].trim_start();
    let Some((qualifiers, _)) = first.split_once("fn ") else { return false };
    if !qualifiers.starts_with("pub ") {
        return false;
    }
    let end = lines.iter().position(|line| line.ends_with(['{', '}', ';'])).unwrap_or(0);
    let mut returned = lines[..=end].iter().filter_map(|line| line.split_once("-> "));
    let name = returned.next_back().and_then(|(_, ty)| ty.split(['<', ' ']).next());
    qualifiers.contains("async") || name.is_some_and(|name| futures.contains(name))
}

/// Returns `true` if the comment at the end of these lines has the words.
fn is_documented(lines: &[&str]) -> bool {
    let above = lines.iter().rev().map(|line| line.trim_start());
    let mut own = above.take_while(|line| line.starts_with("///") || line.starts_with("#["));
    own.any(|line| line.contains(SAID))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problems(function: &str) -> Vec<String> {
        let text = format!("impl<T> Future for Taking<'_, T> {{}}\n{function}\n");
        let files = vec![File { path: "quintet/src/sync/a.rs".to_owned(), text }];
        let mut problems = Vec::new();
        check(&Tree { files, paths: Vec::new() }, &mut problems);
        problems.into_iter().map(|problem| problem.to_string()).collect()
    }

    #[test]
    fn what_waits_says_what_dropping_it_does() {
        let message = "say under `# Cancel safety` what happens when the future is dropped";
        let expected = [format!("quintet/src/sync/a.rs:3: {message}")];
        assert_eq!(problems("/// Takes.\npub async fn take(&self) {}"), expected);
        assert_eq!(problems("/// Takes.\npub const fn take(&self) -> Taking<'_, T> {"), expected);
        assert_eq!(
            problems("/// Takes.\npub fn take(\n    &self,\n) -> Taking<'_, T> {"),
            expected
        );
        let said = "/// Takes.\n///\n/// # Cancel safety\n/// None.\n#[inline]\n";
        assert_eq!(problems(&format!("{said}pub async fn take(&self) {{}}")), [""; 0]);
    }

    #[test]
    fn others_need_not() {
        assert_eq!(problems("/// Takes.\nfn take(&self) -> Taking<'_, T> {"), [""; 0]);
        assert_eq!(problems("/// Takes.\npub fn try_take(&self) -> bool {"), [""; 0]);
        let next = "pub fn new() {}\n/// Cancel safety.\npub fn take() -> Taking {}";
        assert_eq!(problems(next), [""; 0]);
    }
}
