//! Cortex-M: ARMv6-M, ARMv7-M, ARMv8-M.

#![expect(unsafe_code, reason = "masks, system registers and interrupt routines are unsafe to use")]

mod arriving;
#[cfg(all(threads, feature = "statistics"))]
pub mod cycle_counter;
pub mod device;
mod dispatch;
mod expiring;
#[cfg(stack_guard)]
pub mod guard;
#[cfg(main_guard)]
pub mod main_guard;
mod map;
#[cfg_attr(basepri, path = "mask_basepri.rs")]
#[cfg_attr(not(basepri), path = "mask_sources.rs")]
pub mod mask;
mod nvic;
mod primask;
#[cfg(processes)]
pub mod process;
#[cfg(processes)]
#[cfg_attr(region_bounds, path = "protection_bounds.rs")]
#[cfg_attr(not(region_bounds), path = "protection_powers.rs")]
pub mod protection;
#[cfg(feature = "recorder")]
pub mod recorder;
mod registers;
#[cfg(stack_limit)]
pub mod stack_limit;
#[cfg(threads)]
#[cfg_attr(noted_pauses, path = "switch_masked.rs")]
pub mod switch;
#[cfg(feature = "time")]
pub mod systick;
#[cfg(feature = "time")]
pub mod tick;
#[cfg(threads)]
pub mod upward;
mod wait;
#[cfg_attr(any(armv7m, armv8m_main, armv8m_base), path = "words_exclusive.rs")]
#[cfg_attr(armv6m, path = "words_masked.rs")]
pub mod words;
mod words_plain;
#[cfg(armv6m)]
mod words_replaced;

#[cfg(armv6m)]
use primask as all_interrupts;

pub use dispatch::{Wake, wake_function};
pub use nvic::{
    Interrupts, enable, pend, set_exception_priority, set_interrupt_priority, take_pending,
};
#[cfg(all(debug_assertions, basepri))]
pub use nvic::{RunningInterrupt, running_interrupt};
pub use primask::{disable_interrupts, enable_interrupts};
pub use registers::at_hand;
#[cfg(feature = "time")]
pub use registers::decided;
pub use wait::{signal_event, sleep_until_event};
