//! A thread that steps over the guard of its own stack, and hits that of the stack below. It prints
//! whose stack was too small.
#![no_std]
#![no_main]

use core::sync::atomic::{AtomicU32, Ordering::Relaxed};
use quintet::thread::CurrentThread;
use semihosting::println;

quintet::kernel!(hardware_priority = 0x20);
quintet::thread!(static ONE, priority = 1, stack = 1024, entry = one);
quintet::thread!(static OTHER, priority = 1, stack = 1024, entry = other);

/// An address on the stack of each, some way above its guard.
static ONES: AtomicU32 = AtomicU32::new(0);
static OTHERS: AtomicU32 = AtomicU32::new(0);

/// Goes to the other stack, as a frame does that is larger than a stack, and pushes from there on.
fn overflow(this: &CurrentThread<'_>, other: &AtomicU32) -> ! {
    println!("{}", this.thread().name());
    let other = other.load(Relaxed);
    // SAFETY: nobody returns from here; the fault at the other stack's guard is what is wanted.
    unsafe {
        core::arch::asm!(
            "mov sp, {0}", "2:", "push {{r0}}", "b 2b",
            in(reg) other, options(noreturn)
        )
    }
}

/// An address on the stack of who calls.
fn here() -> u32 {
    let local = core::hint::black_box(0_u32);
    core::ptr::from_ref(&local).addr() as u32 & !7
}

fn one(this: &CurrentThread<'_>) {
    ONES.store(here(), Relaxed);
    this.park();
    overflow(this, &OTHERS)
}

/// Which stack lies below is the linker's choice: the thread of the other one overflows.
fn other(this: &CurrentThread<'_>) {
    OTHERS.store(here(), Relaxed);
    if ONES.load(Relaxed) < OTHERS.load(Relaxed) {
        overflow(this, &ONES)
    }
    ONE.unpark();
    this.park();
}

#[cortex_m_rt::entry]
fn main() -> ! {
    // SAFETY: nothing of the kernel was used before.
    unsafe { quintet::thread::initialise() };
    ONE.start().unwrap();
    OTHER.start().unwrap();
    loop {
        cortex_m::asm::wfi();
    }
}
