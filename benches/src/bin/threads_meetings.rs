//! Group `threads`, the rows of barriers and condition variables.
//!
//! The scenario is written down in `scenarios/threads.toml`. The higher thread waits at a barrier
//! for two, where the lower one arrives last, and then for a condition, of which the lower one
//! notifies it with the mutex free.

#![no_std]
#![no_main]

use core::hint::black_box;

use quintet::sync::{Barrier, Condvar, InheritanceMutex, Operation};
use quintet::thread::CurrentThread;
use quintet_bench_common::{exit, mark};

quintet_bench_common::vectors!();

quintet::kernel!(hardware_priority = 0x20);
quintet::thread!(static LOW, priority = 4, stack = 512, entry = low);
quintet::thread!(static HIGH, priority = 6, stack = 512, entry = high);

static BARRIER: Barrier = Barrier::new(2);
static CHANGED: Condvar = Condvar::new();
static VALUE: InheritanceMutex<u32> = InheritanceMutex::new(0);

/// Nobody waits for this.
static FREE: Condvar = Condvar::new();

const ROUNDS: u32 = 3;

/// What a barrier takes.
#[unsafe(no_mangle)]
#[used]
static BARRIER_BYTES: usize = size_of::<Barrier>();
/// What a condition variable takes.
#[unsafe(no_mangle)]
#[used]
static CONDITION_BYTES: usize = size_of::<Condvar>();

#[cortex_m_rt::entry]
fn main() -> ! {
    // SAFETY: nothing of the kernel was used before.
    unsafe { quintet::thread::initialise() };
    for thread in [&HIGH, &LOW] {
        thread.start().unwrap_or_else(|_| exit(103));
    }
    loop {
        cortex_m::asm::wfi();
    }
}

fn high(this: &CurrentThread<'_>) {
    loop {
        mark!("br_blk_from");
        let last = BARRIER.wait().block(this);
        mark!("br_sw_to");
        if last {
            exit(104);
        }
        let mut guard = VALUE.lock().block(this);
        mark!("cv_blk_from");
        guard = CHANGED.wait(guard).block(this);
        mark!("cv_sw_to");
        *guard += 1;
    }
}

fn low(this: &CurrentThread<'_>) {
    mark!("start");
    for round in 1..=black_box(ROUNDS) {
        mark!("cv_none_from");
        FREE.notify_one();
        mark!("cv_none_to");

        mark!("br_sw_from");
        let last = BARRIER.wait().block(this);
        mark!("cv_blk_to");
        if !last {
            exit(104);
        }
        mark!("cv_sw_from");
        CHANGED.notify_one();
        mark!("br_blk_to");
        if *VALUE.lock().block(this) != round {
            exit(105);
        }
    }
    mark!("end");
    exit(0)
}
