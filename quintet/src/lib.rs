//! Quintet: a real-time framework for microcontrollers.
//!
//! One priority line, one lock, one wake, one timer queue and one set of synchronisation objects,
//! shared by every way to write concurrent firmware. Three of the five models are here: interrupt
//! tasks, async tasks and [threads](mod@thread), written with [`app`], which takes the grammar of
//! RTIC 2 and adds to it. What they share is in [`sync`], and what waits for time in `time`.
//!
//! What an application doesn't use costs nothing.

#![cfg_attr(target_os = "none", no_std)]
#![deny(missing_debug_implementations)]

pub use quintet_macros::{app, state_machine};
pub use rtic_core::{Exclusive, Mutex, prelude as mutex_prelude};

pub use crate::export::RacyCell;

/// Locks of resources, for generic code.
pub mod mutex {
    pub use rtic_core::{Mutex, prelude};
}

/// Makes an interrupt pending: it runs as soon as its priority allows.
///
/// From any context. For tasks that are bound to an interrupt.
#[inline(always)]
pub fn pend<I: export::InterruptNumber>(interrupt: I) {
    export::pend(interrupt.number());
}

/// Gives types a `Debug` that says their name: what is in them says nothing to users.
macro_rules! debug_by_name {
    ($([$($generics:tt)*] $type:ty: $name:literal),+ $(,)?) => { $(
        impl<$($generics)*> ::core::fmt::Debug for $type {
            fn fmt(&self, formatter: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                formatter.debug_struct($name).finish_non_exhaustive()
            }
        }
    )+ };
}

pub mod actor;
#[expect(missing_debug_implementations, reason = "users don't name what is in it")]
mod arch;
pub mod chart;
#[expect(missing_debug_implementations, reason = "users don't name what is in it")]
mod core;
#[cfg(feature = "critical-section")]
pub mod critical_section;
#[doc(hidden)]
pub mod export;
pub mod future;
#[cfg(main_guard)]
mod main_stack;
#[cfg(feature = "processes")]
pub mod process;
#[cfg(not(processes))]
mod processes_missing;
mod stack_fault;
pub mod sync;
#[expect(missing_debug_implementations, reason = "users don't name what is in it")]
mod task;
#[cfg(threads)]
pub mod thread;
#[cfg(not(threads))]
mod threads_missing;
#[cfg(feature = "time")]
pub mod time;
#[cfg(not(feature = "time"))]
mod time_missing;
