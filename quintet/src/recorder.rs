//! The recorder: what an application does on a board, as events in a ring in RAM.
//!
//! The lab draws them by `quintet trace --from-board`, on the same page as a simulated run. Call
//! [`start`] in `init`.
//!
//! An event has the processor's cycle counter, and says which job of a task or an actor, which
//! hardware task or which thread began or ended. The ring holds 256 of them, or as many as the
//! environment variable `QUINTET_RECORDER_EVENTS` says when the application is built: a power of
//! two from 16 to 65536, 8 bytes each. New events replace the oldest.
//!
//! An event costs some 30 cycles, and interrupts are disabled for 14 of them: `docs/recorder.md`
//! has the figures and the form of the ring. Without the feature `recorder` there is no byte of
//! this.

use crate::arch::recorder;

/// The kinds of events, in the highest byte.
const JOB_BEGINS: u32 = 1;
const JOB_ENDS: u32 = 2;
const EXCEPTION_BEGINS: u32 = 3;
const EXCEPTION_ENDS: u32 = 4;

/// Begins to record, or begins anew with an empty ring. Returns `false` if the processor's cycle
/// counter doesn't count, so that events have no time.
///
/// From any context.
pub fn start() -> bool {
    recorder::start()
}

/// A job or a handler that runs, and ends where this value is dropped.
#[derive(Debug)]
pub struct Running(u32);

impl Running {
    /// The job of a slot of a level begins.
    #[inline(always)]
    #[must_use]
    pub fn job(priority: u8, slot: u16) -> Self {
        let about = u32::from(priority) << 16 | u32::from(slot);
        recorder::record(JOB_BEGINS << 24 | about);
        Self(JOB_ENDS << 24 | about)
    }

    /// A handler begins.
    #[inline(always)]
    #[must_use]
    pub fn handler() -> Self {
        let number = recorder::exception();
        recorder::record(EXCEPTION_BEGINS << 24 | number);
        Self(EXCEPTION_ENDS << 24 | number)
    }
}

impl Drop for Running {
    #[inline(always)]
    fn drop(&mut self) {
        recorder::record(self.0);
    }
}

/// What the expansion of a job and of a handler begins with.
#[doc(hidden)]
#[macro_export]
macro_rules! __recorded {
    (handler) => {
        let _running = $crate::recorder::Running::handler();
    };
    ($priority:tt $slot:tt) => {
        let _running = $crate::recorder::Running::job($priority, $slot);
    };
}
