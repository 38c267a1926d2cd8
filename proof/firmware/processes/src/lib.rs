//! The examples in the documentation of `quintet::process`. That module exists only for a
//! microcontroller, so `cargo test --doc` doesn't compile them: they are compiled here, and `cargo
//! xtask tidy` checks that the documentation shows the text between `begin` and `end`.
#![no_std]
#![expect(dead_code, reason = "the examples are compiled, and not called")]

mod devices;
mod drivers;
#[cfg(feature = "credentials")]
mod identity;
mod served;
mod system;
mod timed;
