//! Does nothing, for ever.
#![no_std]
#![no_main]

use semihosting as _;

#[inline(never)]
fn spin() -> ! {
    loop {
        cortex_m::asm::nop();
    }
}

#[cortex_m_rt::entry]
fn main() -> ! {
    spin()
}
