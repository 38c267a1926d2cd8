//! Small changes of the framework's logic, all in one build, and whether tests on the host notice.
//!
//! A copy of the tree, in `target`, has all changes at once; a variable of the environment says
//! which one counts (a *mutant schema*). So there is one build for thousands of changes. First each
//! test runs by itself, and each change records that the test reaches its place. Then the tests
//! that reach a change run with that change, the quick ones first, until one of them fails.
//!
//! What only targets build isn't changed: the campaign, the specification and the hostile process
//! have lists of mistakes of their own.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::{Context, Result, ensure};
use clap::Args;

use allowed::Allowed;
use build::Built;
use report::Judged;
use schema::Site;
use tree::Tree;
use trial::{Outcome, Tests};

use crate::firmware::output;

mod allowed;
mod build;
mod changes;
mod conditions;
mod files;
mod report;
mod schema;
mod tree;
mod trial;
mod watch;

/// Change the framework's logic in small ways, and see whether the tests on the host notice
///
/// Prints how many changes of each file the tests reach and notice. Fails if a change is not
/// noticed that `proof/mutants-allowed.toml` doesn't list with a reason. All changes take about
/// half an hour of processor time.
#[derive(Args, Debug)]
pub struct Arguments {
    /// Only the changes whose names contain one of these: part of a file's path or a function
    names: Vec<String>,
    /// Only every N-th of these changes
    #[arg(long, value_name = "N", default_value_t = 1)]
    every: usize,
    /// How many tests run at a time, instead of one for each processor
    #[arg(long, value_name = "N")]
    jobs: Option<NonZeroUsize>,
    /// Only list the changes, and what reaches them
    #[arg(long)]
    list: bool,
    /// Write what became of each change to this file, as JSON
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

impl Arguments {
    /// Runs the command.
    pub fn run(&self) -> Result<()> {
        ensure!(self.every > 0, "`--every` is from 1 on");
        let allowed = Allowed::read()?;
        let tree = Tree::copy()?;
        let Built { sites, refused, programs } = build::build(&tree)?;
        let processors = std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
        let workers = self.jobs.unwrap_or(processors).get();
        let tests = Tests::record(&programs, &output().join("mutants"), workers)?;
        eprintln!("{} changes, and {refused} that the compiler refuses", sites.len());
        eprintln!("{} tests, which reach {} of them", tests.len(), tests.reached().len());
        let chosen: Vec<&Site> =
            sites.iter().filter(|site| self.chooses(site)).step_by(self.every).collect();
        ensure!(!chosen.is_empty(), "no change has a name with {}", self.names.join(" or "));
        let judged =
            if self.list { listed(&chosen, &tests) } else { judge(&chosen, &tests, workers)? };
        if let Some(path) = &self.json {
            std::fs::write(path, report::json(&judged)?)
                .with_context(|| path.display().to_string())?;
        }
        if self.list {
            judged.iter().for_each(|one| println!("{one}"));
            return Ok(());
        }
        let is_whole = self.names.is_empty() && self.every == 1;
        report::print(&judged, tree.of_targets().count())?;
        ensure!(
            tests.failing.is_empty(),
            "these tests were left out, as they fail by themselves without any change: {}",
            tests.failing.join(", ")
        );
        allowed.check(&judged, is_whole)
    }

    /// Returns `true` if a change was asked for.
    fn chooses(&self, site: &Site) -> bool {
        let name = site.name();
        self.names.is_empty() || self.names.iter().any(|part| name.contains(part.as_str()))
    }
}

/// Tells which changes are reached, without trying them.
fn listed(sites: &[&Site], tests: &Tests<'_>) -> Vec<Judged> {
    let reached = tests.reached();
    let outcome = |site: &Site| match reached.contains(&site.number) {
        true => Outcome::Untried,
        false => Outcome::Unreached,
    };
    sites.iter().map(|site| Judged { site: Site::clone(site), outcome: outcome(site) }).collect()
}

/// Tries changes.
fn judge(sites: &[&Site], tests: &Tests<'_>, workers: usize) -> Result<Vec<Judged>> {
    const SHOW: usize = 100;
    let count = AtomicUsize::new(0);
    trial::in_parallel(workers, sites, |worker, site| {
        let outcome = tests.judge(worker, site.number)?;
        let judged = Judged { site: Site::clone(site), outcome };
        if judged.outcome == Outcome::Survived {
            eprintln!("{judged}");
        }
        let done = count.fetch_add(1, Ordering::Relaxed) + 1;
        if done.is_multiple_of(SHOW) {
            eprintln!("{done} of {}", sites.len());
        }
        Ok(judged)
    })
}
