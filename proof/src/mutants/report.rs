//! What became of the changes, for people and for programs.

use std::collections::BTreeMap;
use std::fmt;

use anyhow::Result;
use serde::Serialize;

use super::schema::Site;
use super::trial::Outcome;

/// A change, and what became of it.
#[derive(Clone, Debug)]
pub struct Judged {
    /// The change.
    pub site: Site,
    /// What became of it.
    pub outcome: Outcome,
}

impl fmt::Display for Judged {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Site { file, line, function, change, .. } = &self.site;
        write!(formatter, "{file}:{line}: {function}: {change}: {}", self.outcome)
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreached => formatter.write_str("no test reaches it"),
            Self::Untried => formatter.write_str("reached"),
            Self::Killed(test) => write!(formatter, "killed by {test}"),
            Self::Endless => formatter.write_str("killed: the tests die, or don't end"),
            Self::Survived => formatter.write_str("SURVIVED"),
        }
    }
}

/// A change as JSON has it.
#[derive(Serialize)]
struct Record<'a> {
    file: &'a str,
    line: usize,
    function: &'a str,
    change: &'a str,
    /// `unreached`, `reached`, `killed` or `survived`.
    outcome: &'static str,
    /// The test that has failed; none if the tests died or didn't end.
    #[serde(skip_serializing_if = "Option::is_none")]
    test: Option<&'a str>,
}

/// Returns all changes as JSON.
pub fn json(judged: &[Judged]) -> Result<String> {
    let records = judged.iter().map(|Judged { site, outcome }| {
        let (outcome, test) = match outcome {
            Outcome::Unreached => ("unreached", None),
            Outcome::Untried => ("reached", None),
            Outcome::Killed(test) => ("killed", Some(test.as_str())),
            Outcome::Endless => ("killed", None),
            Outcome::Survived => ("survived", None),
        };
        let Site { file, line, function, change, .. } = site;
        Record { file, line: *line, function, change, outcome, test }
    });
    Ok(serde_json::to_string_pretty(&records.collect::<Vec<_>>())?)
}

/// The numbers of changes in a file, or in all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Counts {
    all: usize,
    reached: usize,
    survived: usize,
}

impl Counts {
    fn add(&mut self, outcome: &Outcome) {
        self.all += 1;
        self.reached += usize::from(*outcome != Outcome::Unreached);
        self.survived += usize::from(*outcome == Outcome::Survived);
    }

    fn line(self, name: &str) -> String {
        let Self { all, reached, survived } = self;
        let killed = reached - survived;
        let share = |part: usize, whole: usize| match whole {
            0 => "-".to_owned(),
            _ => format!("{:.1} %", 100.0 * part as f64 / whole as f64),
        };
        let (of_all, of_reached) = (share(reached, all), share(killed, reached));
        format!("{name:50} {all:7} {reached:7} {of_all:>8} {killed:7} {of_reached:>8} {survived:8}")
    }
}

/// Prints the numbers of each file, and of all.
pub fn print(judged: &[Judged], of_targets: usize) -> Result<()> {
    let mut files = BTreeMap::<&str, Counts>::new();
    let mut total = Counts::default();
    for Judged { site, outcome } in judged {
        files.entry(&site.file).or_default().add(outcome);
        total.add(outcome);
    }
    println!(
        "{:50} {:>7} {:>7} {:>8} {:>7} {:>8} {:>8}",
        "file", "changes", "reached", "", "killed", "", "survived"
    );
    for (file, counts) in &files {
        println!("{}", counts.line(file));
    }
    println!("{}", total.line("all"));
    println!("{of_targets} files are of targets alone, so that no test on the host builds them");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_the_shares_of_what_is_reached_and_of_what_is_killed() {
        let mut counts = Counts::default();
        assert!(counts.line("none").ends_with("0        -       0        -        0"));
        for outcome in
            [Outcome::Unreached, Outcome::Survived, Outcome::Endless, Outcome::Killed("it".into())]
        {
            counts.add(&outcome);
        }
        assert_eq!(counts, Counts { all: 4, reached: 3, survived: 1 });
        assert!(counts.line("some").ends_with("4       3   75.0 %       2   66.7 %        1"));
    }
}
