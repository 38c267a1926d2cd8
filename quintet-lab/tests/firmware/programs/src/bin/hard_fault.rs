//! Reads where nothing is, two calls deep; the default HardFault handler loops for ever.
#![no_std]
#![no_main]

#[inline(never)]
fn read_nothing(address: usize) -> u32 {
    // SAFETY: not safe: that it faults is what this program is for.
    unsafe { (address as *const u32).read_volatile() }
}

#[inline(never)]
fn outer(address: usize) -> u32 {
    read_nothing(address).wrapping_mul(3)
}

#[cortex_m_rt::entry]
fn main() -> ! {
    semihosting::process::exit(outer(0x7000_0000) as i32)
}
