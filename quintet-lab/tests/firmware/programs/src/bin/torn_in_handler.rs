//! A counter that two handlers add to without a lock: only a second interrupt, inside the first
//! handler, is lost.
#![no_std]
#![no_main]

#[path = "../interrupted.rs"]
mod interrupted;

use core::sync::atomic::{AtomicU32, Ordering};
use interrupted::{Runs, end, in_window};

static COUNTER: AtomicU32 = AtomicU32::new(0);
static TICKS: Runs = Runs::new();
static SWITCHES: Runs = Runs::new();

#[inline(always)]
fn add_one() {
    COUNTER.store(COUNTER.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
}

#[cortex_m_rt::exception]
fn SysTick() {
    add_one();
    TICKS.count();
}

#[cortex_m_rt::exception]
fn PendSV() {
    add_one();
    SWITCHES.count();
}

#[cortex_m_rt::entry]
fn main() -> ! {
    in_window(|| cortex_m::asm::delay(4));
    end(COUNTER.load(Ordering::Relaxed) == TICKS.get() + SWITCHES.get())
}
