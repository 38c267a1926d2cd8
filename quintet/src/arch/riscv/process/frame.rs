//! The registers of a process, which the trap stores in the process's record: no memory of the
//! process is touched, and no stack pointer of a process is believed.
//!
//! Source: TRD 104 of Tock, "System Calls", 3.1 "System call return types" and what follows, for
//! RISC-V: a0 to a3 have the arguments and the answer, a4 the class.

use ::core::cell::Cell;
use ::core::fmt;

/// The registers of a process, in the order of their numbers. `pc` is in the place of x0.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct Frame {
    /// The address of the next instruction.
    pub pc: u32,
    /// The return address of the function.
    pub ra: u32,
    /// The stack pointer.
    pub sp: u32,
    /// The pointers of globals and of thread-local data.
    pub pointers: [u32; 2],
    /// t0 to t2.
    pub temporaries: [u32; 3],
    /// s0 and s1.
    pub kept: [u32; 2],
    /// a0 to a3: the arguments of a call, and its answer.
    pub registers: [u32; 4],
    /// a4: the class of a call.
    pub class: u32,
    /// a5 to a7.
    pub arguments: [u32; 3],
    /// s2 to s11.
    pub more_kept: [u32; 10],
    /// t3 to t6.
    pub more_temporaries: [u32; 4],
}

/// The words of a [`Frame`].
const WORDS: usize = 32;
const _: () = assert!(size_of::<Frame>() == 4 * WORDS);

/// The number of words that a process's record has for its registers: the frame; where handlers
/// begin on main's stack; the kernel's gp; and a word for the SC that ends a reservation.
pub const SAVED: usize = WORDS + 3;
/// The offset of the first of the last three.
pub const MAIN: usize = 4 * WORDS;
/// The offset of the second.
pub const GLOBALS: usize = MAIN + 4;
/// The offset of the third.
#[cfg(target_has_atomic = "32")]
pub const RESERVED: usize = GLOBALS + 4;

/// The words of a process's record for its registers.
pub type Saved = [Cell<u32>; SAVED];

/// The size of the instruction that calls, in bytes.
pub const CALL: u32 = 4;

/// The size of the frame that lies in the process's memory: none does.
pub const STACKED: u32 = 0;

/// Returns the frame of a process that doesn't run.
#[inline(always)]
pub const fn frame_in(saved: &Saved) -> *mut Frame {
    saved.as_ptr().cast_mut().cast()
}

/// Notes nothing: a process's frame is always at the same place.
#[inline(always)]
pub const fn note_frame(_saved: &Saved, _frame: *mut Frame) {}

/// Returns the frame with which a process begins.
pub const fn first_frame(saved: &Saved, _memory: u32) -> *mut Frame {
    frame_in(saved)
}

/// Returns the stack pointer of a process with this frame.
///
/// # Safety
/// The frame is a process's.
pub unsafe fn stack_pointer_of(frame: *const Frame) -> u32 {
    // SAFETY: the caller's.
    unsafe { (*frame).sp }
}

/// Returns the class of the call that a process makes.
///
/// # Safety
/// The frame is a process's.
#[inline(always)]
pub unsafe fn class_of(frame: *const Frame, _may_return_to: impl Fn(u32) -> bool) -> Option<u32> {
    // SAFETY: the caller's.
    Some(unsafe { (*frame).class })
}

impl Frame {
    /// Makes the frame with which a process begins at `entry`, with arguments.
    pub fn first(entry: u32, registers: [u32; 4]) -> Self {
        // A return is a fault.
        Self { pc: entry & !1, ra: 1, registers, ..Self::default() }
    }

    /// Turns the frame of a yield into that of a call of `function`, which returns to behind the
    /// yield.
    #[inline(always)]
    pub const fn call(&mut self, function: u32, arguments: [u32; 4]) {
        self.registers = arguments;
        self.ra = self.pc;
        self.pc = function & !1;
    }
}

/// Shows the class of a call that doesn't exist.
pub fn show_call(formatter: &mut fmt::Formatter<'_>, class: u32) -> fmt::Result {
    write!(formatter, "`ecall`, with {class} in a4 and with a0 to a3")
}

impl fmt::Display for Frame {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { pc, ra, pointers: [gp, tp], temporaries, registers, .. } = self;
        let mut line = |names: [&str; 4], words: [u32; 4]| {
            for (index, (name, word)) in names.into_iter().zip(words).enumerate() {
                let end = if index == 3 { "\n" } else { "" };
                write!(formatter, " {name:>3} {word:#010x}{end}")?;
            }
            Ok(())
        };
        let [t0, t1, t2] = *temporaries;
        let [s0, s1] = self.kept;
        let [a5, a6, a7] = self.arguments;
        let [s2, s3, s4, s5, s6, s7, s8, s9, s10, s11] = self.more_kept;
        line(["a0", "a1", "a2", "a3"], *registers)?;
        line(["a4", "a5", "a6", "a7"], [self.class, a5, a6, a7])?;
        line(["s0", "s1", "s2", "s3"], [s0, s1, s2, s3])?;
        line(["s4", "s5", "s6", "s7"], [s4, s5, s6, s7])?;
        line(["s8", "s9", "s10", "s11"], [s8, s9, s10, s11])?;
        line(["t0", "t1", "t2", "ra"], [t0, t1, t2, *ra])?;
        line(["t3", "t4", "t5", "t6"], self.more_temporaries)?;
        line(["gp", "tp", "sp", "pc"], [*gp, *tp, self.sp, *pc])
    }
}
