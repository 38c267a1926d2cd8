//! Two threads that lock two mutexes in different orders, so that each waits for the other; a third
//! one waits for the end of one of them.
#![no_std]
#![no_main]

use quintet::sync::{InheritanceMutex, Operation};
use quintet::thread::CurrentThread;
use semihosting as _;

quintet::kernel!(hardware_priority = 0x20);
quintet::thread!(static LEFT, priority = 2, stack = 512, entry = left);
quintet::thread!(static RIGHT, priority = 2, stack = 512, entry = right);
quintet::thread!(static BESIDE, priority = 1, stack = 512, entry = beside);

static FORK: InheritanceMutex<u32> = InheritanceMutex::new(0);
static KNIFE: InheritanceMutex<u32> = InheritanceMutex::new(0);

fn left(this: &CurrentThread<'_>) {
    let _fork = FORK.lock().block(this);
    this.yield_now();
    *KNIFE.lock().block(this) += 1;
}

fn right(this: &CurrentThread<'_>) {
    let _knife = KNIFE.lock().block(this);
    *FORK.lock().block(this) += 1;
}

fn beside(this: &CurrentThread<'_>) {
    let _ = LEFT.join(this);
}

#[cortex_m_rt::entry]
fn main() -> ! {
    // SAFETY: nothing of the kernel was used before.
    unsafe { quintet::thread::initialise() };
    critical_start();
    loop {
        cortex_m::asm::wfi();
    }
}

/// Starts all before one of them runs.
fn critical_start() {
    cortex_m::interrupt::free(|_| {
        for thread in [&LEFT, &RIGHT, &BESIDE] {
            thread.start().unwrap();
        }
    });
}
