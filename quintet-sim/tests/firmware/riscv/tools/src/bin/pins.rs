//! Sets a pin of a GPIO port three times, for a board file that has such a port.

#![no_std]
#![no_main]

use core::hint::black_box;

use riscv_rt::entry;
use semihosting::process;

/// The register that sets and resets the pins of an STM32F1's port A.
const SET: *mut u32 = 0x4001_0810 as *mut u32;
/// The register of the pins' modes.
const MODES: *mut u32 = 0x4001_0800 as *mut u32;

#[entry]
fn main() -> ! {
    unsafe { MODES.write_volatile(0x2222_2222) };
    for _ in 0..3 {
        for level in [1 << 5, 1 << 21] {
            unsafe { SET.write_volatile(level) };
            for turn in 0..100 {
                black_box(turn);
            }
        }
    }
    process::exit(0)
}
