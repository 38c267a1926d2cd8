//! A thread that is notified and woken at once has both: a wait for a future takes no notification
//! away, and a wait within a future no wake that was meant for another part of it.
#![no_std]
#![no_main]

use core::future::poll_fn;
use core::pin::pin;
use core::task::Poll;

use cortex_m_rt::entry;
use cortex_m_semihosting::{debug, hprintln};
use lm3s6965::{Interrupt, interrupt};
use quintet::sync::{Condvar, InheritanceMutex, Operation, Semaphore, Signal};
use quintet::thread::CurrentThread;
use semihosting as _;

quintet::kernel!(hardware_priority = 0x20);
quintet::thread!(static HIGH, priority = 2, stack = 1024, entry = high);
quintet::thread!(static LOW, priority = 1, stack = 1024, entry = low);

static PERMIT: Semaphore = Semaphore::new(0);
static SIGNAL: Signal<u32> = Signal::new();
static FILLED: Condvar = Condvar::new();
static FILLING: InheritanceMutex<u32> = InheritanceMutex::new(0);

fn high(this: &CurrentThread<'_>) {
    notified_before_it_waits(this);
    notified_while_it_waits(this);
    woken_within_a_future(this);
    hprintln!("high has all");
    debug::exit(debug::EXIT_SUCCESS);
}

/// Between the first look and the wait, an interrupt notifies the thread, and then gives.
fn notified_before_it_waits(this: &CurrentThread<'_>) {
    let mut take = pin!(PERMIT.take());
    let mut interrupted = false;
    this.block_on(poll_fn(|context| {
        let polled = take.as_mut().poll(context);
        if !core::mem::replace(&mut interrupted, true) {
            assert!(polled.is_pending());
            cortex_m::peripheral::NVIC::pend(Interrupt::UART0);
        }
        polled
    }));
    hprintln!("high has the permit");
    this.park();
    hprintln!("high was notified");
}

/// The same while it waits.
fn notified_while_it_waits(this: &CurrentThread<'_>) {
    this.block_on(PERMIT.take());
    hprintln!("high has the permit");
    this.park();
    hprintln!("high was notified");
}

/// A signal for one part of a future comes with what another part waits for in it.
fn woken_within_a_future(this: &CurrentThread<'_>) {
    let mut signal = pin!(SIGNAL.wait());
    let mut waited = false;
    let signalled = this.block_on(poll_fn(|context| {
        let polled = signal.as_mut().poll(context);
        if !core::mem::replace(&mut waited, true) {
            assert!(polled.is_pending());
            let mut filled = FILLING.lock().block(this);
            while *filled == 0 {
                filled = FILLED.wait(filled).block(this);
            }
            hprintln!("high has {}", *filled);
            return Poll::Pending;
        }
        polled
    }));
    hprintln!("high has the signal {}", signalled);
}

fn low(this: &CurrentThread<'_>) {
    // High waits for a permit.
    cortex_m::peripheral::NVIC::pend(Interrupt::UART0);
    // High waits within a future. Nobody is switched to between the two.
    *FILLING.lock().block(this) = 1;
    cortex_m::interrupt::free(|_| {
        SIGNAL.signal(2);
        FILLED.notify_one();
    });
    loop {
        cortex_m::asm::wfi();
    }
}

#[interrupt]
fn UART0() {
    HIGH.unpark();
    PERMIT.give();
}

#[entry]
fn main() -> ! {
    // SAFETY: nothing of the kernel was used before; the interrupt is at its ceiling.
    unsafe {
        quintet::thread::initialise();
        cortex_m::Peripherals::steal().NVIC.set_priority(Interrupt::UART0, 0x20);
        cortex_m::peripheral::NVIC::unmask(Interrupt::UART0);
    }
    HIGH.start().unwrap();
    LOW.start().unwrap();
    loop {
        cortex_m::asm::wfi();
    }
}
