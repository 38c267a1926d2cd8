//! Faults again inside its HardFault handler: lockup.
#![no_std]
#![no_main]

use semihosting as _;

#[cortex_m_rt::exception]
unsafe fn HardFault(_frame: &cortex_m_rt::ExceptionFrame) -> ! {
    cortex_m::asm::udf()
}

#[cortex_m_rt::entry]
fn main() -> ! {
    cortex_m::asm::udf()
}
