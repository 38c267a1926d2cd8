//! No floating point for processes. Either compiled code uses no floating-point registers, so that
//! no code would keep those of processes apart; or the processor is an ARMv8-M. In the Secure state
//! of an ARMv8-M, a process could put the frame of its registers at any address by `VLSTM`.

use super::Frame;

/// The access rights to coprocessors. Reads as zero without coprocessors.
const ACCESS: *mut u32 = 0xe000_ed88 as *mut u32;
/// The bits for access of unprivileged code to floating-point registers.
const EVERYBODY: u32 = 0b1010 << 20;

/// The floating-point state of a process: none.
#[derive(Debug)]
pub struct Floating;

/// The consequence of a floating-point instruction of a process without access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Float {
    /// The process floats from now on, and continues with this frame.
    #[expect(dead_code, reason = "no process floats")]
    With(*mut Frame),
    /// There is no room for the frame.
    NoRoom,
    /// The process can't use any registers.
    Never,
}

impl Floating {
    /// Makes the state of a process.
    pub const fn new() -> Self {
        Self
    }

    /// Returns the size of the frames of the process, in bytes.
    #[inline(always)]
    #[expect(clippy::unused_self, reason = "the same signature as with registers")]
    pub const fn frame_size(&self) -> u32 {
        size_of::<Frame>() as u32
    }

    /// Does nothing.
    #[expect(clippy::unused_self, reason = "the same signature as with registers")]
    pub const fn end(&self, _process: *const ()) {}

    /// Returns [`Float::Never`]: the process can't float.
    ///
    /// # Safety
    /// Nothing is done.
    #[expect(clippy::unused_self, reason = "the same signature as with registers")]
    pub unsafe fn begin(
        &self,
        _process: *const (),
        _frame: *mut Frame,
        _has_room: impl Fn(u32, u32) -> bool,
    ) -> Float {
        Float::Never
    }
}

/// Takes away rights that an earlier program may have left: a process that used the registers would
/// have frames that this code doesn't expect.
///
/// # Safety
/// At start-up.
pub unsafe fn initialise() {
    // SAFETY: the caller's.
    unsafe {
        let access = ACCESS.read_volatile();
        if access & EVERYBODY != 0 {
            ACCESS.write_volatile(access & !EVERYBODY);
        }
    }
}

/// No part of a call's frame is stored lazily.
#[cfg(not(noted_pauses))]
macro_rules! complete_frame_of_call {
    () => {
        ""
    };
}

/// Assembly by which SVCall returns to a process from Rust.
#[cfg(not(noted_pauses))]
macro_rules! return_from_call {
    () => {
        "pop {{r2, pc}}" // the hardware loads the process's frame
    };
}

/// No frame is stored lazily.
#[cfg(not(noted_pauses))]
macro_rules! look_at_late_frame {
    () => {
        ""
    };
}

#[cfg(not(noted_pauses))]
pub(super) use {complete_frame_of_call, look_at_late_frame, return_from_call};
