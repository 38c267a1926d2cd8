//! The recorder: what an application does on a board, as events in a ring in RAM.
//!
//! The lab draws them by `quintet trace --from-board`, on the same page as a simulated run. Call
//! [`start`] in `init`.
//!
//! An event has the processor's cycle counter, and says which job of a task or an actor, which
//! hardware task or which thread began or ended, which job was made ready, or how many events wait
//! for an actor. Another executor's tasks are recorded by [`task_begins`], [`task_ends`] and
//! [`task_ready`].
//!
//! The ring holds 256 events, or as many as the environment variable `QUINTET_RECORDER_EVENTS` says
//! when the application is built: a power of two from 16 to 65536, 8 bytes each. New events replace
//! the oldest.
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
const TASK_BEGINS: u32 = 6;
const TASK_ENDS: u32 = 7;
const TASK_READY: u32 = 8;
const JOB_READY: u32 = 9;

/// The bits of an event that say what it is about.
const ABOUT: u32 = 0x00ff_ffff;

/// Begins to record, or begins anew with an empty ring. Returns `false` if the processor's cycle
/// counter doesn't count, so that events have no time.
///
/// From any context.
pub fn start() -> bool {
    recorder::start()
}

/// A task of another executor begins to run. `task` is an address in its static memory, by which
/// the lab finds its name. Embassy's executor calls `_embassy_trace_task_exec_begin` then.
///
/// From any context. It costs what each event costs.
#[inline(always)]
pub fn task_begins(task: u32) {
    recorder::record(TASK_BEGINS << 24 | task & ABOUT);
}

/// Such a task doesn't run any more: it waits, or has ended. `_embassy_trace_task_exec_end`.
///
/// From any context. It costs what each event costs.
#[inline(always)]
pub fn task_ends(task: u32) {
    recorder::record(TASK_ENDS << 24 | task & ABOUT);
}

/// Such a task is woken by whoever runs now. `_embassy_trace_task_ready_begin`.
///
/// From any context. It costs what each event costs.
#[inline(always)]
pub fn task_ready(task: u32) {
    recorder::record(TASK_READY << 24 | task & ABOUT);
}

/// The job of a slot of a level is made ready by whoever runs now.
#[doc(hidden)]
#[inline(always)]
pub fn job_ready(priority: u8, slot: u32) {
    recorder::record(JOB_READY << 24 | u32::from(priority) << 16 | slot);
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

/// What stands before a job is made ready.
#[doc(hidden)]
#[macro_export]
macro_rules! __woken {
    ($priority:tt $slot:expr) => {
        $crate::recorder::job_ready($priority, $slot)
    };
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
