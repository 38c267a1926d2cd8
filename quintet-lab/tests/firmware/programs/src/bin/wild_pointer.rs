//! A thread that writes to the guard of another one's stack by a wild pointer: no stack overflows.
#![no_std]
#![no_main]

use core::sync::atomic::{AtomicPtr, Ordering::Relaxed};
use quintet::thread::CurrentThread;
use semihosting as _;

quintet::kernel!(hardware_priority = 0x20);
quintet::thread!(static VICTIM, priority = 2, stack = 512, entry = victim);
quintet::thread!(static GUILTY, priority = 1, stack = 1024, entry = guilty);

/// A place on the victim's stack.
static PLACE: AtomicPtr<u32> = AtomicPtr::new(core::ptr::null_mut());

fn victim(this: &CurrentThread<'_>) {
    let mut local = 0;
    PLACE.store(core::hint::black_box(&raw mut local), Relaxed);
    this.park();
}

fn guilty(_: &CurrentThread<'_>) {
    let mut place = PLACE.load(Relaxed);
    loop {
        place = place.wrapping_sub(1);
        // SAFETY: nothing is there yet where the stack isn't used, and its end is a guard; the
        // fault there is what is wanted.
        unsafe { place.write_volatile(1) };
    }
}

#[cortex_m_rt::entry]
fn main() -> ! {
    // SAFETY: nothing of the kernel was used before.
    unsafe { quintet::thread::initialise() };
    VICTIM.start().unwrap();
    GUILTY.start().unwrap();
    loop {
        cortex_m::asm::wfi();
    }
}
