//! Waiting for an event, without a window in which a wake-up is lost.
//!
//! The processor has an event register of one bit. Entry to and exit from an exception set the bit,
//! and so does SEV. WFE clears the bit and continues at once if the bit was set, or else sleeps
//! until the bit is set (ARMv7-M Architecture Reference Manual, B1.5.18). So if a context looks for
//! work, finds none, and executes WFE, it misses nothing that came in between, with no interrupt
//! held off.

use ::core::arch::asm;

/// Waits until an exception was taken, or [`signal_event`] was called, since the last wait.
/// May return earlier.
#[inline(always)]
pub fn sleep_until_event() {
    // SAFETY: waiting breaks no memory safety. Memory that interrupts wrote is read again
    // afterwards, as the assembly isn't `nomem`.
    unsafe { asm!("wfe", options(nostack, preserves_flags)) };
}

/// Ends the present or the next wait in [`sleep_until_event`].
#[inline(always)]
pub fn signal_event() {
    // SAFETY: this sets a bit that only waits look at.
    unsafe { asm!("sev", options(nostack, preserves_flags)) };
}
