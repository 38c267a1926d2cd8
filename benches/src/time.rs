//! Quintet's clock over the shared timer, so that all systems have the same hardware.

use quintet::time::Stm32Timer;
use quintet_bench_common::device::{Interrupt, prioritise};

quintet::timer_source!(Clock, Stm32Timer<2, 8_000_000>, interrupt = TIM2);

/// Starts the clock; its interrupt gets the priority, at the kernel's ceiling or below.
pub fn start(priority: u8) {
    // SAFETY: called once, by `init`, and the timer is used for nothing else.
    unsafe { Clock::start() };
    prioritise(Interrupt::TIM2, priority);
}
