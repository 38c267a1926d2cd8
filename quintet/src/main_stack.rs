//! An overflow of main's stack, with the feature `guard-main-stack`: caught by the hardware where
//! it touches the guard, and reported.
//!
//! Main's stack is that of `init`, `idle`, and every interrupt and task.

use ::core::ptr;

#[cfg(stack_guard)]
use crate::arch::guard;
use crate::arch::main_guard;
#[cfg(stack_limit)]
use crate::arch::stack_limit;
use crate::core::scheduler::SCHEDULER;

/// What the exception goes on with: panics.
///
/// # Panics
/// Always.
#[doc(hidden)]
pub extern "C" fn fault(exc_return: u32) -> ! {
    if let Some(end) = main_guard::overflowed(exc_return) {
        panic!(
            "the main stack overflowed: it has grown down to {end:#010x}, where the statics end; \
             it is the stack of `init`, `idle`, tasks and interrupts. Make room by fewer or \
             smaller statics, or by less depth in those (`quintet stack` shows it)"
        );
    }
    other()
}

/// Whether a thread runs, or idle beside threads: in an application without them nobody does.
fn has_threads_yet() -> bool {
    !SCHEDULER.runs(ptr::null())
}

/// The fault is another one.
#[cfg(all(threads, stack_guard))]
#[expect(unsafe_code, reason = "the handler of threads asks that one runs")]
fn other() -> ! {
    if has_threads_yet() {
        // SAFETY: a thread runs, or idle beside threads.
        unsafe { crate::thread::memory_fault() }
    }
    match guard::accessed_by_instruction() {
        Some(address) => panic!("the protected address {address:#010x} was accessed"),
        None => panic!("code was to be executed where none may be"),
    }
}

/// The fault is another one.
#[cfg(all(threads, stack_limit))]
#[expect(unsafe_code, reason = "the handler of threads asks that one runs")]
fn other() -> ! {
    if has_threads_yet() {
        // SAFETY: a thread runs, or idle beside threads.
        unsafe { crate::thread::usage_fault() }
    }
    panic!("a usage fault, with the status {:#06x}", stack_limit::fault().status)
}
