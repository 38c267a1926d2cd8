//! A thread that has a mutex with a ceiling has that priority at once, also while it waits for
//! something else: nobody below the ceiling runs before it leaves, in whatever order it leaves two.
#![no_std]
#![no_main]

use cortex_m_rt::entry;
use cortex_m_semihosting::{debug, hprintln};
use lm3s6965 as _;
use quintet::sync::{CeilingMutex, Operation, Semaphore};
use quintet::thread::CurrentThread;
use semihosting as _;

quintet::kernel!(hardware_priority = 0x20);

quintet::thread!(static HIGH, priority = 4, stack = 1024, entry = high);
quintet::thread!(static MIDDLE, priority = 3, stack = 1024, entry = middle);
quintet::thread!(static LOW, priority = 1, stack = 1024, entry = low);

static OUTER: CeilingMutex<u32> = CeilingMutex::new(4, 0);
static INNER: CeilingMutex<u32> = CeilingMutex::new(2, 0);
static GO: Semaphore = Semaphore::new(0);

fn low(this: &CurrentThread<'_>) {
    let inner = INNER.lock().block(this);
    hprintln!("low is {}", LOW.priority());
    let mut outer = OUTER.lock().block(this);
    hprintln!("low is {}", LOW.priority());
    // 1. The first to come is the first to go: the higher ceiling stays.
    drop(inner);
    hprintln!("low is {}", LOW.priority());
    // 2. Neither of the users runs, nor who has nothing to do with it.
    MIDDLE.start().unwrap();
    HIGH.start().unwrap();
    hprintln!("low goes on");
    // 3. It waits with the mutex: now they run, and the one that wants it waits.
    GO.take().block(this);
    hprintln!("low was given its permit, and is {}", LOW.priority());
    *outer += 1;
    drop(outer);
    hprintln!("low is {}", LOW.priority());
    debug::exit(debug::EXIT_SUCCESS);
}

fn high(this: &CurrentThread<'_>) {
    hprintln!("high wants the mutex");
    *OUTER.lock().block(this) += 1;
    hprintln!("high had it, and is {}", HIGH.priority());
}

fn middle(this: &CurrentThread<'_>) {
    hprintln!("middle gives");
    GO.give();
    hprintln!("middle goes on, and may not lock: {}", INNER.try_lock(this).unwrap_err());
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
