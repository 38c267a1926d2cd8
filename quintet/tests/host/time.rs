//! The virtual clock: time passes when the test says so, in order, and the same in every run.

use std::cell::RefCell;
use std::future::pending;
use std::panic::catch_unwind;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;

use quintet::sync::Signal;
use quintet::time::{
    Duration, Instant, SoftwareTimer, Ticker, VirtualClock, delay, delay_until, timeout,
};

const fn ticks(count: u64) -> Duration {
    Duration::from_ticks(count)
}

#[test]
fn time_stands_until_it_is_moved() {
    let clock = VirtualClock::take();
    assert_eq!((Instant::now(), clock.next()), (Instant::from_ticks(0), None));
    clock.advance(ticks(3));
    clock.advance_to(Instant::from_ticks(3));
    assert_eq!((Instant::now(), clock.now()), (Instant::from_ticks(3), Instant::from_ticks(3)));
    assert_eq!(clock.advance_to_next(), None);
    clock.advance(Duration::from_secs(1_000_000_000));
    assert_eq!(clock.now(), Instant::from_secs(1_000_000_000) + ticks(3));
}

/// What happened, and when.
static SEEN: Mutex<Vec<(u32, u64)>> = Mutex::new(Vec::new());

fn note(which: u32) {
    SEEN.lock().unwrap().push((which, Instant::now().as_ticks()));
}

static TIMERS: [SoftwareTimer; 5] = [
    SoftwareTimer::new(|_| note(0)),
    SoftwareTimer::new(|_| note(1)),
    SoftwareTimer::new(|_| note(2)),
    SoftwareTimer::new(|_| note(3)),
    SoftwareTimer::new(|this| {
        note(4);
        // A timer that is armed while time passes comes in its turn.
        TIMERS[3].start(ticks(1));
        this.start(ticks(20));
    }),
];

#[test]
fn what_is_due_comes_in_order_while_the_clock_shows_its_time() {
    for _ in 0..3 {
        let clock = VirtualClock::take();
        SEEN.lock().unwrap().clear();
        TIMERS[0].start(ticks(30));
        TIMERS[1].start(ticks(10));
        TIMERS[2].start_periodic(ticks(12));
        TIMERS[4].start(ticks(11));
        assert_eq!(clock.next(), Some(Instant::from_ticks(10)));
        clock.advance(ticks(9));
        assert!(SEEN.lock().unwrap().is_empty());
        clock.advance(ticks(26));
        // What is left ends with the clock.
        let expected = [(1, 10), (4, 11), (2, 12), (3, 12), (2, 24), (0, 30), (4, 31), (3, 32)];
        let mut seen = SEEN.lock().unwrap().clone();
        seen[2..4].sort_unstable();
        assert_eq!(seen, expected);
    }
}

#[test]
fn equal_times_come_in_the_same_order_in_every_run() {
    let orders: Vec<_> = (0..3)
        .map(|_| {
            let clock = VirtualClock::take();
            SEEN.lock().unwrap().clear();
            for timer in [2, 0, 3, 1] {
                TIMERS[timer].start(ticks(5));
            }
            clock.advance(ticks(5));
            SEEN.lock().unwrap().clone()
        })
        .collect();
    assert!(orders[0].len() == 4 && orders.iter().all(|order| *order == orders[0]));
}

#[test]
fn a_delay_of_nothing_is_due_now() {
    let clock = VirtualClock::take();
    SEEN.lock().unwrap().clear();
    TIMERS[0].start(ticks(0));
    assert!(SEEN.lock().unwrap().is_empty() && clock.next() == Some(clock.now()));
    clock.advance(ticks(0));
    assert_eq!(*SEEN.lock().unwrap(), [(0, 0)]);
}

#[test]
fn what_a_test_leaves_ends_with_its_clock() {
    {
        let clock = VirtualClock::take();
        SEEN.lock().unwrap().clear();
        TIMERS[0].start(ticks(10));
        TIMERS[2].start_periodic(ticks(3));
        clock.advance(ticks(3));
    }
    let clock = VirtualClock::take();
    assert_eq!((clock.now(), clock.next()), (Instant::from_ticks(0), None));
    assert!(!TIMERS[0].is_running() && !TIMERS[2].is_running());
    SEEN.lock().unwrap().clear();
    clock.advance(ticks(100));
    assert!(SEEN.lock().unwrap().is_empty());
    TIMERS[0].start(ticks(1));
    clock.advance(ticks(1));
    assert_eq!(*SEEN.lock().unwrap(), [(0, 101)]);
}

#[test]
fn a_test_that_fails_leaves_the_clock_to_the_next() {
    let failed = catch_unwind(|| {
        let clock = VirtualClock::take();
        TIMERS[1].start(ticks(2));
        clock.advance(ticks(1));
        panic!("as a test may");
    });
    assert!(failed.is_err());
    let clock = VirtualClock::take();
    assert_eq!((clock.now(), clock.next()), (Instant::from_ticks(0), None));
}

#[test]
fn tests_take_turns() {
    static INSIDE: AtomicU32 = AtomicU32::new(0);
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..20 {
                    let clock = VirtualClock::take();
                    assert_eq!(INSIDE.fetch_add(1, Ordering::SeqCst), 0);
                    assert_eq!(clock.now(), Instant::from_ticks(0));
                    clock.run(delay(ticks(5)));
                    assert_eq!(clock.now(), Instant::from_ticks(5));
                    INSIDE.fetch_sub(1, Ordering::SeqCst);
                }
            });
        }
    });
}

#[test]
fn a_future_runs_as_fast_as_it_can() {
    let clock = VirtualClock::take();
    let times = RefCell::new(Vec::new());
    clock.run(async {
        delay(ticks(7)).await;
        times.borrow_mut().push(clock.now().as_ticks());
        delay_until(Instant::from_ticks(100)).await;
        times.borrow_mut().push(clock.now().as_ticks());
        let mut ticker = Ticker::every(ticks(50));
        for _ in 0..2 {
            ticker.next().await;
            times.borrow_mut().push(clock.now().as_ticks());
        }
        assert!(timeout(ticks(3), pending::<()>()).await.is_err());
        times.borrow_mut().push(clock.now().as_ticks());
    });
    assert_eq!(times.into_inner(), [7, 100, 150, 200, 203]);
}

#[test]
fn timers_of_embassy_time_run_by_it() {
    let clock = VirtualClock::take();
    clock.run(async {
        embassy_time::Timer::after_secs(3).await;
        assert_eq!(embassy_time::Instant::now(), Instant::from_secs(3));
    });
    assert_eq!(clock.now(), Instant::from_secs(3));
}

static READY: Signal<u32> = Signal::new();
static ANSWERS: SoftwareTimer = SoftwareTimer::new(|_| READY.signal(5));

#[test]
fn a_future_waits_for_what_a_timer_gives() {
    let clock = VirtualClock::take();
    ANSWERS.start(ticks(40));
    assert_eq!(clock.run(READY.wait()), 5);
    assert_eq!(clock.now(), Instant::from_ticks(40));
}

#[test]
#[should_panic(expected = "what the test waits for never comes: nobody has woken it")]
fn a_future_that_nobody_wakes_is_an_error() {
    VirtualClock::take().run(pending::<()>());
}

#[test]
#[should_panic(expected = "100000 times have come that others wait for")]
fn a_future_that_waits_beside_a_period_is_an_error() {
    static IDLE: SoftwareTimer = SoftwareTimer::new(|_| {});
    let clock = VirtualClock::take();
    IDLE.start_periodic(ticks(1));
    clock.run(pending::<()>());
}

#[test]
#[should_panic(expected = "this thread has the virtual clock already: pass it on by reference")]
fn the_clock_is_taken_once() {
    let _clock = VirtualClock::take();
    let _other = VirtualClock::take();
}

#[test]
#[should_panic(expected = "begin it with `let clock = quintet::time::VirtualClock::take();`")]
fn time_is_asked_for_by_who_has_the_clock() {
    let _ = Instant::now();
}

#[test]
#[should_panic(expected = "time doesn't go back")]
fn time_does_not_go_back() {
    let clock = VirtualClock::take();
    clock.advance(ticks(2));
    clock.advance_to(Instant::from_ticks(1));
}

#[test]
#[should_panic(expected = "time ends before that")]
fn time_ends() {
    let clock = VirtualClock::take();
    clock.advance(ticks(2));
    clock.advance(Duration::MAX);
}
