//! A task's cell under every interleaving of spawns, wakes and polls.

use std::cell::RefCell;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use super::{Cell, align, size};
use crate::arch::explore::{Scenario, explore};
use crate::arch::pend;
use crate::core::level::{One, Ready};
use crate::core::wake::host::waker;

/// The number of the level's interrupt.
const VECTOR: u16 = 3;
/// The task's word: slot 0.
const WORD: u32 = 0x8000_0000;

thread_local! {
    static LOG: RefCell<Vec<&'static str>> = const { RefCell::new(Vec::new()) };
}

fn log(what: &'static str) {
    LOG.with_borrow_mut(|log| log.push(what));
}

fn count(what: &str) -> usize {
    LOG.with_borrow(|log| log.iter().filter(|entry| **entry == what).count())
}

/// Ends at its second poll, and says when it is polled and dropped.
struct Twice {
    polled: bool,
    /// Bytes that would show if another thing were built over them.
    pattern: Box<[u8; 4]>,
}

impl Future for Twice {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<()> {
        assert_eq!(*self.pattern, [1, 2, 3, 4]);
        log("poll");
        if self.polled {
            return Poll::Ready(());
        }
        self.polled = true;
        Poll::Pending
    }
}

impl Drop for Twice {
    fn drop(&mut self) {
        log("drop");
    }
}

fn make() -> Twice {
    Twice { polled: false, pattern: Box::new([1, 2, 3, 4]) }
}

type TwiceCell = Cell<{ size(make) }, { align(make) }>;

/// A level with one task in a scenario.
struct Task<S: 'static> {
    cell: &'static TwiceCell,
    slots: &'static S,
}

impl<S: 'static> Clone for Task<S> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<S: 'static> Copy for Task<S> {}

/// Gives a task `'static` memory for one run, and takes it back.
fn with_task<S: 'static>(slots: S, scenario: impl FnOnce(Task<S>)) {
    let cell = Box::into_raw(Box::new(TwiceCell::new()));
    let slots = Box::into_raw(Box::new(slots));
    // SAFETY: the memory lives until the end of this function, and so does every use.
    scenario(unsafe { Task { cell: &*cell, slots: &*slots } });
    // SAFETY: from `into_raw` above; no future is alive, as scenarios end their tasks.
    unsafe {
        drop(Box::from_raw(cell));
        drop(Box::from_raw(slots));
    }
}

fn spawn<S>(task: Task<S>, wake: impl Fn()) -> bool {
    if !task.cell.claim() {
        return false;
    }
    log("spawn");
    // SAFETY: claimed; the maker is the task's.
    unsafe { task.cell.fill(make, make) };
    wake();
    true
}

fn poll<S>(task: Task<S>) {
    // SAFETY: from the level only, which the scenario doesn't nest.
    unsafe { task.cell.poll(make, &waker(2, 0)) };
}

thread_local! {
    /// The task that a job polls: jobs have no argument.
    static POLLED: RefCell<Option<Task<Ready>>> = const { RefCell::new(None) };
}

unsafe extern "C" fn job() {
    if let Some(task) = POLLED.with_borrow(|task| *task) {
        poll(task);
    }
}

/// Spawns and wakes at every point, from two interrupts above the level and from below it.
fn spawn_and_wake<S: 'static>(scenario: &Scenario, task: Task<S>, set: fn(&S), round: fn(Task<S>)) {
    LOG.with_borrow_mut(Vec::clear);
    let wake = move || {
        set(task.slots);
        pend(VECTOR);
    };
    scenario.level(VECTOR, 2, move || round(task));
    scenario.interrupt(3, move || {
        spawn(task, wake);
    });
    scenario.interrupt(4, wake);
    scenario.run(|| {
        spawn(task, wake);
        wake();
    });
    // Let what is alive end.
    wake();
    round(task);
    round(task);
    wake();
    round(task);
    wake();
    round(task);
    assert_eq!(count("drop"), count("spawn"), "{:?}", LOG.take());
    assert_eq!(count("poll"), 2 * count("spawn"), "{:?}", LOG.take());
    assert!(task.cell.claim(), "free again");
}

#[test]
fn every_spawn_is_polled_to_its_end_on_a_level_of_bits() {
    let runs = explore(|scenario| {
        with_task(Ready::new(), |task| {
            POLLED.set(Some(task));
            spawn_and_wake(
                scenario,
                task,
                |slots| slots.set(WORD),
                |task| {
                    // SAFETY: from the level only.
                    unsafe { task.slots.run_round(&[job]) };
                },
            );
        });
    });
    assert!(cfg!(miri) || runs > 100, "{runs}");
}

#[test]
fn every_spawn_is_polled_to_its_end_on_a_level_of_one() {
    let runs = explore(|scenario| {
        with_task(One::new(), |task| {
            spawn_and_wake(scenario, task, One::set, |task| {
                if task.slots.take() {
                    poll(task);
                }
            });
        });
    });
    assert!(cfg!(miri) || runs > 50, "{runs}");
}

#[test]
fn a_second_spawn_is_refused_until_the_first_has_ended() {
    with_task(Ready::new(), |task| {
        assert!(spawn(task, || {}));
        assert!(!spawn(task, || {}));
        poll(task);
        assert!(!spawn(task, || {}));
        poll(task);
        assert!(spawn(task, || {}));
        poll(task);
        poll(task);
    });
}
