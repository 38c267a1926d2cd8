//! What needs no task, and what the tests can call.
#![no_std]

pub mod board;

/// Whether the LED is on in a beat: in every other one.
pub const fn is_on(beat: u32) -> bool {
    beat.is_multiple_of(2)
}
