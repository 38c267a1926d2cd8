//! Panics with a message in text.
#![no_std]
#![no_main]

use panic_probe as _;

#[cortex_m_rt::entry]
fn main() -> ! {
    rtt_target::rtt_init_print!();
    rtt_target::rprintln!("all is well");
    panic!("or not");
}
