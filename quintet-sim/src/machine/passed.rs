//! The actions of a script at places in the code, and when they happened.

use super::Machine;
use crate::script::{Action, Script};

/// How often the program has come to each place, and when the action there happened.
#[derive(Clone, Debug, Default)]
pub(crate) struct Passed {
    script: Script,
    counts: Vec<u64>,
    cycles: Vec<Option<u64>>,
}

impl Passed {
    /// Of a script from its beginning.
    pub fn of(script: &Script) -> Self {
        let length = script.placed().len();
        Self { script: script.clone(), counts: vec![0; length], cycles: vec![None; length] }
    }

    /// Returns `true` if any action has not happened yet.
    pub fn is_waiting(&self) -> bool {
        self.cycles.iter().any(Option::is_none)
    }

    /// Returns when an action happened.
    pub fn happened(&self, number: usize) -> Option<u64> {
        self.cycles.get(number).copied().flatten()
    }

    /// Notes that the program is at a place. Returns the actions that happen now, in order.
    pub(crate) fn come(&mut self, address: u32, cycle: u64) -> Vec<Action> {
        let mut now = Vec::new();
        for (number, placed) in self.script.placed().iter().enumerate() {
            if placed.address != address || self.cycles[number].is_some() {
                continue;
            }
            self.counts[number] += 1;
            if self.counts[number] == placed.nth {
                self.cycles[number] = Some(cycle);
                now.push(placed.action.clone());
            }
        }
        now
    }
}

impl Machine {
    /// After a step: does what the script has for the next instruction.
    pub(super) fn pass(&mut self) {
        if !self.processor.is_instruction_next() {
            return;
        }
        let cycle = self.cycle();
        for action in self.passed.come(self.pc(), cycle) {
            match action {
                Action::Poke { .. } | Action::Flip { .. } => self.change(&action),
                Action::Pend { interrupt } => self.processor.pend(interrupt + 16),
                Action::Drive { .. } | Action::Send { .. } => {
                    self.processor.bus.perform(&action, cycle);
                    self.processor.bus_changed();
                }
            }
        }
        if !self.passed.is_waiting() {
            self.update_inspecting();
        }
    }

    /// Changes memory. The script has checked the addresses.
    pub(super) fn change(&mut self, action: &Action) {
        let _ = match action {
            Action::Poke { address, bytes } => self.write_memory(*address, bytes),
            Action::Flip { address, bit } => {
                let mut byte = [0];
                let read = self.read_memory(*address, &mut byte);
                byte[0] ^= 1 << (bit & 7);
                read.and_then(|()| self.write_memory(*address, &byte))
            }
            _ => Ok(()),
        };
    }
}
