//! Panics by the macro of defmt.
#![no_std]
#![no_main]

use {defmt_rtt as _, lm3s6965 as _, panic_probe as _};

#[defmt::panic_handler]
fn panic() -> ! {
    panic_probe::hard_fault()
}

#[cortex_m_rt::entry]
fn main() -> ! {
    defmt::panic!("out of {=str}", "luck")
}
