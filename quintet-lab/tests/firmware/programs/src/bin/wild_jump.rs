//! Jumps where no code is.
#![no_std]
#![no_main]

use semihosting as _;

#[cortex_m_rt::entry]
fn main() -> ! {
    // SAFETY: not safe: that it faults is what this program is for.
    let nowhere: extern "C" fn() -> ! = unsafe { core::mem::transmute(0x6000_0001_usize) };
    nowhere()
}
