//! A thread writes over the control block of another one, which then is to run.
#![no_std]
#![no_main]

use quintet::sync::{Operation, Semaphore};
use quintet::thread::CurrentThread;
use semihosting as _;

quintet::kernel!(hardware_priority = 0x20);
quintet::thread!(static VICTIM, priority = 2, stack = 512, entry = victim);
quintet::thread!(static GUILTY, priority = 1, stack = 512, entry = guilty);

static GIVEN: Semaphore = Semaphore::new(0);

fn victim(this: &CurrentThread<'_>) {
    GIVEN.take().block(this);
}

fn guilty(_: &CurrentThread<'_>) {
    let words = (&raw const VICTIM).cast_mut().cast::<u32>();
    for word in 0..size_of_val(&VICTIM) / 4 {
        // SAFETY: it isn't sound, which is what is wanted; it stays within the static.
        unsafe { words.add(word).write_volatile(0xdead_beef) };
    }
    GIVEN.give();
    semihosting::process::exit(0)
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
