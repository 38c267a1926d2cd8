//! Ends with a code of its own.
#![no_std]
#![no_main]

#[cortex_m_rt::entry]
fn main() -> ! {
    semihosting::process::exit(42)
}
