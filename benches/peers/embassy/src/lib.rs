//! What the firmware of several groups shares: the driver of `embassy-time`.

#![no_std]

#[cfg(feature = "time")]
pub mod time;
