//! Periodic timers over a tick, started, started anew and stopped by a thread, by interrupts and by
//! their own function: each of their times is called once, none is early, and none comes behind a
//! stop.
#![no_std]
#![no_main]

use campaign::threads::{over, run};
use campaign::{Count, begin, handlers, lines};
use core::sync::atomic::{AtomicU32, Ordering};
use cortex_m_rt::entry;
use embassy_time::{Duration, Instant};
use quintet::thread::{CurrentThread, Thread};
use quintet::time::SoftwareTimer;

/// What a tick takes, in cycles: the processor's clock is said to be so much faster than it is, as
/// in `ticks`.
const TICK: u32 = 350;

quintet::kernel!(hardware_priority = 0x40);
quintet::systick_tick!(Clock, 12_000_000 * TICK);

quintet::thread!(static DRIVER, priority = 1, stack = 1024, entry = driver);

static THREADS: [&Thread; 1] = [&DRIVER];

/// How late a call may be, in ticks.
const LATE_MAX: u32 = 4;
/// The period of the timers, in ticks: so long that their functions leave time for the thread.
const PERIOD: u32 = 5;
/// The shortest period, in ticks. On an ARMv6-M, calling a timer and arming it again takes longer
/// than a tick: with periods of a tick the handler would have no end.
const SHORT: u32 = if cfg!(target_has_atomic = "ptr") { 1 } else { 2 };
/// The first time of a timer that is started, in ticks: time enough to start it.
const SOON: u32 = 8;
/// How often the function of a timer is called before it stops the timer.
const OWN_CALLS: u32 = 3;

/// Nobody disturbs it.
static BEAT: SoftwareTimer = SoftwareTimer::new(|_| beat());
static BEATS: Count = Count::new();
/// The time of its first call.
static FIRST: AtomicU32 = AtomicU32::new(0);
/// It stops itself.
static OWN: SoftwareTimer = SoftwareTimer::new(|own| {
    if OWN_CALLED.add() + 1 == OWN_CALLS {
        assert!(own.stop(), "it was not running");
    }
});
static OWN_CALLED: Count = Count::new();
/// Interrupts start and stop it.
static TOUCHED: SoftwareTimer = SoftwareTimer::new(|_| {
    CALLED.add();
});
static CALLED: Count = Count::new();
/// How often they did.
static TOUCHES: Count = Count::new();

fn now() -> u32 {
    Instant::now().as_ticks() as u32
}

fn ticks(ticks: u32) -> Duration {
    Duration::from_ticks(ticks.into())
}

fn at(ticks: u32) -> Instant {
    Instant::from_ticks(ticks.into())
}

/// The time, and a count at that time.
fn count_at_a_time(count: &Count) -> (u32, u32) {
    loop {
        let (before, counted) = (now(), count.get());
        if now() == before {
            return (before, counted);
        }
    }
}

/// How many times there are up to now, of a timer whose first one this is.
fn times(first: u32, now: u32) -> u32 {
    if now < first { 0 } else { (now - first) / PERIOD + 1 }
}

fn beat() {
    let due = FIRST.load(Ordering::Relaxed) + PERIOD * BEATS.add();
    let now = now();
    assert!(now >= due, "early: {now} instead of {due}");
    assert!(now - due < LATE_MAX, "late: {now} instead of {due}");
}

/// Does a step with the timer that interrupts touch, until none has meanwhile: then what the step
/// found has to be so. A step that took too long finds nothing.
fn untouched(what: &str, mut step: impl FnMut() -> Option<bool>) {
    loop {
        let touches = TOUCHES.get();
        let found = step();
        if let Some(is_right) = found
            && TOUCHES.get() == touches
        {
            return assert!(is_right, "{what}");
        }
    }
}

/// Starts the timer anew, or at all if an interrupt has stopped it, and waits for a while.
fn periods(this: &CurrentThread<'_>) {
    untouched("a time was lost, or called twice", || {
        let first = now() + SOON;
        TOUCHED.start_at(at(first), ticks(PERIOD));
        let before = CALLED.get();
        if now() >= first {
            return None;
        }
        this.delay(ticks(SOON + PERIOD));
        let (now, called) = count_at_a_time(&CALLED);
        Some(called - before == times(first, now))
    });
}

fn stops(this: &CurrentThread<'_>) {
    untouched("a timer that was stopped goes on", || {
        let _was_running = TOUCHED.stop();
        let before = CALLED.get();
        this.delay(ticks(PERIOD + 1));
        Some(CALLED.get() == before && !TOUCHED.is_running())
    });
}

fn single(this: &CurrentThread<'_>) {
    untouched("a timer that was started once isn't called once", || {
        let first = now() + SOON;
        TOUCHED.start(ticks(SOON));
        let (before, is_running) = (CALLED.get(), TOUCHED.is_running());
        if now() >= first {
            return None;
        }
        this.delay(ticks(SOON + 1));
        Some(is_running && CALLED.get() == before + 1 && !TOUCHED.is_running())
    });
}

fn driver(this: &CurrentThread<'_>) {
    lines::enable_four();
    begin();
    let first = now() + PERIOD;
    FIRST.store(first, Ordering::Relaxed);
    BEAT.start_at(at(first), ticks(PERIOD));
    OWN.start_periodic(ticks(SHORT));
    TOUCHED.start_periodic(ticks(PERIOD));
    periods(this);
    let (now, beats) = count_at_a_time(&BEATS);
    assert!(beats == times(first, now), "{beats} beats from {first} to {now}");
    assert!(BEAT.stop(), "it has ended");
    let beats = BEATS.get();
    stops(this);
    assert!(BEATS.get() == beats, "it goes on");
    single(this);
    over();
}

fn judge() {
    assert!(OWN_CALLED.get() == OWN_CALLS && !OWN.is_running(), "it doesn't stop itself");
    assert!(THREADS.iter().all(|thread| !thread.is_alive()), "a thread has not ended");
}

handlers! {
    GPIOA {
        TOUCHES.add();
        TOUCHED.start_periodic(ticks(SHORT));
    }
    GPIOB {
        TOUCHES.add();
        let _was_running = TOUCHED.stop();
    }
    GPIOD {
        TOUCHES.add();
        TOUCHED.start(ticks(1));
    }
    GPIOE {
        TOUCHES.add();
        let _was_running = TOUCHED.stop();
        TOUCHED.start_periodic(ticks(PERIOD));
    }
}

#[entry]
fn main() -> ! {
    // SAFETY: nobody else uses the peripherals.
    let peripherals = unsafe { cortex_m::Peripherals::steal() };
    Clock::start(peripherals.SYST);
    run(&[&DRIVER], judge)
}
