//! Threads without an application: statics, a `main` of one's own, and an interrupt's handler.
#![no_std]
#![no_main]

// begin: program
use cortex_m::peripheral::NVIC;
use lm3s6965::{Interrupt, interrupt};
use quintet::sync::{Operation, Semaphore};
use quintet::thread::CurrentThread;
use semihosting::println;

// What interrupts less urgent than this, or as urgent, may use of Quintet: everything.
quintet::kernel!(hardware_priority = 0x20);
quintet::thread!(static COUNTER, priority = 2, stack = 1024, entry = counter);
quintet::thread!(static PRESSER, priority = 1, stack = 1024, entry = presser);

static PRESSES: Semaphore = Semaphore::new(0);

fn counter(this: &CurrentThread<'_>) {
    for count in 1..=3 {
        PRESSES.take().block(this);
        println!("{}: {count} presses", this.name());
    }
}

fn presser(this: &CurrentThread<'_>) {
    while COUNTER.is_alive() {
        println!("{}: presses", this.name());
        NVIC::pend(Interrupt::GPIOA);
    }
    semihosting::process::exit(0)
}

#[interrupt]
fn GPIOA() {
    PRESSES.give();
}

#[cortex_m_rt::entry]
fn main() -> ! {
    let mut core = cortex_m::Peripherals::take().expect("it is taken once");
    // SAFETY: nothing of the kernel was used before, and the interrupt is not more urgent than the
    // kernel's lock.
    unsafe {
        quintet::thread::initialise();
        core.NVIC.set_priority(Interrupt::GPIOA, 0x40);
        NVIC::unmask(Interrupt::GPIOA);
    }
    // Each runs at once, until it waits or ends: `main` is idle from here on.
    COUNTER.start().expect("it is started once");
    PRESSER.start().expect("it is started once");
    loop {
        cortex_m::asm::wfi();
    }
}
// end: program
