//! Waiting for an event, without a window in which a wake-up is lost.
//!
//! The processor has an event register of one bit. Entering and leaving an exception set it, and so
//! does SEV; WFE clears it and goes on at once if it was set, or else sleeps until it is
//! (ARMv7-M Architecture Reference Manual, B1.5.18). So a context that looks for work, finds none,
//! and executes WFE misses nothing that came in between, with no interrupt held off.

use ::core::arch::asm;

/// Waits until an exception was taken, or [`signal_event`] was called, since the last wait.
/// May return earlier.
#[inline(always)]
pub fn sleep_until_event() {
    // SAFETY: waiting breaks no memory safety. What interrupts wrote is read anew afterwards, as
    // the assembly doesn't say `nomem`.
    unsafe { asm!("wfe", options(nostack, preserves_flags)) };
}

/// Ends the present or the next wait in [`sleep_until_event`].
#[inline(always)]
pub fn signal_event() {
    // SAFETY: it sets a bit that only waits look at.
    unsafe { asm!("sev", options(nostack, preserves_flags)) };
}
