//! An interrupt that no mask of the application holds off.
//!
//! It is at the hardware's highest priority, and the application doesn't know of it: like that of a
//! hardware abstraction layer. All that it may do is wake.

use cortex_m::peripheral::NVIC;
use lm3s6965::Interrupt;

/// Lets ADC0_SEQUENCE_0 come. Its priority is that of reset, the highest.
pub fn enable() {
    // SAFETY: no section relies on its being held off: its handler only wakes.
    unsafe { NVIC::unmask(Interrupt::ADC0_SEQUENCE_0) };
}
