//! The page of RTIC 2's surface names tests that exist, and every refusal of its grammar.

use std::collections::BTreeSet;

use super::Problem;
use super::tree::{File, Tree};

/// The page.
const PAGE: &str = "docs/rtic-surface.md";
/// The directories of applications that must be refused, with their messages beside them.
const REFUSED: [&str; 3] = [
    "quintet-macros/ui/",
    "quintet-macros/ui/compiler/src/bin/",
    "quintet-macros/ui/compiler/refused/src/",
];
/// The proofs of a line: the word, the directories of the files, and their endings.
const KINDS: [(&str, &[&str], &str); 4] = [
    ("run", &["proof/firmware/behaviours/src/bin/"], ".out"),
    ("example", &["examples/"], ".out"),
    (
        "form",
        &["quintet-macros/ui/compiler/examples/", "quintet-macros/ui/compiler/renamed/examples/"],
        ".rs",
    ),
    ("refusal", &REFUSED, ".stderr"),
];

/// Checks the page, where there is one.
pub fn check(tree: &Tree, problems: &mut Vec<Problem>) {
    let Some(page) = tree.file(PAGE) else { return };
    let mut refusals = BTreeSet::new();
    for (number, line) in page.lines().filter(|(_, line)| is_row(line)) {
        let shown = line.trim_end_matches([' ', '|']).rsplit('|').next().unwrap_or_default();
        let (mut kind, mut count) = ("", 0);
        for (index, part) in shown.split('`').enumerate() {
            if index % 2 == 0 {
                kind = part.split([' ', ',']).rfind(|word| !word.is_empty()).unwrap_or(kind);
                continue;
            }
            count += 1;
            if kind == "refusal" {
                refusals.insert(part.to_owned());
            }
            if !exists(tree, kind, part) {
                let message = format!("there is no {kind} `{part}`");
                problems.push(Problem::new(PAGE, number, message));
            }
        }
        if count == 0 {
            problems.push(Problem::new(PAGE, number, "the row names nothing that shows it"));
        }
    }
    for name in tree.files.iter().filter_map(refusal) {
        if !refusals.contains(name) {
            let message = format!("the refusal `{name}` is in no row");
            problems.push(Problem::new(PAGE, 1, message));
        }
    }
}

/// Returns `true` if a line is a row of a table, and not its head.
fn is_row(line: &str) -> bool {
    line.starts_with("| ") && line != "| what | shown by |"
}

/// Returns `true` if the named proof exists.
fn exists(tree: &Tree, kind: &str, name: &str) -> bool {
    if kind == "test" {
        let definition = format!("#[test]\nfn {name}(");
        let ours = |file: &&File| {
            let is_ours = ["proof/", "quintet"].iter().any(|start| file.path.starts_with(start));
            is_ours && file.path.ends_with(".rs")
        };
        return tree.files.iter().filter(ours).any(|file| file.text.contains(&definition));
    }
    KINDS.iter().filter(|(word, ..)| *word == kind).any(|(_, directories, end)| {
        directories.iter().any(|path| tree.file(&format!("{path}{name}{end}")).is_some())
    })
}

/// The name of a refusal of RTIC's grammar, if the file is its message.
fn refusal(file: &File) -> Option<&str> {
    let (directory, name) = file.path.rsplit_once('/')?;
    let name = name.strip_suffix(".stderr")?;
    let is_numbered = name.strip_prefix('r')?.starts_with(|first: char| first.is_ascii_digit());
    let is_refused = REFUSED.iter().any(|path| path.strip_suffix('/') == Some(directory));
    (is_numbered && is_refused).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problems(rows: &str) -> Vec<String> {
        let files = [
            (PAGE, rows),
            ("proof/firmware/behaviours/src/bin/order.out", ""),
            ("quintet-macros/ui/r01_module.stderr", ""),
            ("quintet-macros/src/tests/accepted.rs", "#[test]\nfn defaults() {}\nfn helper() {}"),
        ];
        let file = |(path, text): (&str, &str)| File { path: path.into(), text: text.into() };
        let tree = Tree { files: files.map(file).to_vec(), paths: Vec::new() };
        let mut problems = Vec::new();
        check(&tree, &mut problems);
        problems.into_iter().map(|problem| problem.message).collect()
    }

    #[test]
    fn what_is_there_is_fine() {
        let head = "| what | shown by |\n|---|---|\n";
        let row = "| `x` in order | run `order`, test `defaults`, refusal `r01_module` |";
        assert_eq!(problems(&format!("{head}{row}\n")), [""; 0]);
    }

    #[test]
    fn what_is_gone_is_reported() {
        let row =
            "| x | run `order`, `disorder`, test `helper`, refusal `r02_none` |\n| y | no |\n";
        let expected = [
            "there is no run `disorder`",
            "there is no test `helper`",
            "there is no refusal `r02_none`",
            "the row names nothing that shows it",
            "the refusal `r01_module` is in no row",
        ];
        assert_eq!(problems(row), expected);
    }
}
