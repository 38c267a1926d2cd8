//! The synchronous faults that an instruction can end in.
//!
//! An instruction that faults returns a [`Fault`]; the processor then records it in the fault status registers and
//! pends the exception, or escalates it.

/// Why an instruction could not complete.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fault {
    /// UsageFault UNDEFINSTR: an undefined instruction.
    Undefined,
    /// UsageFault INVSTATE: execution with the Thumb bit clear, or with an inconsistent ICI/IT state.
    InvalidState,
    /// UsageFault INVPC: an exception return that fails its integrity checks.
    InvalidPc,
    /// UsageFault NOCP: a coprocessor that does not exist.
    NoCoprocessor,
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
    /// An SVC whose exception cannot be taken at the current priority: it escalates to HardFault.
    SupervisorCall,
    /// A BKPT that no debugger and no monitor handles: it escalates to HardFault.
    Breakpoint,
}
