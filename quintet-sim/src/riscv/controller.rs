//! A hart with a controller of external interrupts of its own: Hazard3's.

use super::bus::{Bus, line};
use super::hart::{Hart, Privilege};
use super::instruction::{CsrOperation, Register, Source};
use super::xh3irq::{self, Xh3irq};

/// Brings the bus up to a cycle; returns the interrupts that are pending.
#[inline]
pub(super) fn pending<B: Bus>(bus: &mut B, controller: &mut Option<Xh3irq>, cycle: u64) -> u32 {
    let lines = bus.advance(cycle);
    let Some(controller) = controller else { return lines };
    controller.set_lines(&bus.device_lines());
    lines & !line::EXTERNAL | if controller.calls() { line::EXTERNAL } else { 0 }
}

impl<B: Bus> Hart<B> {
    /// Gives the core a controller of external interrupts of its own, which has that many.
    pub fn add_controller(&mut self, irqs: u32, priority_bits: u32) {
        self.controller = Some(Xh3irq::new(irqs, priority_bits));
    }

    /// Accesses a register of the core's own controller; `None` if it isn't there in this mode.
    pub(super) fn change_controller(
        &mut self,
        operation: CsrOperation,
        rd: Register,
        source: Source,
        csr: u16,
    ) -> Option<()> {
        let (operand, is_zero) = match source {
            Source::Register(register) => (self.get(register), register == 0),
            Source::Immediate(value) => (u32::from(value), value == 0),
        };
        let change = match operation {
            CsrOperation::Write => xh3irq::Change::Write,
            _ if is_zero => xh3irq::Change::Nothing,
            CsrOperation::Set => xh3irq::Change::Set,
            CsrOperation::Clear => xh3irq::Change::Clear,
        };
        let reads = operation != CsrOperation::Write || rd != 0;
        let is_machine = self.privilege == Privilege::Machine;
        let controller = self.controller.as_mut().filter(|_| is_machine)?;
        let asked = xh3irq::Asked { csr, operand, change, reads };
        let (old, enabled) = controller.access(asked, self.csr.enabled);
        self.csr.enabled = enabled;
        self.set(rd, old);
        self.ask_controller();
        Some(())
    }

    /// Learns whether the controller calls, which traps and accesses to it change.
    pub(super) fn ask_controller(&mut self) {
        if let Some(controller) = &self.controller {
            let external = if controller.calls() { line::EXTERNAL } else { 0 };
            self.pending = self.pending & !line::EXTERNAL | external;
        }
    }
}
