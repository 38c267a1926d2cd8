//! Prints a line now and then, for ever.
#![no_std]
#![no_main]

#[cortex_m_rt::entry]
fn main() -> ! {
    loop {
        semihosting::println!("tick");
        cortex_m::asm::delay(200_000);
    }
}
