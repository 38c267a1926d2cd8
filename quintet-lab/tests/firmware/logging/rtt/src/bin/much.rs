//! Prints much more than the buffer of RTT holds, and waits until all has been taken. One line in
//! the middle goes to a UART.
#![no_std]
#![no_main]

use {defmt_rtt as _, lm3s6965 as _, panic_probe as _};

const UART0_DATA: *mut u32 = 0x4000_c000 as *mut u32;

#[cortex_m_rt::entry]
fn main() -> ! {
    for line in 0..400_u32 {
        defmt::info!("line {=u32} of quite some text", line);
        if line == 199 {
            for byte in b"in the middle\n" {
                // SAFETY: the data register of the board's first UART.
                unsafe { UART0_DATA.write_volatile(u32::from(*byte)) };
                cortex_m::asm::delay(10_000);
            }
        }
    }
    defmt::flush();
    semihosting::process::exit(3)
}
