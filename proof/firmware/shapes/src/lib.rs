//! A device with what every Cortex-M has: nine interrupt lines and two bits of priority.
//!
//! So one source builds for every architecture, with the same ceilings.
#![no_std]

pub mod device;
#[cfg(feature = "floats")]
pub mod floats;
#[cfg(feature = "threads")]
pub mod registers;

// The vector table and the start-up code.
use cortex_m_rt as _;
