//! Panics in a function of its own.
#![no_std]
#![no_main]

use {defmt_rtt as _, lm3s6965 as _, panic_probe as _};

#[inline(never)]
fn divide(by: u32) -> u32 {
    assert!(by != 0, "nobody divides by {by}");
    7 / by
}

#[cortex_m_rt::entry]
fn main() -> ! {
    defmt::info!("{=u32}", divide(core::hint::black_box(0)));
    loop {
        cortex_m::asm::nop();
    }
}
