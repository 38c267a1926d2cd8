//! Messages of defmt and text, through a port of the ITM.
#![no_std]
#![no_main]

use panic_probe as _;

#[cortex_m_rt::entry]
fn main() -> ! {
    // SAFETY: the registers of the ITM that switch it and its first port on, and that port.
    unsafe {
        (0xe000_0e80 as *mut u32).write_volatile(1);
        (0xe000_0e00 as *mut u32).write_volatile(1);
        logging_elsewhere::log_to(0xe000_0000);
    }
    defmt::info!("first of {=u8}", 2);
    logging_elsewhere::write(b"a line of text\n");
    defmt::warn!("second of {=u8}", 2);
    semihosting::process::exit(0)
}
