//! Who waits for a change waits behind others of its own priority that came before, also where the
//! mutex gives it a higher one until it waits.
#![no_std]
#![no_main]

use cortex_m_rt::entry;
use cortex_m_semihosting::{debug, hprintln};
use lm3s6965 as _;
use quintet::sync::{CeilingMutex, Condvar, Operation};
use quintet::thread::CurrentThread;
use semihosting as _;

quintet::kernel!(hardware_priority = 0x20);

quintet::thread!(static FIRST, priority = 2, stack = 1024, entry = consumer);
quintet::thread!(static SECOND, priority = 2, stack = 1024, entry = consumer);
quintet::thread!(static THIRD, priority = 2, stack = 1024, entry = consumer);
quintet::thread!(static LOW, priority = 1, stack = 1024, entry = low);

static STOCK: CeilingMutex<u32> = CeilingMutex::new(4, 0);
static FILLED: Condvar = Condvar::new();

fn low(this: &CurrentThread<'_>) {
    FIRST.start().unwrap();
    SECOND.start().unwrap();
    THIRD.start().unwrap();
    for _ in 0..3 {
        *STOCK.lock().block(this) += 1;
        FILLED.notify_one();
    }
    debug::exit(debug::EXIT_SUCCESS);
}

fn consumer(this: &CurrentThread<'_>) {
    let mut stock = STOCK.lock().block(this);
    while *stock == 0 {
        stock = FILLED.wait(stock).block(this);
    }
    *stock -= 1;
    hprintln!("{}", this.name());
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
