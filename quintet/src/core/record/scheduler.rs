//! The scheduler's state, and idle's control block.

#![expect(unsafe_code, reason = "threads take turns at the scheduler, by the kernel's lock")]

use ::core::cell::Cell;
use ::core::ptr;
use ::core::sync::atomic::AtomicPtr;

use super::thread::{ThreadBlock, ThreadInfo};
use crate::core::lock::KernelLock;
#[cfg(target_os = "none")]
use crate::core::lock::Saved;

/// The slot that a search finds if no thread is ready.
pub(in crate::core) const IDLE_SLOT: usize = 32;
/// The slot of priority 0, which no thread has. The slot has the functions that not every
/// application has.
pub(in crate::core) const HOOKS_SLOT: usize = 31;

/// The scheduler's state. An application has one scheduler.
#[repr(C)]
pub struct Scheduler {
    /// The thread that was woken last from any context, among the woken threads that the scheduler
    /// has not yet looked at.
    pub(in crate::core) deferred: AtomicPtr<ThreadBlock>,
    /// The running thread.
    pub(in crate::core) running: Cell<*const ThreadBlock>,
    /// The priorities that have a ready thread.
    pub(in crate::core) ready: Cell<u32>,
    /// The first ready thread, by slot. An entry is valid while the bit of its priority is set. In
    /// [`HOOKS_SLOT`], null or an [`OptionalHooks`].
    pub(in crate::core) queue: [Cell<*const ThreadBlock>; IDLE_SLOT + 1],
    /// The priorities whose threads take turns by time. If a thread of such a priority becomes
    /// ready behind another thread, `make_ready` appends the thread, not the assembly.
    pub(in crate::core) sliced: Cell<u32>,
}

// SAFETY: every field but `deferred` is touched only under the kernel's lock.
unsafe impl Sync for Scheduler {}

impl Scheduler {
    /// Returns `true` if `control` is the thread that runs, or that was interrupted. The running
    /// thread is null before `initialise`.
    #[inline(always)]
    pub(crate) fn runs(&self, control: *const ThreadBlock) -> bool {
        ptr::eq(self.running.get(), control)
    }

    /// Returns the running thread, which may be idle.
    #[inline(always)]
    pub(crate) const fn running(&self) -> &ThreadBlock {
        // SAFETY: `initialise` has set the pointer, and from then on the pointer points to live
        // control blocks only. Whenever a thread asks for itself, the answer is the same, so no
        // lock is needed.
        unsafe { &*self.running.get() }
    }
}

/// The only scheduler. The lab finds the scheduler by this name.
pub static SCHEDULER: Scheduler = Scheduler {
    running: Cell::new(ptr::null()),
    ready: Cell::new(0),
    queue: [const { Cell::new(ptr::null()) }; IDLE_SLOT + 1],
    deferred: AtomicPtr::new(ptr::null_mut()),
    sliced: Cell::new(0),
};

/// Idle: `main`, on the main stack.
// SAFETY: the value is put into this static.
pub(in crate::core) static IDLE: ThreadBlock =
    unsafe { ThreadBlock::new(&raw const IDLE, 0, &ABOUT_IDLE) };
pub(in crate::core) static ABOUT_IDLE: ThreadInfo =
    ThreadInfo { name: "idle", stack: ptr::null_mut(), stack_size: 0, resources: &[], entry: None };

/// The functions that the scheduler calls and that not every application has. Code that only these
/// functions reach is linked only if the application uses this code.
#[repr(C)]
pub(in crate::core) struct OptionalHooks {
    /// Makes the threads ready that were woken from any context. The switch calls this.
    pub(in crate::core) wake_all: extern "C" fn(),
    /// Notes that a thread was put behind another thread of its priority, in which threads take
    /// turns. Then ends the section, which found the second argument at its beginning. The assembly
    /// calls this.
    #[cfg(target_os = "none")]
    pub(in crate::core) note_second_and_release: unsafe extern "C" fn(&ThreadBlock, Saved),
    /// Notes that a thread has become ready behind another thread of the priority with this bit, in
    /// which threads take turns.
    pub(in crate::core) note_second: fn(u32, KernelLock<'_>),
    /// Starts to time the slices that have to be timed and aren't timed yet. The switch calls this.
    #[cfg(feature = "time")]
    pub(in crate::core) look_at_slices: fn(),
}
