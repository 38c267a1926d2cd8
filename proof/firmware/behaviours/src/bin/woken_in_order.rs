//! Threads of one priority that are woken by wakers in one interrupt run in the order in which they
//! were woken.
#![no_std]
#![no_main]

use core::future::poll_fn;
use core::sync::atomic::{AtomicU32, Ordering};
use core::task::Poll;

use cortex_m_rt::entry;
use cortex_m_semihosting::{debug, hprintln};
use lm3s6965::{Interrupt, interrupt};
use quintet::thread::{CurrentThread, Thread};
use semihosting as _;

quintet::kernel!(hardware_priority = 0x20);
quintet::thread!(static FIRST, priority = 2, stack = 1024, entry = waits);
quintet::thread!(static SECOND, priority = 2, stack = 1024, entry = waits);
quintet::thread!(static THIRD, priority = 2, stack = 1024, entry = waits);
quintet::thread!(static LOW, priority = 1, stack = 1024, entry = low);

/// The orders in which they are woken.
static ORDERS: [[&Thread; 3]; 2] = [[&FIRST, &SECOND, &THIRD], [&THIRD, &FIRST, &SECOND]];
static ROUND: AtomicU32 = AtomicU32::new(0);

fn waits(this: &CurrentThread<'_>) {
    loop {
        let mut waited = false;
        this.block_on(poll_fn(|_| {
            if core::mem::replace(&mut waited, true) { Poll::Ready(()) } else { Poll::Pending }
        }));
        hprintln!("{}", this.name());
    }
}

fn low(_this: &CurrentThread<'_>) {
    for round in 0..ORDERS.len() as u32 {
        hprintln!("round {}", round);
        ROUND.store(round, Ordering::Relaxed);
        cortex_m::peripheral::NVIC::pend(Interrupt::UART0);
    }
    debug::exit(debug::EXIT_SUCCESS);
}

#[interrupt]
fn UART0() {
    for thread in ORDERS[ROUND.load(Ordering::Relaxed) as usize] {
        thread.waker().wake();
    }
}

#[entry]
fn main() -> ! {
    // SAFETY: nothing of the kernel was used before; the interrupt is at its ceiling.
    unsafe {
        quintet::thread::initialise();
        cortex_m::Peripherals::steal().NVIC.set_priority(Interrupt::UART0, 0x20);
        cortex_m::peripheral::NVIC::unmask(Interrupt::UART0);
    }
    for thread in [&FIRST, &SECOND, &THIRD, &LOW] {
        thread.start().unwrap();
    }
    loop {
        cortex_m::asm::wfi();
    }
}
