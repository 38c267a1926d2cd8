//! Waiting for an event, without a window in which a wake-up is lost.
//!
//! WFI ends if an interrupt is pending and enabled in `mie`, even while `mstatus` holds it off. So
//! the context looks at the event and waits with interrupts held off: one that comes in between
//! ends the wait, and is taken behind it. The trap of the software interrupt sets the event, and so
//! does whatever makes work ready. A handler of the application's own that does neither sets none.

use ::core::arch::asm;
use ::core::sync::atomic::AtomicBool;

use super::{interrupts, words};

/// `true` if an interrupt was taken, or an event signalled, since the last wait.
static EVENT: AtomicBool = AtomicBool::new(false);

/// Waits until an interrupt was taken, or [`signal_event`] was called, since the last wait.
/// May return earlier.
#[inline(always)]
pub fn sleep_until_event() {
    let before = interrupts::raise();
    if !words::get_flag(&EVENT) {
        // SAFETY: waiting breaks no memory safety.
        unsafe { asm!("wfi", options(nostack, preserves_flags)) };
    }
    words::put_flag(&EVENT, false);
    // SAFETY: from the matching `raise`.
    unsafe { interrupts::restore(before) };
}

/// Ends the present or the next wait in [`sleep_until_event`].
#[inline(always)]
pub fn signal_event() {
    words::put_flag(&EVENT, true);
}
