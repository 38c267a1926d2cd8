//! The frame of a process, which the hardware stores on the process's stack.

use ::core::cell::Cell;
use ::core::{fmt, ptr};

use super::{Frame, THUMB};

/// The number of words that a process's record has for its registers: the stack pointer, and r4 to
/// r11.
pub const SAVED: usize = 9;

/// The words of a process's record for its registers.
pub type Saved = [Cell<u32>; SAVED];

/// The size of the instruction that calls, in bytes.
pub const CALL: u32 = 2;

/// The size of the frame that lies in the process's memory, in bytes.
pub const STACKED: u32 = size_of::<Frame>() as u32;

/// Returns the frame of a process that doesn't run.
#[inline(always)]
pub const fn frame_in(saved: &Saved) -> *mut Frame {
    ptr::with_exposed_provenance_mut(saved[0].get() as usize)
}

/// Notes the frame of a process.
#[inline(always)]
pub fn note_frame(saved: &Saved, frame: *mut Frame) {
    saved[0].set(frame.addr() as u32);
}

/// Returns the frame with which a process begins: at the beginning of its memory.
pub fn first_frame(saved: &Saved, memory: u32) -> *mut Frame {
    saved[0].set(memory);
    frame_in(saved)
}

/// Returns the stack pointer of a process with this frame.
///
/// # Safety
/// Nothing is read.
pub unsafe fn stack_pointer_of(frame: *const Frame) -> u32 {
    frame.addr() as u32
}

/// Returns the class of the call that a process makes, or `None` if its instruction can't be where
/// the frame says.
///
/// # Safety
/// The frame lies in the process's memory. Where the process may return to, there is memory.
#[inline(always)]
pub unsafe fn class_of(frame: *const Frame, may_return_to: impl Fn(u32) -> bool) -> Option<u32> {
    // SAFETY: the caller's. A buffer that a driver fills may contain the frame.
    let behind = unsafe { (&raw const (*frame).pc).read_volatile() };
    // SAFETY: the caller's: the instruction that has called.
    may_return_to(behind)
        .then(|| unsafe { ((behind - CALL) as usize as *const u8).read_volatile() }.into())
}

impl Frame {
    /// Makes the frame with which a process begins at `entry`, with arguments.
    pub const fn first(entry: u32, registers: [u32; 4]) -> Self {
        // A return is a fault.
        Self { registers, r12: 0, lr: 1, pc: entry & !1, xpsr: THUMB }
    }

    /// Turns the frame of a yield into that of a call of `function`, which returns to behind the
    /// yield.
    #[inline(always)]
    pub const fn call(&mut self, function: u32, arguments: [u32; 4]) {
        self.registers = arguments;
        self.lr = self.pc | 1;
        self.pc = function & !1;
        // No flags, and no state of an interrupted instruction. The bit for an aligned frame stays.
        self.xpsr = self.xpsr & 1 << 9 | THUMB;
    }
}

/// Shows the class of a call that doesn't exist.
pub fn show_call(formatter: &mut fmt::Formatter<'_>, class: u32) -> fmt::Result {
    write!(formatter, "`svc {class}`, with r0 to r3")
}

impl fmt::Display for Frame {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { registers: [r0, r1, r2, r3], r12, lr, pc, xpsr } = self;
        writeln!(formatter, "  r0 {r0:#010x}  r1 {r1:#010x}  r2 {r2:#010x}  r3 {r3:#010x}")?;
        writeln!(formatter, " r12 {r12:#010x}  lr {lr:#010x}  pc {pc:#010x}  xPSR {xpsr:#010x}")
    }
}
