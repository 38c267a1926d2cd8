//! The scheduler's state, and idle's control block.

#![expect(unsafe_code, reason = "threads take turns at it, by the kernel's lock")]

use ::core::cell::Cell;
use ::core::ptr;
use ::core::sync::atomic::AtomicPtr;

use super::thread::{ThreadBlock, ThreadInfo};
use crate::core::lock::KernelLock;
#[cfg(target_os = "none")]
use crate::core::lock::Saved;

/// The slot that is found where no thread is ready.
pub(in crate::core) const IDLE_SLOT: usize = 32;
/// The slot of the priority 0, which no thread has: in it is what not every application has.
pub(in crate::core) const HOOKS_SLOT: usize = 31;

/// The scheduler's state: one for an application.
#[repr(C)]
pub struct Scheduler {
    /// The last of those that were woken from anywhere, and have not been looked at.
    pub(in crate::core) deferred: AtomicPtr<ThreadBlock>,
    /// Who runs.
    pub(in crate::core) running: Cell<*const ThreadBlock>,
    /// The priorities that have a ready thread.
    pub(in crate::core) ready: Cell<u32>,
    /// By slot: the first of those that are ready. Means something where the bit is set. In
    /// [`HOOKS_SLOT`], null or an [`OptionalHooks`].
    pub(in crate::core) queue: [Cell<*const ThreadBlock>; IDLE_SLOT + 1],
    /// The priorities whose threads take turns by time: whoever becomes ready behind another one is
    /// appended by `make_ready`, not by the assembly.
    pub(in crate::core) sliced: Cell<u32>,
}

// SAFETY: everything but `woken` is touched under the kernel's lock.
unsafe impl Sync for Scheduler {}

impl Scheduler {
    /// Whether this is who runs, or was interrupted; null before `initialise`.
    #[inline(always)]
    pub(crate) fn runs(&self, control: *const ThreadBlock) -> bool {
        ptr::eq(self.running.get(), control)
    }

    /// Who runs; idle is one of them.
    #[inline(always)]
    pub(crate) const fn running(&self) -> &ThreadBlock {
        // SAFETY: set by `initialise`, and then to live control blocks only. Who runs is the same
        // whenever a thread asks for itself, so no lock is needed.
        unsafe { &*self.running.get() }
    }
}

/// The one scheduler. The lab finds it by its name.
pub static SCHEDULER: Scheduler = Scheduler {
    running: Cell::new(ptr::null()),
    ready: Cell::new(0),
    queue: [const { Cell::new(ptr::null()) }; IDLE_SLOT + 1],
    deferred: AtomicPtr::new(ptr::null_mut()),
    sliced: Cell::new(0),
};

/// Idle: `main`, on the main stack.
// SAFETY: it is put into this static.
pub(in crate::core) static IDLE: ThreadBlock =
    unsafe { ThreadBlock::new(&raw const IDLE, 0, &ABOUT_IDLE) };
pub(in crate::core) static ABOUT_IDLE: ThreadInfo =
    ThreadInfo { name: "idle", stack: ptr::null_mut(), stack_size: 0, resources: &[], entry: None };

/// What the scheduler calls that not every application has: what is reached by this alone is linked
/// only where it is used.
#[repr(C)]
pub(in crate::core) struct OptionalHooks {
    /// Makes those ready that were woken from anywhere. The switch calls it.
    pub(in crate::core) wake_all: extern "C" fn(),
    /// Notes that a thread was put behind another one of its priority, whose threads take turns,
    /// and ends the section that began where the second argument was found. The assembly calls it.
    #[cfg(target_os = "none")]
    pub(in crate::core) note_second_and_release: unsafe extern "C" fn(&ThreadBlock, Saved),
    /// Notes that a thread has become ready behind another one of the priority with this bit, whose
    /// threads take turns.
    pub(in crate::core) note_second: fn(u32, KernelLock<'_>),
    /// Lets the switch look which slices are to be timed, and aren't.
    #[cfg(feature = "time")]
    pub(in crate::core) look_at_slices: fn(),
}
