//! What the firmware of several groups shares: RTIC's clock.

#![no_std]

#[cfg(feature = "time")]
pub mod time;
