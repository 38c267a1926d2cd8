//! The main stack grows into a variable below it, comes back, and the program ends with 0.
#![no_std]
#![no_main]

use core::hint::black_box;

static mut VICTIM: [u8; 40 * 1024] = [7; 40 * 1024];

#[inline(never)]
fn deep(depth: u32) -> u32 {
    let local = black_box([depth; 64]);
    if depth == 0 { local[3] } else { deep(depth - 1).wrapping_add(local[5]) }
}

#[unsafe(no_mangle)]
#[inline(never)]
extern "C" fn work_begin() {
    black_box(());
}

#[unsafe(no_mangle)]
#[inline(never)]
extern "C" fn work_end() {
    black_box(());
}

#[cortex_m_rt::entry]
fn main() -> ! {
    work_begin();
    black_box(deep(black_box(100)));
    work_end();
    black_box(&raw const VICTIM);
    semihosting::process::exit(0)
}
