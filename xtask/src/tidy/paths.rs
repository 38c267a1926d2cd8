//! No file names a directory of the machine on which it was written.

use super::Problem;
use super::tree::File;

/// The directories in which people and services keep their work. Written in two parts, so that this
/// file does not contain them.
const DIRECTORIES: [[&str; 2]; 5] =
    [["/ho", "me/"], ["/ro", "ot/"], ["/wo", "rk/"], ["/Us", "ers/"], ["C:\\", "Users"]];

/// Checks one file.
pub fn check(file: &File, problems: &mut Vec<Problem>) {
    for (number, line) in file.lines() {
        for directory in DIRECTORIES.map(|parts| parts.concat()) {
            if starts_a_path(line, &directory) {
                let message = format!("{directory} is a directory of one machine");
                problems.push(Problem::new(&file.path, number, message));
            }
        }
    }
}

/// Returns `true` if `directory` occurs, and not as a later part of a path or an address.
fn starts_a_path(line: &str, directory: &str) -> bool {
    line.match_indices(directory).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        before.is_none_or(|before| !before.is_alphanumeric() && !"./_-}$".contains(before))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_beginning_of_a_path_counts() {
        let directory = DIRECTORIES[0].concat();
        assert!(starts_a_path(&format!("see {directory}someone"), &directory));
        assert!(starts_a_path(&format!("\"{directory}someone"), &directory));
        assert!(!starts_a_path(&format!("https://example.org{directory}x"), &directory));
        assert!(!starts_a_path(&format!("..{directory}x"), &directory));
    }
}
