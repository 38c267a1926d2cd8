//! `all_models` of the examples, as `build.rs` has copied it.
#![no_std]
#![no_main]

include!(concat!(env!("OUT_DIR"), "/", env!("CARGO_BIN_NAME"), ".rs"));
