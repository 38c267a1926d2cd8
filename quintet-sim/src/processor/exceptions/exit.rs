//! Exception return: integrity checks, tail-chaining, sleep-on-exit, unstacking (B1.5.8).

use super::entry::{FRAME_BYTES, FRAME_IS_PADDED};
use super::exc_return::{BASIC_FRAME, TO_HANDLER, TO_THREAD_MAIN, TO_THREAD_PROCESS};
use super::float::{Context, FLOAT_BYTES};
use super::number::{BUS_FAULT, MEM_MANAGE, NMI, USAGE_FAULT};
use crate::processor::bus::Bus;
use crate::processor::events::EventKind;
use crate::processor::faults::Fault;
use crate::processor::history::{FaultCause, Jump};
use crate::processor::system::scb::{ccr, cfsr, scr};
use crate::processor::{Activity, Architecture, Processor};

/// How unstacking ended.
enum Unstacked {
    /// All words were read: r0 to r3, r12, lr, pc, xPSR, and the floating-point context if it is in
    /// the frame and no longer in the unit.
    Frame([u32; 8], Option<Context>),
    /// An exception became due; the frame is still on the stack.
    Preempted,
}

/// Returns where the return goes on, for every type of frame.
const fn destination(exc_return: u32) -> u32 {
    exc_return | BASIC_FRAME
}

/// Returns `true` if the frame holds the floating-point context too.
const fn is_extended(exc_return: u32) -> bool {
    exc_return & BASIC_FRAME == 0
}

impl<B: Bus> Processor<B> {
    /// Returns from an exception: `exc_return` has been loaded into the PC in handler mode.
    pub(crate) fn return_exception(&mut self, exc_return: u32) {
        self.pipeline.return_exception();
        // The bits for a secure frame and a secure handler have no effect.
        let exc_return = exc_return | !self.exc_return_mask();
        let exception = self.registers.ipsr;
        let table = &mut self.system.exceptions;
        let is_last = table.active_count() == 1;
        let exists = !is_extended(exc_return) || self.configuration.has_floating_point();
        let valid = table.is_active(exception)
            && exists
            && match destination(exc_return) {
                TO_HANDLER => true,
                TO_THREAD_MAIN | TO_THREAD_PROCESS => {
                    is_last || self.system.scb.is_set(ccr::NON_BASE_THREAD)
                }
                _ => false,
            };
        self.system.exceptions.set_active(exception, false);
        self.notes.returned(exception);
        if self.observing {
            self.record(EventKind::Exit { exception, exc_return });
        }
        // FAULTMASK ends with the handler that set it, except for NMI's handler.
        if exception != NMI {
            self.registers.faultmask = false;
        }
        self.priority_changed();
        if !valid {
            return self.refuse_return(exc_return);
        }
        let sleeps = is_last
            && destination(exc_return) != TO_HANDLER
            && self.system.scb.system_control & scr::SLEEP_ON_EXIT != 0;
        self.catch_up(self.pipeline.now());
        if sleeps && !self.due {
            self.fall_asleep(Activity::SleepingOnExit { exc_return });
        } else {
            self.finish_return(exc_return);
        }
    }

    /// Returns the bits of EXC_RETURN that a core sets. On ARMv8-M without the Security Extension
    /// these are all but the bits for a secure frame and a secure handler.
    pub(super) fn exc_return_mask(&self) -> u32 {
        if self.architecture() == Architecture::V8M { !0x41 } else { u32::MAX }
    }

    /// Does the second half of a valid return: the next handler, or the interrupted code.
    pub(in crate::processor) fn finish_return(&mut self, exc_return: u32) {
        let began = self.pipeline.now();
        self.catch_up(began);
        if self.due {
            return self.tail_chain(began, exc_return);
        }
        match self.pop_frame(exc_return) {
            Ok(Unstacked::Frame(frame, context)) => self.resume_frame(exc_return, frame, context),
            Ok(Unstacked::Preempted) => self.tail_chain(began, exc_return),
            Err(fault) => {
                let what = (FaultCause::Unstacking(fault), fault);
                self.derive(what, (MEM_MANAGE, cfsr::MUNSTKERR), (BUS_FAULT, cfsr::UNSTKERR));
                self.tail_chain_or_lock_up(exc_return);
            }
        }
    }

    /// Reads the frame, in the order in which it was stacked. If an exception becomes due
    /// meanwhile, the read stops, because the frame would only be written again.
    fn pop_frame(&mut self, exc_return: u32) -> Result<Unstacked, Fault> {
        let address = self.frame_address(exc_return);
        let to_handler = destination(exc_return) == TO_HANDLER;
        let privileged = to_handler || !self.registers.unprivileged_thread;
        let mut frame = [0; 8];
        for index in [6, 7, 0, 1, 2, 3, 4, 5] {
            frame[index] = self.read_stack(address.wrapping_add(4 * index as u32), privileged)?;
            if self.interrupt_due() {
                return Ok(Unstacked::Preempted);
            }
        }
        let mut context = None;
        if is_extended(exc_return) {
            context = self.pop_float(address.wrapping_add(FRAME_BYTES), privileged)?;
            if self.interrupt_due() {
                return Ok(Unstacked::Preempted);
            }
        }
        Ok(Unstacked::Frame(frame, context))
    }

    fn frame_address(&self, exc_return: u32) -> u32 {
        if destination(exc_return) == TO_THREAD_PROCESS {
            self.registers.process_stack_pointer()
        } else {
            self.registers.main_stack_pointer()
        }
    }

    /// Goes on in the interrupted code.
    fn resume_frame(&mut self, exc_return: u32, frame: [u32; 8], context: Option<Context>) {
        let [r0, r1, r2, r3, r12, lr, pc, xpsr] = frame;
        let to_handler = destination(exc_return) == TO_HANDLER;
        let extended = is_extended(exc_return);
        if to_handler == (xpsr & 0x1ff == 0) {
            return self.refuse_return(exc_return);
        }
        let bytes = FRAME_BYTES + if extended { FLOAT_BYTES } else { 0 };
        let mut stack = self.frame_address(exc_return).wrapping_add(bytes);
        let aligns = extended || self.system.scb.is_set(ccr::ALIGN_STACK);
        if xpsr & FRAME_IS_PADDED != 0 && aligns {
            stack |= 4;
        }
        let registers = &mut self.registers;
        self.notes.jump = Jump { from: registers.r[15], to: pc };
        registers.select_stack(destination(exc_return) == TO_THREAD_PROCESS);
        registers.float.active = extended;
        registers.r[..4].copy_from_slice(&[r0, r1, r2, r3]);
        registers.r[12] = r12;
        registers.r[13] = stack & !3;
        registers.r[14] = lr;
        registers.r[15] = pc & !1;
        registers.set_xpsr(xpsr);
        registers.apsr &= self.configuration.flags_mask();
        if extended {
            self.resume_float(context);
        }
        self.exclusive.clear();
        self.event_register = true;
        self.pipeline.returned(pc & !1);
        self.reconsider(0);
    }

    /// Refuses a return that fails its checks: UsageFault INVPC, which leaves the frame alone.
    fn refuse_return(&mut self, exc_return: u32) {
        self.system.scb.faults.configurable |= cfsr::INVPC;
        let priority = self.execution_priority();
        self.raise(FaultCause::InvalidReturn { exc_return }, USAGE_FAULT, priority);
        self.reconsider(0);
        self.tail_chain_or_lock_up(exc_return);
    }

    fn tail_chain_or_lock_up(&mut self, exc_return: u32) {
        if self.due {
            self.tail_chain(self.pipeline.now(), exc_return);
        } else {
            self.lock_up();
        }
    }
}
