//! Messages of defmt and text, over the board's first UART.
#![no_std]
#![no_main]

use panic_probe as _;

#[cortex_m_rt::entry]
fn main() -> ! {
    // SAFETY: the data register of UART0.
    unsafe { logging_elsewhere::log_to(0x4000_c000) };
    defmt::info!("first of {=u8}", 2);
    logging_elsewhere::write(b"a line of text\n");
    defmt::warn!("second of {=u8}", 2);
    semihosting::process::exit(0)
}
