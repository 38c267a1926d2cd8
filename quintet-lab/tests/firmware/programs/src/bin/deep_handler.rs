//! A program that is well undisturbed: its main stack is too small for one handler at its deepest.
#![no_std]
#![no_main]

use core::hint::black_box;
use core::sync::atomic::{AtomicU32, Ordering};

/// What is left for the main stack is a little more than the deepest call takes.
static mut VICTIM: [u8; 52 * 1024] = [7; 52 * 1024];
static TICKS: AtomicU32 = AtomicU32::new(0);

#[inline(never)]
fn use_stack<const WORDS: usize>() -> u32 {
    black_box([0_u32; WORDS])[WORDS / 2]
}

#[unsafe(no_mangle)]
#[inline(never)]
extern "C" fn window_begin() {
    let mut words = black_box([0_u32; 2560]);
    black_box(&mut words);
    words[7] = words[3] + 1;
    black_box(&mut words);
}

#[unsafe(no_mangle)]
#[inline(never)]
extern "C" fn window_end() {
    black_box(());
}

#[cortex_m_rt::exception]
fn SysTick() {
    TICKS.fetch_add(1, Ordering::Relaxed);
    black_box(use_stack::<512>());
}

#[cortex_m_rt::entry]
fn main() -> ! {
    window_begin();
    window_end();
    black_box(&raw const VICTIM);
    semihosting::process::exit(0)
}
