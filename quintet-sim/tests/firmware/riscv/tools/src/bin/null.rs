//! Reads where nothing is, three calls deep. Nobody handles the exception.

#![no_std]
#![no_main]

use core::hint::black_box;

use riscv_rt::entry;
use semihosting::println;

#[inline(never)]
fn read(pointer: *const u32) -> u32 {
    let value = unsafe { pointer.read_volatile() };
    black_box(value) + 1
}

#[inline(never)]
fn sensor(number: u32) -> u32 {
    let value = read(black_box((4 * number) as *const u32));
    black_box(value) + 2
}

#[entry]
fn main() -> ! {
    println!("before the fault");
    let value = sensor(black_box(2));
    println!("{value}");
    loop {
        core::hint::spin_loop();
    }
}
