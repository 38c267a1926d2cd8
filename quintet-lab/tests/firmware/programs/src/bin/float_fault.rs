//! A handler that computes with floating point, and is at fault, above a thread that does so too.
#![no_std]
#![no_main]

use core::hint::black_box;
use quintet::thread::CurrentThread;
use semihosting as _;

quintet::kernel!(hardware_priority = 0x20);
quintet::thread!(static COMPUTES, priority = 2, stack = 1024, entry = computes);

#[unsafe(no_mangle)]
#[inline(never)]
extern "C" fn halve(number: f32) -> f32 {
    cortex_m::peripheral::SCB::set_pendst();
    black_box(number) * 0.5
}

fn computes(_: &CurrentThread<'_>) {
    let mut number = black_box(1024.0_f32);
    while number > 1.0 {
        number = halve(number);
    }
}

#[cortex_m_rt::exception]
fn SysTick() {
    black_box(black_box(20.5_f32) + 0.25);
    // SAFETY: an undefined instruction changes nothing; the fault is what is wanted.
    unsafe { core::arch::asm!("udf #0") };
}

#[cortex_m_rt::entry]
fn main() -> ! {
    // SAFETY: nothing of the kernel was used before.
    unsafe { quintet::thread::initialise() };
    COMPUTES.start().unwrap();
    loop {
        cortex_m::asm::wfi();
    }
}
