//! The threads of firmware, seen from outside. The firmware needs no code for this.
//!
//! [`layout`] finds the scheduler and reads control blocks. [`watch`] follows a run, and counts
//! each thread's time, stack and switches. [`waits`] finds the object for which a thread waits.
//! [`freertos`] does the same for the tasks of FreeRTOS, for timelines and profiles, and [`others`]
//! for the threads of Zephyr, RIOT, NuttX and ChibiOS. [`tasks`] is either.

pub mod freertos;
pub mod jumps;
pub mod layout;
pub mod others;
pub mod tasks;
pub mod waits;
pub mod watch;
