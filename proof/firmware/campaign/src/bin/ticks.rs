//! Timers over a tick, armed, cancelled and expiring while others are armed and cancelled at every
//! moment: none is early, late or lost, each tick is counted once, and the clock never goes back.
#![no_std]
#![no_main]

use campaign::threads::{Rank, over, run};
use campaign::{Count, begin, handlers, lines};
use core::future::Future;
use core::pin::pin;
use core::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use core::task::{Context, Waker};
use cortex_m::peripheral::DWT;
use cortex_m_rt::entry;
use embassy_time::{Duration, Instant};
use quintet::sync::{Operation, Semaphore};
use quintet::thread::{CurrentThread, Thread};
use quintet::time::{SoftwareTimer, Timer};

/// What a tick takes, in cycles. `embassy-time` is told that there are 12 million in a second, so
/// the processor's clock is said to be so much faster: it shortens the campaign. Two interrupts in
/// one tick, and all timers, still let each be counted before the next.
const TICK: u32 = 350;

quintet::kernel!(hardware_priority = 0x40);
// The last two of the lines interrupt its handler.
quintet::systick_tick!(Clock, 12_000_000 * TICK, priority = 3, priority_bits = 3);

quintet::thread!(static FIRST, priority = 4, stack = 1024, entry = first);
quintet::thread!(static SECOND, priority = 3, stack = 1024, entry = second);
quintet::thread!(static THIRD, priority = 2, stack = 1024, entry = third);
quintet::thread!(static DRIVER, priority = 1, stack = 1024, entry = driver);

static THREADS: [&Thread; 4] = [&FIRST, &SECOND, &THIRD, &DRIVER];
static RANK: Rank = Rank::new(&THREADS);

/// How late a thread may be, in ticks: everything that runs before it, and what is injected.
const LATE_MAX: u64 = 40;
/// The delays of each thread but the driver.
const DELAYS: u32 = 3;

/// How often a timer is started for a time that has passed. Each pends SysTick, which must not
/// count as a tick: more than what the campaign pends.
const LOOKS: u32 = 5;

/// By thread: delays that are over.
static ENDED: [Count; 2] = [const { Count::new() }; 2];
/// Started by the driver, for a time that has passed and for one to come.
static AT_ONCE: SoftwareTimer = SoftwareTimer::new(|_| {
    AT_ONCE_CALLED.add();
});
static AT_ONCE_CALLED: Count = Count::new();
static LATER: SoftwareTimer = SoftwareTimer::new(|_| {
    LATER_CALLED.add();
});
static LATER_CALLED: Count = Count::new();
/// Given by an interrupt; the third thread takes it, until it is to end.
static WOKEN: Semaphore = Semaphore::new(0);
static GIVEN: Count = Count::new();
static TAKEN: Count = Count::new();
static ENDS: AtomicBool = AtomicBool::new(false);
/// Waited for with a limit of time.
static NEVER_GIVEN: Semaphore = Semaphore::new(0);
/// The highest time that was read.
static SEEN: AtomicU32 = AtomicU32::new(0);

/// The clock doesn't go back.
#[inline(never)]
fn look() {
    let seen = SEEN.load(Ordering::Relaxed);
    let now = Instant::now().as_ticks() as u32;
    assert!(now >= seen, "the clock goes back from {seen} to {now}");
    SEEN.fetch_max(now, Ordering::Relaxed);
}

/// A thread's delay is over.
fn end(which: usize, deadline: Instant) {
    RANK.enter(which);
    let now = Instant::now();
    assert!(now >= deadline, "early");
    let late = (now - deadline).as_ticks();
    assert!(late < LATE_MAX, "thread {which} is late by {late}");
    look();
    ENDED[which].add();
    RANK.leave(which);
}

fn delays(this: &CurrentThread<'_>, which: usize, ticks: [u64; DELAYS as usize]) {
    for ticks in ticks {
        let deadline = Instant::now() + Duration::from_ticks(ticks);
        this.delay(Duration::from_ticks(ticks));
        end(which, deadline);
    }
}

fn first(this: &CurrentThread<'_>) {
    delays(this, 0, [1, 3, 2]);
}

/// The same times as others have.
fn second(this: &CurrentThread<'_>) {
    delays(this, 1, [1, 1, 5]);
}

/// Arms a timer whenever an interrupt says so.
fn third(this: &CurrentThread<'_>) {
    while !ENDS.load(Ordering::Relaxed) {
        WOKEN.take().block(this);
        TAKEN.add();
        this.delay(Duration::from_ticks(1));
    }
}

fn wake_third() {
    GIVEN.add();
    WOKEN.give();
}

fn driver(this: &CurrentThread<'_>) {
    lines::enable_four();
    begin();
    for thread in &THREADS[..3] {
        assert!(thread.start().is_ok());
    }
    for _ in 0..LOOKS {
        AT_ONCE.start(Duration::from_ticks(0));
    }
    let deadline = Instant::now() + Duration::from_ticks(2);
    LATER.start(Duration::from_ticks(2));
    this.delay(Duration::from_ticks(2));
    assert!(Instant::now() >= deadline, "early beside another one");
    for thread in &THREADS[..2] {
        assert!(thread.join(this).is_ok());
    }
    // Alone, so that nothing else arrives.
    for _ in 0..2 {
        let deadline = Instant::now() + Duration::from_ticks(1);
        assert!(NEVER_GIVEN.take().block_until(this, deadline).is_err(), "nobody gives it");
        assert!(Instant::now() >= deadline, "the limit was early");
        this.delay(Duration::from_ticks(1));
    }
    ENDS.store(true, Ordering::Relaxed);
    wake_third();
    assert!(THIRD.join(this).is_ok());
    this.delay(Duration::from_ticks(3));
    over();
}

fn judge() {
    assert!(ENDED.iter().all(|ended| ended.get() == DELAYS), "a delay has no end, or two");
    assert!(AT_ONCE_CALLED.get() == LOOKS && LATER_CALLED.get() == 1, "a timer was lost");
    // What was given when the third thread was to end is taken or not.
    assert!(GIVEN.get() - TAKEN.get() <= 2, "a wake-up was lost");
    assert!(THREADS.iter().all(|thread| !thread.is_alive()), "a thread has not ended");
    let (ticks, cycles) = (Instant::now().as_ticks() as u32, DWT::cycle_count());
    let missed = (cycles / TICK).wrapping_sub(ticks) as i32;
    // The campaign pends SysTick as well, up to twice: that counts.
    assert!((-3..=1).contains(&missed), "{missed} ticks were missed");
}

/// Arms a timer, and cancels it.
#[inline]
fn arm_and_cancel(ticks: u64) {
    let timer = pin!(Timer::after(Duration::from_ticks(ticks)));
    let _ = timer.poll(&mut Context::from_waker(Waker::noop()));
}

handlers! {
    GPIOA {
        look();
        arm_and_cancel(1);
    }
    GPIOB {
        arm_and_cancel(100);
        look();
    }
    GPIOD {
        let past = Instant::now();
        let timer = pin!(Timer::at(past));
        let _ = timer.poll(&mut Context::from_waker(Waker::noop()));
        arm_and_cancel(2);
    }
    GPIOE {
        let _running = SECOND.suspend();
        SECOND.resume();
        wake_third();
    }
}

#[entry]
fn main() -> ! {
    // A tick is hardly longer than it takes to fill the registers and to look at them.
    lines::leave_floats();
    // SAFETY: nobody else uses the peripherals.
    let mut peripherals = unsafe { cortex_m::Peripherals::steal() };
    peripherals.DCB.enable_trace();
    peripherals.DWT.set_cycle_count(0);
    peripherals.DWT.enable_cycle_counter();
    Clock::start(peripherals.SYST);
    run(&[&DRIVER], judge)
}
