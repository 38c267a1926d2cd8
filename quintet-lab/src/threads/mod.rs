//! The threads of firmware, seen from outside: firmware has no code for it.
//!
//! [`layout`] finds the scheduler and reads control blocks; [`watch`] follows a run, and counts for
//! each thread what it takes: time, stack, switches.

pub mod layout;
pub mod watch;
