//! The core registers and the special registers that MRS, MSR and CPS reach.

/// Thread or handler mode.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mode {
    /// Application code; privileged or not, on either stack.
    Thread,
    /// Exception handlers; privileged, on the main stack.
    Handler,
}

/// The register file.
#[derive(Clone, Debug)]
pub struct Registers {
    /// R0 to R12, the current SP in slot 13, LR in slot 14; slot 15 is the address of the current instruction.
    pub r: [u32; 16],
    /// The stack pointer that is not selected now.
    pub other_sp: u32,
    /// N, Z, C, V, Q in bits 31 to 27, as in APSR.
    pub apsr: u32,
    /// The exception number, IPSR.
    pub ipsr: u16,
    /// ITSTATE (bits 7:0); 0 outside an IT block.
    pub itstate: u8,
    /// ICI: the next register of an interrupted load or store multiple, 0 when there is none.
    pub ici: u8,
    /// The T bit of EPSR; executing with it clear is a UsageFault INVSTATE.
    pub thumb: bool,
    /// PRIMASK.
    pub primask: bool,
    /// FAULTMASK.
    pub faultmask: bool,
    /// BASEPRI, already masked to the implemented priority bits; 0 masks nothing.
    pub basepri: u8,
    /// CONTROL.nPRIV.
    pub unprivileged_thread: bool,
    /// CONTROL.SPSEL.
    pub process_stack: bool,
}
