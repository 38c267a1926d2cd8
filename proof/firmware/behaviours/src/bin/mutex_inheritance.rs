//! A thread that has a mutex is as urgent as whoever waits for it, and no longer: a thread in
//! between can't hold up the waiter. Inheritance goes along a chain of two mutexes.
#![no_std]
#![no_main]

use cortex_m_rt::entry;
use cortex_m_semihosting::{debug, hprintln};
use lm3s6965 as _;
use quintet::sync::{InheritanceMutex, Operation, Semaphore};
use quintet::thread::CurrentThread;
use semihosting as _;

quintet::kernel!(hardware_priority = 0x20);

quintet::thread!(static HIGH, priority = 4, stack = 1024, entry = high);
quintet::thread!(static MIDDLE, priority = 3, stack = 1024, entry = middle);
quintet::thread!(static LINK, priority = 2, stack = 1024, entry = link);
quintet::thread!(static LOW, priority = 1, stack = 1024, entry = low);

static FIRST: InheritanceMutex<u32> = InheritanceMutex::new(0);
static SECOND: InheritanceMutex<u32> = InheritanceMutex::new(0);
static GO: Semaphore = Semaphore::new(0);

fn low(this: &CurrentThread<'_>) {
    let mut first = FIRST.lock().block(this);
    // 1. Somebody more urgent waits for it: while that lasts, this is as urgent.
    LINK.start().unwrap();
    hprintln!("low is {}", LOW.priority());
    // 2. A chain: `high` waits for what `link` has, which waits for this.
    HIGH.start().unwrap();
    hprintln!("low is {}, link is {}", LOW.priority(), LINK.priority());
    // 3. In between: it doesn't run before `high` has what it waits for.
    MIDDLE.start().unwrap();
    hprintln!("low leaves");
    *first += 1;
    drop(first);
    hprintln!("low is {}, link is {}", LOW.priority(), LINK.priority());
    HIGH.join(this).unwrap();
    MIDDLE.join(this).unwrap();
    LINK.join(this).unwrap();
    hprintln!("{} and {}", *FIRST.lock().block(this), *SECOND.lock().block(this));
    debug::exit(debug::EXIT_SUCCESS);
}

fn link(this: &CurrentThread<'_>) {
    let mut second = SECOND.lock().block(this);
    let mut first = FIRST.lock().block(this);
    hprintln!("link has both, and is {}", LINK.priority());
    *first += 1;
    *second += 1;
    drop(first);
    hprintln!("link is {}", LINK.priority());
    drop(second);
    hprintln!("link ends, and is {}", LINK.priority());
}

fn high(this: &CurrentThread<'_>) {
    *SECOND.lock().block(this) += 1;
    hprintln!("high has the second");
}

fn middle(_this: &CurrentThread<'_>) {
    hprintln!("middle");
    GO.give();
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
