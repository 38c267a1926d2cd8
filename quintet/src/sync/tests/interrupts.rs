//! Semaphores and wait lists under every interleaving of interrupts that use them too.

use std::cell::RefCell;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

use super::model::{keep, under_miri};
use crate::arch::explore::{KERNEL, explore};
use crate::core::wake::host::{waker, was_woken};
use crate::sync::Semaphore;
use crate::sync::semaphore::Taking;

/// A waiter, reached from the handler that plays it and from the check at the end.
#[derive(Clone)]
struct Waiter {
    future: Rc<RefCell<Option<Pin<Box<Taking<'static>>>>>>,
    waker: Waker,
    slot: (usize, u32),
}

impl Waiter {
    fn new(semaphore: &'static Semaphore, priority: usize, slot: u32) -> Self {
        was_woken(priority, slot);
        let future = Rc::new(RefCell::new(Some(Box::pin(semaphore.take()))));
        Self { future, waker: waker(priority, slot), slot: (priority, slot) }
    }

    /// Polls the future. Returns `true` if it has got a permit, now or before.
    fn poll(&self) -> bool {
        let mut future = self.future.borrow_mut();
        let Some(pinned) = future.as_mut() else { return true };
        let ready = pinned.as_mut().poll(&mut Context::from_waker(&self.waker)) == Poll::Ready(());
        if ready {
            *future = None;
        }
        ready
    }

    /// Drops the future. Returns `true` if it had not got a permit.
    fn cancel(&self) -> bool {
        self.future.borrow_mut().take().is_some()
    }

    fn was_woken(&self) -> bool {
        was_woken(self.slot.0, self.slot.1)
    }
}

/// Gives a permit at any time while a waiter begins to wait: the permit is not lost.
#[test]
fn a_permit_given_while_registering_is_not_lost() {
    let runs = explore(|scenario| {
        let semaphore = keep(Semaphore::new(0));
        let waiter = Waiter::new(semaphore, 1, 20);
        scenario.interrupt(2, || semaphore.give());
        let theirs = waiter.clone();
        scenario.run(move || {
            theirs.poll();
        });
        let woken = waiter.was_woken();
        let had = waiter.future.borrow().is_none();
        assert!(had || woken, "neither served nor woken");
        assert!(waiter.poll(), "woken without a permit");
        assert_eq!(semaphore.available(), 0);
    });
    assert!(runs >= 4, "{runs}");
}

/// A waiter is cancelled while permits come and others wait: every permit is somewhere.
#[test]
fn a_cancelled_waiter_passes_its_permit_on() {
    let runs = explore(|scenario| {
        let semaphore = keep(Semaphore::new(0));
        let cancelled = Waiter::new(semaphore, 2, 20);
        let first = Waiter::new(semaphore, 1, 21);
        let second = Waiter::new(semaphore, 3, 21);
        scenario.interrupt(2, || semaphore.give());
        if cfg!(miri) {
            semaphore.give();
        } else {
            scenario.interrupt(4, || semaphore.give());
        }
        let theirs = second.clone();
        scenario.interrupt(3, move || {
            theirs.poll();
        });
        let (first_too, cancelled_too) = (first.clone(), cancelled);
        scenario.run(move || {
            let served = cancelled_too.poll();
            first_too.poll();
            if !served {
                cancelled_too.cancel();
            } else {
                semaphore.give();
            }
        });
        for waiter in [&first, &second] {
            let woken = waiter.was_woken();
            let had = waiter.future.borrow().is_none();
            assert!(had || woken, "two permits for two waiters, and one sleeps");
            assert!(waiter.poll());
        }
        assert_eq!(semaphore.available(), 0);
    });
    assert!(runs > under_miri(0, 1000), "{runs}");
}

/// Searches a place in the middle of the list in several sections. Other waiters come, go and are
/// served in between; the order is kept.
#[test]
fn a_search_that_is_interrupted_finds_the_right_place() {
    let runs = explore(|scenario| {
        let semaphore = keep(Semaphore::new(0));
        let urgent = Waiter::new(semaphore, 3, 22);
        let low: Vec<_> = (23..28).map(|slot| Waiter::new(semaphore, 1, slot)).collect();
        let middle = Waiter::new(semaphore, 2, 22);
        let middle_too = Waiter::new(semaphore, 2, 23);
        urgent.poll();
        for waiter in &low {
            waiter.poll();
        }
        // One of the passed waiters goes; the most urgent is served; another one comes.
        let gone = low[3].clone();
        if cfg!(miri) {
            gone.cancel();
        } else {
            scenario.interrupt(2, move || {
                gone.cancel();
            });
        }
        scenario.interrupt(3, || semaphore.give());
        let theirs = middle_too.clone();
        scenario.interrupt(4, move || {
            theirs.poll();
        });
        let searching = middle.clone();
        scenario.run(move || {
            assert!(!searching.poll());
        });
        assert!(urgent.poll(), "the most urgent is served first");
        // The rest is served in order: both of priority 2, then priority 1 in the order of arrival.
        let rest = [&low[0], &low[1], &low[2], &low[4]];
        semaphore.give();
        semaphore.give();
        assert!(middle.poll() && middle_too.poll(), "2 before 1");
        for waiter in rest {
            assert!(!waiter.poll());
            semaphore.give();
            assert!(waiter.poll(), "first come first served");
        }
        assert_eq!(semaphore.available(), 0);
    });
    assert!(runs > under_miri(0, 1000), "{runs}");
}

/// Serves waiters of one priority in the order of arrival, however they were interrupted: a waiter
/// that had arrived before another one began to arrive is served first.
#[test]
fn equals_are_served_as_they_came() {
    let runs = explore(|scenario| {
        let semaphore = keep(Semaphore::new(0));
        let log = Rc::new(RefCell::new(Vec::new()));
        let waiters: Vec<_> = (28..31).map(|slot| Waiter::new(semaphore, 1, slot)).collect();
        let arrive = |index: usize| {
            let (waiter, log) = (waiters[index].clone(), Rc::clone(&log));
            move || {
                log.borrow_mut().push(("begins", index));
                assert!(!waiter.poll());
                log.borrow_mut().push(("arrived", index));
            }
        };
        scenario.interrupt(2, arrive(1));
        scenario.interrupt(KERNEL, arrive(2));
        scenario.run(arrive(0));
        let mut served = Vec::new();
        for _ in 0..3 {
            semaphore.give();
            served.extend((0..3).filter(|index| waiters[*index].was_woken()));
        }
        let log = log.borrow();
        let at = |entry| log.iter().position(|logged| *logged == entry);
        let place = |index| served.iter().position(|served| *served == index);
        for (before, after) in [(0, 1), (1, 0), (0, 2), (2, 0), (1, 2), (2, 1)] {
            if at(("arrived", before)) < at(("begins", after)) {
                assert!(place(before) < place(after), "{served:?} for {log:?}");
            }
        }
        assert_eq!(served.len(), 3);
    });
    assert!(runs > 20, "{runs}");
}

/// The future's waker changes between polls: the new one is woken, in its own order.
#[test]
fn a_waiter_that_moves_to_another_task_is_woken_there() {
    let semaphore = Semaphore::new(0);
    let mut first = Box::pin(semaphore.take());
    let mut second = Box::pin(semaphore.take());
    let poll = |future: &mut Pin<Box<Taking<'_>>>, priority, slot| {
        future.as_mut().poll(&mut Context::from_waker(&waker(priority, slot))).is_ready()
    };
    assert!(!poll(&mut first, 1, 7));
    assert!(!poll(&mut second, 1, 31));
    // The same priority: the place is kept.
    assert!(!poll(&mut first, 1, 22));
    semaphore.give();
    assert!(was_woken(1, 22) && !was_woken(1, 7) && !was_woken(1, 31));
    assert!(poll(&mut first, 1, 22));
    // Another priority: a place among those.
    let mut first = Box::pin(semaphore.take());
    assert!(!poll(&mut first, 0, 30));
    assert!(!poll(&mut first, 3, 30));
    semaphore.give();
    assert!(was_woken(3, 30) && !was_woken(0, 30) && !was_woken(1, 31));
}

/// Wakers of another executor are counted: each that was cloned is dropped or used up.
#[test]
fn wakers_of_others_are_given_back() {
    struct Other;
    impl std::task::Wake for Other {
        fn wake(self: std::sync::Arc<Self>) {
            // Wakers are called with the lock released: another operation can take it.
            assert!(!crate::arch::mask::is_held());
        }
    }
    let other = std::sync::Arc::new(Other);
    let waker = Waker::from(std::sync::Arc::clone(&other));
    let semaphore = Semaphore::new(0);
    let mut context = Context::from_waker(&waker);
    let mut futures: Vec<_> = (0..3).map(|_| Box::pin(semaphore.take())).collect();
    for future in &mut futures {
        assert!(future.as_mut().poll(&mut context).is_pending());
        assert!(future.as_mut().poll(&mut context).is_pending());
    }
    assert_eq!(std::sync::Arc::strong_count(&other), 5);
    semaphore.give();
    assert_eq!(std::sync::Arc::strong_count(&other), 4);
    drop(futures);
    assert_eq!(std::sync::Arc::strong_count(&other), 2);
    assert_eq!(semaphore.available(), 1);
}
