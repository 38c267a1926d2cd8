//! A task that binds an exception of Cortex-M, on RISC-V.

#![no_std]
#![no_main]

use panic_halt as _;

#[quintet::app(device = quintet::riscv)]
mod app {
    #[init]
    fn init(_: init::Context) {}

    #[task(binds = SysTick, priority = 1)]
    fn tick(_: tick::Context) {}
}
