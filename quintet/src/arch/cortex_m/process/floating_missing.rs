//! Where no process may use floating-point registers. Compiled code uses none, so that nobody
//! would keep them apart; or the processor is an ARMv8-M. In the Secure state of that, a process
//! could put the frame of its registers at any address by `VLSTM`.

use super::Frame;

/// Who may use coprocessors. Reads as zero where there are none.
const ACCESS: *mut u32 = 0xe000_ed88 as *mut u32;
/// What unprivileged code needs for floating-point registers.
const EVERYBODY: u32 = 0b1010 << 20;

/// The floating-point state of a process: none.
#[derive(Debug)]
pub struct Floating;

/// What becomes of a process that may not use the registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Float {
    /// It floats from now on, and goes on with this frame.
    #[expect(dead_code, reason = "there is nothing to float by")]
    With(*mut Frame),
    /// There is no room for the frame.
    NoRoom,
    /// There is nothing that it could use.
    Never,
}

impl Floating {
    /// Of a process.
    pub const fn new() -> Self {
        Self
    }

    /// There is nothing to end.
    #[expect(clippy::unused_self, reason = "as where there is something")]
    pub const fn end(&self, _process: *const ()) {}

    /// It can't float.
    ///
    /// # Safety
    /// Nothing is done.
    #[expect(clippy::unused_self, reason = "as where there is something")]
    pub unsafe fn begin(
        &self,
        _process: *const (),
        _frame: *mut Frame,
        _has_room: impl Fn(u32, u32) -> bool,
    ) -> Float {
        Float::Never
    }
}

/// Takes away what a program that ran before may have left: a process that used the registers would
/// have frames that nobody here expects.
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

/// Nothing of the frame of a call is put off.
macro_rules! complete_frame_of_call {
    () => {
        ""
    };
}

/// Assembly by which SVCall returns to a process from Rust.
macro_rules! return_from_call {
    () => {
        "pop {{r2, pc}}"
    };
}

/// No frame is put off.
macro_rules! look_at_late_frame {
    () => {
        ""
    };
}

pub(super) use {complete_frame_of_call, look_at_late_frame, return_from_call};
