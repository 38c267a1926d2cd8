//! Threads of Quintet: one that ticks wakes one that works, which calls deeply; one never waits.
#![no_std]
#![no_main]

use core::hint::black_box;
use cortex_m::peripheral::SYST;
use cortex_m::peripheral::syst::SystClkSource;
use quintet::sync::{Operation, Semaphore};
use quintet::thread::CurrentThread;
use semihosting as _;

quintet::kernel!(hardware_priority = 0x20);
quintet::thread!(static WORKER, priority = 5, stack = 1024, entry = worker);
quintet::thread!(static WAITING, priority = 4, stack = 512, entry = waiting);
quintet::thread!(static BUSY, priority = 1, stack = 512, entry = busy);

static WORK: Semaphore = Semaphore::new(0);
static NEVER: Semaphore = Semaphore::new(0);

#[inline(never)]
fn deep(depth: u32) -> u32 {
    let local = black_box([depth; 8]);
    if depth == 0 { local[0] } else { deep(depth - 1).wrapping_add(local[1]) }
}

/// Works ten times, and ends the program.
fn worker(this: &CurrentThread<'_>) {
    for _ in 0..10 {
        WORK.take().block(this);
        black_box(deep(8));
    }
    semihosting::process::exit(0)
}

fn waiting(this: &CurrentThread<'_>) {
    NEVER.take().block(this);
}

fn busy(_: &CurrentThread<'_>) {
    loop {
        black_box(());
    }
}

#[cortex_m_rt::exception]
fn SysTick() {
    WORK.give();
}

#[cortex_m_rt::entry]
fn main() -> ! {
    let mut peripherals = cortex_m::Peripherals::take().unwrap();
    // SAFETY: nothing of the kernel was used before, and SysTick's priority is below the ceiling.
    unsafe {
        quintet::thread::initialise();
        peripherals.SCB.set_priority(cortex_m::peripheral::scb::SystemHandler::SysTick, 0x40);
    }
    start_ticking(&mut peripherals.SYST);
    for thread in [&WORKER, &WAITING, &BUSY] {
        thread.start().unwrap();
    }
    loop {
        cortex_m::asm::wfi();
    }
}

fn start_ticking(timer: &mut SYST) {
    timer.set_clock_source(SystClkSource::Core);
    timer.set_reload(9_999);
    timer.clear_current();
    timer.enable_counter();
    timer.enable_interrupt();
}
