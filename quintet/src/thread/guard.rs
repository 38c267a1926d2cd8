//! Stack overflow: caught by the hardware before it corrupts, and reported with the thread's name.
//!
//! The lowest 32 bytes of each stack are a guard, from the thread's first start on. Where the chip
//! has no memory protection unit, or more threads than regions, those that are left have none;
//! their [high water](super::Thread::stack_high_water) shows how close they came.

#![expect(unsafe_code, reason = "a region of the memory protection unit is claimed")]

use ::core::fmt;
use ::core::sync::atomic::AtomicU8;

use crate::arch::{guard, words};
use crate::core::lock::kernel;
use crate::core::scheduler::{Control, SCHEDULER};

/// The regions that are in use.
static CLAIMED: AtomicU8 = AtomicU8::new(0);

/// Guards the stack of a thread that starts, if there is a region for it.
pub fn protect(control: &Control) {
    kernel(|lock| {
        if control.is_guarded(lock) {
            return;
        }
        let number = words::get_byte(&CLAIMED);
        if number < guard::regions() {
            words::put_byte(&CLAIMED, number + 1);
            control.set_guarded(lock);
            // SAFETY: the region is claimed, the kernel's lock is held, and a stack begins with its
            // guard.
            unsafe { guard::set(number, control.about.stack) };
        }
    });
}

/// What a memory fault was.
struct Report {
    control: &'static Control,
    fault: guard::Fault,
}

impl fmt::Display for Report {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let about = self.control.about;
        let lowest = about.stack.addr() as u32;
        let inside = |address: u32| (lowest..lowest + guard::SIZE as u32).contains(&address);
        if self.fault.on_entry || self.fault.address.is_some_and(inside) {
            return write!(
                formatter,
                "the stack of the thread `{}` overflowed: its {} bytes don't suffice",
                about.name, about.stack_size
            );
        }
        match self.fault.address {
            Some(address) => {
                write!(formatter, "the protected address {address:#010x} was accessed")?;
            }
            None => formatter.write_str("code was to be executed where none may be")?,
        }
        write!(formatter, " in the thread `{}`, or in what interrupted it", about.name)
    }
}

/// Handles a memory fault: panics.
///
/// # Panics
/// Always.
pub fn memory_fault() -> ! {
    panic!("{}", Report { control: SCHEDULER.running(), fault: guard::fault() })
}
