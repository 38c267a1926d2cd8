//! Links in Markdown lead to files and headings that exist.

use super::Problem;
use super::tree::{File, Tree, join};
use crate::markdown::{anchors, prose, without_code};

/// Checks one Markdown file.
pub fn check(file: &File, tree: &Tree, problems: &mut Vec<Problem>) {
    for (number, line) in prose(&file.text) {
        for target in targets(&without_code(line)) {
            if let Some(problem) = broken(file, &target, tree) {
                problems.push(Problem::new(&file.path, number, problem));
            }
        }
    }
}

/// The targets of the links of a line.
fn targets(line: &str) -> Vec<String> {
    let inline = line.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    let reference = line.strip_prefix('[').and_then(|rest| rest.split_once("]: "));
    inline
        .chain(reference.map(|(_, target)| target))
        .map(|target| target.trim().to_owned())
        .collect()
}

fn broken(file: &File, target: &str, tree: &Tree) -> Option<String> {
    if target.contains("://") || target.starts_with("mailto:") {
        return None;
    }
    let (path, anchor) = target.split_once('#').unwrap_or((target, ""));
    let path = if path.is_empty() { file.path.clone() } else { join(&file.path, path) };
    if !tree.paths.contains(&path) {
        return Some(format!("the link to {target} leads nowhere: there is no {path}"));
    }
    let text = tree.file(&path).map_or("", |file| &file.text);
    let known =
        anchor.is_empty() || !path.ends_with(".md") || anchors(text).contains(&anchor.into());
    (!known).then(|| format!("{path} has no heading for #{anchor}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problems(text: &str) -> usize {
        let file = |path: &str, text: &str| File { path: path.to_owned(), text: text.to_owned() };
        let tree = Tree {
            files: vec![file("docs/a.md", text), file("README.md", "# Quick start\n")],
            paths: ["docs", "docs/a.md", "README.md", "docs/b"].map(String::from).to_vec(),
        };
        let mut problems = Vec::new();
        check(&tree.files[0], &tree, &mut problems);
        problems.len()
    }

    #[test]
    fn links_to_files_directories_and_headings_are_followed() {
        assert_eq!(problems("[x](../README.md) [y](b) [z](../README.md#quick-start) `[n](n)`"), 0);
        assert_eq!(problems("[x](https://example.org/nothing)\n```\n[x](no)\n```\n"), 0);
    }

    #[test]
    fn broken_links_are_reported() {
        assert_eq!(problems("[x](README.md) and [y](../README.md#slow-start)"), 2);
        assert_eq!(problems("[x]: c.md"), 1);
    }
}
