//! The synchronous faults with which an instruction can end.
//!
//! An instruction that faults returns a [`Fault`]. The processor then records the fault in the
//! fault status registers, and pends the exception, escalates to HardFault, or locks up (B1.5.10,
//! B1.5.14, B1.5.15). The program counter stays at the instruction, which is thus the return
//! address. An SVC that escalates is the exception: its return address is behind it.

use super::Processor;
use super::bus::Bus;
use super::exceptions::number::{BUS_FAULT, HARD_FAULT, MEM_MANAGE, USAGE_FAULT};
use super::history::FaultCause;
use super::instruction::Size;
use super::system::scb::{ccr, cfsr, dfsr, hfsr};
use crate::timing::Direction;

/// Why an instruction could not complete.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fault {
    /// UsageFault UNDEFINSTR: an undefined instruction.
    Undefined,
    /// UsageFault INVSTATE: execution with the Thumb bit clear, or with an inconsistent ICI/IT
    /// state.
    InvalidState,
    /// UsageFault INVPC: an exception return that fails its integrity checks.
    InvalidPc,
    /// UsageFault NOCP: a coprocessor that does not exist.
    NoCoprocessor,
    /// UsageFault STKOF: the stack pointer would have gone below its limit (ARMv8-M).
    StackOverflow,
    /// UsageFault UNALIGNED.
    Unaligned,
    /// UsageFault DIVBYZERO, when CCR.DIV_0_TRP asks for it.
    DivideByZero,
    /// MemManage DACCVIOL: the MPU or the memory map refuses the data access.
    DataAccess {
        /// The address of the access, for MMFAR.
        address: u32,
    },
    /// MemManage IACCVIOL: the MPU or the memory map refuses the fetch.
    InstructionAccess,
    /// BusFault PRECISERR.
    DataBus {
        /// The address of the access, for BFAR.
        address: u32,
    },
    /// BusFault IBUSERR: the instruction fetched from nowhere was to be executed.
    InstructionBus,
    /// An SVC whose exception cannot be taken at the current priority, so that the SVC escalates to
    /// HardFault.
    SupervisorCall,
    /// A BKPT that no debugger and no monitor handles, so that it escalates to HardFault.
    Breakpoint,
}

impl Fault {
    /// Returns the exception and its status bits in CFSR. A fault with neither goes to HardFault
    /// directly.
    fn status(self) -> (u16, u32) {
        match self {
            Self::Undefined => (USAGE_FAULT, cfsr::UNDEFINSTR),
            Self::InvalidState => (USAGE_FAULT, cfsr::INVSTATE),
            Self::InvalidPc => (USAGE_FAULT, cfsr::INVPC),
            Self::NoCoprocessor => (USAGE_FAULT, cfsr::NOCP),
            Self::StackOverflow => (USAGE_FAULT, cfsr::STKOF),
            Self::Unaligned => (USAGE_FAULT, cfsr::UNALIGNED),
            Self::DivideByZero => (USAGE_FAULT, cfsr::DIVBYZERO),
            Self::DataAccess { .. } => (MEM_MANAGE, cfsr::DACCVIOL | cfsr::MMARVALID),
            Self::InstructionAccess => (MEM_MANAGE, cfsr::IACCVIOL),
            Self::DataBus { .. } => (BUS_FAULT, cfsr::PRECISERR | cfsr::BFARVALID),
            Self::InstructionBus => (BUS_FAULT, cfsr::IBUSERR),
            Self::SupervisorCall | Self::Breakpoint => (HARD_FAULT, 0),
        }
    }
}

impl<B: Bus> Processor<B> {
    /// Records the fault of the current instruction. Its exception comes next.
    #[cold]
    pub(super) fn take_fault(&mut self, fault: Fault) {
        let (exception, status) = fault.status();
        self.record_fault(fault, status);
        let priority = self.execution_priority();
        if exception != HARD_FAULT && self.system.exceptions.can_preempt(exception, priority) {
            self.note_fault(FaultCause::Instruction(fault), Some(exception));
            self.system.exceptions.set_pending(exception, true);
        } else if priority > -1 {
            let bit = if fault == Fault::Breakpoint { hfsr::DEBUGEVT } else { hfsr::FORCED };
            return self.escalate(fault, bit);
        } else {
            self.note_fault(FaultCause::Instruction(fault), None);
            return self.lock_up();
        }
        self.reconsider_now();
    }

    /// Pends HardFault for a fault of the current instruction, with the bit of HFSR that says why.
    pub(super) fn escalate(&mut self, fault: Fault, bit: u32) {
        self.note_fault(FaultCause::Instruction(fault), Some(HARD_FAULT));
        self.system.scb.faults.hard |= bit;
        self.system.exceptions.set_pending(HARD_FAULT, true);
        self.reconsider_now();
    }

    fn record_fault(&mut self, fault: Fault, status: u32) {
        let faults = &mut self.system.scb.faults;
        faults.configurable |= status;
        match fault {
            Fault::DataAccess { address } => faults.memory_address = address,
            Fault::DataBus { address } => faults.bus_address = address,
            Fault::Breakpoint => faults.debug |= dfsr::BREAKPOINT,
            _ => {}
        }
    }

    /// A load, or a store that waits for its end, found nothing. With CCR.BFHFNMIGN, the handlers
    /// of HardFault and NMI survive this, and the load gives 0.
    #[cold]
    pub(super) fn precise_bus_fault(
        &mut self,
        address: u32,
        size: Size,
        direction: Direction,
    ) -> Result<(), Fault> {
        let fault = Fault::DataBus { address };
        if self.ignores_bus_faults() {
            self.record_fault(fault, cfsr::PRECISERR | cfsr::BFARVALID);
            return Ok(());
        }
        self.note_access(address, size, direction);
        Err(fault)
    }

    /// A store found nothing after it had left for the write buffer. The BusFault belongs to no
    /// instruction any more and has no address. It is taken when its priority allows (B1.5.14,
    /// imprecise).
    #[cold]
    pub(super) fn imprecise_bus_fault(&mut self, cycle: u64) {
        self.system.scb.faults.configurable |= cfsr::IMPRECISERR;
        if self.ignores_bus_faults() {
            self.forget_access();
            return;
        }
        let handler = if self.system.exceptions.is_enabled(BUS_FAULT) {
            BUS_FAULT
        } else {
            self.system.scb.faults.hard |= hfsr::FORCED;
            HARD_FAULT
        };
        self.note_fault(FaultCause::BufferedStore, Some(handler));
        self.system.exceptions.set_pending(handler, true);
        self.reconsider(cycle);
    }

    fn ignores_bus_faults(&self) -> bool {
        self.system.scb.is_set(ccr::IGNORE_BUS_FAULTS) && self.execution_priority() < 0
    }
}
