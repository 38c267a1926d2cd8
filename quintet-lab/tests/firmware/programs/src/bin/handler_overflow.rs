//! A handler beside threads uses so much of the main stack that it comes through the threads'
//! stacks, and through what it has interrupted. Their guards are off, so nothing stops it.
#![no_std]
#![no_main]

use core::hint::black_box;
use quintet::thread::CurrentThread;

quintet::kernel!(hardware_priority = 0x20, stack_guard = false);
quintet::thread!(static WORKER, priority = 3, stack = 1024, entry = worker);

static mut ABOVE: [u8; 40 * 1024] = [7; 40 * 1024];

#[inline(never)]
fn deep(depth: u32) -> u32 {
    let local = black_box([depth; 64]);
    if depth == 0 { local[3] } else { deep(depth - 1).wrapping_add(local[5]) }
}

fn worker(_: &CurrentThread<'_>) {
    cortex_m::peripheral::SCB::set_pendst();
    cortex_m::asm::isb();
    black_box(&raw const ABOVE);
    semihosting::process::exit(3)
}

#[cortex_m_rt::exception]
fn SysTick() {
    black_box(deep(black_box(100)));
}

#[cortex_m_rt::entry]
fn main() -> ! {
    // SAFETY: nothing of the kernel was used before.
    unsafe { quintet::thread::initialise() };
    WORKER.start().unwrap();
    loop {
        cortex_m::asm::wfi();
    }
}
