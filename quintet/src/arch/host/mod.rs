//! The host: the same names for tests and Miri, without interrupts.
//!
//! Threads of the test process stand for interrupts: words are atomic, and the kernel's lock is a
//! lock of the process.

#[cfg(feature = "statistics")]
pub mod cycle_counter;
pub mod device;
#[cfg_attr(not(test), expect(dead_code, reason = "scenarios are tests"))]
pub mod explore;
pub mod finish;
mod map;
pub mod mask;
mod nvic;
#[cfg(feature = "recorder")]
pub mod recorder;
pub mod switch;
#[cfg(feature = "time")]
pub mod systick;
#[cfg(feature = "time")]
pub mod tick;
pub mod upward;
pub mod words;

/// A function that makes the slot with this bit (or number) ready.
pub type Wake = unsafe fn(*const ());

/// Returns the function in the form for a waker's function table.
pub const fn wake_function(wake: Wake) -> unsafe fn(*const ()) {
    wake
}

/// Returns the same pointer.
pub const fn at_hand<T>(pointer: *const T) -> *const T {
    pointer
}

/// Returns the same answer.
#[cfg(feature = "time")]
pub const fn decided(answer: bool) -> bool {
    answer
}

pub use nvic::{
    Interrupts, enable, pend, set_interrupt_priority, signal_event, sleep_until_event, take_pending,
};

/// Defines nothing: a tick's handler takes the long path.
#[doc(hidden)]
#[macro_export]
macro_rules! __tick_arrival {
    ($($ceiling:expr)?) => {};
}
