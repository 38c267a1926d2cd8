//! A campaign that is ready to start: its places are found, and the undisturbed run is done.

use super::campaign::Campaign;
use super::check::Rules;
use super::exceptions::Chooser;
use super::moment::Walker;
use super::scenario::Scenario;
use super::undisturbed::{Expectation, Setting, Undisturbed};
use super::windows::Windows;
use crate::commands::options::MachineOptions;
use crate::firmware::Firmware;
use crate::firmware::code::Code;
use crate::report::table::grouped;
use anyhow::{Context, bail};
use std::path::Path;

/// A run may take twice as long as the undisturbed one, and so many cycles more.
const LIMIT_MARGIN: u64 = 100_000;

/// A firmware, a scenario, and the run without injections.
pub struct Prepared {
    /// The firmware.
    pub firmware: Firmware,
    /// The board's name.
    pub board: String,
    /// The run without injections.
    pub undisturbed: Undisturbed,
    /// The windows of a pair's second injection.
    second: Windows,
    prototype: Walker,
    rules: Rules,
    limit: u64,
    max_mask: Option<u64>,
}

impl Prepared {
    /// Opens `elf`, finds the scenario's places, and runs the firmware undisturbed. `None` after
    /// Ctrl-C.
    pub fn new(
        scenario: &Scenario,
        machine_options: &MachineOptions,
        elf: &Path,
    ) -> anyhow::Result<Option<Self>> {
        let firmware = machine_options.open(elf)?;
        let windows = Windows::find(&firmware, &scenario.windows)?;
        let second = match scenario.pair_code.as_slice() {
            [] => windows.clone(),
            code => Windows::of_code(Code::find(&firmware, code).context("--pair-code")?),
        };
        let board = machine_options.board()?;
        let chooser = Chooser::new(&firmware, board.interrupts, &scenario.exception_names())?;
        let machine = machine_options.machine(&firmware)?;
        let setting = Setting {
            firmware: &firmware,
            texts: &scenario.windows,
            windows: &windows,
            limit: machine_options.cycle_limit(),
            max_mask: scenario.max_mask,
        };
        let prototype = Walker::new(machine.clone(), scenario.max_mask.is_some());
        let Some(undisturbed) = setting.run(machine, chooser)? else { return Ok(None) };
        let cycles = undisturbed.end.cycle();
        let limit = scenario.limit.unwrap_or(2 * cycles + LIMIT_MARGIN);
        if limit < cycles {
            let cycles = grouped(cycles);
            bail!("the limit of {limit} cycles is too short: undisturbed it takes {cycles}");
        }
        Ok(Some(Self {
            board: board.name,
            undisturbed,
            second,
            prototype,
            rules: scenario.rules(),
            limit,
            max_mask: scenario.max_mask,
            firmware,
        }))
    }

    /// The campaign.
    pub fn campaign(&self) -> Campaign<'_> {
        let expectation = Expectation {
            end: &self.undisturbed.end,
            rules: &self.rules,
            limit: self.limit,
            max_mask: self.max_mask,
        };
        Campaign {
            prototype: self.prototype.clone(),
            undisturbed: &self.undisturbed,
            expectation,
            second: &self.second,
        }
    }
}
