//! Sends back every byte that the board's UART receives; ends at a full stop.
#![no_std]
#![no_main]

use semihosting as _;

const DATA: *mut u32 = 0x4000_c000 as *mut u32;
const FLAGS: *const u32 = 0x4000_c018 as *const u32;
const RECEIVER_EMPTY: u32 = 1 << 4;

#[cortex_m_rt::entry]
fn main() -> ! {
    loop {
        // SAFETY: the registers of UART0, which the board has.
        while unsafe { FLAGS.read_volatile() } & RECEIVER_EMPTY != 0 {}
        // SAFETY: as above.
        let byte = unsafe { DATA.read_volatile() } & 0xff;
        // SAFETY: as above.
        unsafe { DATA.write_volatile(byte) };
        if byte == u32::from(b'.') {
            semihosting::process::exit(0);
        }
    }
}
