//! What Quintet's firmware of several binaries shares: a scenario, and the clock.

#![no_std]

mod async_scenario;
pub mod others;
#[cfg(feature = "time")]
pub mod time;
