//! The items that only expansions call say why safe code may have them.

use super::Problem;
use super::tree::File;

/// The files that export these items, each with the line behind which they stand.
const FILES: [(&str, &str); 2] =
    [("quintet/src/export.rs", ""), ("quintet/src/process/mod.rs", "pub mod export {")];
/// The beginning of the reason.
const REASON: &str = "// Safe: ";

/// Checks one file: a reason stands above each import, or above imports that follow each other.
pub fn check(file: &File, problems: &mut Vec<Problem>) {
    let Some((_, begin)) = FILES.iter().find(|(path, _)| *path == file.path) else { return };
    let lines: Vec<&str> = file.text.lines().map(str::trim_start).collect();
    let first = lines.iter().position(|line| line.starts_with(begin)).unwrap_or(lines.len());
    for (index, _) in lines.iter().enumerate().skip(first).filter(|(_, line)| is_import(line)) {
        if !has_reason(&lines[..index]) {
            let message =
                format!("say above the import, after `{REASON}`, why safe code may call it");
            problems.push(Problem::new(&file.path, index + 1, message));
        }
    }
}

fn is_import(line: &str) -> bool {
    line.starts_with("pub use ")
}

/// Returns `true` if the comment at the end of these lines is a reason. Attributes and imports may
/// stand between.
fn has_reason(lines: &[&str]) -> bool {
    let is_between = |line: &&&str| line.starts_with("#[") || is_import(line);
    let mut above = lines.iter().rev().skip_while(is_between);
    above.find(|line| !is_rest_of_comment(line)).is_some_and(|line| line.starts_with(REASON))
}

/// Returns `true` for a line of a comment that isn't the first line of a reason.
fn is_rest_of_comment(line: &str) -> bool {
    line.starts_with("// ") && !line.starts_with(REASON)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problems(path: &str, text: &str) -> Vec<String> {
        let file = File { path: path.to_owned(), text: text.to_owned() };
        let mut problems = Vec::new();
        check(&file, &mut problems);
        problems.into_iter().map(|problem| problem.to_string()).collect()
    }

    #[test]
    fn an_import_without_a_reason_is_told() {
        let message = "say above the import, after `// Safe: `, why safe code may call it";
        let expected = [format!("quintet/src/export.rs:2: {message}")];
        assert_eq!(problems("quintet/src/export.rs", "// Others.\npub use a::b;"), expected);
        let one_of_two = "// Safe: a.\npub use a::b;\n\npub use a::c;";
        assert_eq!(problems("quintet/src/export.rs", one_of_two).len(), 1);
        let within = "pub use a::b;\npub mod export {\n    pub use a::c;\n}";
        assert_eq!(problems("quintet/src/process/mod.rs", within).len(), 1);
    }

    #[test]
    fn a_reason_may_be_long_and_hold_for_several() {
        let long = "// Safe: a\n// b.\n#[cfg(a)]\npub use a::b;\npub use a::c;";
        assert_eq!(problems("quintet/src/export.rs", long), [""; 0]);
        assert_eq!(problems("quintet/src/lib.rs", "pub use a::b;"), [""; 0]);
    }
}
