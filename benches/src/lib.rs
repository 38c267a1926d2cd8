//! What Quintet's firmware of several binaries shares: scenarios, and the clock.

#![no_std]

mod async_scenario;
pub mod others;
#[cfg(feature = "ticks")]
pub mod services;
#[cfg(feature = "time")]
pub mod time;
mod time_scenario;
