//! Calls itself until the stack is beyond the RAM.
#![no_std]
#![no_main]

use core::hint::black_box;

#[inline(never)]
fn recurse(depth: u32) -> u32 {
    let local = black_box([depth; 16]);
    if depth == u32::MAX { 0 } else { recurse(depth + 1).wrapping_add(local[0]) }
}

#[cortex_m_rt::entry]
fn main() -> ! {
    semihosting::process::exit(recurse(0) as i32)
}
