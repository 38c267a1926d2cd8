//! A change of priority counts at once: for the thread that runs, for one that is ready, and for
//! one that waits, which goes to its new place among the waiters.
#![no_std]
#![no_main]

use cortex_m_rt::entry;
use cortex_m_semihosting::{debug, hprintln};
use lm3s6965 as _;
use quintet::sync::{Operation, Semaphore};
use quintet::thread::{CurrentThread, NoPriority};
use semihosting as _;

quintet::kernel!(hardware_priority = 0x20);

quintet::thread!(static FIRST, priority = 4, stack = 1024, entry = first);
quintet::thread!(static SECOND, priority = 4, stack = 1024, entry = second);
quintet::thread!(static THIRD, priority = 3, stack = 1024, entry = third);
quintet::thread!(static LOW, priority = 2, stack = 1024, entry = low);

static GO: Semaphore = Semaphore::new(0);

fn low(_this: &CurrentThread<'_>) {
    FIRST.start().unwrap();
    SECOND.start().unwrap();
    THIRD.start().unwrap();
    // 1. Waiting: the third goes from the last place to the first, the first to the last.
    THIRD.set_priority(5).unwrap();
    FIRST.set_priority(3).unwrap();
    for _ in 0..3 {
        GO.give();
    }
    // 2. Running: below the others that are ready.
    THIRD.start().unwrap();
    LOW.set_priority(6).unwrap();
    GO.give();
    hprintln!("low goes on, above the third");
    LOW.set_priority(1).unwrap();
    hprintln!("low is {} and goes on last", LOW.priority());
    // 3. Ready: above the running one.
    LOW.set_priority(6).unwrap();
    SECOND.start().unwrap();
    SECOND.set_priority(5).unwrap();
    GO.give();
    hprintln!("low lets the second preempt");
    SECOND.set_priority(7).unwrap();
    hprintln!("{}", LOW.set_priority(32).unwrap_err());
    assert_eq!(LOW.set_priority(0), Err(NoPriority(0)));
    debug::exit(debug::EXIT_SUCCESS);
}

fn first(this: &CurrentThread<'_>) {
    GO.take().block(this);
    hprintln!("first, {}", FIRST.priority());
}

fn second(this: &CurrentThread<'_>) {
    GO.take().block(this);
    hprintln!("second, {}", SECOND.priority());
}

fn third(this: &CurrentThread<'_>) {
    GO.take().block(this);
    hprintln!("third, {}", THIRD.priority());
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
