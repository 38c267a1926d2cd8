//! `quintet bench`: the tables of costs.

use crate::bench::scenario::Scenario;
use crate::bench::{self, Group, Report, accepted, on_chip, pins, riscv_calls, scenario, table};
use crate::chip;
use crate::ctrl_c;
use crate::exit::Outcome;
use crate::report::page;
use crate::{output, project};
use anyhow::{Result, ensure};
use quintet_sim::board::Board;
use std::path::{Path, PathBuf};

const HELP: &str = "\
Builds the firmware in benches/ (release, for thumbv7m-none-eabi, into target/firmware), runs it in
the simulator and prints a table for each group: what was measured between two marks in the code,
the figure that a document publishes for the same, the difference, and the least that the hardware
allows. Where a group has peers, other systems do the same work in firmware of their own, built by
the same compiler and profile; the first time, their packages are fetched and compiled. Kernels in C
aren't built: their cycles were measured on the same simulator, in several builds of each, and come
with the tool. `x best peer` compares with the least that any build takes of any peer that has
the same as the row, and says `behind` where a peer is ahead.

A table is as wide as the terminal (100 columns where there is none) and leaves out what doesn't
fit; --wide shows everything, --json each build of each kernel.

Examples:
  quintet bench                       all groups
  quintet bench hardware --json
  quintet bench threads --wide        all columns: each kernel as shipped, and its best build
  quintet bench --board lm3s6965      on another board; documents' figures stay theirs
  quintet bench tock --board ibex     system calls on a RISC-V core, beside Tock's figures
  quintet bench --no-peers            ours only
  quintet bench --html bench.html     a page with all columns and notes, beside what is printed
  quintet bench --check               fail when a row is worse than what was accepted, or behind a
                                      kernel without a record that says why; builds ours only
  quintet bench --accept              accept the figures as they are now (benches/pins)
  quintet bench hardware --firmware   build, and print the file to program a chip with
  quintet bench hardware --gdb-remote localhost:3333 --monitor 'reset halt'
                                      on that chip, beside the simulator";

/// Build the benchmark firmware, simulate it and print what everything costs
#[derive(clap::Args, Debug)]
#[command(after_help = HELP)]
pub struct Arguments {
    /// Groups of rows; all of them when none is named
    #[arg(value_name = "GROUP")]
    groups: Vec<String>,
    /// Simulate on this board instead of the group's own
    #[arg(long, value_name = "BOARD")]
    board: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Print all columns, whatever the terminal's width
    #[arg(long, conflicts_with = "json")]
    wide: bool,
    /// Write the tables as a page for a browser too: a file whose name ends in .html
    #[arg(long, value_name = "FILE", conflicts_with = "gdb_remote")]
    html: Option<PathBuf>,
    /// Leave other systems out: their firmware is neither built nor run
    #[arg(long)]
    no_peers: bool,
    /// Fail when a row is worse than what was accepted, or behind a kernel without a record that
    /// says why; implies --no-peers
    #[arg(long, conflicts_with_all = ["accept", "gdb_remote"])]
    check: bool,
    /// Accept the figures as they are now; implies --no-peers
    #[arg(long, conflicts_with = "gdb_remote")]
    accept: bool,
    /// Build each group's firmware, and print the file's name, to program a chip with it
    #[arg(long, conflicts_with_all = ["check", "accept", "json", "html"])]
    firmware: bool,
    #[command(flatten)]
    chip: chip::Options,
}

impl Arguments {
    /// Builds, simulates and prints.
    pub fn run(&self) -> Result<Outcome> {
        // A wrong name is told before minutes of work.
        self.html.as_deref().map_or(Ok(()), page::check_name)?;
        output::check(self.html.as_deref())?;
        let root = project::root()?;
        let scenarios = scenario::load(&root, &self.groups)?;
        if let Some(board) = self.board.as_deref().filter(|name| riscv_calls::is_board(name)) {
            self.check_hart(board)?;
            if self.groups == [riscv_calls::GROUP] {
                return self.run_calls(&root, board);
            }
        }
        if self.firmware {
            return self.build(&root, &scenarios);
        }
        if let Some(address) = &self.chip.gdb_remote {
            return self.run_on_chip(&root, &scenarios, address);
        }
        // Only ours is checked and accepted.
        let peers = !(self.no_peers || self.check || self.accept);
        let options = bench::Options { board: self.board.as_deref(), peers };
        let line = (!self.wide).then(output::line_length);
        let mut groups = Vec::new();
        for scenario in &scenarios {
            let group = bench::run(&root, scenario, options)?;
            if !self.json {
                output::print(&format!("{}\n", table::render(&group, line)))?;
            }
            groups.push(group);
        }
        // On a board of the user's choice, there is that board only.
        let is_asked = scenarios.iter().any(|scenario| scenario.name == bench::riscv::GROUP);
        let riscv = match is_asked && self.board.is_none() && !self.check && !self.accept {
            true => Some(bench::riscv::run(&root)?),
            false => None,
        };
        if self.json {
            output::print_json(&Report { groups: groups.clone(), riscv, calls: None })?;
        } else if let Some(riscv) = &riscv {
            output::print(&format!("{}\n", riscv.text()))?;
        }
        if let Some(path) = &self.html {
            output::write(path, bench::page::text(&groups).as_bytes())?;
        }
        for group in groups.iter().filter(|_| self.accept) {
            output::complain(&format!("wrote {}", pins::accept(&root, group)?.display()));
        }
        if self.check { check(&root, &groups) } else { Ok(Outcome::Done) }
    }

    /// Refuses what there is not for a board with a RISC-V core.
    fn check_hart(&self, board: &str) -> Result<()> {
        let options = [
            (self.check, "--check"),
            (self.accept, "--accept"),
            (self.html.is_some(), "--html"),
            (self.firmware, "--firmware"),
            (self.chip.gdb_remote.is_some(), "--gdb-remote"),
        ];
        let asked = options.iter().find(|(is_asked, _)| *is_asked);
        ensure!(
            asked.is_none(),
            "{} is not there for {board}, a board with a RISC-V core: leave it out; --json has all \
             figures",
            asked.map_or("", |(_, name)| name)
        );
        Ok(())
    }

    /// Builds, simulates and prints the system calls on a board with a RISC-V core.
    fn run_calls(&self, root: &Path, board: &str) -> Result<Outcome> {
        let table = riscv_calls::run(root, board)?;
        if self.json {
            output::print_json(&Report { groups: Vec::new(), riscv: None, calls: Some(table) })?;
        } else {
            output::print(&table.text())?;
        }
        Ok(Outcome::Done)
    }

    /// Builds the groups' firmware and says where it is.
    fn build(&self, root: &Path, scenarios: &[Scenario]) -> Result<Outcome> {
        for scenario in scenarios {
            let board = Board::find(self.board.as_deref().unwrap_or(&scenario.board))?;
            let firmware = on_chip::firmware(root, scenario, &board)?;
            output::print(&format!("{}\n", firmware.path.display()))?;
        }
        Ok(Outcome::Done)
    }

    /// Measures the chip behind a server for GDB, and the simulator beside it.
    fn run_on_chip(&self, root: &Path, scenarios: &[Scenario], address: &str) -> Result<Outcome> {
        ensure!(
            scenarios.len() == 1,
            "a chip has the program of one group at a time: name one, as `quintet bench hardware \
             --gdb-remote {address}`"
        );
        let mut groups = Vec::new();
        for scenario in scenarios {
            let board = self.board.as_deref();
            let group = on_chip::run(root, scenario, board, (&self.chip, address))?;
            if !self.json {
                output::print(&group.text())?;
            }
            groups.push(group);
        }
        if self.json {
            output::print_json(&on_chip::Report::new(groups))?;
        }
        Ok(if ctrl_c::is_pressed() { Outcome::Interrupted } else { Outcome::Done })
    }
}

fn check(root: &Path, groups: &[Group]) -> Result<Outcome> {
    let (mut worse, mut unexplained) = (0, 0);
    for group in groups {
        for pins::Regression { row, now, accepted } in pins::check(root, group)? {
            worse += 1;
            let before = match accepted {
                Some(accepted) => format!("{accepted} was accepted"),
                None => "nothing was accepted yet".to_owned(),
            };
            output::complain(&format!("{}, {row}: {now}, {before}", group.name));
        }
        for said in accepted::check(root, group)? {
            unexplained += 1;
            output::complain(&format!("{}, {said}", group.name));
        }
    }
    verdict(worse, unexplained)
}

fn verdict(worse: usize, unexplained: usize) -> Result<Outcome> {
    let worse = (worse > 0)
        .then(|| format!("{worse} figures are worse than accepted; `bench --accept` accepts them"));
    let unexplained = (unexplained > 0)
        .then(|| format!("{unexplained} rows don't say rightly whether a peer is ahead"));
    let said: Vec<String> = worse.into_iter().chain(unexplained).collect();
    ensure!(said.is_empty(), "{}", said.join(", and "));
    Ok(Outcome::Done)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_check_says_all_that_is_wrong() {
        assert!(verdict(0, 0).is_ok());
        let said = |worse, unexplained| verdict(worse, unexplained).unwrap_err().to_string();
        assert_eq!(said(2, 0), "2 figures are worse than accepted; `bench --accept` accepts them");
        assert_eq!(said(0, 1), "1 rows don't say rightly whether a peer is ahead");
        assert!(said(2, 1).contains("accepts them, and 1 rows don't say"), "{}", said(2, 1));
    }
}
