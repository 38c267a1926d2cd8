//! A deterministic, timed simulator of Cortex-M microcontrollers, and of RISC-V ones without time.

// Any firmware, board file or script must end in an answer, never in a panic.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::unreachable)]

/// The examples of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}

pub mod board;
pub mod bus;
pub mod chips;
pub mod cores;
pub mod files;
pub mod image;
pub mod machine;
pub mod observe;
pub mod peripherals;
pub mod processor;
pub mod riscv;
pub mod rtt;
pub mod script;
pub mod semihosting;
pub mod snapshot;
pub mod timing;
