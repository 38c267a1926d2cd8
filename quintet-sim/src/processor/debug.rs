//! What a debugger sees and does: breakpoints, halting, private registers without side effects.

use super::bus::{Bus, BusError};
use super::decode::is_wide;
use super::exceptions::number::DEBUG_MONITOR;
use super::execute::advance_it;
use super::faults::Fault;
use super::instruction::Size;
use super::system::System;
use super::system::scb::{DFSR_BREAKPOINT, FaultStatus};
use super::{Activity, Flow, Halt, Processor};

/// The number in a BKPT that asks a debugger for a semihosting service.
const SEMIHOSTING: u8 = 0xab;

impl<B: Bus> Processor<B> {
    /// BKPT: halts under a debugger, else is the debug monitor's or a HardFault (C1.6.1).
    ///
    /// An exception that became due in the cycle of the instruction before is taken first, and the
    /// BKPT is reached again when its handler returns: halting waits for buffered stores, an
    /// exception does not wait for a halt.
    pub(crate) fn breakpoint(&mut self, immediate: u8) -> Result<Flow, Fault> {
        self.catch_up(self.pipeline.now());
        if self.due {
            self.visible_from = 0;
            self.instructions -= 1;
            return Ok(Flow::Branched);
        }
        self.pipeline.withdraw();
        if self.system.debugger_attached || (immediate == SEMIHOSTING && self.semihosting) {
            self.system.scb.faults.debug |= DFSR_BREAKPOINT;
            self.instructions -= 1;
            self.stop();
            return Ok(Flow::Halted(Halt::Breakpoint { immediate }));
        }
        let priority = self.execution_priority();
        if self.system.is_monitor_enabled()
            && self.system.exceptions.can_preempt(DEBUG_MONITOR, priority)
        {
            self.system.scb.faults.debug |= DFSR_BREAKPOINT;
            self.system.exceptions.set_pending(DEBUG_MONITOR, true);
            self.reconsider_now();
            return Ok(Flow::Branched);
        }
        Err(Fault::Breakpoint)
    }

    /// Whether a breakpoint of the FPB stops the processor here. After it has, the next step passes
    /// it.
    pub(super) fn is_at_hardware_breakpoint(&mut self) -> bool {
        let pc = self.registers.r[15];
        let hit = self.system.debugger_attached
            && self.system.fpb.has_breakpoint(pc)
            && self.passed_breakpoint != Some(pc);
        self.passed_breakpoint = hit.then_some(pc);
        if hit {
            self.halt();
        }
        hit
    }

    /// Halts the processor before the next instruction, as a debugger does: its time stands still
    /// until the next step.
    pub fn halt(&mut self) {
        if !self.halted {
            let address = self.registers.r[15];
            let wide = self.bus.fetch(address).is_ok_and(is_wide);
            self.pipeline.arrive(address, if wide { 4 } else { 2 });
            self.stop();
        }
    }

    fn stop(&mut self) {
        self.halted = true;
        self.attention = true;
    }

    /// Lets a halted processor go on; [`Processor::step`] does it by itself.
    pub fn resume(&mut self) {
        if !std::mem::take(&mut self.halted) {
            return;
        }
        self.pipeline.resume(self.registers.r[15]);
        self.reconsider(0);
    }

    /// Goes on behind the BKPT at which the processor halted.
    pub fn skip_breakpoint(&mut self) {
        self.registers.r[15] = self.registers.r[15].wrapping_add(2);
        self.registers.itstate = advance_it(self.registers.itstate);
    }

    /// Attaches or detaches a debugger: DHCSR.C_DEBUGEN. Without one, BKPT is a fault.
    pub fn attach_debugger(&mut self, attached: bool) {
        self.system.debugger_attached = attached;
        self.reconsider(0);
    }

    /// Tells the processor that something outside it was changed behind its back: a device, a pin,
    /// the script.
    pub fn bus_changed(&mut self) {
        let now = self.pipeline.now();
        self.advance_devices(now);
        self.plan_next_event();
        self.reconsider(now);
    }

    /// What the fault status registers say.
    pub fn fault_status(&self) -> FaultStatus {
        self.system.scb.faults
    }

    /// Whether the processor is locked up.
    pub fn is_locked_up(&self) -> bool {
        self.activity == Activity::Lockup
    }

    /// Reads one of the processor's private peripherals at the present cycle, without side effects;
    /// `None` when the address is not theirs.
    pub fn peek_private(&self, address: u32, size: Size) -> Option<u32> {
        System::owns(address)
            .then(|| self.system.peek(address, size, self.pipeline.now(), &self.registers))
    }

    /// Writes one of the processor's private peripherals at the present cycle, as a store would;
    /// `None` when the address is not theirs.
    pub fn poke_private(
        &mut self,
        address: u32,
        size: Size,
        value: u32,
    ) -> Option<Result<(), BusError>> {
        if !System::owns(address) {
            return None;
        }
        let cycle = self.pipeline.now();
        let result = self.system.write(address, size, value, cycle);
        self.system_changed(cycle);
        Some(result)
    }
}
