//! The crates that `quintet new` makes, and those of `examples/boards`, built and run.
//!
//! A crate is made for a chip of each family, with all features that the chip can have, and takes
//! Quintet from this tree. It must blink and log in the simulator, and its test must pass. Where
//! Embassy has a HAL for the family, there is a second crate with it, `FAMILY-embassy`, and where
//! there is a HAL whose drivers block, a third one, `FAMILY-hal`. The examples of `examples/boards`
//! are such crates, filled out: they are copied, and must write the lines in their `expected.txt`.
//!
//! Nothing of this is in the workspaces of the tree, so that only this command builds it. What the
//! dependencies were resolved to is in `xtask/new`: see `lock.rs`.

mod cargo;
mod example;
mod lock;

use std::fmt;
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use quintet_lab::new::chips::{Chip, Families, Family};
use quintet_lab::new::features::{EMBASSY, FEATURES, HAL};
use quintet_lab::new::{Purpose, Source, template, variables, write};

use cargo::Finished;
use example::Example;
use lock::Locks;
use proof::firmware::{output, root};

/// What the crate of each chip must log, whatever stands before and behind it in a line.
const EXPECTED: [&str; 6] = [
    "started",
    "beat 1",
    "report: the sum of all beats is 45",
    "counter: on for the 5. time",
    "beat 9",
    "worker: 10 pieces of work",
];

/// What it must log besides with a HAL of Embassy: the serial port takes a line each second.
const EXPECTED_OF_EMBASSY: &str = "greet: the line is sent";

/// The same with a HAL whose drivers block.
const EXPECTED_OF_HAL: &str = "greet: the line is written";

/// What the serial port must have got: the simulator prints it.
const EXPECTED_OF_THE_PORT: &str = "hello\r\n";

/// Build crates that `quintet new` makes, and the examples for boards, and run them
#[derive(clap::Args, Debug)]
pub struct Arguments {
    /// Only these families of chips, or examples
    #[arg(value_name = "NAME")]
    names: Vec<String>,
    /// Only list them
    #[arg(long)]
    list: bool,
}

/// A crate to build and run.
enum Subject<'a> {
    /// Of a chip of this family.
    Family(&'a Family),
    /// The same with a HAL: the feature that asks for it, and the name of the crate.
    Hal(&'a Family, &'static str, String),
    /// Of `examples/boards`.
    Example(Example),
}

/// How far a crate came.
#[derive(PartialEq, Eq, Debug)]
enum Verdict {
    /// It runs, and so does its test.
    Runs,
    /// Cargo, or the firmware, says why.
    Fails { at: &'static str, printed: String },
    /// It runs, but has not printed a line.
    Lacks { line: String, printed: String },
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Runs => write!(f, "runs, and its test passes"),
            Self::Fails { at, printed } => write!(f, "fails at {at}:\n{printed}"),
            Self::Lacks { line, printed } => {
                write!(f, "has not printed \"{line}\"; it has printed\n{printed}")
            }
        }
    }
}

impl Arguments {
    /// Makes, builds and runs them.
    pub fn run(&self) -> Result<()> {
        let families = Families::read()?;
        let examples = example::all()?.into_iter().map(Subject::Example);
        let subjects: Vec<_> = families.iter().flat_map(of_family).chain(examples).collect();
        let unknown = |name: &&String| subjects.iter().all(|subject| subject.name() != **name);
        if let Some(name) = self.names.iter().find(unknown) {
            let known: Vec<_> = subjects.iter().map(Subject::name).collect();
            bail!(
                "there is no family of chips and no example \"{name}\"; there are {}",
                known.join(", ")
            );
        }
        let is_wanted = |subject: &&Subject<'_>| {
            self.names.is_empty() || self.names.iter().any(|name| name == subject.name())
        };
        let (mut count, mut wrong) = (0, Vec::new());
        for subject in subjects.iter().filter(is_wanted) {
            if self.list {
                println!("{}", subject.name());
                continue;
            }
            count += 1;
            let verdict = subject.check()?;
            println!("{:16} {verdict}", subject.name());
            if verdict != Verdict::Runs {
                wrong.push(subject.name());
            }
        }
        ensure!(wrong.is_empty(), "{} of {count} don't run: {}", wrong.len(), wrong.join(", "));
        Ok(())
    }
}

impl Subject<'_> {
    fn name(&self) -> &str {
        match self {
            Self::Family(family) => &family.name,
            Self::Hal(_, _, name) => name,
            Self::Example(example) => &example.name,
        }
    }

    /// Where its lock file is.
    fn locks(&self) -> Locks {
        let series = match self {
            Self::Family(family) | Self::Hal(family, ..) => Some((&*family.name, family.series())),
            Self::Example(_) => None,
        };
        let shared = series.map(|(family, series)| self.name().replace(family, series));
        Locks::new(self.name(), shared.as_deref())
    }

    /// Makes it, builds it and runs it.
    fn check(&self) -> Result<Verdict> {
        // Not in the directory that cargo builds to: a file there is as old as its build to cargo.
        let directory = output().with_file_name("new").join(self.name());
        if directory.exists() {
            std::fs::remove_dir_all(&directory)
                .with_context(|| format!("cannot remove {}", directory.display()))?;
        }
        std::fs::create_dir_all(directory.parent().unwrap_or(&directory))?;
        let locks = self.locks();
        match self {
            Self::Family(family) => check_family(family, None, &locks, &directory),
            Self::Hal(family, hal, _) => check_family(family, Some(*hal), &locks, &directory),
            Self::Example(example) => {
                example.copy(&directory)?;
                check(&directory, &locks, &example::ARGUMENTS, &example.expected)
            }
        }
    }
}

/// The crates of a family.
fn of_family(family: &Family) -> impl Iterator<Item = Subject<'_>> {
    let with = |hal| Subject::Hal(family, hal, format!("{}-{hal}", family.name));
    let embassy = family.embassy.as_ref().map(|_| with(EMBASSY));
    let blocking = family.hal.as_ref().map(|_| with(HAL));
    std::iter::once(Subject::Family(family)).chain(embassy).chain(blocking)
}

/// Makes the crate for a chip of a family in a directory, with a HAL or without, builds it and runs
/// it.
fn check_family(
    family: &Family,
    hal: Option<&str>,
    locks: &Locks,
    directory: &Path,
) -> Result<Verdict> {
    let chip = family.typical();
    let chip = chip.with_context(|| format!("the family {} is empty", family.name))?;
    let with = possible(hal);
    let expected = expected(hal);
    make(&locks.name, chip, &with, directory)?;
    check(directory, locks, &[], &expected)
}

/// The features that a chip can have: all but the HALs, and the HAL that is asked for.
fn possible(hal: Option<&str>) -> Vec<String> {
    let can = |name: &&str| ![EMBASSY, HAL].contains(name) || hal == Some(*name);
    FEATURES.iter().map(|(name, _)| *name).filter(can).map(str::to_owned).collect()
}

/// The lines that the crate must log.
fn expected(hal: Option<&str>) -> Vec<String> {
    let of_log = if hal == Some(HAL) { EXPECTED_OF_HAL } else { EXPECTED_OF_EMBASSY };
    let of_hal = hal.map(|_| [of_log, EXPECTED_OF_THE_PORT]);
    let of_hal = of_hal.into_iter().flatten();
    EXPECTED.into_iter().chain(of_hal).map(str::to_owned).collect()
}

/// Makes the crate. The family is in its name: one directory holds what all are built to, and cargo
/// would take the build script of one for that of another one with its name.
fn make(name: &str, chip: Chip<'_>, with: &[String], directory: &Path) -> Result<()> {
    let source = Source::checkout(&root())?;
    let purpose = Purpose { chip: Some(chip), board: None };
    write(
        directory,
        &template::fill_in(&variables(&format!("blinky-{name}"), &purpose, with, &source)?)?,
    )
}

/// Builds and runs the crate in a directory, and its test.
fn check(
    directory: &Path,
    locks: &Locks,
    arguments: &[&str],
    expected: &[String],
) -> Result<Verdict> {
    let bless = std::env::var_os("QUINTET_BLESS").is_some();
    // What is resolved anew keeps the versions that it can.
    let is_locked = locks.give(directory)? && !bless;
    let run = cargo::call(directory, &[&["run", "--quiet"], arguments].concat(), is_locked)?;
    if bless {
        locks.take(directory)?;
    }
    let Finished { succeeded, printed } = run;
    if !succeeded {
        return Ok(Verdict::Fails { at: "cargo run", printed });
    }
    if let Some(line) = expected.iter().find(|line| !printed.contains(line.as_str())) {
        return Ok(Verdict::Lacks { line: line.clone(), printed });
    }
    let Finished { succeeded, printed } = cargo::call(directory, &["test", "--quiet"], is_locked)?;
    if !succeeded {
        return Ok(Verdict::Fails { at: "cargo test", printed });
    }
    Ok(Verdict::Runs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_crate_has_a_lock_file() {
        let families = Families::read().unwrap();
        let examples = example::all().unwrap().into_iter().map(Subject::Example);
        for subject in families.iter().flat_map(of_family).chain(examples) {
            let name = subject.name();
            let is_there = subject.locks().there().is_some();
            assert!(is_there, "{name}: QUINTET_BLESS=1 cargo xtask new {name}");
        }
    }

    #[test]
    fn a_name_that_is_not_there_is_refused_with_those_that_are() {
        let arguments = Arguments { names: vec!["z80".to_owned()], list: false };
        let message = arguments.run().unwrap_err().to_string();
        let expected = "there is no family of chips and no example \"z80\"; there are stm32f446, ";
        assert!(message.starts_with(expected), "{message}");
    }

    #[test]
    fn a_verdict_says_how_far_a_crate_came() {
        assert_eq!(Verdict::Runs.to_string(), "runs, and its test passes");
        let printed = "error".to_owned();
        let fails = Verdict::Fails { at: "cargo run", printed: printed.clone() };
        assert_eq!(fails.to_string(), "fails at cargo run:\nerror");
        let lacks = Verdict::Lacks { line: "beat 9".into(), printed };
        let expected = "has not printed \"beat 9\"; it has printed\nerror";
        assert_eq!(lacks.to_string(), expected);
    }
}
