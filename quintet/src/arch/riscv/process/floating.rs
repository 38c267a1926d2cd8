//! No floating point for processes: no trap saves the registers, and `build.rs` refuses cores with
//! them.

use super::Frame;

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

    /// Returns 0: no frame lies in the process's memory.
    #[inline(always)]
    #[expect(clippy::unused_self, reason = "the same signature as with registers")]
    pub const fn frame_size(&self) -> u32 {
        super::STACKED
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
