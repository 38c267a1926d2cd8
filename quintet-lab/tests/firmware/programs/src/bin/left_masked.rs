//! A handler that masks interrupts and forgets to let them in again: only the tool can see it.
#![no_std]
#![no_main]

#[path = "../interrupted.rs"]
mod interrupted;

use interrupted::{end, in_window};

#[cortex_m_rt::exception]
fn SysTick() {
    // SAFETY: it only masks; that it does so for good is the mistake.
    unsafe { cortex_m::register::basepri::write(0x80) };
}

#[cortex_m_rt::entry]
fn main() -> ! {
    in_window(|| cortex_m::asm::delay(4));
    end(true)
}
