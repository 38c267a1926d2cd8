//! Writes what is no frame into the channel of the frames.
#![no_std]
#![no_main]

use {defmt_rtt as _, lm3s6965 as _, panic_probe as _};

unsafe extern "C" {
    static mut _SEGGER_RTT: [u32; 12];
}

#[cortex_m_rt::entry]
fn main() -> ! {
    defmt::info!("before");
    let channel = (&raw mut _SEGGER_RTT).cast::<u32>().wrapping_add(6);
    // SAFETY: the fields of the only channel, while nobody logs: its buffer, and how much is used.
    unsafe {
        let (buffer, write) = (channel.add(1).read() as *mut u8, channel.add(3));
        for byte in [1, 2, 3, 0, 0xff, 0] {
            buffer.add(write.read() as usize).write_volatile(byte);
            write.write_volatile(write.read() + 1);
        }
    }
    defmt::info!("behind");
    semihosting::process::exit(0)
}
