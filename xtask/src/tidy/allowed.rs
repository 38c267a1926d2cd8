//! The exceptions from the rules of size, each with its reason and its own limit.

use anyhow::{Context, Result};
use serde::Deserialize;

use super::Problem;
use super::tree::Tree;

/// The file of the exceptions.
pub const PATH: &str = "xtask/tidy-allowed.toml";

/// The exceptions from the usual sizes.
#[derive(Clone, Debug, Default)]
pub struct Allowed {
    entries: Vec<(Entry, bool)>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    /// The file, or the file and the function: `a/b.rs` or `a/b.rs: name`.
    what: String,
    /// The most lines of this file or function.
    lines: usize,
    /// Why.
    reason: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Contents {
    #[serde(default)]
    allowed: Vec<Entry>,
}

impl Allowed {
    /// Reads the tree's list, which may be missing.
    pub fn read(tree: &Tree) -> Result<Self> {
        tree.file(PATH).map_or_else(|| Ok(Self::default()), |file| Self::parse(&file.text))
    }

    /// Reads the list from its text.
    pub fn parse(text: &str) -> Result<Self> {
        let contents: Contents = toml::from_str(text).context(PATH)?;
        for entry in &contents.allowed {
            anyhow::ensure!(!entry.reason.is_empty(), "{PATH}: {} has no reason", entry.what);
        }
        Ok(Self { entries: contents.allowed.into_iter().map(|entry| (entry, false)).collect() })
    }

    /// Returns the limit for `what`: its own if it is listed, else `usual`. An entry counts as used
    /// if its file or function needs it.
    pub fn limit(&mut self, what: &str, lines: usize, usual: usize) -> usize {
        let Some((entry, used)) = self.entries.iter_mut().find(|(entry, _)| entry.what == what)
        else {
            return usual;
        };
        *used |= lines > usual;
        entry.lines.max(usual)
    }

    /// Entries that nothing needed.
    pub fn report_unused(&self, problems: &mut Vec<Problem>) {
        for (entry, _) in self.entries.iter().filter(|(_, used)| !used) {
            let message = format!("{} needs no exception any more: remove it", entry.what);
            problems.push(Problem::new(PATH, 1, message));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_exception_raises_the_limit_and_must_be_needed() {
        let text = "[[allowed]]\nwhat = \"a.rs\"\nlines = 600\nreason = \"one table\"";
        let mut allowed = Allowed::parse(text).unwrap();
        assert_eq!(allowed.limit("b.rs", 600, 500), 500);
        let mut problems = Vec::new();
        allowed.report_unused(&mut problems);
        assert_eq!(problems.len(), 1);
        assert_eq!(allowed.limit("a.rs", 590, 500), 600);
        problems.clear();
        allowed.report_unused(&mut problems);
        assert_eq!(problems, []);
    }

    #[test]
    fn an_exception_without_a_reason_is_refused() {
        assert!(Allowed::parse("[[allowed]]\nwhat = \"a.rs\"\nlines = 600").is_err());
        assert!(Allowed::parse("[[allowed]]\nwhat = \"a\"\nlines = 6\nreason = \"\"").is_err());
    }
}
