//! Exception entry: stacking, late arrival, the vector (B1.5.6, B1.5.7).

use super::exc_return;
use super::float::FLOAT_BYTES;
use super::number::{BUS_FAULT, HARD_FAULT, MEM_MANAGE, USAGE_FAULT};
use crate::processor::bus::Bus;
use crate::processor::events::EventKind;
use crate::processor::faults::Fault;
use crate::processor::history::FaultCause;
use crate::processor::instruction::Size;
use crate::processor::registers::Mode;
use crate::processor::system::scb::{ccr, cfsr, hfsr};
use crate::processor::{Activity, Processor};

/// The size of a frame without alignment.
pub(super) const FRAME_BYTES: u32 = 32;
/// xPSR bit 9: a word of padding lies behind the frame.
pub(super) const FRAME_IS_PADDED: u32 = 1 << 9;

/// The cause of a handler's run.
pub(super) struct Entry {
    /// The cycle in which the entry began, or the return before the entry.
    pub began: u64,
    /// The exception that began the entry.
    pub first: u16,
    /// `true` if the handler uses the frame of an earlier exception.
    pub tail_chained: bool,
    /// Where the interrupted code goes on, or the EXC_RETURN value of the handler before.
    pub return_address: u32,
    /// The handler's LR.
    pub exc_return: u32,
    /// The stack pointer before anything was stacked.
    pub stack_pointer: u32,
}

impl<B: Bus> Processor<B> {
    /// Enters the most urgent exception.
    pub(in crate::processor) fn enter_exception(&mut self) {
        let entry = Entry {
            began: self.pipeline.now(),
            first: self.system.exceptions.candidate().exception,
            tail_chained: false,
            return_address: self.registers.r[15],
            stack_pointer: self.registers.r[13],
            exc_return: self.return_value(),
        };
        self.pipeline.enter_exception(false);
        if let Err(fault) = self.push_frame() {
            let cause = FaultCause::Stacking { exception: entry.first, fault };
            self.derive((cause, fault), (MEM_MANAGE, cfsr::MSTKERR), (BUS_FAULT, cfsr::STKERR));
        }
        self.begin_handler(&entry);
    }

    /// The EXC_RETURN value that leads back to the present code.
    fn return_value(&self) -> u32 {
        let basic = match (self.registers.mode(), self.registers.process_stack) {
            (Mode::Handler, _) => exc_return::TO_HANDLER,
            (Mode::Thread, false) => exc_return::TO_THREAD_MAIN,
            (Mode::Thread, true) => exc_return::TO_THREAD_PROCESS,
        };
        if self.registers.float.active { basic & !exc_return::BASIC_FRAME } else { basic }
    }

    /// Enters the most urgent exception from the return of another, on the frame that is there.
    pub(super) fn tail_chain(&mut self, began: u64, exc_return: u32) {
        self.pipeline.enter_exception(true);
        self.begin_handler(&Entry {
            began,
            first: self.system.exceptions.candidate().exception,
            tail_chained: true,
            return_address: exc_return,
            exc_return,
            stack_pointer: self.registers.r[13],
        });
    }

    /// Stacks the frame. The program counter and xPSR go first, so that the handler's fetch can
    /// begin while the rest is stacked (Cortex-M3 TRM 5.5.1).
    fn push_frame(&mut self) -> Result<(), Fault> {
        let registers = &self.registers;
        let stack = registers.r[13];
        let extended = registers.float.active;
        let padded = (extended || self.system.scb.is_set(ccr::ALIGN_STACK)) && stack & 4 != 0;
        let bytes = FRAME_BYTES + if extended { FLOAT_BYTES } else { 0 };
        let frame = stack.wrapping_sub(if padded { bytes + 4 } else { bytes });
        let xpsr = registers.xpsr() | if padded { FRAME_IS_PADDED } else { 0 };
        let [r0, r1, r2, r3] = [0, 1, 2, 3].map(|index| registers.r[index]);
        let words = [
            (24, registers.r[15]),
            (28, xpsr),
            (0, r0),
            (4, r1),
            (8, r2),
            (12, r3),
            (16, registers.r[12]),
            (20, registers.r[14]),
        ];
        let privileged = self.is_privileged();
        if let Some(limit) = self.stack_limit().filter(|limit| frame < *limit) {
            self.registers.r[13] = limit;
            return Err(Fault::StackOverflow);
        }
        // The stack pointer moves even when stacking fails.
        self.registers.r[13] = frame;
        let basic = words.into_iter().try_for_each(|(offset, value)| {
            self.write_stack(frame.wrapping_add(offset), value, privileged)
        });
        // The lazy save stays due, even if the rest of the frame could not be written.
        if extended && (basic.is_ok() || self.puts_float_off()) {
            self.push_float(frame.wrapping_add(FRAME_BYTES), privileged)?;
        }
        basic
    }

    /// A fault on stacking or unstacking pends an exception of its own (B1.5.11, derived
    /// exceptions). The processor then takes the more urgent of this exception and the original
    /// one.
    pub(super) fn derive(
        &mut self,
        (cause, fault): (FaultCause, Fault),
        memory: (u16, u32),
        bus: (u16, u32),
    ) {
        let (exception, status) = match fault {
            Fault::DataAccess { .. } => memory,
            Fault::NoCoprocessor => (USAGE_FAULT, cfsr::NOCP),
            Fault::StackOverflow => (USAGE_FAULT, cfsr::STKOF),
            _ => bus,
        };
        self.system.scb.faults.configurable |= status;
        let priority = self.execution_priority();
        self.raise(cause, exception, priority);
        self.reconsider(0);
    }

    /// Pends a fault that no instruction has ended in, or HardFault instead.
    pub(super) fn raise(&mut self, cause: FaultCause, exception: u16, priority: i16) {
        let handler = if self.system.exceptions.can_preempt(exception, priority) {
            exception
        } else {
            self.system.scb.faults.hard |= hfsr::FORCED;
            HARD_FAULT
        };
        self.note_fault(cause, Some(handler));
        self.system.exceptions.set_pending(handler, true);
    }

    /// Chooses the exception (one that has arrived during stacking takes over), reads its vector,
    /// and goes to the handler.
    pub(super) fn begin_handler(&mut self, entry: &Entry) {
        self.catch_up(self.pipeline.now());
        let Some((exception, vector)) = self.fetch_vector() else { return };
        if (HARD_FAULT..=USAGE_FAULT).contains(&exception) && !entry.tail_chained {
            let mut before = self.registers.clone();
            before.r[13] = entry.stack_pointer;
            self.last_fault = Some(before);
        }
        let mask = self.exc_return_mask();
        let registers = &mut self.registers;
        registers.select_stack(false);
        registers.r[14] = entry.exc_return & mask;
        registers.r[15] = vector & !1;
        registers.thumb = vector & 1 != 0;
        registers.itstate = 0;
        registers.ici = 0;
        registers.float.active = false;
        registers.ipsr = exception;
        self.exclusive.clear();
        self.event_register = true;
        self.system.exceptions.activate(exception);
        self.catch_vector(exception);
        self.reconsider(0);
        self.pipeline.entered(vector & !1);
        if self.observing {
            self.record(EventKind::Enter {
                exception,
                began: entry.began,
                tail_chained: entry.tail_chained,
                late_arrival_over: (exception != entry.first).then_some(entry.first),
                return_address: entry.return_address,
            });
        }
    }

    /// Returns the most urgent exception and its vector. If the vector can't be read, HardFault
    /// follows. If the vector of HardFault or NMI can't be read, the processor locks up (B1.5.15).
    fn fetch_vector(&mut self) -> Option<(u16, u32)> {
        loop {
            let exception = self.system.exceptions.candidate().exception;
            let address = self.system.scb.vector_table.wrapping_add(4 * u32::from(exception));
            let cycle = self.pipeline.vector(address);
            if let Ok(vector) = self.bus.read(address, Size::Word, cycle) {
                return Some((exception, vector));
            }
            self.system.scb.faults.hard |= hfsr::VECTTBL;
            let cause = FaultCause::Vector { exception };
            if exception <= HARD_FAULT || self.execution_priority() <= -1 {
                self.note_fault(cause, None);
                self.lock_up();
                return None;
            }
            self.note_fault(cause, Some(HARD_FAULT));
            self.system.exceptions.set_pending(HARD_FAULT, true);
            self.reconsider(0);
        }
    }

    /// Locks the processor up: a fault has no handler (B1.5.15). The program counter stays at the
    /// place of the fault, which tells more than the architecture's 0xfffffffe.
    pub(in crate::processor) fn lock_up(&mut self) {
        self.activity = Activity::Lockup;
        self.attention = true;
    }
}
