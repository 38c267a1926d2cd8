//! A thread that holds something may not wait; in a critical section a wake-up switches later.
#![no_std]
#![no_main]

use core::panic::PanicInfo;
use core::sync::atomic::{AtomicU32, Ordering};

use cortex_m_rt::entry;
use cortex_m_semihosting::{debug, hprintln};
use lm3s6965 as _;
use quintet::sync::{Operation, Semaphore};
use quintet::thread::CurrentThread;

quintet::kernel!(hardware_priority = 0x20);

quintet::thread!(static LOW, priority = 1, stack = 1024, entry = low);
quintet::thread!(static HIGH, priority = 2, stack = 1024, entry = high);

static GO: Semaphore = Semaphore::new(0);
static NOTHING: Semaphore = Semaphore::new(0);
static STEP: AtomicU32 = AtomicU32::new(0);

fn high(this: &CurrentThread<'_>) {
    GO.take().block(this);
    hprintln!("high runs after step {}", STEP.load(Ordering::Relaxed));
}

fn low(this: &CurrentThread<'_>) {
    critical_section::with(|_| {
        GO.give();
        STEP.store(1, Ordering::Relaxed);
    });
    STEP.store(2, Ordering::Relaxed);
    critical_section::with(|_| NOTHING.take().block(this));
}

#[entry]
fn main() -> ! {
    // SAFETY: nothing of the kernel was used before.
    unsafe { quintet::thread::initialise() };
    HIGH.start().unwrap();
    LOW.start().unwrap();
    loop {
        cortex_m::asm::wfi();
    }
}

#[panic_handler]
fn panic(information: &PanicInfo<'_>) -> ! {
    hprintln!("{}", information.message());
    debug::exit(debug::EXIT_SUCCESS);
    loop {}
}
