//! A thread whose stack has no room for what a switch stores: the other thread runs already when
//! its guard is hit.
#![no_std]
#![no_main]

use core::hint::black_box;
use quintet::sync::{Operation, Semaphore};
use quintet::thread::CurrentThread;
use semihosting as _;

quintet::kernel!(hardware_priority = 0x20);
quintet::thread!(static SMALL, priority = 1, stack = 512, entry = small);
quintet::thread!(static LATE, priority = 3, stack = 256, entry = other);
quintet::thread!(static OTHER, priority = 2, stack = 2048, entry = other);

static GIVEN: Semaphore = Semaphore::new(0);

/// Switches at each depth, with little between two.
#[inline(never)]
fn deep(depth: u32) -> u32 {
    GIVEN.give();
    if depth > 0 { black_box(depth) + deep(depth - 1) } else { 0 }
}

fn small(_: &CurrentThread<'_>) {
    assert!(!LATE.is_alive());
    black_box(deep(1000));
}

fn other(this: &CurrentThread<'_>) {
    loop {
        GIVEN.take().block(this);
    }
}

#[cortex_m_rt::entry]
fn main() -> ! {
    // SAFETY: nothing of the kernel was used before.
    unsafe { quintet::thread::initialise() };
    OTHER.start().unwrap();
    SMALL.start().unwrap();
    loop {
        cortex_m::asm::wfi();
    }
}
