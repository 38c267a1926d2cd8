//! Delays of threads, which expire while others begin and end, and while the threads are suspended,
//! resumed and given other priorities: none is early, late or lost.
#![no_std]
#![no_main]

use campaign::threads::{Rank, over, run};
use campaign::{Count, begin, handlers, lines};
use cortex_m_rt::entry;
use embassy_time::{Duration, Instant};
use quintet::thread::{CurrentThread, Thread};

/// A tick is a cycle.
const HZ: u32 = 12_000_000;

quintet::kernel!(hardware_priority = 0x40);
quintet::systick_timer!(Clock, HZ);

quintet::thread!(static PERIODIC, priority = 4, stack = 1024, entry = periodic);
quintet::thread!(static MIDDLE, priority = 3, stack = 1024, entry = middle);
quintet::thread!(static EQUAL, priority = 3, stack = 1024, entry = equal);
quintet::thread!(static DRIVER, priority = 1, stack = 1024, entry = driver);

static THREADS: [&Thread; 4] = [&PERIODIC, &MIDDLE, &EQUAL, &DRIVER];
static RANK: Rank = Rank::new(&THREADS);

/// How late a thread may be, in cycles: everything that runs before it, and what is injected.
const LATE_MAX: u64 = 15_000;
/// The delays of each thread but the driver.
const DELAYS: u32 = 3;

/// By thread: delays that are over.
static ENDED: [Count; 3] = [const { Count::new() }; 3];

/// A thread's delay is over.
fn end(which: usize, deadline: Instant) {
    RANK.enter(which);
    let now = Instant::now();
    assert!(now >= deadline, "early");
    let late = (now - deadline).as_ticks();
    assert!(late < LATE_MAX, "thread {which} is late by {late}");
    ENDED[which].add();
    RANK.leave(which);
}

/// Doesn't drift.
fn periodic(this: &CurrentThread<'_>) {
    let mut deadline = Instant::now();
    for _ in 0..DELAYS {
        deadline += Duration::from_ticks(400);
        this.delay_until(deadline);
        end(0, deadline);
    }
}

fn delays(this: &CurrentThread<'_>, which: usize, ticks: [u64; DELAYS as usize]) {
    for ticks in ticks {
        let deadline = Instant::now() + Duration::from_ticks(ticks);
        this.delay(Duration::from_ticks(ticks));
        end(which, deadline);
    }
}

fn middle(this: &CurrentThread<'_>) {
    delays(this, 1, [250, 1, 500]);
}

/// The same times as others have.
fn equal(this: &CurrentThread<'_>) {
    delays(this, 2, [250, 150, 500]);
}

fn driver(this: &CurrentThread<'_>) {
    lines::enable_four();
    begin();
    for thread in &THREADS[..3] {
        assert!(thread.start().is_ok());
    }
    this.delay(Duration::from_ticks(200));
    for thread in &THREADS[..3] {
        assert!(thread.join(this).is_ok());
    }
    over();
}

fn judge() {
    assert!(ENDED.iter().all(|ended| ended.get() == DELAYS), "a delay has no end, or two");
    assert!(THREADS.iter().all(|thread| !thread.is_alive()), "a thread has not ended");
}

handlers! {
    GPIOA {
        let _running = PERIODIC.suspend();
        PERIODIC.resume();
    }
    GPIOB {
        let priority = if MIDDLE.base_priority() == 3 { 5 } else { 3 };
        assert!(MIDDLE.set_priority(priority).is_ok());
    }
    GPIOD {
        let _running = EQUAL.suspend();
        let _ended = PERIODIC.set_priority(2);
        EQUAL.resume();
    }
    GPIOE {
        assert!(DRIVER.set_priority(6).is_ok());
        let _running = MIDDLE.suspend();
        MIDDLE.resume();
    }
}

#[entry]
fn main() -> ! {
    // SAFETY: nobody else uses the peripherals.
    Clock::start(unsafe { cortex_m::Peripherals::steal() }.SYST);
    run(&[&DRIVER], judge)
}
