//! An actor without an application: an inbox that a thread serves, in a plain `main`.
#![no_std]
#![no_main]

// begin: program
use cortex_m::peripheral::NVIC;
use lm3s6965::{Interrupt, interrupt};
use quintet::sync::Inbox;
use quintet::thread::CurrentThread;
use semihosting::println;

// What interrupts less urgent than this, or as urgent, may use of Quintet: everything.
quintet::kernel!(hardware_priority = 0x20);
quintet::thread!(static COUNTER, priority = 2, stack = 1024, entry = counter);
quintet::thread!(static PRESSER, priority = 1, stack = 1024, entry = presser);

/// What the counter is told.
enum Event {
    /// The button was pressed.
    Press,
    /// Tell how often it was.
    Tell,
    /// Nothing will come any more.
    End,
}

/// The counter's events; panics name it.
static EVENTS: Inbox<Event, 4> = Inbox::new("counter");

/// The actor: its data are its variables.
fn counter(this: &CurrentThread<'_>) {
    let mut presses = 0;
    EVENTS.serve(this, |event| match event {
        Event::Press => presses += 1,
        Event::Tell => println!("{}: {presses} presses", this.name()),
        Event::End => semihosting::process::exit(0),
    })
}

fn presser(this: &CurrentThread<'_>) {
    for _ in 0..3 {
        println!("{}: presses", this.name());
        NVIC::pend(Interrupt::GPIOA);
        EVENTS.post(Event::Tell);
    }
    EVENTS.post(Event::End);
}

#[interrupt]
fn GPIOA() {
    EVENTS.post(Event::Press);
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
