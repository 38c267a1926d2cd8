//! What Quintet's firmware of several groups shares: the clock.

#![no_std]

#[cfg(feature = "time")]
pub mod time;
