//! A priority above the highest of RISC-V, which has 32.

#![no_std]
#![no_main]

use panic_halt as _;

#[quintet::app(device = quintet::riscv, dispatchers = [SOFTWARE0])]
mod app {
    #[init]
    fn init(_: init::Context) {}

    #[task(binds = SOFTWARE1, priority = 33)]
    fn urgent(_: urgent::Context) {}
}
