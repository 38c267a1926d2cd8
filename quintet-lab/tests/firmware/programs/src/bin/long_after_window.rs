//! Is busy for ten million cycles behind what is to be interrupted.
#![no_std]
#![no_main]

#[path = "../interrupted.rs"]
mod interrupted;

use interrupted::{end, in_window};

#[cortex_m_rt::exception]
fn SysTick() {
    cortex_m::asm::nop();
}

#[cortex_m_rt::entry]
fn main() -> ! {
    in_window(|| cortex_m::asm::delay(4));
    cortex_m::asm::delay(10_000_000);
    end(true)
}
