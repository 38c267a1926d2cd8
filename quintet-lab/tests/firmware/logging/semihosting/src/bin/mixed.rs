//! Messages of defmt by semihosting, with text among them.
#![no_std]
#![no_main]

use {defmt_semihosting as _, panic_probe as _};

#[cortex_m_rt::entry]
fn main() -> ! {
    semihosting::println!("text before");
    defmt::info!("the first of {=u8}", 2);
    semihosting::println!("two lines");
    semihosting::println!("between");
    defmt::warn!("the second of {=u8}", 2);
    semihosting::println!("text behind");
    semihosting::process::exit(0)
}
