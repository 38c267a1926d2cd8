//! `cargo xtask rtl`: random programs on the simulator's timed cores and on the register-transfer
//! models of these cores.
//!
//! ```text
//!  package registry ──> wheels ──> sources ──Verilator──> a program for each core
//!                                                            │ addresses and cycles
//!  seed ──> programs ──> simulator ── addresses and cycles ──┴──> compared
//! ```
//! [`models`] fetches and builds, [`programs`] makes the programs, [`simulated`] runs them on the
//! simulator, [`shrink`] makes a program that differs as short as it can be, and [`records`] keeps
//! what was measured, so that a test compares it without Verilator.

pub mod code;
pub mod models;
pub mod pieces;
pub mod places;
pub mod programs;
pub mod records;
pub mod shrink;
pub mod simulated;

use std::path::PathBuf;

use anyhow::{Result, bail, ensure};
use quintet_sim::riscv::timing::Model;

use models::Bench;
use programs::Program;

/// The programs that a model gets at once.
const BATCH: u64 = 500;

/// The cores: the name, and the model of the simulator.
pub const CORES: [(&str, Model); 4] = [
    ("ibex-small", Model::IbexSmall),
    ("ibex-maxperf", Model::IbexMaxperf),
    ("vexriscv-imac", Model::VexRiscvImac),
    ("vexriscv-secure", Model::VexRiscvSecure),
];

/// Run random programs on RISC-V cores' register-transfer models, by Verilator, and compare the
/// cycle in which each instruction retires
#[derive(clap::Args, Debug)]
pub struct Arguments {
    /// How many programs for each core
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    count: u64,
    /// The stream of programs
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// The number of the first one: `--first N --count 1` replays one
    #[arg(long, value_name = "N", default_value_t = 0)]
    first: u64,
    /// Only this core: ibex-small, ibex-maxperf, vexriscv-imac, vexriscv-secure
    #[arg(long, value_name = "NAME")]
    core: Option<String>,
    /// The differences after which to stop
    #[arg(long, value_name = "N", default_value_t = 10)]
    differences: u64,
    /// Write what the models did to this file, instead of comparing it
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
}

impl Arguments {
    /// Runs them.
    ///
    /// # Errors
    /// A tool or a source is missing, or a core differs.
    pub fn run(&self) -> Result<()> {
        let cores = chosen(self.core.as_deref())?;
        let mut differing = 0;
        let mut text = String::new();
        for (name, model) in cores {
            let mut bench = models::start(name)?;
            if self.record.is_some() {
                text += &records::measure(&mut bench, name, model, self.seed, self.count)?;
                continue;
            }
            let found = self.compare(&mut bench, name, model)?;
            println!("{name}: {} programs, {found} differ", self.count);
            differing += found;
        }
        if let Some(path) = &self.record {
            std::fs::write(path, text)?;
            println!("{} is written", path.display());
        }
        ensure!(differing == 0, "{differing} programs differ");
        Ok(())
    }

    fn compare(&self, bench: &mut Bench, name: &str, model: Model) -> Result<u64> {
        let mut found = 0;
        let last = self.first.saturating_add(self.count);
        let mut next = self.first;
        while next < last {
            let until = last.min(next + BATCH);
            for number in next..until {
                let program = Program::random(model, self.seed, number);
                if !agrees(bench, &program)? {
                    found += 1;
                    let short = shrink::shorten(program, |one| Ok(!agrees(bench, one)?))?;
                    println!("{name}, program {number} of seed {}:", self.seed);
                    println!("{}", shrink::describe(&short, &bench.run(&short)?));
                }
                if found >= self.differences {
                    bail!("{found} of {} programs differ on {name}", number + 1 - self.first);
                }
            }
            next = until;
            eprintln!("{name}: {} of {}, {found} differ", next - self.first, self.count);
        }
        Ok(found)
    }
}

/// Returns the cores of a name; all without one.
fn chosen(name: Option<&str>) -> Result<Vec<(&'static str, Model)>> {
    let Some(name) = name else { return Ok(CORES.to_vec()) };
    match CORES.iter().find(|(known, _)| *known == name) {
        Some(core) => Ok(vec![*core]),
        None => {
            let known = CORES.map(|(known, _)| known).join(", ");
            bail!("there is no core {name}; there are {known}")
        }
    }
}

/// Returns `true` if a program does the same on both sides.
///
/// # Errors
/// The model has ended.
pub fn agrees(bench: &mut Bench, program: &Program) -> Result<bool> {
    Ok(bench.run(program)? == program.simulate())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_core_is_refused_with_the_known_ones() {
        let message = chosen(Some("hazard3")).unwrap_err().to_string();
        assert_eq!(
            message,
            "there is no core hazard3; there are ibex-small, ibex-maxperf, vexriscv-imac, \
             vexriscv-secure"
        );
        assert_eq!(chosen(None).unwrap().len(), 4);
        assert_eq!(chosen(Some("ibex-small")).unwrap()[0].0, "ibex-small");
    }
}
