//! Nobody passes a barrier before all have arrived, in each of its rounds; who only arrives counts.
#![no_std]
#![no_main]

use cortex_m_rt::entry;
use cortex_m_semihosting::{debug, hprintln};
use lm3s6965 as _;
use quintet::sync::{Barrier, Operation};
use quintet::thread::CurrentThread;
use semihosting as _;

quintet::kernel!(hardware_priority = 0x20);

quintet::thread!(static FIRST, priority = 3, stack = 1024, entry = party);
quintet::thread!(static SECOND, priority = 2, stack = 1024, entry = party);
quintet::thread!(static LOW, priority = 1, stack = 1024, entry = low);

static BARRIER: Barrier = Barrier::new(3);

const ROUNDS: u32 = 3;

fn low(this: &CurrentThread<'_>) {
    SECOND.start().unwrap();
    FIRST.start().unwrap();
    for round in 0..ROUNDS - 1 {
        hprintln!("low arrives, {}", round);
        hprintln!("low was last: {}", BARRIER.wait().block(this));
    }
    hprintln!("low only arrives: {}", BARRIER.arrive());
    debug::exit(debug::EXIT_SUCCESS);
}

fn party(this: &CurrentThread<'_>) {
    for round in 0..ROUNDS {
        let last = BARRIER.wait().block(this);
        hprintln!("{} passes {}, last: {}", this.name(), round, last);
    }
}

#[entry]
fn main() -> ! {
    // SAFETY: nothing of the kernel was used before.
    unsafe { quintet::thread::initialise() };
    LOW.start().unwrap();
    loop {
        cortex_m::asm::wfi();
    }
}
