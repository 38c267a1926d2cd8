//! Stack overflow on ARMv8-M: the processor compares each store with the stack's limit, and the
//! report has the thread's name.
//!
//! Every thread has a limit, and all of its stack. The limit costs a branch and four instructions
//! in a switch by a call, and seven in PendSV, ten with floating point: four or seven of them look
//! whether there is room for what PendSV itself stores, which the processor doesn't compare.

#![expect(unsafe_code, reason = "a system register is written, and a symbol defined by its name")]

use ::core::fmt;

use super::overflow::Overflow;
use crate::arch::stack_limit::{self, Fault};
use crate::core::lock::kernel;
use crate::core::scheduler::{Control, SCHEDULER};

/// Lets an overflow be reported, before a thread starts.
pub fn protect(_control: &Control) {
    // SAFETY: the kernel's lock is held.
    kernel(|_| unsafe { stack_limit::enable_fault() });
}

/// What a usage fault was.
struct Report {
    running: &'static Control,
    fault: Fault,
}

impl fmt::Display for Report {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(stack) = self.fault.overflowed {
            return Overflow { stack, running: self.running }.fmt(formatter);
        }
        write!(
            formatter,
            "a usage fault, with the status {:#06x}, in the thread `{}`, or in what interrupted it",
            self.fault.status, self.running.about.name
        )
    }
}

/// Handles a usage fault: panics.
///
/// # Panics
/// Always.
pub fn usage_fault() -> ! {
    panic!("{}", Report { running: SCHEDULER.running(), fault: stack_limit::fault() })
}

/// What PendSV goes on with where the stack of the thread `from`, which it is about to leave, has
/// no room for its registers: panics.
///
/// # Panics
/// Always.
#[unsafe(no_mangle)]
extern "C" fn __quintet_stack_overflowed(_to: &Control, from: &'static Control) -> ! {
    panic!("{}", Overflow { stack: from.about.stack.addr() as u32, running: from })
}
