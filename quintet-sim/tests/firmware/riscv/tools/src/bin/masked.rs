//! Holds interrupts off for a short and for a long time, while a timer runs.

#![no_std]
#![no_main]

use core::hint::black_box;
use core::sync::atomic::{AtomicU32, Ordering};

use riscv::interrupt::Interrupt;
use riscv_rt::{core_interrupt, entry};
use semihosting::{println, process};

const MTIMECMP: *mut u32 = 0x0200_4000 as *mut u32;
const MTIME: *const u32 = 0x0200_bff8 as *const u32;

static TICKS: AtomicU32 = AtomicU32::new(0);

#[core_interrupt(Interrupt::MachineTimer)]
fn tick() {
    TICKS.fetch_add(1, Ordering::Relaxed);
    arm(100);
}

/// Sets the timer to so many ticks from now.
fn arm(ticks: u32) {
    unsafe {
        let now = MTIME.read_volatile();
        MTIMECMP.write_volatile(now.wrapping_add(ticks));
        MTIMECMP.add(1).write_volatile(0);
    }
}

#[inline(never)]
fn short() {
    riscv::interrupt::free(|| spin(5));
}

#[inline(never)]
fn long() {
    riscv::interrupt::free(|| spin(500));
}

#[inline(never)]
fn spin(turns: u32) {
    for turn in 0..turns {
        black_box(turn);
    }
}

#[entry]
fn main() -> ! {
    arm(100);
    unsafe {
        riscv::register::mie::set_mtimer();
        riscv::interrupt::enable();
    }
    short();
    long();
    short();
    // To the end, so that no tick comes that is not counted.
    riscv::interrupt::disable();
    println!("{} ticks", TICKS.load(Ordering::Relaxed));
    process::exit(0)
}
