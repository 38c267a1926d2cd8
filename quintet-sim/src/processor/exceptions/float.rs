//! The floating-point context on exceptions: reserved, saved at once or when a handler first uses
//! the unit, and restored (B1.5.7).
//!
//! ```text
//!  code uses the unit ──> CONTROL.FPCA
//!  entry     FPCA: 18 words more of frame, EXC_RETURN bit 4 clear
//!              LSPEN    nothing is written: FPCAR has the place, LSPACT says so
//!              otherwise S0 to S15 and FPSCR are written
//!  handler   its first instruction that uses the unit, with LSPACT: writes them, clears LSPACT
//!  return    bit 4 clear: reads them, unless LSPACT says that the unit has them still
//! ```

use super::number::{BUS_FAULT, DEBUG_MONITOR, HARD_FAULT, MEM_MANAGE};
use crate::processor::Processor;
use crate::processor::bus::Bus;
use crate::processor::faults::Fault;
use crate::processor::float::fpscr;
use crate::processor::history::FaultCause;
use crate::processor::registers::Mode;
use crate::processor::system::float::{
    BUS_FAULT_READY, HARD_FAULT_READY, MEM_MANAGE_READY, MONITOR_READY, OF_THREAD, OF_UNPRIVILEGED,
    PUT_OFF, PUTS_OFF, SAVES,
};
use crate::processor::system::scb::{cfsr, hfsr};

/// The bytes that the floating-point context adds to a frame: S0 to S15, FPSCR, and a word that
/// aligns the frame.
pub(super) const FLOAT_BYTES: u32 = 72;
/// The number of used words in the context.
pub(super) const FLOAT_WORDS: usize = 17;

/// The floating-point part of a frame: S0 to S15 and FPSCR.
pub(super) type Context = [u32; FLOAT_WORDS];

impl<B: Bus> Processor<B> {
    /// `CheckVFPEnabled`.
    pub(in crate::processor) fn float_access(&self) -> Result<(), Fault> {
        match self.system.float.allows(self.is_privileged()) {
            true => Ok(()),
            false => Err(Fault::NoCoprocessor),
        }
    }

    /// `ExecuteFPCheck`: must come before each instruction that uses the unit. False when an
    /// exception comes first.
    pub(in crate::processor) fn begin_float(&mut self) -> Result<bool, Fault> {
        self.float_access()?;
        if self.system.float.is_set(PUT_OFF) && !self.save_float() {
            return Ok(false);
        }
        let float = &mut self.registers.float;
        if !float.active && self.system.float.is_set(SAVES) {
            float.fpscr = float.fpscr & !fpscr::DEFAULTS | self.system.float.defaults;
            float.active = true;
        }
        Ok(true)
    }

    fn float_context(&self) -> Context {
        let float = &self.registers.float;
        std::array::from_fn(|index| if index < 16 { float.s[index] } else { float.fpscr })
    }

    fn write_float(&mut self, address: u32, privileged: bool) -> Result<(), Fault> {
        for (index, value) in self.float_context().into_iter().enumerate() {
            self.write_stack(address.wrapping_add(4 * index as u32), value, privileged)?;
        }
        Ok(())
    }

    /// Writes what was put off. False when an exception becomes due meanwhile.
    fn write_float_late(&mut self) -> Result<bool, Fault> {
        let privileged = !self.system.float.is_set(OF_UNPRIVILEGED);
        let address = self.system.float.address;
        for (index, value) in self.float_context().into_iter().enumerate() {
            if self.interrupt_due() {
                return Ok(false);
            }
            self.write_stack(address.wrapping_add(4 * index as u32), value, privileged)?;
        }
        Ok(true)
    }

    /// `PreserveFPState`: writes what was put off. False when an exception comes first, also in the
    /// middle; the instruction then starts over behind it, and the writing with it.
    fn save_float(&mut self) -> bool {
        match self.write_float_late() {
            Ok(false) => return false,
            Ok(true) => {}
            Err(fault) => {
                self.raise_late_stacking(fault);
                if self.due || self.is_locked_up() {
                    return false;
                }
            }
        }
        self.system.float.settle();
        true
    }

    /// `TakePreserveFPException`: the fault belongs to the interrupted code, so the fault is taken
    /// with the priorities of that moment.
    fn raise_late_stacking(&mut self, fault: Fault) {
        let cause = FaultCause::LateStacking(fault);
        let (exception, status, ready) = match fault {
            Fault::DataAccess { .. } => (MEM_MANAGE, cfsr::MLSPERR, MEM_MANAGE_READY),
            _ => (BUS_FAULT, cfsr::LSPERR, BUS_FAULT_READY),
        };
        self.system.scb.faults.configurable |= status;
        let handler = if self.system.float.is_set(ready) {
            exception
        } else if self.system.float.is_set(HARD_FAULT_READY) {
            self.system.scb.faults.hard |= hfsr::FORCED;
            HARD_FAULT
        } else {
            self.note_fault(cause, None);
            return self.lock_up();
        };
        self.note_fault(cause, Some(handler));
        self.system.exceptions.set_pending(handler, true);
        self.reconsider_now();
    }

    /// Returns `true` if the floating-point part of a frame is written when the unit is next used.
    pub(super) fn puts_float_off(&self) -> bool {
        self.system.float.is_set(PUTS_OFF)
    }

    /// The floating-point part of a frame on entry, at `address`.
    pub(super) fn push_float(&mut self, address: u32, privileged: bool) -> Result<(), Fault> {
        if self.puts_float_off() {
            self.put_float_off(address, privileged);
            return Ok(());
        }
        if !self.system.float.allows(privileged) {
            return Err(Fault::NoCoprocessor);
        }
        self.write_float(address, privileged)
    }

    /// `UpdateFPCCR`.
    fn put_float_off(&mut self, address: u32, privileged: bool) {
        let priority = self.execution_priority();
        let table = &self.system.exceptions;
        let monitor =
            self.system.is_monitor_enabled() && table.can_preempt(DEBUG_MONITOR, priority);
        let bits = [
            (OF_UNPRIVILEGED, !privileged),
            (OF_THREAD, self.registers.mode() == Mode::Thread),
            (HARD_FAULT_READY, priority > -1),
            (MEM_MANAGE_READY, table.can_preempt(MEM_MANAGE, priority)),
            (BUS_FAULT_READY, table.can_preempt(BUS_FAULT, priority)),
            (MONITOR_READY, monitor),
        ];
        let set = bits.into_iter().filter(|(_, is_set)| *is_set);
        self.system.float.put_off(address, set.fold(0, |all, (bit, _)| all | bit));
    }

    /// Returns the floating-point part of the frame at `address`, on return. `None` if the unit
    /// still has the context, or if an exception has become due, which [`Processor::interrupt_due`]
    /// tells.
    pub(super) fn pop_float(
        &mut self,
        address: u32,
        privileged: bool,
    ) -> Result<Option<Context>, Fault> {
        if self.system.float.is_set(PUT_OFF) {
            return Ok(None);
        }
        if !self.system.float.allows(privileged) {
            return Err(Fault::NoCoprocessor);
        }
        let mut context = [0; FLOAT_WORDS];
        for (index, value) in context.iter_mut().enumerate() {
            *value = self.read_stack(address.wrapping_add(4 * index as u32), privileged)?;
            if self.interrupt_due() {
                return Ok(None);
            }
        }
        Ok(Some(context))
    }

    /// The return to code that used the unit is done.
    pub(super) fn resume_float(&mut self, context: Option<Context>) {
        self.system.float.settle();
        let float = &mut self.registers.float;
        if let Some(context) = context {
            float.s[..16].copy_from_slice(&context[..16]);
            float.fpscr = context[16] & fpscr::ALL;
        }
    }
}
