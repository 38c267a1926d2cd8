//! One region, for the stack in use. Each switch moves this region, so that every thread has a
//! guard, and the program has all other regions. Each switch also selects the region: therefore a
//! program must write the base address and the size of its own regions in one critical section.

#![expect(unsafe_code, reason = "a region of the memory protection unit is set")]

use ::core::sync::atomic::AtomicU8;

use crate::arch::{guard, words};
use crate::core::lock::kernel;
use crate::core::scheduler::ThreadBlock;

/// The region whose base address the switch writes.
const REGION: u8 = 0;

/// Tells whether there is a guard: a thread has started. The lab looks for this symbol to learn
/// that one guard moves.
static MOVING: AtomicU8 = AtomicU8::new(0);

/// Returns the number of regions that are guards: the first ones.
pub fn count() -> u8 {
    words::get_byte(&MOVING)
}

/// Turns the guard on, before the first thread starts: below the stack of this thread until another
/// thread runs.
pub fn protect(control: &ThreadBlock) {
    kernel(|_| {
        if count() == 0 && guard::regions() != 0 {
            words::put_byte(&MOVING, 1);
            // SAFETY: the region is the kernel's, its lock is held, and a stack begins with its
            // guard.
            unsafe { guard::set(REGION, control.about.stack) };
        }
    });
}
