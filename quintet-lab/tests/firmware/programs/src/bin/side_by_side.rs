//! Two threads whose stacks lie side by side, and which wait in their first function, without a
//! frame: their stacks are empty then. Each hands over to the other one once.
#![no_std]
#![no_main]

use core::sync::atomic::{AtomicBool, Ordering};
use cortex_m::peripheral::SCB;
use quintet::thread::CurrentThread;
use semihosting as _;

quintet::kernel!(hardware_priority = 0x20);
quintet::thread!(static ONE, priority = 2, stack = 512, entry = park);
quintet::thread!(static OTHER, priority = 2, stack = 512, entry = park);

static REVERSED: AtomicBool = AtomicBool::new(false);

fn park(this: &CurrentThread<'_>) {
    this.park();
}

/// Starts both before either runs.
#[cortex_m_rt::exception]
fn SysTick() {
    let order = if REVERSED.load(Ordering::Relaxed) { [&OTHER, &ONE] } else { [&ONE, &OTHER] };
    for thread in order {
        let _ = thread.start();
    }
}

#[cortex_m_rt::entry]
fn main() -> ! {
    let mut peripherals = cortex_m::Peripherals::take().unwrap();
    // SAFETY: nothing of the kernel was used before, and SysTick's priority is below the ceiling.
    unsafe {
        quintet::thread::initialise();
        peripherals.SCB.set_priority(cortex_m::peripheral::scb::SystemHandler::SysTick, 0x40);
    }
    for reversed in [false, true] {
        REVERSED.store(reversed, Ordering::Relaxed);
        SCB::set_pendst();
        cortex_m::asm::isb();
        // They are parked: each goes on and ends.
        ONE.unpark();
        OTHER.unpark();
    }
    semihosting::process::exit(0)
}
