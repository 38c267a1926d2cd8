//! What a machine with a hart has to do with what is around it: the script, watches of a tool, and
//! RTT's host.

use super::machine::Machine;
use crate::bus::{PinChange, SystemBus, WatchedRange};
use crate::machine::{Stop, Watch, WatchHit};
use crate::rtt::{Hosting, Rtt};
use crate::script::Action;
use crate::semihosting::{Channel, Host};

impl Machine {
    /// Stops the machine, from now on, after each step that accesses one of these addresses.
    pub fn watch(&mut self, range: WatchedRange) {
        self.watches.push(range);
        self.apply_watches();
    }

    /// Ends a watch.
    pub fn unwatch(&mut self, range: WatchedRange) {
        self.watches.retain(|watched| *watched != range);
        self.apply_watches();
    }

    fn apply_watches(&mut self) {
        self.hart.bus.system.watch(self.watches.clone());
        self.update_inspecting();
    }

    pub(super) fn update_inspecting(&mut self) {
        self.inspecting = !self.watches.is_empty() || self.passed.is_waiting();
    }

    /// Starts or stops recording changes of pins. A start forgets earlier ones.
    pub fn observe_pins(&mut self, on: bool) {
        self.hart.bus.system.observe(on);
    }

    /// Takes the recorded changes of pins, whoever drives them.
    pub fn take_pin_changes(&mut self) -> Vec<PinChange> {
        self.hart.bus.system.take_pin_changes()
    }

    /// Returns the level of a pin now. `device` is the number of the GPIO among the board's
    /// devices.
    pub fn pin_level(&self, device: usize, pin: u8) -> bool {
        self.hart.bus.system.pin_level(device, pin)
    }

    /// Returns the cycle in which the script's action at a place has happened, by the number of
    /// the action in [`crate::script::Script::placed`]; `None` if it has not.
    pub fn happened(&self, number: usize) -> Option<u64> {
        self.passed.happened(number)
    }

    /// Does what the bus asks of the machine.
    #[cold]
    pub(super) fn attend(&mut self) {
        let requests = self.hart.bus.system.take_requests();
        for interrupt in requests.pend {
            self.pend(interrupt);
        }
        for change in &requests.changes {
            self.change(change);
        }
        self.serve_rtt(&requests.rung);
        if requests.reset {
            self.reset();
        }
    }

    /// After the step from `pc`, with the stop that it had: looks at watches, and does what the
    /// script has for the next instruction.
    #[cold]
    pub(super) fn inspect(&mut self, pc: u32, stop: Option<Stop>) -> Option<Stop> {
        let access = self.hart.bus.system.take_access();
        let seen = access.and_then(|access| {
            let range = self.watches.iter().find(|range| range.matches(&access))?;
            let (watch, address, cycle) = (Watch::Memory(*range), access.address, access.cycle);
            Some(WatchHit { watch, address, old: access.old, new: access.value, cycle, pc })
        });
        if self.passed.is_waiting() && stop.is_none() && self.hart.is_instruction_next() {
            let cycle = self.hart.cycle();
            for action in self.passed.come(self.hart.pc, cycle) {
                self.act(&action, cycle);
            }
            self.update_inspecting();
        }
        stop.or(seen.map(Stop::Watch))
    }

    /// Does an action of the script that is at a place.
    fn act(&mut self, action: &Action, cycle: u64) {
        match action {
            Action::Poke { .. } | Action::Flip { .. } => self.change(action),
            Action::Pend { interrupt } => self.pend(*interrupt),
            Action::Drive { .. } | Action::Send { .. } => {
                self.hart.bus.system.perform(action, cycle);
                self.hart.look_at_bus();
            }
        }
    }

    fn pend(&mut self, interrupt: u16) {
        self.pulse(1_u32.checked_shl(interrupt.into()).unwrap_or(0));
    }

    /// Changes memory. The script has checked the addresses.
    fn change(&mut self, action: &Action) {
        match action {
            Action::Poke { address, bytes } => {
                self.write_memory(*address, bytes);
            }
            Action::Flip { address, bit } => {
                let mut byte = [0];
                if self.read_memory(*address, &mut byte).is_some() {
                    self.write_memory(*address, &[byte[0] ^ 1 << (bit & 7)]);
                }
            }
            _ => {}
        }
    }
}

impl Hosting for Machine {
    fn rtt(&self) -> &Rtt {
        &self.rtt
    }

    fn rtt_mut(&mut self) -> &mut Rtt {
        &mut self.rtt
    }

    fn bus(&self) -> &SystemBus {
        &self.hart.bus.system
    }

    fn bus_mut(&mut self) -> &mut SystemBus {
        &mut self.hart.bus.system
    }

    fn host(&self) -> &Host {
        &self.host
    }

    fn host_mut(&mut self) -> &mut Host {
        &mut self.host
    }

    fn now(&self) -> u64 {
        self.hart.cycle()
    }

    fn collect_sent(&mut self) {
        for (device, bytes) in self.hart.bus.system.take_sent() {
            self.host.print(Channel::Device(device), &bytes);
        }
        let printed = self.hart.bus.take_printed();
        self.host.print(Channel::Output, &printed);
    }
}
