//! Two counters that the timer's handler changes too: one is changed with interrupts off, and the
//! other is not. Undisturbed, both come out right.

#![no_std]
#![no_main]

use core::hint::black_box;
use core::sync::atomic::{AtomicU32, Ordering};

use riscv::interrupt::Interrupt;
use riscv_rt::{core_interrupt, entry};
use semihosting::process;

const MTIMECMP: *mut u32 = 0x0200_4000 as *mut u32;

static RIGHT: AtomicU32 = AtomicU32::new(0);
static WRONG: AtomicU32 = AtomicU32::new(0);
static TICKS: AtomicU32 = AtomicU32::new(0);

#[core_interrupt(Interrupt::MachineTimer)]
fn tick() {
    for counter in [&RIGHT, &WRONG, &TICKS] {
        counter.fetch_add(1, Ordering::Relaxed);
    }
}

#[inline(never)]
fn right() {
    riscv::interrupt::free(|| add(&RIGHT));
}

#[inline(never)]
fn wrong() {
    add(&WRONG);
}

/// Adds one by a load and a store.
#[inline(always)]
fn add(counter: &AtomicU32) {
    let value = black_box(counter.load(Ordering::Relaxed));
    counter.store(black_box(value + 1), Ordering::Relaxed);
}

#[entry]
fn main() -> ! {
    unsafe {
        MTIMECMP.add(1).write_volatile(u32::MAX);
        riscv::register::mie::set_mtimer();
        riscv::interrupt::enable();
    }
    for _ in 0..4 {
        right();
        wrong();
    }
    riscv::interrupt::disable();
    let ticks = TICKS.load(Ordering::Relaxed);
    let sums = [&RIGHT, &WRONG].map(|counter| counter.load(Ordering::Relaxed) == 4 + ticks);
    process::exit(if sums == [true, true] { 0 } else { 1 })
}
