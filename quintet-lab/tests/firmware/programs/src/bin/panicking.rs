//! Panics.
#![no_std]
#![no_main]

use semihosting as _;

#[cortex_m_rt::entry]
fn main() -> ! {
    panic!("the panic of this program")
}
