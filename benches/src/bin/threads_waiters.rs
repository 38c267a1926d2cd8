//! Group `threads`, the rows of waiters whose priority changes: they move among others, and so do
//! the owners for whose mutexes they wait.
//!
//! The scenario is written down in `scenarios/threads.toml`.
//!
//! ```text
//!   TOP ── waits for B of ── MID ── waits for A of ── OWNER ── waits for GO, among FIRST .. THIRD
//!                                   OTHER ── waits for C of ──┘
//! ```

#![no_std]
#![no_main]

use core::hint::black_box;

use quintet::sync::{InheritanceMutex, Operation, Semaphore};
use quintet::thread::CurrentThread;
use quintet_bench_common::{exit, mark};

quintet_bench_common::vectors!();

quintet::kernel!(hardware_priority = 0x20);
quintet::thread!(static FIRST, priority = 3, stack = 256, entry = waiter);
quintet::thread!(static SECOND, priority = 4, stack = 256, entry = waiter);
quintet::thread!(static THIRD, priority = 5, stack = 256, entry = waiter);
quintet::thread!(static OWNER, priority = 2, stack = 384, entry = owner);
quintet::thread!(static MID, priority = 2, stack = 384, entry = mid);
quintet::thread!(static TOP, priority = 6, stack = 384, entry = top);
quintet::thread!(static OTHER, priority = 7, stack = 384, entry = other);
quintet::thread!(static RUNNER, priority = 10, stack = 512, entry = runner);

static A: InheritanceMutex<u32> = InheritanceMutex::new(0);
static B: InheritanceMutex<u32> = InheritanceMutex::new(0);
static C: InheritanceMutex<u32> = InheritanceMutex::new(0);
static GO: Semaphore = Semaphore::new(0);

const ROUNDS: u32 = 3;

#[cortex_m_rt::entry]
fn main() -> ! {
    // SAFETY: nothing of the kernel was used before.
    unsafe { quintet::thread::initialise() };
    // Each runs until it waits.
    for thread in [&OWNER, &FIRST, &SECOND, &THIRD, &MID, &TOP, &OTHER, &RUNNER] {
        thread.start().unwrap_or_else(|_| exit(103));
    }
    loop {
        cortex_m::asm::wfi();
    }
}

fn waiter(this: &CurrentThread<'_>) {
    GO.take().block(this);
}

fn owner(this: &CurrentThread<'_>) {
    let one = A.lock().block(this);
    let two = C.lock().block(this);
    GO.take().block(this);
    drop(two);
    drop(one);
}

fn mid(this: &CurrentThread<'_>) {
    let guard = B.lock().block(this);
    *A.lock().block(this) += 1;
    drop(guard);
}

fn top(this: &CurrentThread<'_>) {
    *B.lock().block(this) += 1;
}

fn other(this: &CurrentThread<'_>) {
    *C.lock().block(this) += 1;
}

fn runner(this: &CurrentThread<'_>) {
    mark!("start");
    for _ in 0..black_box(ROUNDS) {
        mark!("wtr_move_from");
        let moved = FIRST.set_priority(6);
        mark!("wtr_move_to");
        moved.unwrap_or_else(|_| exit(104));
        FIRST.set_priority(3).unwrap_or_else(|_| exit(104));

        // Now the others' priority counts for the owner.
        OTHER.set_priority(1).unwrap_or_else(|_| exit(104));
        mark!("wtr_chain_from");
        let moved = TOP.set_priority(1);
        mark!("wtr_chain_to");
        moved.unwrap_or_else(|_| exit(104));
        TOP.set_priority(6).unwrap_or_else(|_| exit(104));
        OTHER.set_priority(7).unwrap_or_else(|_| exit(104));
    }
    for _ in 0..4 {
        GO.give();
    }
    for thread in [&OWNER, &FIRST, &SECOND, &THIRD, &MID, &TOP, &OTHER] {
        thread.join(this).unwrap_or_else(|_| exit(105));
    }
    mark!("end");
    let served = *A.lock().block(this) + *B.lock().block(this) + *C.lock().block(this);
    exit(if served == 3 { 0 } else { 106 })
}
