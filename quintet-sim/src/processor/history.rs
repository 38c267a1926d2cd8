//! The first fault and its cause: more than the fault status registers tell.
//!
//! ARMv6-M has no such registers. On ARMv7-M, they don't tell a masked SVC from other causes of a
//! HardFault, nor the address of a buffered store, nor the jump to an address without code. A
//! faulty handler of faults overwrites the first fault. So the simulator notes each fault with its
//! cause, where the fault is raised, for a tool's post-mortem. The program can't see these notes.
//!
//! A *history* begins with a fault while none is being handled. Faults in its handler belong to the
//! history, and so do faults behind a reset that the handler asked for. The history ends when the
//! handler returns.

use super::Processor;
use super::bus::Bus;
use super::faults::Fault;
use super::instruction::Size;
use super::registers::Registers;
use crate::timing::Direction;

/// Why a fault was raised.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FaultCause {
    /// An instruction could not complete.
    Instruction(Fault),
    /// A store found nothing, or memory that can't be written, after it had left for the write
    /// buffer.
    BufferedStore,
    /// The frame of this exception could not be written.
    Stacking {
        /// The exception that was being entered.
        exception: u16,
        /// Why not.
        fault: Fault,
    },
    /// The floating-point registers could not be written into the frame of the interrupted code
    /// when its handler first used the unit.
    LateStacking(Fault),
    /// The frame to return to could not be read.
    Unstacking(Fault),
    /// A return from an exception failed its checks.
    InvalidReturn {
        /// The EXC_RETURN value.
        exc_return: u32,
    },
    /// The vector of this exception could not be read.
    Vector {
        /// The exception.
        exception: u16,
    },
}

/// The access to memory that failed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FailedAccess {
    /// The access's address.
    pub address: u32,
    /// The access's size.
    pub size: Size,
    /// Load or store.
    pub direction: Direction,
}

/// A fault.
#[derive(Clone, Debug)]
pub struct FaultRecord {
    /// The cause of the fault.
    pub cause: FaultCause,
    /// The access that failed, if an access caused the fault.
    pub access: Option<FailedAccess>,
    /// The registers at the fault. R15 is the address of the instruction that caused the fault.
    pub registers: Registers,
    /// The last jump before the fault.
    pub jump: Jump,
    /// When.
    pub cycle: u64,
    /// The exception that handles the fault; `None` if the processor locks up.
    pub handler: Option<u16>,
}

/// A jump: a branch, a call, or a return.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Jump {
    /// The address of the jump's instruction.
    pub from: u32,
    /// The jump's destination.
    pub to: u32,
}

/// The first fault, and the faults that followed.
#[derive(Clone, Debug)]
pub struct FaultHistory {
    /// The first one.
    pub first: FaultRecord,
    /// The second fault, in the first one's handler or behind a reset.
    pub second: Option<FaultRecord>,
    /// The number of all faults.
    pub faults: u64,
    /// The number of resets since the first fault.
    pub resets: u64,
    /// `true` if the first fault's handler has returned, so that the fault may be mended.
    pub returned: bool,
}

/// The processor's notes.
#[derive(Clone, Debug, Default)]
pub(super) struct Notes {
    history: Option<FaultHistory>,
    /// The access that fails in this step.
    failed: Option<FailedAccess>,
    /// The last jump.
    pub(super) jump: Jump,
}

impl Notes {
    /// The present history goes on behind a reset, unless its fault was handled.
    pub(super) fn reset(&mut self) {
        self.history = self.history.take().filter(|history| !history.returned);
        if let Some(history) = &mut self.history {
            history.resets += 1;
        }
        self.jump = Jump::default();
    }

    /// The handler of an exception has returned.
    pub(super) fn returned(&mut self, exception: u16) {
        if let Some(history) = &mut self.history {
            history.returned |= history.first.handler == Some(exception);
        }
    }

    fn add(&mut self, record: FaultRecord) {
        let same = |first: &FaultRecord| {
            (first.cause, first.registers.r[15]) == (record.cause, record.registers.r[15])
        };
        match &mut self.history {
            Some(history) if !history.returned || same(&history.first) => {
                history.faults += 1;
                if !history.returned && history.second.is_none() {
                    history.second = Some(record);
                }
                history.returned = false;
            }
            other => {
                let (second, returned) = (None, false);
                *other =
                    Some(FaultHistory { first: record, second, faults: 1, resets: 0, returned });
            }
        }
    }
}

impl<B: Bus> Processor<B> {
    /// Returns the first fault that nobody has handled, and the faults that followed. If its
    /// handler has returned, the history stays until the next fault.
    pub fn fault_history(&self) -> Option<&FaultHistory> {
        self.notes.history.as_ref()
    }

    /// Forgets the history, for a tool that starts again.
    pub fn forget_faults(&mut self) {
        self.notes = Notes::default();
    }

    /// Notes a fault, to be handled by `handler`.
    #[cold]
    pub(super) fn note_fault(&mut self, cause: FaultCause, handler: Option<u16>) {
        let access = self.notes.failed.take();
        self.pipeline.settle();
        let record = FaultRecord {
            cause,
            access,
            registers: self.registers.clone(),
            jump: self.notes.jump,
            cycle: self.pipeline.now(),
            handler,
        };
        self.notes.add(record);
    }

    /// Notes the access that is about to be refused.
    #[cold]
    pub(super) fn note_access(&mut self, address: u32, size: Size, direction: Direction) {
        self.notes.failed = Some(FailedAccess { address, size, direction });
    }

    /// The failing access doesn't count.
    pub(super) fn forget_access(&mut self) {
        self.notes.failed = None;
    }
}
