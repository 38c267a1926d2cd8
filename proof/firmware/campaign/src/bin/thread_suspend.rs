//! Threads that are suspended and resumed while they run, wait, are granted what they wait for, and
//! have a mutex: a suspended one doesn't run, and misses nothing.
#![no_std]
#![no_main]

use campaign::doors::Pair;
use campaign::patterns::{call, steps};
use campaign::threads::{Counted, over, run};
use campaign::{Count, begin, handlers, lines};
use core::sync::atomic::{AtomicBool, Ordering};
use cortex_m_rt::entry;
use quintet::sync::{InheritanceMutex, Operation};
use quintet::thread::{CurrentThread, Thread};

quintet::kernel!(hardware_priority = 0x40);

quintet::thread!(static MENDER, priority = 6, stack = 1024, entry = mender);
quintet::thread!(static WAITER, priority = 4, stack = 1024, entry = waiter);
quintet::thread!(static OWNER, priority = 3, stack = 1024, entry = owner);
quintet::thread!(static DRIVER, priority = 2, stack = 1024, entry = driver);
quintet::thread!(static LAST, priority = 1, stack = 1024, entry = last);

static THREADS: [&Thread; 4] = [&MENDER, &WAITER, &OWNER, &DRIVER];

/// The threads that are held, and whether each is.
static HELD: [AtomicBool; 2] = [const { AtomicBool::new(false) }; 2];
static HOLDABLE: [&Thread; 2] = [&WAITER, &OWNER];
const WAITERS: usize = 0;
const OWNERS: usize = 1;

/// By thread: what it waits for before each round; behind them that of who resumes all.
static ROUNDS: [Counted; 3] = [const { Counted::new() }; 3];
const MENDS: usize = 2;

static MUTEX: InheritanceMutex<Pair> = InheritanceMutex::new(Pair::new());
static SECTIONS: Count = Count::new();

fn hold(which: usize) {
    cortex_m::interrupt::free(|_| {
        HELD[which].store(true, Ordering::Relaxed);
        let _running = HOLDABLE[which].suspend();
    });
}

fn go_on(which: usize) {
    cortex_m::interrupt::free(|_| {
        HELD[which].store(false, Ordering::Relaxed);
        HOLDABLE[which].resume();
    });
}

/// This thread runs.
fn runs(which: usize) {
    assert!(!HELD[which].load(Ordering::Relaxed), "a suspended thread runs");
}

extern "C" fn take(which: u32) {
    ROUNDS[which as usize].take();
}

extern "C" fn lock(which: u32) {
    // SAFETY: only threads call this.
    let mut pair = MUTEX.lock().block(&unsafe { CurrentThread::new() });
    pair.begin();
    runs(which as usize);
    steps(0x5050_1000 + (which << 28));
    runs(which as usize);
    pair.end();
    SECTIONS.add();
}

fn serve(which: usize) -> ! {
    loop {
        call(0x1100_0000 + ((which as u32) << 16), which as u32, take);
        runs(which);
        call(0x2200_0000 + ((which as u32) << 16), which as u32, lock);
        runs(which);
    }
}

fn waiter(_: &CurrentThread<'_>) {
    serve(WAITERS);
}

fn owner(_: &CurrentThread<'_>) {
    serve(OWNERS);
}

/// Resumes all, whenever somebody asks for it.
fn mender(_: &CurrentThread<'_>) {
    loop {
        call(0x3300_0000, MENDS as u32, take);
        go_on(WAITERS);
        go_on(OWNERS);
    }
}

/// Resumes all when nobody else can run.
fn last(_: &CurrentThread<'_>) {
    while DRIVER.is_alive() {
        go_on(WAITERS);
        go_on(OWNERS);
    }
}

fn driver(_: &CurrentThread<'_>) {
    assert!(LAST.start().is_ok());
    lines::enable_four();
    begin();
    ROUNDS[OWNERS].give();
    ROUNDS[WAITERS].give();
    // While it waits.
    hold(WAITERS);
    ROUNDS[WAITERS].give();
    ROUNDS[OWNERS].give();
    go_on(WAITERS);
    hold(OWNERS);
    ROUNDS[OWNERS].give();
    ROUNDS[MENDS].give();
    over();
    go_on(WAITERS);
    go_on(OWNERS);
}

fn judge() {
    ROUNDS.iter().for_each(Counted::judge_all_taken);
    let rounds = ROUNDS[WAITERS].taken() + ROUNDS[OWNERS].taken();
    assert!(SECTIONS.get() == rounds && !MUTEX.is_locked(), "a section has not ended");
    assert!(OWNER.priority() == 3, "an owner has kept what it inherited");
    assert!(!DRIVER.is_alive() && !LAST.is_alive(), "a thread has not ended");
}

handlers! {
    GPIOA {
        hold(OWNERS);
        ROUNDS[WAITERS].give();
    }
    GPIOB {
        hold(WAITERS);
        ROUNDS[OWNERS].give();
        ROUNDS[MENDS].give();
    }
    GPIOD {
        hold(OWNERS);
        hold(WAITERS);
        go_on(OWNERS);
    }
    GPIOE {
        go_on(WAITERS);
        go_on(OWNERS);
        ROUNDS[WAITERS].give();
    }
}

#[entry]
fn main() -> ! {
    run(&THREADS, judge)
}
