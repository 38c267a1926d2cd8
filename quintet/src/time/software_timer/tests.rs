//! Software timers against a clock that the test moves, and stopped and started at every point.

use std::sync::atomic::{AtomicU32, Ordering};

use super::SoftwareTimer;
use crate::arch::explore::{KERNEL, explore};
use crate::arch::systick;
use crate::time::driver::tests::{interrupt, turn};
use crate::time::{Duration, Instant};

/// The source's counts in a tick.
const COUNTS: u32 = 4;

fn ticks(number: u64) -> Duration {
    Duration::from_ticks(number)
}

/// Lets time pass tick by tick, with the interrupts that come.
fn pass(ticks: u32) {
    for _ in 0..ticks {
        systick::pass(COUNTS);
        interrupt();
    }
}

/// A timer, and a function that says how often the timer's was called since the last time.
macro_rules! counted {
    ($timer:ident, $calls:ident) => {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        static $timer: SoftwareTimer = SoftwareTimer::new(|_| {
            COUNT.fetch_add(1, Ordering::Relaxed);
        });
        fn $calls() -> u32 {
            COUNT.swap(0, Ordering::Relaxed)
        }
    };
}

#[test]
fn once_or_periodically_until_it_is_stopped() {
    counted!(TIMER, calls);
    let _turn = turn();
    assert!(!TIMER.is_running() && TIMER.deadline().is_none() && !TIMER.stop());
    TIMER.start(ticks(5));
    assert_eq!(TIMER.deadline(), Some(Instant::now() + ticks(5)));
    pass(4);
    assert!(TIMER.is_running() && calls() == 0);
    pass(1);
    assert!(!TIMER.is_running() && calls() == 1, "it is over");
    TIMER.start_periodic(ticks(3));
    pass(10);
    assert!(TIMER.is_running() && calls() == 3, "at 3, 6 and 9");
    assert!(TIMER.stop() && !TIMER.stop());
    pass(10);
    assert!(!TIMER.is_running() && calls() == 0);
}

#[test]
fn starting_a_running_timer_begins_anew() {
    counted!(TIMER, calls);
    let _turn = turn();
    TIMER.start_periodic(ticks(3));
    pass(2);
    TIMER.start(ticks(4));
    pass(3);
    assert_eq!(calls(), 0, "not at its old time");
    pass(1);
    assert_eq!(calls(), 1);
    pass(10);
    assert_eq!(calls(), 0, "nor periodically");
    TIMER.start_at(Instant::now() + ticks(2), ticks(5));
    pass(8);
    assert_eq!(calls(), 2, "at 2 and 7");
    TIMER.stop();
}

#[test]
fn its_own_function_may_stop_and_start_it() {
    static CALLS: AtomicU32 = AtomicU32::new(0);
    static TIMER: SoftwareTimer = SoftwareTimer::new(|timer| {
        match CALLS.fetch_add(1, Ordering::Relaxed) {
            // Once: it starts itself for another time.
            0 => timer.start(Duration::from_ticks(4)),
            // Periodically: it stops itself.
            3 => assert!(timer.stop()),
            _ => {}
        }
    });
    let _turn = turn();
    TIMER.start(ticks(1));
    pass(1);
    assert!(TIMER.is_running());
    pass(4);
    assert!(!TIMER.is_running() && CALLS.load(Ordering::Relaxed) == 2);
    TIMER.start_periodic(ticks(2));
    pass(20);
    assert!(!TIMER.is_running() && CALLS.load(Ordering::Relaxed) == 4);
}

/// While one context does `low`, another one interrupts it anywhere with `high`, and the time
/// comes.
fn race(
    timer: &'static SoftwareTimer,
    low: fn(&'static SoftwareTimer),
    high: fn(&'static SoftwareTimer),
    then: impl Fn(),
) {
    let _turn = turn();
    let runs = explore(|run| {
        timer.stop();
        run.interrupt(KERNEL, move || high(timer));
        run.run(|| low(timer));
        then();
        timer.stop();
        pass(4);
    });
    assert!(runs > 1);
}

#[test]
fn a_stop_anywhere_in_a_start_comes_before_or_after_it() {
    counted!(TIMER, calls);
    let then = || {
        let running = TIMER.is_running();
        calls();
        pass(8);
        assert_eq!(calls(), u32::from(running), "it does what it says");
    };
    race(&TIMER, |timer| timer.start(ticks(5)), |timer| _ = timer.stop(), then);
    race(&TIMER, |timer| _ = timer.stop(), |timer| timer.start(ticks(5)), then);
}

#[test]
fn of_two_starts_one_counts() {
    counted!(TIMER, calls);
    race(
        &TIMER,
        |timer| timer.start(ticks(5)),
        |timer| timer.start(ticks(3)),
        || {
            assert!(TIMER.is_running());
            calls();
            pass(8);
            assert!(calls() == 1 && !TIMER.is_running());
        },
    );
}

#[test]
fn an_expiry_anywhere_in_a_stop_is_called_or_was_running() {
    static CALLS: AtomicU32 = AtomicU32::new(0);
    static STOPPED: AtomicU32 = AtomicU32::new(0);
    static TIMER: SoftwareTimer = SoftwareTimer::new(|_| {
        CALLS.fetch_add(1, Ordering::Relaxed);
    });
    let _turn = turn();
    explore(|run| {
        CALLS.store(0, Ordering::Relaxed);
        TIMER.start(ticks(2));
        run.interrupt(KERNEL, || pass(2));
        run.run(|| STOPPED.store(u32::from(TIMER.stop()), Ordering::Relaxed));
        pass(4);
        let (calls, stopped) = (CALLS.load(Ordering::Relaxed), STOPPED.load(Ordering::Relaxed));
        assert_eq!(calls + stopped, 1, "one outcome");
    });
}

#[test]
fn an_expiry_anywhere_in_a_start_does_not_undo_it() {
    counted!(TIMER, calls);
    let _turn = turn();
    let runs = explore(|run| {
        TIMER.stop();
        TIMER.start(ticks(2));
        run.interrupt(KERNEL, || pass(2));
        run.run(|| TIMER.start(ticks(5)));
        assert!(TIMER.is_running());
        calls();
        pass(8);
        assert_eq!(calls(), 1, "at the time that it was started for");
        assert!(!TIMER.is_running());
    });
    assert!(runs > 1);
}

/// Behind another timer, a start takes two sections.
#[test]
fn a_stop_and_a_start_anywhere_in_a_start_leave_it_running() {
    counted!(TIMER, calls);
    static EARLIER: SoftwareTimer = SoftwareTimer::new(|_| {});
    let _turn = turn();
    let runs = explore(|run| {
        EARLIER.start(ticks(2));
        run.interrupt(KERNEL, || {
            TIMER.stop();
            TIMER.start(ticks(3));
        });
        run.run(|| TIMER.start_periodic(ticks(5)));
        assert!(TIMER.is_running());
        let periodic = TIMER.deadline() == Some(Instant::now() + ticks(5));
        calls();
        pass(17);
        assert_eq!(calls(), if periodic { 3 } else { 1 });
        assert!(TIMER.stop() == periodic);
        EARLIER.stop();
    });
    assert!(runs > 1);
}

/// What a context above the clock's interrupt does to a timer, how many calls are then due at once,
/// in how many ticks the next one is, and the period.
type Touch = (fn(&'static SoftwareTimer), u32, Option<u64>, u64);

/// What comes anywhere in an expiry counts, also between its sections. One call more may be under
/// way.
#[test]
fn a_stop_or_a_start_anywhere_in_an_expiry_counts() {
    counted!(TIMER, calls);
    static EARLIER: SoftwareTimer = SoftwareTimer::new(|_| {});
    static AT: AtomicU32 = AtomicU32::new(0);
    const TOUCHES: [Touch; 5] = [
        (|timer| _ = timer.stop(), 0, None, 0),
        (|timer| timer.start(ticks(7)), 0, Some(7), 0),
        (|timer| timer.start_periodic(ticks(7)), 0, Some(7), 7),
        (|timer| timer.start_at(Instant::now(), ticks(0)), 1, None, 0),
        (|timer| timer.start_at(Instant::now() - ticks(1), ticks(9)), 1, Some(8), 9),
    ];
    let now = || Instant::now().as_ticks() as u32;
    let _turn = turn();
    for (touch, at_once, next, period) in TOUCHES {
        for earlier in [None, Some(3), Some(5)] {
            let runs = explore(|run| {
                earlier.into_iter().for_each(|earlier| EARLIER.start(ticks(earlier)));
                TIMER.start_periodic(ticks(2));
                run.interrupt(KERNEL, move || {
                    calls();
                    AT.store(now(), Ordering::Relaxed);
                    touch(&TIMER);
                });
                run.run(|| pass(2));
                interrupt();
                let called = calls();
                assert!(called == at_once || called == at_once + 1, "{called} calls");
                let at = Instant::from_ticks(AT.load(Ordering::Relaxed).into());
                assert_eq!(TIMER.deadline(), next.map(|next| at + ticks(next)));
                pass(14);
                let times = next.map_or(0, |next| if period == next { 2 } else { 1 });
                assert_eq!(calls(), times);
                assert_eq!(TIMER.stop(), period != 0);
            });
            assert!(runs > 5 || cfg!(miri), "{runs}");
        }
    }
}
