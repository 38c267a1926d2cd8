//! Arguments of a thread, on their way from the context that starts the thread.
//!
//! ```text
//!             start: claim                  begun: the arguments are the thread's
//!     FREE ──────────────────> STARTING ──────────────────────────┐
//!      ^  ^                        │ it runs: they come back      │
//!      │  └────────────────────────┘                              │
//!      └──────────────────────────────────────────────────────────┘
//!                     take: read, where the thread's function begins
//! ```
//!
//! Takes the bytes of the arguments and one more byte.

#![expect(unsafe_code, reason = "arguments go from one context to another")]

use ::core::cell::UnsafeCell;
use ::core::mem::MaybeUninit;
use ::core::sync::atomic::AtomicU8;

use super::Thread;
use crate::arch::switch::Entry;
use crate::arch::words;
use crate::core::claim::claim;

/// Nobody starts the thread.
const FREE: u8 = 0;
/// A context is starting or has started the thread, and the thread has not taken the arguments yet.
const STARTING: u8 = 1;

/// The place for the arguments of one thread.
pub struct Arguments<T> {
    /// `FREE` or `STARTING`.
    state: AtomicU8,
    /// The arguments, in state `STARTING` after they are written.
    value: UnsafeCell<MaybeUninit<T>>,
}

debug_by_name!([T] Arguments<T>: "Arguments");

// SAFETY: `state` hands the value from who claimed the place to the thread. The arguments are
// `Send`, on which the expansion insists.
unsafe impl<T> Sync for Arguments<T> {}

impl<T> Arguments<T> {
    /// A free place.
    #[must_use]
    pub const fn new() -> Self {
        Self { state: AtomicU8::new(FREE), value: UnsafeCell::new(MaybeUninit::uninit()) }
    }

    /// Starts a thread with arguments. From every context that the kernel knows of.
    ///
    /// # Errors
    /// If the thread has been started and has not ended, or is being started: `value` comes back.
    ///
    /// # Safety
    /// `T` is `Send`. `entry` begins this thread, and [takes](Self::take) the arguments from this
    /// place. Every start of this thread goes through this function.
    pub unsafe fn start(
        &'static self,
        thread: &'static Thread,
        entry: Entry,
        value: T,
    ) -> Result<(), T> {
        if !claim(&self.state, FREE, STARTING) {
            return Err(value);
        }
        // SAFETY: the claim makes the place the caller's.
        unsafe { (*self.value.get()).write(value) };
        // SAFETY: the caller's: the entry takes from this place, and the arguments are there.
        if unsafe { thread.start_with(entry, ::core::ptr::null_mut()) }.is_ok() {
            return Ok(());
        }
        // SAFETY: the thread runs, and has taken the arguments that it was begun with, as the place
        // was free; the claim still holds.
        let value = unsafe { (*self.value.get()).assume_init_read() };
        words::put_byte(&self.state, FREE);
        Err(value)
    }

    /// Takes the arguments, at the beginning of the thread.
    ///
    /// # Safety
    /// Called once by a thread that was begun by [`start`](Self::start).
    #[inline(always)]
    pub unsafe fn take(&self) -> T {
        // SAFETY: they were written, and are the thread's since it was begun.
        let value = unsafe { (*self.value.get()).assume_init_read() };
        words::put_byte(&self.state, FREE);
        value
    }
}

impl<T> Default for Arguments<T> {
    fn default() -> Self {
        Self::new()
    }
}
