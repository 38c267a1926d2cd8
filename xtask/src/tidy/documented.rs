//! The examples of the modules that only firmware has.
//!
//! `cargo test --doc` runs on the host, where these modules don't exist, so it doesn't compile
//! their examples. Instead, firmware of a test compiles them: each example is the text between the
//! lines `// begin: NAME` and `// end: NAME` of a file there.

use super::Problem;
use super::tree::{File, Tree};
use crate::markdown::blocks;

/// The modules that only firmware has.
const SHOWN: &str = "quintet/src/process/";
/// The library of the firmware that compiles their examples.
const COMPILED: &str = "proof/firmware/processes/src/";
/// Its programs, whose marked parts belong to the pages of the documentation.
const PROGRAMS: &str = "proof/firmware/processes/src/bin/";

/// A marked part of a compiled file.
struct Part<'a> {
    path: &'a str,
    line: usize,
    /// The lines between the marks, without their common indentation.
    lines: Vec<&'a str>,
    /// `true` if the documentation shows the part.
    shown: bool,
}

/// Checks that each example is compiled, and that each compiled part is shown.
pub fn check(tree: &Tree, problems: &mut Vec<Problem>) {
    let is_compiled =
        |file: &&File| file.path.starts_with(COMPILED) && !file.path.starts_with(PROGRAMS);
    let mut parts: Vec<Part<'_>> = tree.files.iter().filter(is_compiled).flat_map(parts).collect();
    for file in tree.files.iter().filter(|file| file.path.starts_with(SHOWN)) {
        for (line, example) in examples(&file.text) {
            match parts.iter_mut().find(|part| part.lines == example) {
                Some(part) => part.shown = true,
                None => problems.push(Problem::new(
                    &file.path,
                    line,
                    format!("no marked part below {COMPILED} is this example: compile it there"),
                )),
            }
        }
    }
    for part in parts.iter().filter(|part| !part.shown) {
        let message = "no documentation shows this part: show it, or remove the marks";
        problems.push(Problem::new(part.path, part.line, message));
    }
}

/// Returns the marked parts of a file.
fn parts(file: &File) -> Vec<Part<'_>> {
    let lines: Vec<&str> = file.text.lines().collect();
    let mut parts = Vec::new();
    for (index, line) in lines.iter().enumerate() {
        let Some(name) = line.trim_start().strip_prefix("// begin: ") else { continue };
        let indent = line.len() - line.trim_start().len();
        let end = format!("// end: {name}");
        let behind = lines[index + 1..].iter().take_while(|line| line.trim_start() != end);
        let own = behind.map(|line| line.get(indent..).unwrap_or_default()).collect();
        parts.push(Part { path: &file.path, line: index + 1, lines: own, shown: false });
    }
    parts
}

/// Returns the Rust code in the documentation of a file, each with its first line.
fn examples(text: &str) -> Vec<(usize, Vec<String>)> {
    let of_line = |line: &str| {
        let line = line.trim_start();
        let comment = line.strip_prefix("///").or_else(|| line.strip_prefix("//!"));
        let comment = comment.unwrap_or_default();
        comment.strip_prefix(' ').unwrap_or(comment).to_owned()
    };
    let documentation: Vec<String> = text.lines().map(of_line).collect();
    let documentation = documentation.join("\n");
    let is_rust = |info: &str| matches!(info, "" | "rust");
    blocks(&documentation)
        .into_iter()
        .filter(|block| is_rust(block.info))
        .map(|block| (block.line, block.lines.iter().map(|&line| line.to_owned()).collect()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problems(shown: &str, compiled: &str) -> Vec<String> {
        let file = |path: &str, text: &str| File { path: path.to_owned(), text: text.to_owned() };
        let files = vec![
            file("quintet/src/process/a.rs", shown),
            file("proof/firmware/processes/src/a.rs", compiled),
            file("proof/firmware/processes/src/bin/b.rs", "// begin: b\n// end: b\n"),
        ];
        let mut problems = Vec::new();
        check(&Tree { files, paths: Vec::new() }, &mut problems);
        problems.into_iter().map(|problem| problem.to_string()).collect()
    }

    const PART: &str =
        "mod a {\n    // begin: a\n    fn a() {\n\n        b();\n    }\n    // end: a\n}\n";

    #[test]
    fn an_example_is_a_compiled_part() {
        let shown = "/// A.\n/// ```\n/// fn a() {\n///\n///     b();\n/// }\n/// ```\nfn a() {}";
        assert_eq!(problems(shown, PART), [""; 0]);
    }

    #[test]
    fn another_example_is_refused() {
        let shown = "/// A.\n///\n/// ```\n/// fn b() {}\n/// ```\nfn a() {}";
        assert_eq!(
            problems(shown, PART),
            [
                "quintet/src/process/a.rs:4: no marked part below \
                 proof/firmware/processes/src/ is this example: compile it there",
                "proof/firmware/processes/src/a.rs:2: no documentation shows this part: show \
                 it, or remove the marks",
            ]
        );
    }

    #[test]
    fn pictures_need_not_be_compiled() {
        assert_eq!(problems("//! ```text\n//! a -> b\n//! ```\n", "fn a() {}\n"), [""; 0]);
    }
}
