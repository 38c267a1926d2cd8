//! `cargo xtask figures`: figures in the documentation are printed by the tool, never typed.
//!
//! A generated place in a Markdown file names the command whose output it shows:
//!
//! ```text
//! <!-- generated: cargo lab bench hardware -->
//! (a fenced block with the output)
//! <!-- end -->
//! ```
//!
//! `@NAME` in a command stands for the ELF file of an example. With `; needs PATH` behind the
//! command, the place is left as it is where that file does not exist. This module finds the
//! places, runs the commands and puts their output there.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};

use crate::tidy::tree::{self, Tree};

const BEGIN: &str = "<!-- generated: ";
const END: &str = "<!-- end -->";

/// Print the figures in the documentation anew
#[derive(clap::Args, Debug)]
pub struct Arguments {
    /// Change nothing; fail when a figure is not what its command prints now
    #[arg(long)]
    pub check: bool,
}

impl Arguments {
    /// Refreshes or checks all Markdown files.
    pub fn run(&self) -> Result<()> {
        let root = tree::root();
        let tree = Tree::read(&root)?;
        let mut outdated = Vec::new();
        for file in tree.files.iter().filter(|file| file.path.ends_with(".md")) {
            let refreshed = refresh(&file.text, |place| output(place, &root))
                .with_context(|| file.path.clone())?;
            if refreshed == file.text {
                continue;
            }
            if !self.check {
                std::fs::write(root.join(&file.path), &refreshed)?;
                println!("{} is refreshed", file.path);
            }
            outdated.push((&file.path, refreshed));
        }
        if self.check
            && let Some((path, refreshed)) = outdated.first()
        {
            bail!("{path} shows outdated figures; run `cargo xtask figures`. Now:\n{refreshed}");
        }
        Ok(())
    }
}

/// The head of a generated place.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Place {
    command: String,
    needs: Option<String>,
}

impl Place {
    fn parse(line: &str) -> Option<Self> {
        let inside = line.trim().strip_prefix(BEGIN)?.strip_suffix("-->")?.trim();
        Some(match inside.split_once("; needs ") {
            Some((command, path)) => {
                Self { command: command.to_owned(), needs: Some(path.to_owned()) }
            }
            None => Self { command: inside.to_owned(), needs: None },
        })
    }
}

/// The text with the output of each place's command, where there is one.
fn refresh(text: &str, mut output: impl FnMut(&Place) -> Result<Option<String>>) -> Result<String> {
    let mut refreshed = String::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        refreshed.push_str(line);
        refreshed.push('\n');
        let Some(place) = Place::parse(line) else { continue };
        let old: Vec<&str> = lines.by_ref().take_while(|line| line.trim() != END).collect();
        match output(&place)? {
            Some(output) => {
                let trimmed: Vec<&str> = output.trim_end().lines().map(str::trim_end).collect();
                refreshed.push_str(&format!("```text\n{}\n```\n", trimmed.join("\n")));
            }
            None => old.iter().for_each(|line| refreshed.push_str(&format!("{line}\n"))),
        }
        refreshed.push_str(&format!("{END}\n"));
    }
    Ok(refreshed)
}

/// What the command prints, run at the root; nothing when what it needs is not there.
fn output(place: &Place, root: &Path) -> Result<Option<String>> {
    if let Some(path) = &place.needs
        && !root.join(path).exists()
    {
        println!("not refreshed, {path} is not there: {}", place.command);
        return Ok(None);
    }
    let mut words = place.command.split_whitespace();
    ensure!(words.next() == Some("cargo"), "only cargo's commands are run: {}", place.command);
    let mut arguments = Vec::new();
    for word in words {
        arguments.push(match word.strip_prefix('@') {
            Some(name) => example(name, root)?.into_os_string(),
            None => word.into(),
        });
    }
    let mut command = cargo();
    command.args(arguments).current_dir(root);
    run(command, &place.command).map(Some)
}

/// Builds an example; returns its ELF file.
fn example(name: &str, root: &Path) -> Result<PathBuf> {
    let target = std::env::var_os("CARGO_TARGET_DIR");
    let target = target.map_or_else(|| root.join("target"), PathBuf::from).join("firmware");
    let mut command = cargo();
    command.args(["build", "--quiet", "--release", "--bin", name, "--target-dir"]).arg(&target);
    command.current_dir(root.join("examples"));
    run(command, name)?;
    Ok(target.join("thumbv7m-none-eabi/release").join(name))
}

fn cargo() -> Command {
    Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}

/// What a command prints; `name` stands in the message if it fails.
fn run(mut command: Command, name: &str) -> Result<String> {
    let output = command.output().context("cargo could not be started")?;
    let errors = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "{name} failed:\n{errors}");
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "before\n<!-- generated: cargo lab bench -->\n```text\nold\n```\n\
                        <!-- end -->\nafter\n";

    #[test]
    fn the_output_takes_the_place_of_the_old_one() {
        let refreshed = refresh(TEXT, |place| {
            assert_eq!(place.command, "cargo lab bench");
            Ok(Some("new  \n  figure\n\n".to_owned()))
        });
        assert_eq!(refreshed.unwrap(), TEXT.replace("old", "new\n  figure"));
    }

    #[test]
    fn without_output_the_place_stays() {
        assert_eq!(refresh(TEXT, |_| Ok(None)).unwrap(), TEXT);
        let place =
            Place::parse("<!-- generated: cargo lab validate; needs ../a.json -->").unwrap();
        assert_eq!(place.command, "cargo lab validate");
        assert_eq!(place.needs.as_deref(), Some("../a.json"));
        assert!(
            output(&Place { needs: Some("no such file".to_owned()), ..place }, Path::new("."))
                .unwrap()
                .is_none()
        );
    }

    #[test]
    fn only_cargo_is_run() {
        let place = Place { command: "rm x".to_owned(), needs: None };
        assert!(output(&place, Path::new(".")).is_err());
    }
}
