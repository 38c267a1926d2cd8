//! Hosts: threads that run software tasks.
//!
//! A task has no interrupt of its own if its priority is at or below the priority of a thread. A
//! thread of the task's priority, the host, runs the rounds of such tasks, and waits when none of
//! them is ready. Between two rounds the host yields. So a task that is ready again and again holds
//! up neither the threads of its priority nor, with a cooperative scheduler, more urgent threads.
//! The expansion of [`app`](crate::app) makes the hosts.
//!
//! A wake costs the setting of the level's bit, and one section of the kernel's lock, in which the
//! host becomes ready. A wake by a waker first looks which interrupt it is in: above the kernel's
//! ceiling, it puts the host into a list instead, and the exception that switches threads makes the
//! host ready. So you may wake from every interrupt, whatever its priority. A post to an actor
//! comes from contexts that the kernel knows of, and need not look.

#![expect(unsafe_code, reason = "a host is a thread, which yields")]

use super::{CurrentThread, Thread};
use crate::core::park;

/// Runs rounds in the calling thread, and waits whenever no task is ready.
///
/// # Safety
/// The caller is a thread, and is under no ceiling.
#[inline(always)]
pub unsafe fn host(round: impl Fn()) -> ! {
    loop {
        round();
        // SAFETY: the caller's.
        unsafe { wait_or_yield() };
    }
}

/// Lets a host wait, or yield if a task was made ready since the host last waited: whoever makes a
/// task ready wakes the host afterwards, and the host keeps a note of a wake for which it doesn't
/// wait. So the host need not look for ready tasks.
///
/// # Safety
/// The caller is a thread, and is under no ceiling.
#[inline(never)]
unsafe fn wait_or_yield() {
    // SAFETY: this is the thread, as the caller says.
    park::await_wake_or(|| unsafe { CurrentThread::new() }.yield_now());
}

/// Lets a host look at its tasks, after a task was made ready. From any context.
#[inline(always)]
pub fn wake(host: &'static Thread) {
    park::wake_from_anywhere(host.control());
}

/// As [`wake`], from every context that the kernel knows of: it need not look in which context it
/// is.
#[inline(always)]
pub fn wake_here(host: &'static Thread) {
    park::wake_known(host.control());
}

/// Defines the function that makes a slot of a hosted level ready. The argument is the slot's bit,
/// number or flag; a single slot needs none.
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
            $ready.set(word.addr() as ::core::primitive::u32);
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
