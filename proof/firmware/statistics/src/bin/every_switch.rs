//! Every way in which the running thread changes: by each call, by PendSV upwards, downwards and
//! among equals, to idle and from it, the first start, the end. Prints what was counted.
//!
//! Interrupts that come from outside make threads ready, and look at all counters: what threads and
//! idle have is never less than there was before, nor more than there is behind.
#![no_std]
#![no_main]

use core::hint::black_box;
use core::sync::atomic::{AtomicU32, Ordering};

use cortex_m::peripheral::NVIC;
use cortex_m_rt::entry;
use lm3s6965::{Interrupt, interrupt};
use quintet::sync::{InheritanceMutex, Operation, Semaphore};
use quintet::thread::{CurrentThread, Thread, processor};
use semihosting::println;

quintet::kernel!(hardware_priority = 0x20);

quintet::thread!(static SCRIPT, priority = 1, stack = 1024, entry = script);
quintet::thread!(static EQUAL, priority = 1, stack = 512, entry = equal);
quintet::thread!(static TAKER, priority = 3, stack = 512, entry = taker);
quintet::thread!(static SLEEPER, priority = 4, stack = 512, entry = sleeper);
quintet::thread!(static LOCKER, priority = 5, stack = 512, entry = locker);
quintet::thread!(static BRIEF, priority = 6, stack = 512, entry = brief);

const THREADS: [&Thread; 6] = [&SCRIPT, &EQUAL, &TAKER, &SLEEPER, &LOCKER, &BRIEF];

static TAKEN: Semaphore = Semaphore::new(0);
static TURN: Semaphore = Semaphore::new(0);
static LOCK: Semaphore = Semaphore::new(0);
static FROM_IDLE: Semaphore = Semaphore::new(0);
static MUTEX: InheritanceMutex<u32> = InheritanceMutex::new(0);

const ROUNDS: u32 = 2;

#[entry]
fn main() -> ! {
    // SAFETY: nothing of the kernel was used before.
    unsafe { quintet::thread::initialise() };
    let mut nvic = cortex_m::Peripherals::take().expect("taken once").NVIC;
    // SAFETY: the priorities are the kernel's ceiling, and below it.
    unsafe {
        nvic.set_priority(Interrupt::GPIOA, 0x20);
        nvic.set_priority(Interrupt::GPIOB, 0x60);
        NVIC::unmask(Interrupt::GPIOA);
        NVIC::unmask(Interrupt::GPIOB);
    }
    for thread in [&LOCKER, &SLEEPER, &TAKER, &EQUAL, &SCRIPT] {
        thread.start().expect("it has not begun");
    }
    while SCRIPT.is_alive() {
        FROM_IDLE.give();
        if SCRIPT.is_suspended() {
            SCRIPT.resume();
        }
    }
    report()
}

/// Where the test finds for each thread its address and how often it was switched to; idle has no
/// address.
#[unsafe(no_mangle)]
static REPORT: [[AtomicU32; 2]; 7] = [const { [const { AtomicU32::new(0) }; 2] }; 7];

/// Says what was counted. The test lets no interrupt come meanwhile.
#[inline(never)]
fn report() -> ! {
    end();
    let all = processor();
    for (thread, [address, switches]) in THREADS.iter().zip(&REPORT) {
        address.store(core::ptr::from_ref::<Thread>(thread).addr() as u32, Ordering::Relaxed);
        switches.store(thread.statistics().switches, Ordering::Relaxed);
    }
    REPORT[THREADS.len()][1].store(all.idle.switches, Ordering::Relaxed);
    reported();
    for thread in THREADS {
        let statistics = thread.statistics();
        println!("{} {} {}", thread.name(), statistics.switches, statistics.cycles);
    }
    println!("idle {} {}", all.idle.switches, all.idle.cycles);
    println!("all {}", all.cycles);
    semihosting::process::exit(0)
}

/// The test finds these by their names.
#[unsafe(no_mangle)]
#[inline(never)]
extern "C" fn begin() {
    black_box("begin");
}

#[unsafe(no_mangle)]
#[inline(never)]
extern "C" fn end() {
    black_box("end");
}

#[unsafe(no_mangle)]
#[inline(never)]
extern "C" fn reported() {
    black_box("reported");
}

fn script(this: &CurrentThread<'_>) {
    begin();
    for _ in 0..ROUNDS {
        // A call to one that is more urgent, which waits again.
        TAKEN.give();
        SLEEPER.unpark();
        // A turn of the equal one's, which waits among equals, or yields.
        TURN.give();
        this.yield_now();
        this.yield_now();
        // The more urgent one finds the mutex taken, lends its place, and gets it back.
        let value = MUTEX.lock().block(this);
        LOCK.give();
        drop(value);
        // A thread that begins and ends.
        BRIEF.start().expect("it has ended");
        BRIEF.join(this).expect("nobody else waits for it");
        // Suspended by itself: to the equal one or idle, by PendSV.
        this.thread().suspend().expect("it holds nothing");
        // Less urgent than the equal one, which is ready.
        TURN.give();
        EQUAL.set_priority(2).expect("there is such a priority");
        EQUAL.set_priority(1).expect("there is such a priority");
        // To idle by a call, and from idle by PendSV.
        while FROM_IDLE.try_take().is_ok() {}
        FROM_IDLE.take().block(this);
    }
}

fn equal(this: &CurrentThread<'_>) {
    loop {
        TURN.take().block(this);
        this.yield_now();
    }
}

fn taker(this: &CurrentThread<'_>) {
    loop {
        TAKEN.take().block(this);
    }
}

fn sleeper(this: &CurrentThread<'_>) {
    loop {
        this.park();
    }
}

fn locker(this: &CurrentThread<'_>) {
    loop {
        LOCK.take().block(this);
        *MUTEX.lock().block(this) += 1;
    }
}

fn brief(_: &CurrentThread<'_>) {}

/// What all have is between what there was before, and what there is behind.
fn audit() {
    let before = processor().cycles;
    let of_threads: u64 = THREADS.iter().map(|thread| thread.statistics().cycles).sum();
    let all = of_threads + processor().idle.cycles;
    let behind = processor().cycles;
    assert!((before..=behind).contains(&all), "{before} <= {all} <= {behind}");
}

#[interrupt]
fn GPIOA() {
    audit();
    TAKEN.give();
    SLEEPER.unpark();
}

#[interrupt]
fn GPIOB() {
    audit();
    TURN.give();
    LOCK.give();
}
