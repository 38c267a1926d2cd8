//! What waits, against a clock that the test moves.

#![expect(unsafe_code, reason = "a waker is made by hand")]

use std::future::Future;
use std::pin::{Pin, pin};
use std::sync::atomic::{AtomicU32, Ordering};
use std::task::{Context, Poll, RawWaker, RawWakerVTable, Waker};

use super::driver::tests::{interrupt, turn};
use super::{Delay, Duration, Instant, Ticker, TimeoutError, Timer, deadline, delay, timeout};
use crate::arch::systick;
use crate::core::wake::host::{waker, was_woken};

/// The source's counts in a tick.
const COUNTS: u32 = 4;
/// The tests' wakers' priority: not that of the driver's own tests.
const PRIORITY: usize = 2;

/// Lets `ticks` pass, with the interrupts that come.
fn pass(ticks: u32) {
    let mut rest = ticks * COUNTS;
    while let Some(left) = systick::left().filter(|left| *left <= rest) {
        systick::pass(left);
        rest -= left;
        interrupt();
    }
    systick::pass(rest);
}

fn poll<F: Future>(future: Pin<&mut F>, slot: u32) -> Poll<F::Output> {
    future.poll(&mut Context::from_waker(&waker(PRIORITY, slot)))
}

/// Whether the slot was woken since the last call.
fn woken(slot: u32) -> bool {
    was_woken(PRIORITY, slot)
}

/// How often each foreign waker was used.
static FOREIGN: [AtomicU32; 6] = [const { AtomicU32::new(0) }; 6];
/// Wakers of it that were not dropped.
static ALIVE: AtomicU32 = AtomicU32::new(0);

/// The functions of another executor's wakers, whose word is an index.
static TABLE: RawWakerVTable = RawWakerVTable::new(clone, wake, wake_by_ref, forget);

fn clone(word: *const ()) -> RawWaker {
    ALIVE.fetch_add(1, Ordering::Relaxed);
    RawWaker::new(word, &TABLE)
}

fn wake(word: *const ()) {
    wake_by_ref(word);
    forget(word);
}

fn wake_by_ref(word: *const ()) {
    FOREIGN[word.addr()].fetch_add(1, Ordering::Relaxed);
}

fn forget(_word: *const ()) {
    ALIVE.fetch_sub(1, Ordering::Relaxed);
}

/// A waker of another executor.
fn foreign(index: usize) -> Waker {
    let raw = clone(std::ptr::without_provenance(index));
    // SAFETY: the word is an index, and the functions count.
    unsafe { Waker::from_raw(raw) }
}

#[test]
fn a_delay_ends_at_its_tick() {
    let _turn = turn();
    let mut future = pin!(delay(Duration::from_ticks(10)));
    assert!(poll(future.as_mut(), 0).is_pending());
    pass(9);
    assert!(!woken(0) && poll(future.as_mut(), 0).is_pending());
    pass(1);
    assert!(woken(0) && poll(future.as_mut(), 0).is_ready());
}

#[test]
fn a_passed_deadline_is_ready_at_once() {
    let _turn = turn();
    pass(5);
    for ticks in [0, 1, Instant::now().as_ticks()] {
        assert!(poll(pin!(Timer::at(Instant::from_ticks(ticks))), 0).is_ready());
    }
    let mut never = pin!(Timer::after(Duration::MAX));
    assert!(poll(never.as_mut(), 0).is_pending());
    assert_eq!(never.deadline(), Instant::MAX);
}

#[test]
fn a_dropped_delay_wakes_nobody() {
    let _turn = turn();
    {
        let mut future = pin!(delay(Duration::from_ticks(3)));
        assert!(poll(future.as_mut(), 1).is_pending());
    }
    pass(10);
    assert!(!woken(1));
}

#[test]
fn the_last_poll_says_whom_to_wake() {
    let _turn = turn();
    let mut future = pin!(delay(Duration::from_ticks(3)));
    for slot in [1, 2, 2, 3] {
        assert!(poll(future.as_mut(), slot).is_pending());
    }
    pass(3);
    assert_eq!([woken(1), woken(2), woken(3)], [false, false, true]);
}

#[test]
fn a_reset_timer_waits_anew() {
    let _turn = turn();
    let start = Instant::now();
    let at = |ticks| start + Duration::from_ticks(ticks);
    let mut timer = pin!(Timer::at(at(5)));
    assert!(poll(timer.as_mut(), 0).is_pending());
    timer.as_mut().reset(at(9));
    assert!(poll(timer.as_mut(), 0).is_pending());
    pass(8);
    assert!(!woken(0) && poll(timer.as_mut(), 0).is_pending());
    pass(1);
    assert!(woken(0) && poll(timer.as_mut(), 0).is_ready());
    timer.as_mut().reset(at(12));
    assert!(poll(timer.as_mut(), 0).is_pending());
    pass(3);
    assert!(woken(0) && poll(timer.as_mut(), 0).is_ready());
}

#[test]
fn a_ticker_does_not_drift() {
    let _turn = turn();
    let start = Instant::now();
    let at = |ticks| start + Duration::from_ticks(ticks);
    let mut ticker = Ticker::every(Duration::from_ticks(10));
    for tick in 1..100 {
        {
            let mut next = pin!(ticker.next());
            // The task is late now and then, by several ticks.
            if start.elapsed() < Duration::from_ticks(10 * tick) {
                assert!(poll(next.as_mut(), 0).is_pending());
                pass((10 * tick - start.elapsed().as_ticks()) as u32);
            }
            assert_eq!(poll(next.as_mut(), 0), Poll::Ready(at(10 * tick)));
        }
        pass(tick as u32 % 19);
    }
    // Ticks 100 to 104 are past.
    pass((1049 - start.elapsed().as_ticks()) as u32);
    assert_eq!(poll(pin!(ticker.next()), 0), Poll::Ready(at(1000)));
    assert_eq!(ticker.skip_missed(), 4);
    assert!(poll(pin!(ticker.next()), 0).is_pending());
    pass(1);
    assert_eq!(ticker.skip_missed(), 0);
    assert_eq!(poll(pin!(ticker.next()), 0), Poll::Ready(at(1050)));
    // A period of nothing is a tick.
    let mut fastest = Ticker::starting_at(at(1050), Duration::from_ticks(0));
    assert!(poll(pin!(fastest.next()), 0).is_ready());
    assert!(poll(pin!(fastest.next()), 0).is_pending());
}

#[test]
fn what_takes_too_long_is_given_up() {
    let _turn = turn();
    let inner = delay(Duration::from_ticks(20));
    let mut future = pin!(timeout(Duration::from_ticks(5), inner));
    assert!(poll(future.as_mut(), 0).is_pending());
    pass(5);
    assert!(woken(0));
    assert_eq!(poll(future.as_mut(), 0), Poll::Ready(Err(TimeoutError)));
}

#[test]
fn what_is_ready_in_time_disarms_the_timeout() {
    let _turn = turn();
    let until = Instant::now() + Duration::from_ticks(20);
    {
        let mut future = pin!(deadline(until, delay(Duration::from_ticks(5))));
        assert!(poll(future.as_mut(), 0).is_pending());
        pass(5);
        assert!(woken(0));
        assert_eq!(poll(future.as_mut(), 0), Poll::Ready(Ok(())));
    }
    pass(30);
    assert!(!woken(0));
    // Both at the same time: the output counts.
    let both = Instant::now() + Duration::from_ticks(5);
    let mut future = pin!(deadline(both, Timer::at(both)));
    assert!(poll(future.as_mut(), 0).is_pending());
    pass(5);
    assert_eq!(poll(future.as_mut(), 0), Poll::Ready(Ok(())));
}

#[test]
fn drivers_delays_last_long_enough() {
    let _turn = turn();
    let mut delay = Delay;
    let mut future = pin!(embedded_hal_async::delay::DelayNs::delay_us(&mut delay, 10));
    assert!(poll(future.as_mut(), 0).is_pending());
    pass(10);
    assert!(poll(future.as_mut(), 0).is_pending());
    pass(1);
    assert!(poll(future.as_mut(), 0).is_ready());
}

/// `embassy_time`'s timers of one task share its node, which keeps the earliest deadline.
#[test]
fn timers_of_embassy_wake_tasks_and_others() {
    let _turn = turn();
    let mut long = pin!(embassy_time::Timer::after_ticks(20));
    let mut short = pin!(embassy_time::Timer::after_ticks(8));
    assert!(poll(long.as_mut(), 4).is_pending());
    assert!(poll(short.as_mut(), 4).is_pending());
    assert!(poll(long.as_mut(), 4).is_pending());
    pass(7);
    assert!(!woken(4));
    pass(1);
    assert!(woken(4) && poll(short.as_mut(), 4).is_ready());
    assert!(poll(long.as_mut(), 4).is_pending());
    pass(12);
    assert!(woken(4) && poll(long.as_mut(), 4).is_ready());
}

/// More foreign wakers than nodes: those without one are woken at once, and nobody is forgotten.
#[test]
fn foreign_wakers_beyond_the_nodes_poll() {
    let _turn = turn();
    let wakers: Vec<Waker> = (0..6).map(foreign).collect();
    let count = |index: usize| FOREIGN[index].swap(0, Ordering::Relaxed);
    let now = Instant::now().as_ticks();
    for (index, waker) in wakers.iter().enumerate() {
        super::wakes::schedule(now + 10 + index as u64, waker);
    }
    assert_eq!([0, 1, 2, 3, 4, 5].map(count), [0, 0, 0, 0, 1, 1]);
    // An earlier wish of one that has a node, and a later one.
    super::wakes::schedule(now + 5, &wakers[3]);
    super::wakes::schedule(now + 50, &wakers[2]);
    pass(5);
    assert_eq!([0, 1, 2, 3, 4, 5].map(count), [0, 0, 0, 1, 0, 0]);
    super::wakes::schedule(now + 14, &wakers[4]);
    pass(9);
    assert_eq!([0, 1, 2, 3, 4, 5].map(count), [1, 1, 1, 0, 1, 0]);
    pass(50);
    assert_eq!([0, 1, 2, 3, 4, 5].map(count), [0; 6]);
    drop(wakers);
    assert_eq!(ALIVE.load(Ordering::Relaxed), 0, "each is dropped once");
}
