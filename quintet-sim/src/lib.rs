//! A deterministic, timed simulator of Cortex-M microcontrollers.
pub mod image;
pub mod machine;
pub mod processor;
pub mod timing;
