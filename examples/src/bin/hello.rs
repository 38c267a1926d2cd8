//! The least that firmware can do: print and end, both by semihosting.
#![no_std]
#![no_main]

use lm3s6965 as _;

#[cortex_m_rt::entry]
fn main() -> ! {
    semihosting::println!("hello from a Cortex-M3");
    semihosting::process::exit(0)
}
