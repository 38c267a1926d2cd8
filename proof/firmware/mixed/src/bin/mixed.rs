//! Messages go from an interrupt through an async task, a thread and a task that a thread hosts,
//! and back to a thread; beside them run periodic work of each model, and two threads with a mutex.
//!
//! Messages are numbered, so that a lost one is noticed; periodic work compares the time with its
//! beat. The test pends the interrupt at random moments, and reads `REPORT`.
#![no_std]
#![no_main]

use core::sync::atomic::{AtomicU32, Ordering};

use embassy_time::{Duration, Instant, Ticker};
use quintet::sync::{Channel, InheritanceMutex, Semaphore};
use semihosting as _;

quintet::systick_timer!(Clock, 12_000_000);

/// What the test reads.
#[unsafe(no_mangle)]
static REPORT: Report = Report {
    sent: AtomicU32::new(0),
    stages: [const { AtomicU32::new(0) }; 4],
    lost: AtomicU32::new(0),
    beats: [const { AtomicU32::new(0) }; 3],
    missed: AtomicU32::new(0),
    latest: [const { AtomicU32::new(0) }; 3],
    torn: AtomicU32::new(0),
};

/// Counters; each is written by one context, or under a lock.
#[repr(C)]
struct Report {
    /// Messages that the interrupt sent.
    sent: AtomicU32,
    /// Messages that passed the async task, the thread, the hosted task, and came back.
    stages: [AtomicU32; 4],
    /// Messages that found no place, or came out of order.
    lost: AtomicU32,
    /// Beats of the async task, the thread and the hosted task.
    beats: [AtomicU32; 3],
    /// Beats that came later than their deadline.
    missed: AtomicU32,
    /// The latest beat of each, in microseconds.
    latest: [AtomicU32; 3],
    /// Times that a shared value was found half changed.
    torn: AtomicU32,
}

fn add(count: &AtomicU32) {
    count.fetch_add(1, Ordering::Relaxed);
}

/// Checks that a message is the next one of a stage.
fn pass(stage: usize, number: u32) {
    if REPORT.stages[stage].fetch_add(1, Ordering::Relaxed) != number {
        add(&REPORT.lost);
    }
}

/// Looks at a beat that should have come at `due`.
fn beat(who: usize, due: Instant, deadline: Duration) {
    let late = Instant::now().saturating_duration_since(due);
    add(&REPORT.beats[who]);
    REPORT.latest[who].fetch_max(late.as_micros() as u32, Ordering::Relaxed);
    if late > deadline {
        add(&REPORT.missed);
    }
}

static FROM_INTERRUPT: Channel<u32, 8> = Channel::new();
static TO_THREAD: Channel<[u32; 4], 4> = Channel::new();
static TO_HOSTED: Channel<u32, 4> = Channel::new();
static BACK: Semaphore = Semaphore::new(0);
static TABLE: InheritanceMutex<[u32; 2]> = InheritanceMutex::new([0; 2]);

/// The periods and deadlines of the async task, the thread and the hosted task.
const PERIODS: [Duration; 3] =
    [Duration::from_millis(10), Duration::from_millis(25), Duration::from_millis(40)];
const DEADLINES: [Duration; 3] =
    [Duration::from_micros(250), Duration::from_micros(1000), Duration::from_micros(2500)];

#[quintet::app(device = lm3s6965, dispatchers = [SSI0])]
mod app {
    use super::*;

    #[shared]
    struct Shared {
        /// Of the interrupt task, the async task and a thread.
        above: [u32; 2],
        /// Of threads and a hosted task.
        below: [u32; 2],
    }

    #[local]
    struct Local {}

    #[init]
    fn init(cx: init::Context) -> (Shared, Local) {
        Clock::start(cx.core.SYST);
        assert!(filter::spawn().is_ok() && ticks::spawn().is_ok());
        assert!(report::spawn().is_ok() && slow_ticks::spawn().is_ok());
        (Shared { above: [0; 2], below: [0; 2] }, Local {})
    }

    /// Changes both halves; they are equal whenever nobody is at them.
    fn touch(pair: &mut [u32; 2]) {
        if pair[0] != pair[1] {
            add(&REPORT.torn);
        }
        pair[0] += 1;
        core::hint::black_box(&mut *pair);
        pair[1] += 1;
    }

    #[task(binds = GPIOA, priority = 7, shared = [above])]
    fn arrive(mut cx: arrive::Context) {
        cx.shared.above.lock(touch);
        let number = REPORT.sent.fetch_add(1, Ordering::Relaxed);
        if FROM_INTERRUPT.try_send(number).is_err() {
            add(&REPORT.lost);
        }
    }

    #[task(priority = 6, shared = [above])]
    async fn filter(mut cx: filter::Context) {
        loop {
            let number = FROM_INTERRUPT.receive().await;
            pass(0, number);
            cx.shared.above.lock(touch);
            TO_THREAD.send([number; 4]).await;
        }
    }

    #[task(priority = 6)]
    async fn ticks(_: ticks::Context) {
        let mut due = Instant::now();
        let mut ticker = Ticker::every(PERIODS[0]);
        loop {
            ticker.next().await;
            due += PERIODS[0];
            beat(0, due, DEADLINES[0]);
        }
    }

    #[thread(priority = 5, stack = 1024, shared = [above, below])]
    fn store(mut cx: store::Context) {
        loop {
            let message = TO_THREAD.receive().block(&cx.thread);
            pass(1, message[3]);
            cx.shared.above.lock(touch);
            cx.shared.below.lock(touch);
            TO_HOSTED.send(message[0]).block(&cx.thread);
        }
    }

    #[thread(priority = 4, stack = 1024, shared = [below])]
    fn control(mut cx: control::Context) {
        let mut due = Instant::now();
        loop {
            due += PERIODS[1];
            cx.thread.delay_until(due);
            beat(1, due, DEADLINES[1]);
            touch(&mut TABLE.lock().block(&cx.thread));
            cx.shared.below.lock(touch);
            // Give up soon: what comes later is taken the next time.
            while BACK.take().block_for(&cx.thread, Duration::from_micros(50)).is_ok() {
                add(&REPORT.stages[3]);
            }
        }
    }

    #[task(priority = 2, shared = [below])]
    async fn report(mut cx: report::Context) {
        loop {
            let number = TO_HOSTED.receive().await;
            pass(2, number);
            cx.shared.below.lock(touch);
            BACK.give();
        }
    }

    #[task(priority = 2)]
    async fn slow_ticks(_: slow_ticks::Context) {
        let mut due = Instant::now();
        let mut ticker = Ticker::every(PERIODS[2]);
        loop {
            ticker.next().await;
            due += PERIODS[2];
            beat(2, due, DEADLINES[2]);
        }
    }

    #[thread(priority = 1, stack = 1024, shared = [below])]
    fn background(mut cx: background::Context) {
        loop {
            {
                // Long enough that others come in between, some of which wait for it.
                let mut table = TABLE.lock().block(&cx.thread);
                cortex_m::asm::delay(600);
                touch(&mut table);
            }
            cx.shared.below.lock(touch);
            cx.thread.delay(Duration::from_micros(7_300));
        }
    }
}
