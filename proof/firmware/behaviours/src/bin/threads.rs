//! Threads of three priorities hand a semaphore around: the woken one runs at once if it is more
//! urgent, behind the giver if not; ends, joins and yields.
#![no_std]
#![no_main]

use cortex_m_rt::entry;
use cortex_m_semihosting::{debug, hprintln};
use lm3s6965 as _;
use quintet::sync::{Operation, Semaphore};
use quintet::thread::CurrentThread;
use semihosting as _;

quintet::kernel!(hardware_priority = 0x20);

quintet::thread!(static HIGH, priority = 3, stack = 1024, entry = high);
quintet::thread!(static LOW, priority = 1, stack = 1024, entry = low);
quintet::thread!(static PEER, priority = 1, stack = 1024, entry = peer);

static GO: Semaphore = Semaphore::new(0);
static BACK: Semaphore = Semaphore::new(0);

fn high(this: &CurrentThread<'_>) {
    hprintln!("{} begins", this.name());
    for round in 0..3 {
        GO.take().block(this);
        hprintln!("high {}", round);
        BACK.give();
    }
    hprintln!("high ends");
}

fn low(this: &CurrentThread<'_>) {
    HIGH.start().unwrap();
    PEER.start().unwrap();
    hprintln!("{} is {:?}", PEER.name(), PEER.start());
    for round in 0..3 {
        hprintln!("low gives {}", round);
        GO.give();
        hprintln!("low goes on {}", round);
        BACK.take().block(this);
        this.yield_now();
    }
    HIGH.join(this).unwrap();
    PEER.join(this).unwrap();
    hprintln!("joined");
    debug::exit(debug::EXIT_SUCCESS);
}

fn peer(this: &CurrentThread<'_>) {
    for round in 0..3 {
        hprintln!("peer {}", round);
        this.yield_now();
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
