//! Programs with the hardware abstraction layers of chips (HALs), built and run on the boards.
//!
//! A board is right if the drivers that people use run on it unmodified. `xtask/hals.toml` gives a
//! program's dependencies, its board, and its expected output. The source is `xtask/hals/NAME.rs`,
//! and the resolved dependencies are in `xtask/hals/NAME.lock`. The command makes a package of each
//! program below the target directory, with the dependencies from the registry, and runs the image.
//!
//! None of this is in the workspaces of the tree: a HAL takes minutes to compile.

mod package;
mod run;

use std::path::PathBuf;

use anyhow::{Context, Result, bail, ensure};
use quintet_sim::board::Board;
use serde::Deserialize;

use proof::firmware::root;
use run::Verdict;

/// Build programs with the HALs of chips, and run them on the chips' boards
#[derive(clap::Args, Debug)]
pub struct Arguments {
    /// Only these programs
    #[arg(value_name = "NAME")]
    names: Vec<String>,
    /// Only those that build within a minute or two
    #[arg(long)]
    quick: bool,
    /// Only list them
    #[arg(long)]
    list: bool,
}

/// A program of `hals.toml`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Program {
    name: String,
    board: String,
    target: String,
    /// The first lines of the program's output.
    expected: Vec<String>,
    /// `true` if the program builds within a minute or two.
    #[serde(default)]
    quick: bool,
    dependencies: toml::Table,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    program: Vec<Program>,
}

impl Arguments {
    /// Builds and runs them.
    pub fn run(&self) -> Result<()> {
        let programs = programs()?;
        let unknown =
            self.names.iter().find(|name| programs.iter().all(|program| program.name != **name));
        if let Some(name) = unknown {
            let known: Vec<_> = programs.iter().map(|program| program.name.as_str()).collect();
            bail!("xtask/hals.toml has no program \"{name}\"; there are {}", known.join(", "));
        }
        let wanted = programs.iter().filter(|program| {
            (self.names.is_empty() || self.names.contains(&program.name))
                && (!self.quick || program.quick)
        });
        let (mut count, mut wrong) = (0, Vec::new());
        for program in wanted {
            if self.list {
                println!("{} on {}", program.name, program.board);
                continue;
            }
            count += 1;
            let verdict = program.check()?;
            println!("{:16} {:10} {verdict}", program.name, program.board);
            if !matches!(verdict, Verdict::Runs { .. }) {
                wrong.push(program.name.clone());
            }
        }
        ensure!(wrong.is_empty(), "{} of {count} don't run: {}", wrong.len(), wrong.join(", "));
        Ok(())
    }
}

impl Program {
    /// Builds and runs the program.
    fn check(&self) -> Result<Verdict> {
        let board = Board::named(&self.board)
            .with_context(|| format!("xtask/hals.toml, program \"{}\"", self.name))?;
        Ok(match package::build(self, &board)? {
            Some(image) => run::run(&image, &board, &self.expected)?,
            None => Verdict::NotBuilt,
        })
    }

    /// Returns the path of the program's source (`rs`), or of its resolved dependencies (`lock`).
    fn file(&self, extension: &str) -> PathBuf {
        root().join("xtask/hals").join(format!("{}.{extension}", self.name))
    }
}

/// All programs.
fn programs() -> Result<Vec<Program>> {
    let path = root().join("xtask/hals.toml");
    let text = std::fs::read_to_string(&path).with_context(|| path.display().to_string())?;
    let file: File = toml::from_str(&text).with_context(|| path.display().to_string())?;
    Ok(file.program)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_program_has_a_source_a_board_and_lines_to_write() {
        let programs = programs().unwrap();
        assert!(programs.iter().any(|program| program.quick));
        for program in programs {
            assert!(program.file("rs").exists(), "{}", program.name);
            assert!(!program.quick || program.file("lock").exists(), "{}", program.name);
            assert!(Board::named(&program.board).is_ok(), "{}", program.name);
            assert!(!program.expected.is_empty(), "{}", program.name);
        }
    }

    #[test]
    fn a_program_that_is_not_there_is_refused_with_those_that_are() {
        let arguments = Arguments { names: vec!["arduino".to_owned()], quick: false, list: false };
        let message = arguments.run().unwrap_err().to_string();
        let expected = "xtask/hals.toml has no program \"arduino\"; there are stm32f4xx-hal, ";
        assert!(message.starts_with(expected), "{message}");
    }
}
