//! The host: the same names for tests and Miri, where there is no interrupt.
//!
//! Threads of the test process stand for interrupts: words are atomic, the kernel's lock is a lock
//! of the process.

#[cfg(feature = "statistics")]
pub mod cycle_counter;
pub mod device;
#[cfg_attr(not(test), expect(dead_code, reason = "scenarios are tests"))]
pub mod explore;
pub mod finish;
mod map;
pub mod mask;
mod nvic;
pub mod switch;
#[cfg(feature = "time")]
pub mod systick;
#[cfg(feature = "time")]
pub mod tick;
pub mod upward;
pub mod words;

/// A function that makes the slot with this bit (or number) ready.
pub type Wake = unsafe fn(*const ());

/// The function as a waker's function table wants it.
pub const fn wake_function(wake: Wake) -> unsafe fn(*const ()) {
    wake
}

/// The same pointer.
pub const fn at_hand<T>(pointer: *const T) -> *const T {
    pointer
}

/// The same answer.
#[cfg(feature = "time")]
pub const fn decided(answer: bool) -> bool {
    answer
}

pub use nvic::{
    Interrupts, enable, pend, set_interrupt_priority, signal_event, sleep_until_event, take_pending,
};

/// Nothing is defined for a tick's handler: it goes the long way.
#[doc(hidden)]
#[macro_export]
macro_rules! __tick_arrival {
    ($($ceiling:expr)?) => {};
}
