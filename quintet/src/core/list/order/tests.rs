//! Waiters that change places while others are visited.

use std::boxed::Box;
use std::vec::Vec;

use crate::arch::waker;
use crate::core::list::{Linked, Search, Searcher, Visit, WaitList, Waiter};
use crate::core::lock::kernel;
use crate::core::wake::Wakee;

/// The waiters' priorities, which are what they want as well.
const PRIORITIES: [u8; 4] = [9, 3, 2, 1];
/// Who is moved, between the first and the second: both ends of the list stay.
const MOVED: usize = 2;
const MOVED_TO: u8 = 5;

/// One visit, of which nobody is granted anything: what the visited one wants.
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
        let wakee = Wakee::job(waker(1, priority.into()));
        // SAFETY: it is idle, and prepared with this priority; the list is emptied below. Each
        // belongs at the tail.
        let linked = unsafe {
            waiter.prepare(wakee, priority);
            kernel(|lock| list.link(lock, waiter.as_ref(), priority, Searcher::at_hand()))
        };
        assert_eq!(linked, Linked::Done);
    }
    let mut search = Search::new();
    // Tests run side by side, and a search of another list lets this one begin anew.
    while visit(&list, &mut search) != Some(PRIORITIES[MOVED - 1]) {}

    // SAFETY: it is linked there.
    let step = || kernel(|lock| unsafe { list.move_waiter(lock, &waiters[MOVED], MOVED_TO) });
    while step() == Linked::Again {}

    let rest: Vec<u8> = std::iter::from_fn(|| visit(&list, &mut search)).collect();
    while kernel(|lock| list.pop(lock)).is_some() {}
    assert!(rest.contains(&PRIORITIES[MOVED]), "after the move, only {rest:?} were visited");
}
