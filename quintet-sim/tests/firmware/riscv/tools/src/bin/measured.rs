//! Work between two marks, three times; a timer interrupt in the second; and a recursion that goes
//! deep.

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
    unsafe { MTIMECMP.add(1).write_volatile(u32::MAX) };
}

/// Sets the timer to so many ticks from now.
fn arm(ticks: u32) {
    unsafe {
        let now = MTIME.read_volatile();
        MTIMECMP.write_volatile(now.wrapping_add(ticks));
        MTIMECMP.add(1).write_volatile(0);
    }
}

#[unsafe(no_mangle)]
#[inline(never)]
extern "C" fn work_begin() {
    black_box(1);
}

#[unsafe(no_mangle)]
#[inline(never)]
extern "C" fn work_end() {
    black_box(2);
}

/// So many turns, and a branch that is never taken.
#[inline(never)]
fn work(turns: u32) -> u32 {
    let mut sum = 0_u32;
    for turn in 0..black_box(turns) {
        sum = sum.wrapping_add(black_box(turn));
        if black_box(turn) > 1000 {
            never(turn);
        }
    }
    sum
}

#[inline(never)]
fn never(turn: u32) {
    println!("turn {turn} is never come to");
}

/// Takes stack for each level.
#[inline(never)]
fn deep(levels: u32) -> u32 {
    let words = black_box([levels; 16]);
    if levels == 0 { words[3] } else { deep(levels - 1) + black_box(words)[1] }
}

#[entry]
fn main() -> ! {
    unsafe {
        riscv::register::mie::set_mtimer();
        riscv::interrupt::enable();
    }
    for time in 0..3 {
        if time == 1 {
            arm(50);
        }
        work_begin();
        black_box(work(20));
        work_end();
    }
    black_box(deep(10));
    println!("{} tick", TICKS.load(Ordering::Relaxed));
    process::exit(0)
}
