//! Sleeps with no interrupt enabled.
#![no_std]
#![no_main]

use semihosting as _;

#[cortex_m_rt::entry]
fn main() -> ! {
    loop {
        cortex_m::asm::wfi();
    }
}
