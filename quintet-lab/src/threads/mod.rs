//! The threads of firmware, seen from outside: firmware has no code for it.
//!
//! [`layout`] finds the scheduler and reads control blocks; [`watch`] follows a run, and counts for
//! each thread what it takes: time, stack, switches; [`waits`] says what a thread waits for.
//! [`freertos`] is the same of the tasks of FreeRTOS, for timelines and profiles.

pub mod freertos;
pub mod layout;
pub mod waits;
pub mod watch;
