//! Exceptions: their order, entry and return.
//!
//! ```text
//!  pended ──> table.rs: the candidate, the most urgent of those pending and enabled
//!                │  its group priority is below the execution priority: it is due
//!                ▼
//!  entry.rs   stack the frame ─> choose the candidate again (late arrival) ─> fetch its vector
//!                ▼
//!             the handler runs
//!                ▼
//!  exit.rs    another one is due: tail-chain to it, without unstacking
//!             none is: sleep (SLEEPONEXIT), or unstack the frame
//! ```

mod entry;
mod exit;
mod float;
pub(in crate::processor) mod late;
mod priority;
pub mod table;

pub(in crate::processor) use priority::LONGEST_FETCH;

/// The EXC_RETURN values: where a handler's return goes on (B1.5.8).
mod exc_return {
    /// The bit that is clear when the frame holds the floating-point context too.
    pub const BASIC_FRAME: u32 = 1 << 4;
    /// In handler mode.
    pub const TO_HANDLER: u32 = 0xffff_fff1;
    /// In thread mode on the main stack.
    pub const TO_THREAD_MAIN: u32 = 0xffff_fff9;
    /// In thread mode on the process stack.
    pub const TO_THREAD_PROCESS: u32 = 0xffff_fffd;
}

/// Exception numbers (B1.5.2). The external interrupts follow from [`number::FIRST_INTERRUPT`].
pub mod number {
    /// Reset.
    pub const RESET: u16 = 1;
    /// NMI.
    pub const NMI: u16 = 2;
    /// HardFault.
    pub const HARD_FAULT: u16 = 3;
    /// MemManage.
    pub const MEM_MANAGE: u16 = 4;
    /// BusFault.
    pub const BUS_FAULT: u16 = 5;
    /// UsageFault.
    pub const USAGE_FAULT: u16 = 6;
    /// SVCall.
    pub const SV_CALL: u16 = 11;
    /// DebugMonitor.
    pub const DEBUG_MONITOR: u16 = 12;
    /// PendSV.
    pub const PEND_SV: u16 = 14;
    /// SysTick.
    pub const SYS_TICK: u16 = 15;
    /// The external interrupt 0.
    pub const FIRST_INTERRUPT: u16 = 16;
}
