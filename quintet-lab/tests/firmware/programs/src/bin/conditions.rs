//! A condition that the compiler makes into an IT block, and that holds once in three.
#![no_std]
#![no_main]

use core::hint::black_box;
use core::ptr::{addr_of_mut, write_volatile};
use semihosting as _;

static mut LARGE: u32 = 0;
static mut SMALL: u32 = 0;

#[inline(never)]
fn note(value: u32, small: u32) {
    if value > 100 {
        // SAFETY: nothing else uses the variable.
        unsafe { write_volatile(addr_of_mut!(LARGE), value) };
    }
    if value < small {
        // SAFETY: nothing else uses the variable.
        unsafe { write_volatile(addr_of_mut!(SMALL), value) };
    }
}

#[cortex_m_rt::entry]
fn main() -> ! {
    for value in [3, 8, 5] {
        note(black_box(value), black_box(4));
    }
    semihosting::process::exit(0)
}
