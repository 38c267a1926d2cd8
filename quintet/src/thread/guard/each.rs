//! A region for each stack, from the first start of its thread on: a switch does no extra work. If
//! there are more threads than regions, the threads that start last have no guard.

#![expect(unsafe_code, reason = "a region of the memory protection unit is claimed")]

use ::core::sync::atomic::AtomicU8;

use crate::arch::{guard, words};
use crate::core::lock::kernel;
use crate::core::scheduler::ThreadBlock;

/// The number of regions in use. The lab looks for this symbol to learn that regions guard stacks.
static CLAIMED: AtomicU8 = AtomicU8::new(0);

/// The number of regions with another use: processes have the last five, and main's guard has one.
/// On RISC-V those of processes aren't counted.
const OTHERS: u8 =
    if cfg!(all(processes, not(plain_switch))) { 5 } else { 0 } + cfg!(main_guard) as u8;

/// Returns the number of regions that are guards: the first ones.
pub fn count() -> u8 {
    words::get_byte(&CLAIMED)
}

/// Guards the stack of a thread that starts, if a region is free.
pub fn protect(control: &ThreadBlock) {
    let stack = control.about.stack;
    loop {
        let claimed = words::get_byte(&CLAIMED);
        let is_set = |number| {
            // SAFETY: the region is claimed, and the kernel's lock is held: a section for each.
            let base = kernel(|_| unsafe { guard::base(number) });
            base == stack.addr() as u32
        };
        if (0..claimed).any(is_set) {
            return;
        }
        let is_done = kernel(|_| {
            if words::get_byte(&CLAIMED) != claimed {
                // An interrupt's handler has started a thread, which may be this one.
                return false;
            }
            if claimed < guard::regions().saturating_sub(OTHERS) {
                words::put_byte(&CLAIMED, claimed + 1);
                // SAFETY: the fault of a guard is one of threads.
                #[cfg(plain_switch)]
                unsafe {
                    guard::report_by(super::memory_fault);
                }
                // SAFETY: the region is claimed, the kernel's lock is held, and a stack begins with
                // its guard.
                unsafe { guard::set(claimed, stack) };
            }
            true
        });
        if is_done {
            return;
        }
    }
}
