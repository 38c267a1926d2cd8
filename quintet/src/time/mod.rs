//! Time: how you wait for a time, measure time, and choose where time comes from.
//!
//! [`Instant`] and [`Duration`] are the types of `embassy-time`, and Quintet is the driver of
//! `embassy-time`: code for `embassy-time` works unchanged. You choose the tick by a feature
//! `tick-hz-...` of the crate `embassy-time`.
//!
//! | to | use |
//! |---|---|
//! | wait for a time | [`delay`], [`delay_until`], [`Timer`] |
//! | wait in a thread | `CurrentThread::delay`, `CurrentThread::delay_until`, [`Ticker::next`] |
//! | do something periodically, without drift | [`Ticker`] |
//! | call a function at a time or periodically, without a task | [`SoftwareTimer`] |
//! | give up after a time | [`timeout`], [`deadline`] |
//! | hand a delay to a driver | [`Delay`] |
//! | have time at all | [`systick_timer`](crate::systick_timer), or another source |
//! | let time pass in a test, on the host | `VirtualClock`, `virtual_clock!` |
//! | count a tick, as other kernels do | [`systick_tick`](crate::systick_tick) |
//!
//! # Costs
//! No interrupt comes periodically, except over a tick: an interrupt comes when a timer is due
//! (and, over SysTick, every 2^23 cycles, as the counter of SysTick has only 24 bits). Arming and
//! cancelling take constant time, however many timers are armed. A timer takes 32 bytes in its
//! future, and the queue takes 32 bytes. If your application uses `embassy_time::Timer`, each task
//! of the application has a static node of 32 bytes instead.
//!
//! # Contexts
//! You may read the clock everywhere, even above the kernel's ceiling and under every mask (only
//! NMI and HardFault may see a wrong time). You may wait for a time, and drop a wait, in every
//! context that the kernel knows of, but not above the kernel's ceiling ([only builds with debug
//! assertions check this](crate::sync#contexts)). Before the source has started, time is 0 and
//! timers wait.

pub(crate) mod clock;
pub(crate) mod counted;
pub(crate) mod delay;
pub(crate) mod driver;
#[cfg(threads)]
pub(crate) mod expiry;
#[cfg(systick)]
pub(crate) mod hardware;
#[cfg(machine_timer)]
pub(crate) mod machine_timer;
mod placing;
mod software_timer;
pub(crate) mod source;
#[cfg(systick)]
pub(crate) mod systick;
#[cfg(not(systick))]
mod systick_missing;
#[cfg(systick)]
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
#[cfg(systick)]
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
