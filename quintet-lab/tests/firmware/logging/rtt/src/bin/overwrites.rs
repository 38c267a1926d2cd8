//! Overwrites the control block of RTT between two messages.
#![no_std]
#![no_main]

use {defmt_rtt as _, lm3s6965 as _, panic_probe as _};

unsafe extern "C" {
    static mut _SEGGER_RTT: [u32; 12];
}

#[cortex_m_rt::entry]
fn main() -> ! {
    defmt::info!("before");
    let size = (&raw mut _SEGGER_RTT).cast::<u32>().wrapping_add(8);
    // SAFETY: it is a wild store on purpose, to the size of the channel.
    unsafe { size.write_volatile(0x7000_0000) };
    defmt::info!("behind");
    semihosting::process::exit(0)
}
