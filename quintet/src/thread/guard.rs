//! Stack overflow: caught by the hardware where it touches the guard, and reported with the
//! thread's name.
//!
//! The lowest 32 bytes of each stack are a guard, from the thread's first start on. Who uses a
//! stack from the top down, as saving registers does, comes to it before anything below; a frame
//! that is larger, and is written from below, may step over it: the lab tells, by the stack
//! pointer. Where the chip has no memory protection unit, or more threads than regions, those that
//! are left have none; their [high water](super::Thread::stack_high_water) shows how close they
//! came.

#![expect(unsafe_code, reason = "a region of the memory protection unit is claimed")]

use ::core::fmt;
use ::core::ops::Range;
use ::core::sync::atomic::AtomicU8;

use super::overflow::Overflow;
use crate::arch::{guard, words};
use crate::core::lock::kernel;
use crate::core::scheduler::{Control, SCHEDULER};

/// The regions that are in use. The lab takes its symbol for the sign that regions guard stacks.
static CLAIMED: AtomicU8 = AtomicU8::new(0);

/// Guards the stack of a thread that starts, if there is a region for it.
pub fn protect(control: &Control) {
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
            if claimed < guard::regions() {
                words::put_byte(&CLAIMED, claimed + 1);
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

/// The stack whose guard is among what was accessed, if one is.
fn stack_of(accessed: &Range<u32>) -> Option<u32> {
    // SAFETY: the regions are claimed, and what a fault's handler interrupts doesn't go on.
    (0..words::get_byte(&CLAIMED)).map(|number| unsafe { guard::base(number) }).find(|base| {
        let end = *base + guard::SIZE as u32;
        accessed.start < end && *base < accessed.end
    })
}

/// What a memory fault was.
struct Report {
    running: &'static Control,
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
pub fn memory_fault() -> ! {
    panic!("{}", Report { running: SCHEDULER.running(), accessed: guard::accessed() })
}
