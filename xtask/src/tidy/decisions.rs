//! Decision records have one form, one number each, and are all in the index.

use super::Problem;
use super::tree::{File, Tree};

/// The directory of the records.
const DIRECTORY: &str = "docs/decisions/";
/// The list of them.
const INDEX: &str = "docs/decisions/README.md";
/// The headings of every record, in this order.
const HEADINGS: [&str; 6] = ["Problem", "Decision", "Invariants", "Cost", "Rejected", "Guarded by"];
/// One page.
const LINES_MAX: usize = 80;

/// Checks all records.
pub fn check(tree: &Tree, problems: &mut Vec<Problem>) {
    let index = tree.file(INDEX).map_or("", |file| &file.text);
    let mut numbers = Vec::new();
    let records = tree.files.iter().filter(|file| is_record(&file.path));
    for file in records {
        check_record(file, problems);
        let name = &file.path[DIRECTORY.len()..];
        if !index.contains(&format!("({name})")) {
            problems.push(Problem::new(INDEX, 1, format!("{name} is not in the index")));
        }
        let number = name.get(..4).unwrap_or_default();
        if number.len() < 4 || !number.chars().all(|digit| digit.is_ascii_digit()) {
            let message = "a record is named NNNN-title.md";
            problems.push(Problem::new(&file.path, 1, message));
        }
        if numbers.contains(&number) {
            let message = format!("{number} is taken by another record");
            problems.push(Problem::new(&file.path, 1, message));
        }
        numbers.push(number);
    }
}

fn is_record(path: &str) -> bool {
    path.starts_with(DIRECTORY) && path.ends_with(".md") && path != INDEX
}

fn check_record(file: &File, problems: &mut Vec<Problem>) {
    let headings: Vec<&str> =
        file.text.lines().filter_map(|line| line.strip_prefix("## ")).collect();
    if headings != HEADINGS {
        let message = format!("the headings of a record are: {}", HEADINGS.join(", "));
        problems.push(Problem::new(&file.path, 1, message));
    }
    if !file.text.starts_with("# ") {
        problems.push(Problem::new(&file.path, 1, "begin with # and the decision as a sentence"));
    }
    let lines = file.text.lines().count();
    if lines > LINES_MAX {
        let message = format!("{lines} lines; a record is one page, at most {LINES_MAX}");
        problems.push(Problem::new(&file.path, lines, message));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problems(files: &[(&str, &str)]) -> Vec<String> {
        let files = files
            .iter()
            .map(|(path, text)| File { path: (*path).to_owned(), text: (*text).to_owned() })
            .collect();
        let mut problems = Vec::new();
        check(&Tree { files, paths: Vec::new() }, &mut problems);
        problems.into_iter().map(|problem| problem.to_string()).collect()
    }

    const GOOD: &str = "# Do it\n## Problem\n## Decision\n## Invariants\n## Cost\n## Rejected\n\
                        ## Guarded by\n";

    #[test]
    fn a_record_of_the_right_form_in_the_index_is_fine() {
        let index = (INDEX, "[it](0001-it.md)");
        assert_eq!(problems(&[index, ("docs/decisions/0001-it.md", GOOD)]), [""; 0]);
    }

    #[test]
    fn form_number_and_index_are_checked() {
        let found = problems(&[
            ("docs/decisions/0001-it.md", GOOD),
            ("docs/decisions/0001-other.md", "# Other\n"),
        ]);
        assert_eq!(found.len(), 4, "{found:?}");
        assert!(found[0].contains("index") && found[1].contains("headings"), "{found:?}");
        assert!(found[2].contains("index") && found[3].contains("taken"), "{found:?}");
    }
}
