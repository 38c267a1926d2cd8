//! A program of `behaviours`, as `build.rs` has copied it.
#![no_std]
#![no_main]

use riscv as _;
use riscv_rt as _;

include!(concat!(env!("OUT_DIR"), "/", env!("CARGO_BIN_NAME"), ".rs"));
