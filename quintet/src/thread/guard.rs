//! Stack overflow: the hardware catches an access to the guard, and the report has the thread's
//! name.
//!
//! The lowest 32 bytes of each stack are a guard. Code that fills a stack from the top down, such
//! as the saving of registers, reaches the guard first. A large frame that is written from below
//! may step over the guard. The lab reports such a frame, by the stack pointer. On a chip without a
//! memory protection unit there is no guard: the thread's [high
//! water](super::Thread::stack_high_water) shows how close the thread came to the end of its stack.

#![expect(unsafe_code, reason = "regions of the memory protection unit are looked at")]

use ::core::fmt;
use ::core::ops::Range;

use super::overflow::Overflow;
use crate::arch::guard;
use crate::core::scheduler::{SCHEDULER, ThreadBlock};

#[cfg(not(stack_guard_moves))]
use each::count;
#[cfg(not(stack_guard_moves))]
pub use each::protect;
#[cfg(stack_guard_moves)]
use moving::count;
#[cfg(stack_guard_moves)]
pub use moving::protect;

#[cfg(not(stack_guard_moves))]
mod each;
#[cfg(stack_guard_moves)]
mod moving;

/// Returns the stack whose guard is among the accessed addresses, if there is one.
fn stack_of(accessed: &Range<u32>) -> Option<u32> {
    // SAFETY: the regions are claimed, and what a fault's handler interrupts doesn't go on.
    (0..count()).map(|number| unsafe { guard::base(number) }).find(|base| {
        let end = *base + guard::SIZE as u32;
        accessed.start < end && *base < accessed.end
    })
}

/// A memory fault, as the panic shows it.
struct Report {
    running: &'static ThreadBlock,
    accessed: Option<Range<u32>>,
}

impl fmt::Display for Report {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.accessed {
            Some(accessed) => {
                if let Some(stack) = stack_of(accessed) {
                    return Overflow { stack, running: self.running }.fmt(formatter);
                }
                write!(formatter, "the protected address {:#010x} was accessed", accessed.start)?;
            }
            None => formatter.write_str("code was to be executed where none may be")?,
        }
        let name = self.running.about.name;
        write!(formatter, " in the thread `{name}`, or in what interrupted it")
    }
}

/// Handles a memory fault: panics.
///
/// # Panics
/// Always.
///
/// # Safety
/// A thread runs, or idle beside threads.
pub unsafe fn memory_fault() -> ! {
    panic!("{}", Report { running: SCHEDULER.running(), accessed: guard::accessed() })
}
