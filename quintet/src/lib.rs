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

mod arch;
mod core;
#[doc(hidden)]
pub mod export;
pub mod future;
