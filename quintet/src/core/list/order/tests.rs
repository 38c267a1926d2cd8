//! Waiters that change places while others are visited, move or arrive.

use std::boxed::Box;
use std::pin::Pin;
use std::vec::Vec;

use crate::core::list::{Linked, Search, Searcher, State, Visit, WaitList, Waiter};
use crate::core::lock::{KernelLock, kernel};
use crate::core::record::WakeTarget;
use crate::core::wake::host::waker;
use crate::sync::tests::model::{random_sequences, under_miri};

/// The waiters' priorities, which are also their demands.
const PRIORITIES: [u8; 4] = [9, 3, 2, 1];
/// The waiter that is moved, between the first and the second: both ends of the list stay.
const MOVED: usize = 2;
const MOVED_TO: u8 = 5;

/// Makes one visit that grants nothing. Returns the demand of the visited waiter.
fn visit(list: &WaitList<u8>, search: &mut Search<u8>) -> Option<u8> {
    let mut seen = None;
    let visit = kernel(|lock| {
        list.grant_next(lock, search, |wanted| {
            seen = Some(*wanted);
            false
        })
    });
    assert!(!matches!(visit, Visit::Granted(_)));
    seen
}

#[test]
fn a_visit_sees_who_is_moved_before_it() {
    let list = WaitList::new();
    let waiters = PRIORITIES.map(|priority| Box::pin(Waiter::new(priority)));
    for (waiter, priority) in waiters.iter().zip(PRIORITIES) {
        let target = WakeTarget::job(waker(1, priority.into()));
        // SAFETY: the waiter is idle, and prepared with this priority; the list is emptied below.
        // The place of each waiter is at the tail.
        let linked = unsafe {
            waiter.prepare(target, priority);
            kernel(|lock| list.link(lock, waiter.as_ref(), priority, Searcher::at_hand()))
        };
        assert_eq!(linked, Linked::Done);
    }
    let mut search = Search::new();
    // Tests run side by side, and a search in another list lets this search begin anew.
    while visit(&list, &mut search) != Some(PRIORITIES[MOVED - 1]) {}

    // SAFETY: the waiter is linked in this list.
    let step = || kernel(|lock| unsafe { list.move_waiter(lock, &waiters[MOVED], MOVED_TO) });
    while step() == Linked::Again {}

    let rest: Vec<u8> = std::iter::from_fn(|| visit(&list, &mut search)).collect();
    while kernel(|lock| list.pop(lock)).is_some() {}
    assert!(rest.contains(&PRIORITIES[MOVED]), "after the move, only {rest:?} were visited");
}

/// The number of waiters that arrive at a list, leave and are moved.
const WAITERS: usize = 6;
/// The number of their priorities.
const RANKS: usize = 4;

/// Returns the priorities of a list's waiters, in the list's order.
fn ranks(list: &WaitList<()>) -> Vec<u8> {
    kernel(|_lock| {
        let mut next = list.head.get();
        std::iter::from_fn(|| {
            // SAFETY: INVARIANT(linked-alive).
            let waiter = unsafe { next?.as_ref() };
            next = waiter.next.get();
            Some(waiter.priority.get())
        })
        .collect()
    })
}

/// Links a waiter that isn't linked, with all steps of the search.
fn link(list: &WaitList<()>, waiter: &Pin<Box<Waiter<()>>>, priority: u8) {
    // SAFETY: the waiter is idle, and prepared with this priority; the caller empties the list.
    unsafe {
        waiter.prepare(WakeTarget::job(waker(1, priority.into())), priority);
        let step =
            |lock: &KernelLock<'_>| list.link(lock, waiter.as_ref(), priority, Searcher::at_hand());
        while kernel(step) == Linked::Again {}
    }
}

#[test]
fn a_list_is_in_order_behind_each_place_whoever_else_moves_or_comes() {
    let length = under_miri(20, 40);
    random_sequences(WAITERS * (RANKS + 1), length, under_miri(5, 5000), |sequence| {
        let list = WaitList::new();
        let waiters: [_; WAITERS] = std::array::from_fn(|_| Box::pin(Waiter::new(())));
        for operation in sequence {
            let (index, priority) = (operation % WAITERS, operation / WAITERS);
            let waiter = &waiters[index];
            let linked = kernel(|lock| waiter.state(lock)) == State::Linked;
            match priority {
                RANKS => {
                    let _first = kernel(|lock| list.pop(lock));
                    waiters.iter().for_each(|waiter| {
                        let _seen = waiter.take_grant();
                    });
                }
                priority if linked => {
                    // SAFETY: the waiter is linked in this list. Each step moves the waiter to
                    // another place.
                    let _linked = kernel(|lock| unsafe {
                        list.move_waiter(lock, waiter, priority as u8 + 1)
                    });
                }
                priority => link(&list, waiter, priority as u8 + 1),
            }
            let ranks = ranks(&list);
            assert!(ranks.is_sorted_by(|one, next| one >= next), "{ranks:?} in {sequence:?}");
        }
        while kernel(|lock| list.pop(lock)).is_some() {}
    });
}

/// Returns the places in `waiters` of a list's waiters, in the list's order.
fn places(list: &WaitList<()>, waiters: &[Pin<Box<Waiter<()>>>]) -> Vec<usize> {
    kernel(|_lock| {
        let mut next = list.head.get();
        std::iter::from_fn(|| {
            // SAFETY: INVARIANT(linked-alive).
            let waiter = unsafe { next?.as_ref() };
            next = waiter.next.get();
            waiters.iter().position(|one| std::ptr::eq(&raw const **one, waiter))
        })
        .collect()
    })
}

#[test]
fn a_waiter_that_is_moved_stays_on_its_side_of_its_new_equals() {
    // The priorities, the index of the waiter that is moved, its new priority, and the new order.
    for (priorities, index, priority, expected) in [
        ([9, 5, 5, 3], 3, 5, [0, 1, 2, 3]),
        ([9, 5, 5, 3], 3, 6, [0, 3, 1, 2]),
        ([9, 5, 5, 3], 3, 9, [0, 3, 1, 2]),
        ([9, 5, 5, 3], 0, 5, [0, 1, 2, 3]),
        ([9, 5, 5, 3], 0, 4, [1, 2, 0, 3]),
        ([9, 5, 5, 3], 0, 3, [1, 2, 0, 3]),
        ([9, 5, 5, 3], 1, 5, [0, 1, 2, 3]),
        ([9, 5, 5, 3], 2, 5, [0, 1, 2, 3]),
        ([9, 5, 5, 3], 1, 4, [0, 2, 1, 3]),
        ([9, 5, 5, 3], 2, 6, [0, 2, 1, 3]),
    ] {
        let list = WaitList::new();
        let waiters: [_; 4] = std::array::from_fn(|_| Box::pin(Waiter::new(())));
        for (waiter, priority) in waiters.iter().zip(priorities) {
            link(&list, waiter, priority);
        }
        // SAFETY: the waiter is linked in this list.
        let step = || kernel(|lock| unsafe { list.move_waiter(lock, &waiters[index], priority) });
        while step() == Linked::Again {}
        let (order, ranks) = (places(&list, &waiters), ranks(&list));
        while kernel(|lock| list.pop(lock)).is_some() {}
        assert_eq!(order, expected, "{index} of {priorities:?} to {priority}");
        assert!(ranks.is_sorted_by(|one, next| one >= next), "{ranks:?}");
    }
}
