//! The threads of firmware, seen from outside: firmware has no code for it.
//!
//! [`layout`] finds the scheduler and reads control blocks; [`watch`] follows a run, and counts for
//! each thread what it takes: time, stack, switches; [`waits`] says what a thread waits for.

pub mod layout;
pub mod waits;
pub mod watch;
