//! Writes to the UART of the board.
#![no_std]
#![no_main]

use semihosting as _;

#[cortex_m_rt::entry]
fn main() -> ! {
    let data = 0x4000_c000 as *mut u32;
    for byte in b"over the wire\n" {
        // SAFETY: the data register of UART0, which the board has.
        unsafe { data.write_volatile(u32::from(*byte)) };
    }
    semihosting::process::exit(0)
}
