//! Stack overflow on ARMv8-M: the processor compares each store with the stack's limit, and the
//! report has the thread's name.
//!
//! Every thread has a limit, and loses none of its stack. The limit costs a branch and four
//! instructions in a switch by a call. In PendSV it costs seven instructions, or ten with floating
//! point: four or seven of them check the room for the registers that PendSV itself stores, as the
//! processor doesn't check this room.

#![expect(unsafe_code, reason = "a system register is written, and a symbol defined by its name")]

use ::core::fmt;

use super::overflow::Overflow;
use crate::arch::stack_limit::{self, Fault};
use crate::core::lock::kernel;
use crate::core::scheduler::{SCHEDULER, ThreadBlock};

/// Prepares the report of an overflow, before a thread starts.
pub fn protect(_control: &ThreadBlock) {
    // SAFETY: the kernel's lock is held.
    kernel(|_| unsafe { stack_limit::enable_fault() });
}

/// A usage fault, as the panic shows it.
struct Report {
    running: &'static ThreadBlock,
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
///
/// # Safety
/// A thread runs, or idle beside threads.
pub unsafe fn usage_fault() -> ! {
    panic!("{}", Report { running: SCHEDULER.running(), fault: stack_limit::fault() })
}

/// Panics. PendSV branches here if the stack of the thread `from`, which PendSV is about to leave,
/// has no room for the thread's registers.
///
/// # Panics
/// Always.
#[unsafe(no_mangle)]
extern "C" fn __quintet_stack_overflowed(_to: &ThreadBlock, from: &'static ThreadBlock) -> ! {
    panic!("{}", Overflow { stack: from.about.stack.addr() as u32, running: from })
}
