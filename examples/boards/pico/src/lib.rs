//! What needs no task, and what the tests can call.
#![no_std]

pub mod board;

#[cfg(all(test, not(rust_analyzer)))]
compile_error!(
    "`cargo test NAME` builds the library as a test, which needs an operating system; write \
     `cargo test --test on_target NAME`"
);

/// Whether the LED is on in a beat: in every other one.
pub const fn is_on(beat: u32) -> bool {
    beat.is_multiple_of(2)
}
