//! What the objects take in memory, in bytes, beside what they hold.
#![no_std]
#![no_main]

use cortex_m_rt::entry;
use cortex_m_semihosting::{debug, hprintln};
use lm3s6965 as _;
use quintet::sync::{
    Barrier, CeilingMutex, Condvar, Flags, InheritanceMutex, Mailbox, Pool, RwLock, Semaphore,
    Signal, ThreadFlags,
};
use quintet::thread::{Slice, Thread};
use quintet::time::{SoftwareTimer, Timer};
use semihosting as _;

quintet::kernel!(hardware_priority = 0x20);

#[entry]
fn main() -> ! {
    let word = size_of::<u32>();
    hprintln!("semaphore {}", size_of::<Semaphore>());
    hprintln!("flags {}", size_of::<Flags>());
    hprintln!("flags of a thread's own {}", size_of::<ThreadFlags>());
    hprintln!("signal {}", size_of::<Signal<()>>());
    hprintln!("mutex with inheritance {}", size_of::<InheritanceMutex<u32>>() - word);
    hprintln!("mutex with a ceiling {}", size_of::<CeilingMutex<u32>>() - word);
    hprintln!("condition variable {}", size_of::<Condvar>());
    hprintln!("reader-writer lock {}", size_of::<RwLock<u32>>() - word);
    hprintln!("barrier {}", size_of::<Barrier>());
    hprintln!("mailbox {}", size_of::<Mailbox<&'static u32>>() - word);
    hprintln!("pool {}", size_of::<Pool<u32, 4>>() - 4 * word);
    hprintln!("thread {}", size_of::<Thread>());
    hprintln!("slice {}", size_of::<Slice>());
    hprintln!("timer {}", size_of::<Timer>());
    hprintln!("software timer {}", size_of::<SoftwareTimer>());
    debug::exit(debug::EXIT_SUCCESS);
    loop {
        cortex_m::asm::nop();
    }
}
