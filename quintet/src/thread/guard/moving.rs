//! One region, for the stack that is in use: each switch moves it, so every thread has a guard, and
//! the program all other regions. Each switch selects it, so the program writes a region's base
//! address and size in one critical section.

#![expect(unsafe_code, reason = "a region of the memory protection unit is set")]

use ::core::sync::atomic::AtomicU8;

use crate::arch::{guard, words};
use crate::core::lock::kernel;
use crate::core::scheduler::Control;

/// The region whose base address the switch writes.
const REGION: u8 = 0;

/// Whether there is a guard: a thread has started. The lab takes its symbol for the sign that one
/// guard moves.
static MOVING: AtomicU8 = AtomicU8::new(0);

/// How many regions are guards: the first.
pub fn count() -> u8 {
    words::get_byte(&MOVING)
}

/// Switches the guard on, before the first thread starts: below that one's stack until somebody
/// else runs.
pub fn protect(control: &Control) {
    kernel(|_| {
        if count() == 0 && guard::regions() != 0 {
            words::put_byte(&MOVING, 1);
            // SAFETY: the region is the kernel's, its lock is held, and a stack begins with its
            // guard.
            unsafe { guard::set(REGION, control.about.stack) };
        }
    });
}
