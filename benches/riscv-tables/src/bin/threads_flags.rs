//! `threads_flags` of the folder above, as `build.rs` has adapted it.
#![no_std]
#![no_main]

include!(concat!(env!("OUT_DIR"), "/", env!("CARGO_BIN_NAME"), ".rs"));
