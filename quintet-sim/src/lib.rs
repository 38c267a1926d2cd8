//! A deterministic, timed simulator of Cortex-M microcontrollers.
pub mod board;
pub mod bus;
pub mod image;
pub mod machine;
pub mod observe;
pub mod peripherals;
pub mod processor;
pub mod script;
pub mod semihosting;
pub mod snapshot;
pub mod timing;
