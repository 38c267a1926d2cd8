//! The changes that no test notices, in groups of one reason.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, Result, ensure};
use serde::Deserialize;

use super::report::Judged;
use super::trial::Outcome;
use crate::firmware::root;

/// The file.
const PATH: &str = "proof/mutants-allowed.toml";

/// The list.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Allowed {
    #[serde(default)]
    group: Vec<Group>,
}

/// Changes that survive for one reason.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Group {
    reason: String,
    /// Of each function, as `file: function`, its changes.
    changes: BTreeMap<String, Vec<String>>,
}

impl Allowed {
    /// Reads the list.
    pub fn read() -> Result<Self> {
        let text = std::fs::read_to_string(root().join(PATH)).context(PATH)?;
        toml::from_str(&text).context(PATH)
    }

    /// Returns the names of all changes in the list.
    fn names(&self) -> BTreeSet<String> {
        let functions = self.group.iter().flat_map(|group| &group.changes);
        functions
            .flat_map(|(place, changes)| {
                changes.iter().map(move |change| format!("{place}: {change}"))
            })
            .collect()
    }

    /// Fails if a change survives that isn't listed. If all changes were tried, also fails if a
    /// listed one doesn't survive.
    pub fn check(&self, judged: &[Judged], is_whole: bool) -> Result<()> {
        let without = self.group.iter().find(|group| group.reason.trim().is_empty());
        ensure!(without.is_none(), "{PATH}: a group has no reason");
        let listed = self.names();
        let survived = judged.iter().filter(|one| one.outcome == Outcome::Survived);
        let survived: BTreeSet<_> = survived.map(|one| one.site.name()).collect();
        let new: Vec<_> = survived.difference(&listed).map(String::as_str).collect();
        ensure!(
            new.is_empty(),
            "{} changes that no test notices are not in {PATH}: write a test for each, or list it \
             with the reason\n{}",
            new.len(),
            new.join("\n")
        );
        let old: Vec<_> = listed.difference(&survived).map(String::as_str).collect();
        ensure!(
            !is_whole || old.is_empty(),
            "{PATH} lists {} changes that tests notice, or that there aren't: take them out\n{}",
            old.len(),
            old.join("\n")
        );
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::schema::Site;
    use super::*;

    fn judged(change: &str, outcome: Outcome) -> Judged {
        let (file, function) = ("a.rs".to_owned(), "f".to_owned());
        let site = Site { number: 16, file, line: 1, function, change: change.to_owned() };
        Judged { site, outcome }
    }

    #[test]
    fn survivors_must_be_listed_and_listed_ones_survive() {
        let listed: Allowed = toml::from_str(
            "[[group]]\nreason = \"only faster\"\nchanges.\"a.rs: f\" = [\"a -> b\"]\n",
        )
        .unwrap();
        let survivor = judged("a -> b", Outcome::Survived);
        assert!(listed.check(std::slice::from_ref(&survivor), true).is_ok());
        let both = [survivor, judged("c -> d", Outcome::Survived)];
        let message = listed.check(&both, false).unwrap_err().to_string();
        assert!(message.starts_with("1 changes that no test notices are not in"), "{message}");
        assert!(message.ends_with("\na.rs: f: c -> d"), "{message}");
        let killed = [judged("a -> b", Outcome::Killed("t".into()))];
        assert!(listed.check(&killed, false).is_ok());
        let message = listed.check(&killed, true).unwrap_err().to_string();
        assert!(message.contains("lists 1 changes that tests notice"), "{message}");
        let empty = "[[group]]\nreason = \"\"\nchanges.\"a.rs: f\" = [\"a -> b\"]\n";
        let listed: Allowed = toml::from_str(empty).unwrap();
        assert!(listed.check(&[], true).unwrap_err().to_string().contains("has no reason"));
    }
}
