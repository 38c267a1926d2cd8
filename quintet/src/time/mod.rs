//! Time: waiting for it, measuring it, and where it comes from.
//!
//! [`Instant`] and [`Duration`] are those of `embassy-time`, and Quintet is its driver: what is
//! written over `embassy-time` works unchanged. The tick is chosen as there, by a feature
//! `tick-hz-...` of the crate `embassy-time`.
//!
//! | to | use |
//! |---|---|
//! | wait for a time | [`delay`], [`delay_until`], [`Timer`] |
//! | wait for a time in a thread | `This::delay`, `This::delay_until`, [`Ticker::next_blocking`] |
//! | do something periodically, without drift | [`Ticker`] |
//! | call a function at a time or periodically, without a task | [`SoftwareTimer`] |
//! | give up after a time | [`timeout`], [`deadline`] |
//! | hand a delay to a driver | [`Delay`] |
//! | have time at all | [`systick_timer`](crate::systick_timer), or another source |
//! | let time pass in a test, on the host | `VirtualClock`, `virtual_clock!` |
//! | count a tick, as other kernels do | [`systick_tick`](crate::systick_tick) |
//!
//! # Costs
//! Nothing happens periodically, but over a tick: an interrupt comes when something is due (and,
//! over SysTick, every 2^23 cycles, as its counter has only 24 bits). Arming and cancelling take
//! constant time whatever else is armed. A timer takes 32 bytes in its future; the queue takes 32;
//! `embassy_time::Timer` takes a static node of 32 bytes for each task of the application instead,
//! if it is used at all.
//!
//! # Contexts
//! Reading the clock: everywhere, above the kernel's ceiling and under every mask too (only NMI and
//! HardFault may see a wrong time). Waiting, and dropping what waits: every context that the kernel
//! knows of, not above its ceiling. Before the source has started, time is 0 and timers wait.

pub(crate) mod clock;
pub(crate) mod counted;
pub(crate) mod delay;
pub(crate) mod driver;
#[cfg(threads)]
pub(crate) mod expiry;
pub(crate) mod hardware;
mod software_timer;
pub(crate) mod source;
pub(crate) mod systick;
pub(crate) mod systick_tick;
mod ticker;
mod timebase;
mod timeout;
mod timer;
#[cfg(not(target_os = "none"))]
pub(crate) mod virtual_clock;
mod wakes;

#[cfg(test)]
mod tests;

pub use embassy_time::{Duration, Instant, TICK_HZ, TimeoutError};

pub use delay::Delay;
pub use driver::Driver;
pub use hardware::{
    Hardware, Lm3sTimers, NrfTimer0, STM32F1_RCC, STM32F4_RCC, STM32L4_RCC, Stm32Timer,
};
pub use software_timer::SoftwareTimer;
pub use source::{Source, widen};
pub use ticker::Ticker;
pub use timeout::{Deadline, deadline, timeout};
pub(crate) use timer::from_now;
pub use timer::{Timer, delay, delay_until};
#[cfg(not(target_os = "none"))]
pub use virtual_clock::VirtualClock;
