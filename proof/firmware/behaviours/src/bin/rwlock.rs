//! Readers share a lock, a writer has it alone; while a writer waits, no reader gets in, and the
//! writer is served first.
#![no_std]
#![no_main]

use cortex_m_rt::entry;
use cortex_m_semihosting::{debug, hprintln};
use lm3s6965 as _;
use quintet::sync::{Operation, RwLock};
use quintet::thread::CurrentThread;
use semihosting as _;

quintet::kernel!(hardware_priority = 0x20);

quintet::thread!(static READER, priority = 4, stack = 1024, entry = reader);
quintet::thread!(static WRITER, priority = 3, stack = 1024, entry = writer);
quintet::thread!(static OTHER, priority = 2, stack = 1024, entry = writer);
quintet::thread!(static LOW, priority = 1, stack = 1024, entry = low);

static LOCK: RwLock<u32> = RwLock::new(0);

fn low(this: &CurrentThread<'_>) {
    let first = LOCK.read().block(this);
    // 1. Another reader shares it.
    READER.start().unwrap();
    READER.join(this).unwrap();
    assert!(LOCK.try_write().is_err());
    // 2. Writers wait, and readers behind them, however urgent they are.
    OTHER.start().unwrap();
    WRITER.start().unwrap();
    READER.start().unwrap();
    hprintln!("{:?}, {}", LOCK, LOCK.try_read().unwrap_err());
    drop(first);
    // 3. All have been served: the more urgent writer, the other, the reader.
    READER.join(this).unwrap();
    hprintln!("{:?}", LOCK);
    *LOCK.try_write().unwrap() += 1;
    let [first, second] = [LOCK.try_read().unwrap(), LOCK.read().block(this)];
    hprintln!("{} and {}", *first, *second);
    debug::exit(debug::EXIT_SUCCESS);
}

fn reader(this: &CurrentThread<'_>) {
    let value = LOCK.read().block(this);
    hprintln!("{} reads {}", this.name(), *value);
}

fn writer(this: &CurrentThread<'_>) {
    let mut value = LOCK.write().block(this);
    *value += 1;
    assert!(LOCK.try_read().is_err());
    hprintln!("{} writes {}", this.name(), *value);
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
