//! A thread of a program without an application whose function only `unsafe` code may call, and a
//! clock with such a priority.

#![no_std]
#![no_main]

use panic_halt as _;
use quintet::thread::CurrentThread;

quintet::kernel!(hardware_priority = 0x20);
quintet::thread!(static LAMP, priority = 2, stack = 1024, entry = lamp);
quintet::systick_timer!(Clock, 12_000_000, priority = urgent(), priority_bits = 3);

unsafe fn lamp(_: &CurrentThread<'_>) {}

const unsafe fn urgent() -> u8 {
    2
}
