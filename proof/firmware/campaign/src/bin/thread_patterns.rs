//! Threads preempted inside IT blocks, loads of several registers and odd stacks; resumed by the
//! call of a thread that waits, by an exception, and after a suspension in either.
#![no_std]
#![no_main]

use campaign::patterns::{call, steps};
use campaign::{Count, begin, end, handlers, lines, succeed};
use core::sync::atomic::{AtomicBool, Ordering};
use cortex_m_rt::entry;
use lm3s6965::Interrupt;
use quintet::sync::{Operation, Semaphore};
use quintet::thread::CurrentThread;

quintet::kernel!(hardware_priority = 0x40);

quintet::thread!(static HIGH, priority = 3, stack = 768, entry = high);
quintet::thread!(static ONE, priority = 2, stack = 1024, entry = one);
quintet::thread!(static TWO, priority = 2, stack = 1024, entry = two);
quintet::thread!(static DRIVER, priority = 4, stack = 768, entry = driver);

static WORK: Semaphore = Semaphore::new(0);
static GIVEN: Count = Count::new();
static TAKEN: Count = Count::new();
/// Whether the first is suspended.
static HELD: AtomicBool = AtomicBool::new(false);

fn give() {
    GIVEN.add();
    WORK.give();
}

fn high(_: &CurrentThread<'_>) {
    extern "C" fn take(_: u32) {
        // SAFETY: this is the thread.
        WORK.take().block(&unsafe { CurrentThread::new() });
    }
    loop {
        call(0xa5a5_0000, 0, take);
        TAKEN.add();
        // Whoever was suspended goes on.
        go_on();
        TWO.resume();
    }
}

extern "C" fn yield_now(_: u32) {
    // SAFETY: only threads call this.
    unsafe { CurrentThread::new() }.yield_now();
}

/// Suspends the first.
fn hold() {
    cortex_m::interrupt::free(|_| {
        HELD.store(true, Ordering::Relaxed);
        let _running = ONE.suspend();
    });
}

/// Lets it go on.
fn go_on() {
    cortex_m::interrupt::free(|_| {
        HELD.store(false, Ordering::Relaxed);
        ONE.resume();
    });
}

fn one(_: &CurrentThread<'_>) {
    // The last round is without the second, so that a suspension leads down.
    for round in 0..3 {
        assert!(!HELD.load(Ordering::Relaxed), "a suspended thread runs");
        steps(0xa0a0_1000 + (round << 8));
        call(0x1111_0000, 0, yield_now);
        assert!(!HELD.load(Ordering::Relaxed), "a suspended thread runs");
        steps(0x5050_2000 + (round << 27));
        assert!(!HELD.load(Ordering::Relaxed), "a suspended thread runs");
    }
}

fn two(_: &CurrentThread<'_>) {
    for round in 0..2 {
        steps(0x9898_3000 + (round << 28));
        call(0x2222_0000, 0, yield_now);
        steps(0x6868_4000);
    }
}

fn driver(this: &CurrentThread<'_>) {
    for (line, priority) in [
        (Interrupt::GPIOA, 0xc0),
        (Interrupt::GPIOB, 0xa0),
        (Interrupt::GPIOC, 0xa0),
        (Interrupt::GPIOD, 0x80),
        (Interrupt::GPIOE, 0x40),
        (Interrupt::GPIOF, 0x60),
        (Interrupt::GPIOG, 0x40),
    ] {
        lines::enable(line, priority);
    }
    begin();
    assert!(ONE.start().is_ok() && TWO.start().is_ok());
    steps(0xf800_0000);
    assert!(ONE.join(this).is_ok() && TWO.join(this).is_ok());
    end();
    // Whoever was given something has it first.
    assert!(DRIVER.set_priority(1).is_ok());
    assert!(GIVEN.get() == TAKEN.get(), "a permit is lost or had twice");
    assert!(WORK.available() == 0, "a permit is left, and somebody waits");
    succeed()
}

handlers! {
    GPIOA {
        give();
    }
    // Down to the other one, or to the driver; the more urgent one resumes it.
    GPIOB {
        hold();
        let _running = TWO.suspend();
        give();
    }
    // Behind the other one.
    GPIOC {
        hold();
        go_on();
    }
    GPIOD {
        let _running = TWO.suspend();
        TWO.resume();
        give();
    }
    GPIOE {
        go_on();
        give();
        give();
    }
    // Down, until idle or somebody else resumes it.
    GPIOF {
        hold();
    }
    GPIOG {
        go_on();
    }
}

#[entry]
fn main() -> ! {
    // SAFETY: nothing of the kernel was used before.
    unsafe { quintet::thread::initialise() };
    assert!(HIGH.start().is_ok() && DRIVER.start().is_ok());
    loop {
        go_on();
        TWO.resume();
        // The end of an interrupt is an event: one that suspends again isn't slept through.
        cortex_m::asm::wfe();
    }
}
