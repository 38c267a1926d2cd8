//! A thread that an interrupt preempts goes on when the more urgent one waits again.
//!
//! A test in the simulator preempts it again and again while it is being resumed.
#![no_std]
#![no_main]

use core::arch::naked_asm;
use core::hint::black_box;
use portable_atomic::{AtomicU32, Ordering};

use cortex_m::peripheral::NVIC;
use cortex_m_rt::entry;
use cortex_m_semihosting::{debug, hprintln};
use lm3s6965::{Interrupt, interrupt};
use quintet::sync::{Operation, Semaphore};
use quintet::thread::CurrentThread;
use semihosting as _;

quintet::kernel!(hardware_priority = 0x20);

quintet::thread!(static HIGH, priority = 2, stack = 512, entry = high);
quintet::thread!(static LOW, priority = 1, stack = 2048, entry = low);

static GIVEN: Semaphore = Semaphore::new(0);
static TAKEN: AtomicU32 = AtomicU32::new(0);
/// How much of its stack the thread used while it was preempted; the test finds it by its name.
#[unsafe(no_mangle)]
static HIGH_WATER: AtomicU32 = AtomicU32::new(0);

fn high(this: &CurrentThread<'_>) {
    loop {
        GIVEN.take().block(this);
        TAKEN.fetch_add(1, Ordering::Relaxed);
    }
}

fn low(this: &CurrentThread<'_>) {
    preempt(1);
    preempt_with_odd_stack(2);
    preempt(3);
    HIGH_WATER.store(this.thread().stack_high_water() as u32, Ordering::Relaxed);
    judge();
    hprintln!("it went on three times");
    debug::exit(debug::EXIT_SUCCESS);
}

/// Is preempted with a stack that is a multiple of 8, if it wasn't; else with one that isn't.
#[unsafe(naked)]
extern "C" fn preempt_with_odd_stack(_times: u32) {
    naked_asm!("push {{lr}}", "bl {}", "pop {{pc}}", sym preempt)
}

/// Is preempted.
#[unsafe(no_mangle)]
#[inline(never)]
extern "C" fn preempt(times: u32) {
    NVIC::pend(Interrupt::GPIOA);
    while TAKEN.load(Ordering::Relaxed) < black_box(times) {}
}

/// The test finds this by its name.
#[unsafe(no_mangle)]
#[inline(never)]
fn judge() {
    black_box(HIGH_WATER.load(Ordering::Relaxed));
}

#[interrupt]
fn GPIOA() {
    GIVEN.give();
}

#[entry]
fn main() -> ! {
    // SAFETY: nothing of the kernel was used before.
    unsafe { quintet::thread::initialise() };
    let mut nvic = cortex_m::Peripherals::take().expect("taken once").NVIC;
    // SAFETY: the priority is the kernel's ceiling.
    unsafe {
        nvic.set_priority(Interrupt::GPIOA, 0x20);
        NVIC::unmask(Interrupt::GPIOA);
    }
    HIGH.start().expect("it has not begun");
    LOW.start().expect("it has not begun");
    loop {
        cortex_m::asm::wfi();
    }
}
