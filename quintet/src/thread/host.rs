//! Hosts: threads that run software tasks.
//!
//! The tasks of a priority at which there are threads, or above which there are, have no interrupt
//! of their own. A thread of their priority runs their rounds, and waits when none of them is
//! ready. Between two rounds it yields: tasks that are ready again and again hold up neither the
//! threads of their priority nor, where the scheduler is cooperative, more urgent ones. The
//! expansion of [`app`](crate::app) makes these threads.
//!
//! Cost of a wake beside that of the level's bit: the host becomes ready, in a section of the
//! kernel's. An interrupt above the kernel puts it into a list instead, and the exception that
//! switches threads makes it ready. So waking is sound from every interrupt, whatever its priority.

#![expect(unsafe_code, reason = "a host is a thread, which yields")]

use super::{This, Thread};
use crate::core::park;

/// Runs rounds in the calling thread, and waits whenever nothing is ready.
///
/// # Safety
/// A thread calls it, under no ceiling.
#[inline(always)]
pub unsafe fn host(round: impl Fn(), is_empty: impl Fn() -> bool) -> ! {
    loop {
        round();
        // What becomes ready from here on wakes the host: then it doesn't wait.
        if is_empty() {
            park::await_wake();
        } else {
            // SAFETY: this is the thread, as the caller says.
            unsafe { This::new() }.yield_now();
        }
    }
}

/// Lets a host look at its tasks, after one of them was made ready. From any context.
#[inline(always)]
pub fn wake(host: &'static Thread) {
    park::wake_from_anywhere(host.control());
}

/// Defines the function that makes a slot of a hosted level ready: its bit, number or flag is the
/// argument, unless it is the only one.
#[doc(hidden)]
#[macro_export]
macro_rules! __wake_hosted {
    ($name:ident, $ready:path, set(), $host:path) => {
        unsafe extern "C" fn $name(_word: *const ()) {
            $ready.set();
            $crate::export::threads::wake_host(&$host);
        }
    };
    ($name:ident, $ready:path, set(word), $host:path) => {
        unsafe extern "C" fn $name(word: *const ()) {
            $ready.set(word.addr() as u32);
            $crate::export::threads::wake_host(&$host);
        }
    };
    ($name:ident, $ready:path, set_flag(word), $host:path) => {
        unsafe extern "C" fn $name(word: *const ()) {
            // SAFETY: a waker's word is its slot's flag.
            unsafe { $crate::export::set_flag(word) };
            $crate::export::threads::wake_host(&$host);
        }
    };
}
