//! Rules for Rust files: size, the comment at the top, nothing unfinished.
//!
//! The check finds functions by their indentation, which rustfmt guarantees.

use super::Problem;
use super::allowed::Allowed;
use super::tree::File;

/// The most lines of a file.
pub const FILE_LINES_MAX: usize = 500;
/// The most lines of a function, from its signature to its closing brace.
pub const FUNCTION_LINES_MAX: usize = 70;
/// The most characters of a line.
pub const LINE_LENGTH_MAX: usize = 100;

/// Macros that stand for work that was not done, or was done for the day. Written in two parts, so
/// that this file does not contain them.
const UNFINISHED: [[&str; 2]; 3] = [["todo", "!"], ["unimplemented", "!"], ["dbg", "!"]];

/// A fence of code that no compiler checks. Written in two parts as well.
const NOT_COMPILED: [&str; 2] = ["```", "ignore"];

/// The words that may stand before `fn`.
const QUALIFIERS: [&str; 9] =
    ["pub", "pub(crate)", "pub(super)", "const", "async", "unsafe", "extern", "\"C\"", "default"];

/// Checks one file.
pub fn check(file: &File, allowed: &mut Allowed, problems: &mut Vec<Problem>) {
    let path = &file.path;
    if !file.text.starts_with("//!") {
        problems.push(Problem::new(path, 1, "begin with //! and say what this is, and why"));
    }
    let lines = file.text.lines().count();
    let limit = allowed.limit(path, lines, FILE_LINES_MAX);
    if lines > limit {
        let message = format!("{lines} lines; a file has at most {limit}");
        problems.push(Problem::new(path, lines, message));
    }
    for (number, line) in file.lines() {
        let length = line.chars().count();
        if length > LINE_LENGTH_MAX {
            let message = format!("{length} characters; a line has at most {LINE_LENGTH_MAX}");
            problems.push(Problem::new(path, number, message));
        }
        for name in UNFINISHED.map(|parts| parts.concat()) {
            if !line.trim_start().starts_with("//") && line.contains(&name) {
                problems.push(Problem::new(path, number, format!("{name} is not for landed code")));
            }
        }
    }
    for (number, line) in file.lines() {
        if line.trim_start().starts_with("//") && line.contains(&NOT_COMPILED.concat()) {
            let message = "what the documentation shows compiles: `no_run`, or `text`";
            problems.push(Problem::new(path, number, message));
        }
    }
    for function in functions(&file.text) {
        let what = format!("{path}: {}", function.name);
        let limit = allowed.limit(&what, function.lines, FUNCTION_LINES_MAX);
        if function.lines > limit {
            let Function { name, line, lines } = function;
            let message = format!("{name} has {lines} lines; a function has at most {limit}");
            problems.push(Problem::new(path, line, message));
        }
    }
}

/// A function in a file.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Function {
    name: String,
    line: usize,
    lines: usize,
}

fn functions(text: &str) -> Vec<Function> {
    let lines: Vec<&str> = text.lines().collect();
    let mut found = Vec::new();
    for (index, line) in lines.iter().enumerate() {
        let Some(name) = function_name(line) else { continue };
        let indent = &line[..line.len() - line.trim_start().len()];
        // Before a body begins, a declaration may end in a condition, which is indented deeper.
        let mut has_body = false;
        let end = lines[index..].iter().position(|later| {
            has_body |= later.ends_with('{');
            closes(later, indent) || !has_body && later.ends_with(';')
        });
        let end = end.unwrap_or(0);
        found.push(Function { name: name.to_owned(), line: index + 1, lines: end + 1 });
    }
    found
}

fn function_name(line: &str) -> Option<&str> {
    let mut words = line.split_whitespace().skip_while(|word| QUALIFIERS.contains(word));
    if words.next() != Some("fn") {
        return None;
    }
    words.next()?.split(['(', '<']).next()
}

/// Returns `true` if a line ends a function that is indented by `indent`: the line is the
/// function's brace, or the end of a function on one line, or of a declaration.
fn closes(line: &str, indent: &str) -> bool {
    let Some(rest) = line.strip_prefix(indent) else { return false };
    let same_level = !rest.starts_with(' ');
    same_level
        && (rest == "}"
            || rest.ends_with(';')
            || function_name(rest).is_some() && rest.ends_with('}'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problems(text: &str) -> Vec<String> {
        let file = File { path: "a.rs".to_owned(), text: text.to_owned() };
        let mut problems = Vec::new();
        check(&file, &mut Allowed::default(), &mut problems);
        problems
            .into_iter()
            .map(|problem| format!("{}: {}", problem.line, problem.message))
            .collect()
    }

    #[test]
    fn functions_are_found_with_their_lengths() {
        let text = "fn a() {\n    b();\n}\n\nimpl C {\n    pub const fn d(\n        e: F,\n    ) \
                    -> G {\n        {\n        }\n    }\n    fn h(&self) {}\n}\n\
                    trait T {\n    fn i();\n    fn j()\n    where\n        Self: K;\n\n\
                    \x20   fn l() {\n    }\n}";
        let found: Vec<_> =
            functions(text).into_iter().map(|f| (f.name, f.line, f.lines)).collect();
        let expected =
            [("a", 1, 3), ("d", 6, 6), ("h", 12, 1), ("i", 15, 1), ("j", 16, 3), ("l", 20, 2)];
        assert_eq!(found, expected.map(|(name, line, lines)| (name.to_owned(), line, lines)));
    }

    #[test]
    fn what_is_too_large_is_reported() {
        let body = "    a();\n".repeat(FUNCTION_LINES_MAX - 1);
        let long = format!("//! Title.\nfn a() {{\n{body}}}\n");
        assert_eq!(problems(&long), ["2: a has 71 lines; a function has at most 70"]);
        let wide = format!("//! Title.\n// {}\n", "x".repeat(98));
        assert_eq!(problems(&wide), ["2: 101 characters; a line has at most 100"]);
        let many = format!("//! Title.\n{}", "\n".repeat(500));
        assert_eq!(problems(&many), ["501: 501 lines; a file has at most 500"]);
    }

    #[test]
    fn what_is_unfinished_is_reported() {
        let text = format!("//! Title.\nfn a() {{ {}{}() }}\n", "todo", "!");
        assert_eq!(problems(&text).len(), 1);
        let shown = format!("//! Title.\n\n/// {}\n", NOT_COMPILED.concat());
        let message = "3: what the documentation shows compiles: `no_run`, or `text`";
        assert_eq!(problems(&shown), [message]);
        assert_eq!(problems("fn a() {}"), ["1: begin with //! and say what this is, and why"]);
    }
}
