//! Resets the processor once, in the middle of what it prints.
#![no_std]
#![no_main]

use {defmt_rtt as _, lm3s6965 as _, panic_probe as _};

/// At the end of RAM's first half, which no start-up code clears.
const MARK: *mut u32 = 0x2000_8000 as *mut u32;

#[cortex_m_rt::entry]
fn main() -> ! {
    // SAFETY: memory that nothing else uses.
    let is_first = unsafe { MARK.read_volatile() } != 0x600d_cafe;
    defmt::info!("started, {}", if is_first { "the first time" } else { "again" });
    if is_first {
        // SAFETY: as above.
        unsafe { MARK.write_volatile(0x600d_cafe) };
        cortex_m::peripheral::SCB::sys_reset();
    }
    semihosting::process::exit(0)
}
