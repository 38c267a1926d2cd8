//! A debugger's access: breakpoints, halting, private registers without side effects.
//!
//! Software can use the debug registers itself, and so cause a debug event (C1.5). The event halts
//! the processor under a debugger. Without one, the event enters DebugMonitor if DEMCR.MON_EN is
//! set and the priority allows this. Otherwise the event is ignored, except for BKPT, which is a
//! HardFault.
//!
//! ```text
//!  BKPT, breakpoints (FPB)         before the instruction
//!  watchpoints (DWT)               behind the instruction that matched
//!  DEMCR.MON_STEP                  behind one instruction of code that the monitor can preempt
//!  vector catch, DHCSR.C_HALT      before the handler, behind the store; under a debugger only
//! ```

use super::bus::{Bus, BusError};
use super::decode::is_wide;
use super::exceptions::number::{
    BUS_FAULT, DEBUG_MONITOR, HARD_FAULT, MEM_MANAGE, RESET, USAGE_FAULT,
};
use super::execute::advance_it;
use super::faults::Fault;
use super::instruction::Size;
use super::system::System;
use super::system::mpu::Access;
use super::system::scb::{FaultStatus, cfsr, dfsr};
use super::{Activity, Flow, Halt, Processor};

/// The number in a BKPT that asks a debugger for a semihosting service.
pub const SEMIHOSTING: u8 = 0xab;

impl<B: Bus> Processor<B> {
    /// BKPT: halts under a debugger. Otherwise the debug monitor or a HardFault follows (C1.6.1).
    ///
    /// An exception that became due in the cycle of the instruction before is taken first. The
    /// processor reaches the BKPT again when the exception's handler returns: halting waits for
    /// buffered stores, but an exception does not wait for a halt.
    pub(crate) fn breakpoint(&mut self, immediate: u8) -> Result<Flow, Fault> {
        self.catch_up(self.pipeline.now());
        if self.due {
            self.visible_from = 0;
            self.instructions -= 1;
            return Ok(Flow::Branched);
        }
        self.pipeline.withdraw();
        let is_served = immediate == SEMIHOSTING && self.serves_semihosting();
        if self.system.debugger_attached || is_served {
            self.system.scb.faults.debug |= dfsr::BREAKPOINT;
            self.instructions -= 1;
            self.stop();
            return Ok(Flow::Halted(Halt::Breakpoint { immediate }));
        }
        if self.can_monitor() {
            self.enter_monitor(dfsr::BREAKPOINT);
            return Ok(Flow::Branched);
        }
        Err(Fault::Breakpoint)
    }

    /// Returns `true` if a request of the code that runs halts for the caller.
    pub(crate) fn serves_semihosting(&self) -> bool {
        self.semihosting && (self.unprivileged_semihosting || self.is_privileged())
    }

    /// Returns `true` if DebugMonitor is enabled and can be taken now.
    fn can_monitor(&self) -> bool {
        let priority = self.execution_priority();
        self.system.is_monitor_enabled()
            && self.system.exceptions.can_preempt(DEBUG_MONITOR, priority)
    }

    fn enter_monitor(&mut self, cause: u32) {
        self.system.scb.faults.debug |= cause;
        self.system.exceptions.set_pending(DEBUG_MONITOR, true);
        self.reconsider_now();
    }

    /// Handles the debug event since the last instruction, if there was one. Returns `true` if the
    /// event has halted the processor.
    pub(super) fn handle_debug_event(&mut self) -> bool {
        let cause = std::mem::take(&mut self.system.debug_event);
        let halts = cause != 0 && self.system.debugger_attached;
        if halts {
            self.system.scb.faults.debug |= cause;
            self.halt();
        } else if cause != 0 && self.can_monitor() {
            self.enter_monitor(cause);
        }
        halts
    }

    fn debug_event(&mut self, cause: u32) {
        self.system.debug_event |= cause;
        self.attention = true;
    }

    /// DEMCR.MON_STEP: DebugMonitor follows the next instruction, if it can preempt the code.
    pub(super) fn step_for_monitor(&mut self) {
        if self.system.is_monitor_stepping() && self.can_monitor() {
            self.debug_event(dfsr::HALTED);
        }
    }

    /// Compares an instruction that is about to be executed with the watchpoints.
    pub(super) fn watch_execution(&mut self, address: u32) {
        if self.system.is_watching() && self.system.dwt.matches(address, Access::Execute) {
            self.debug_event(dfsr::WATCHPOINT);
        }
    }

    /// Compares a data access with the watchpoints.
    pub(super) fn watch_data(&mut self, address: u32, access: Access) {
        if self.system.is_watching() && self.system.dwt.matches(address, access) {
            self.debug_event(dfsr::WATCHPOINT);
        }
    }

    /// DEMCR's vector catch: a debugger halts before an exception's handler (C1.6.5). The kind of a
    /// fault comes from the fault status, which may still contain an old fault.
    pub(super) fn catch_vector(&mut self, exception: u16) {
        const ILLEGAL: u32 = cfsr::UNDEFINSTR | cfsr::INVSTATE | cfsr::INVPC;
        const CHECKS: u32 = cfsr::UNALIGNED | cfsr::DIVBYZERO;
        const STACKING: u32 = cfsr::STKERR | cfsr::UNSTKERR | cfsr::MSTKERR | cfsr::MUNSTKERR;
        if !self.system.debugger_attached {
            return;
        }
        let status = self.system.scb.faults.configurable;
        let usage = [(5, cfsr::NOCP), (6, CHECKS), (7, ILLEGAL)]
            .into_iter()
            .filter(|(_, bits)| exception == USAGE_FAULT && status & bits != 0)
            .fold(0, |caught, (bit, _)| caught | 1 << bit);
        let caught = match exception {
            RESET => 1,
            HARD_FAULT => 1 << 10,
            MEM_MANAGE => 1 << 4,
            BUS_FAULT => 1 << 8,
            _ => usage,
        };
        let is_fault = (HARD_FAULT..=USAGE_FAULT).contains(&exception);
        let stacking = if is_fault && status & STACKING != 0 { 1 << 9 } else { 0 };
        if self.system.catches(caught | stacking) {
            self.debug_event(dfsr::VECTOR_CATCH);
        }
    }

    /// Returns `true` if DebugMonitor must handle a breakpoint of the FPB here. DebugMonitor is due
    /// then.
    pub(super) fn is_at_monitor_breakpoint(&mut self) -> bool {
        let monitors = !self.system.debugger_attached
            && self.system.fpb.has_breakpoint(self.registers.r[15])
            && self.can_monitor();
        if monitors {
            self.enter_monitor(dfsr::BREAKPOINT);
        }
        monitors
    }

    /// Returns `true` if a breakpoint of the FPB halts the processor here. After a halt, the next
    /// step passes the breakpoint.
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

    /// Halts the processor before the next instruction, as a debugger does: the processor's time
    /// stands still until the next step.
    pub fn halt(&mut self) {
        if !self.halted {
            let arrival = self.arrival();
            self.pipeline.wait_until(arrival);
            self.stop();
        }
    }

    /// Returns the cycle in which the next instruction, once fetched, can enter the execute stage.
    pub(super) fn arrival(&mut self) -> u64 {
        let address = self.registers.r[15];
        let wide = self.bus.fetch(address).is_ok_and(is_wide);
        self.pipeline.arrival(address, if wide { 4 } else { 2 })
    }

    fn stop(&mut self) {
        self.halted = true;
        self.attention = true;
    }

    /// Lets a halted processor go on. [`Processor::step`] does this by itself.
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
        self.choose_path();
        self.reconsider(0);
    }

    /// DHCSR.C_MASKINTS, which only a debugger can set: from now on, PendSV, SysTick and the
    /// interrupts stay pending, or come again. Faults, SVCall and NMI come in either case.
    pub fn mask_interrupts(&mut self, masked: bool) {
        self.system.exceptions.set_masked(masked);
        self.reconsider(0);
    }

    /// Tells the processor that a tool has changed something outside it: a device, a pin, the
    /// script.
    pub fn bus_changed(&mut self) {
        let now = self.pipeline.now();
        self.advance_devices(now);
        self.plan_next_event();
        self.reconsider(now);
    }

    /// Returns the content of the fault status registers.
    pub fn fault_status(&self) -> FaultStatus {
        self.system.scb.faults
    }

    /// Returns `true` if the processor is locked up.
    pub fn is_locked_up(&self) -> bool {
        self.activity == Activity::Lockup
    }

    /// Reads one of the processor's private peripherals at the present cycle, without side effects;
    /// `None` if none of them has the address.
    pub fn peek_private(&self, address: u32, size: Size) -> Option<u32> {
        System::owns(address)
            .then(|| self.system.peek(address, size, self.pipeline.now(), &self.registers))
    }

    /// Writes one of the processor's private peripherals at the present cycle, as a store would;
    /// `None` if none of them has the address.
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
