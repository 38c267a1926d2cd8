//! `cargo xtask tidy`: rules that the tree itself keeps, checked file by file.
//!
//! A rule stops growth rather than demanding perfection. A file or function that is over a limit
//! today is listed in `xtask/tidy-allowed.toml` with its reason, and must not grow. An entry that
//! is no longer needed is a problem too. Each module is one group of rules; a rule is a function
//! from a file to its problems.

pub mod allowed;
pub mod commands;
pub mod decisions;
pub mod documented;
pub mod exports;
pub mod floors;
pub mod forms;
pub mod futures;
pub mod imports;
pub mod layers;
pub mod links;
pub mod paths;
pub mod rust;
pub mod seam;
pub mod surface;
pub mod tree;

use std::fmt;

use anyhow::{Result, bail};

use allowed::Allowed;
use tree::Tree;

/// A breach of a rule, with its place.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Problem {
    /// The file, from the root of the tree.
    pub path: String,
    /// The line, from 1.
    pub line: usize,
    /// The error, and the correct form.
    pub message: String,
}

impl Problem {
    /// A problem in `path` at `line`.
    pub fn new(path: &str, line: usize, message: impl Into<String>) -> Self {
        Self { path: path.to_owned(), line, message: message.into() }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}:{}: {}", self.path, self.line, self.message)
    }
}

/// Check the tree: sizes of files and functions, floors, paths, links, records, the commands that
/// the documentation shows
#[derive(clap::Args, Debug)]
pub struct Arguments {}

impl Arguments {
    /// Prints the problems. Fails if there are any.
    pub fn run(&self) -> Result<()> {
        let tree = Tree::read(&tree::root())?;
        let problems = check(&tree)?;
        for problem in &problems {
            eprintln!("{problem}");
        }
        if !problems.is_empty() {
            bail!("{} problems", problems.len());
        }
        println!("{} files are tidy", tree.files.len());
        Ok(())
    }
}

/// All problems of a tree, sorted.
pub fn check(tree: &Tree) -> Result<Vec<Problem>> {
    let mut allowed = Allowed::read(tree)?;
    let mut problems = Vec::new();
    for file in &tree.files {
        if file.path.ends_with(".rs") {
            rust::check(file, &mut allowed, &mut problems);
            layers::check(file, &mut problems);
            seam::check(file, &mut problems);
            exports::check(file, &mut problems);
        }
        if file.path.ends_with(".md") {
            links::check(file, tree, &mut problems);
            commands::check(file, &mut problems);
        }
        paths::check(file, &mut problems);
    }
    decisions::check(tree, &mut problems);
    documented::check(tree, &mut problems);
    floors::check(tree, &mut problems)?;
    forms::check(tree, &mut problems);
    futures::check(tree, &mut problems);
    surface::check(tree, &mut problems);
    allowed.report_unused(&mut problems);
    problems.sort();
    Ok(problems)
}
