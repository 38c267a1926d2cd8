//! Quintet: a real-time framework for microcontrollers.
//!
//! One priority line, one lock, one wake, one timer queue and one set of synchronisation objects,
//! shared by every way to write concurrent firmware. Two of the five models are here: interrupt
//! tasks and async tasks, written with [`app`], which takes the grammar of RTIC 2.
//!
//! What an application doesn't use costs nothing.

#![cfg_attr(target_os = "none", no_std)]

#[cfg(all(feature = "thumbv6-backend", target_os = "none", not(armv6m)))]
compile_error!(
    "the feature thumbv6-backend is on, but the target isn't thumbv6m: remove the feature"
);
#[cfg(all(feature = "thumbv7-backend", target_os = "none", not(armv7m)))]
compile_error!(
    "the feature thumbv7-backend is on, but the target is neither thumbv7m nor thumbv7em: remove \
     the feature"
);
#[cfg(all(feature = "thumbv8base-backend", target_os = "none", not(armv8m_base)))]
compile_error!(
    "the feature thumbv8base-backend is on, but the target isn't thumbv8m.base: remove the feature"
);
#[cfg(all(feature = "thumbv8main-backend", target_os = "none", not(armv8m_main)))]
compile_error!(
    "the feature thumbv8main-backend is on, but the target isn't thumbv8m.main: remove the feature"
);

pub use quintet_macros::app;
pub use rtic_core::{Exclusive, Mutex, prelude as mutex_prelude};

pub use crate::export::RacyCell;

/// Locks of resources, for generic code.
pub mod mutex {
    pub use rtic_core::{Mutex, prelude};
}

/// Makes an interrupt pending: it runs as soon as its priority allows.
///
/// From any context. For tasks that are bound to an interrupt.
#[cfg(target_arch = "arm")]
#[inline(always)]
pub fn pend<I: cortex_m::interrupt::InterruptNumber>(interrupt: I) {
    export::pend(interrupt.number());
}

mod arch;
mod core;
#[cfg(feature = "critical-section")]
pub mod critical_section;
#[doc(hidden)]
pub mod export;
pub mod future;
pub mod sync;
mod task;
#[cfg(threads)]
pub mod thread;
#[cfg(feature = "time")]
pub mod time;
