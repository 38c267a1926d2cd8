//! Panics, with the message over semihosting.
#![no_std]
#![no_main]

use {defmt_semihosting as _, panic_probe as _};

#[cortex_m_rt::entry]
fn main() -> ! {
    panic!("no more")
}
