//! No wake of a condition variable is lost: a consumer that finds nothing is in the list before it
//! leaves the mutex. All are woken by one call, the most urgent first.
#![no_std]
#![no_main]

use cortex_m_rt::entry;
use cortex_m_semihosting::{debug, hprintln};
use lm3s6965 as _;
use quintet::sync::{Condvar, InheritanceMutex, Operation};
use quintet::thread::CurrentThread;
use semihosting as _;

quintet::kernel!(hardware_priority = 0x20);

quintet::thread!(static FIRST, priority = 3, stack = 1024, entry = consumer);
quintet::thread!(static SECOND, priority = 2, stack = 1024, entry = consumer);
quintet::thread!(static LOW, priority = 1, stack = 1024, entry = low);

/// How much was produced, and consumed.
static STOCK: InheritanceMutex<[u32; 2]> = InheritanceMutex::new([0; 2]);
static FILLED: Condvar = Condvar::new();

const EACH: u32 = 3;

fn low(this: &CurrentThread<'_>) {
    SECOND.start().unwrap();
    FIRST.start().unwrap();
    // 1. One at a time: the first waiter gets each, as it waits again at once.
    for _ in 0..EACH {
        let mut stock = STOCK.lock().block(this);
        stock[0] += 1;
        // Notified with the mutex: the waiter preempts, waits for it, and this inherits.
        FILLED.notify_one();
        hprintln!("low is {}", LOW.priority());
        drop(stock);
    }
    FIRST.join(this).unwrap();
    // 2. All at once.
    FIRST.start().unwrap();
    STOCK.lock().block(this)[0] += 2 * EACH;
    FILLED.notify_all();
    FIRST.join(this).unwrap();
    SECOND.join(this).unwrap();
    hprintln!("{:?}", *STOCK.lock().block(this));
    // 3. Nobody waits: nothing is kept for later.
    FILLED.notify_one();
    debug::exit(debug::EXIT_SUCCESS);
}

fn consumer(this: &CurrentThread<'_>) {
    for _ in 0..EACH {
        let mut stock = STOCK.lock().block(this);
        while stock[0] == stock[1] {
            stock = FILLED.wait(stock).block(this);
        }
        stock[1] += 1;
        hprintln!("{} has {}", this.name(), stock[1]);
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
