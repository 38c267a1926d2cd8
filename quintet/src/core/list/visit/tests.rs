//! Visits of the waiters of one list.

#![expect(unsafe_code, reason = "waiters are linked")]

use std::boxed::Box;
use std::vec::Vec;

use crate::core::list::{Linked, Search, Searcher, Visit, WaitList, Waiter};
use crate::core::lock::kernel;
use crate::core::record::WakeTarget;
use crate::core::wake::host::waker;

/// The number of waiters.
const WAITERS: u8 = 5;

/// Visits all waiters, whose demands are their numbers, and grants those in `granted`. Returns the
/// visited numbers, in their order.
fn visited(granted: u32) -> Vec<u8> {
    let list = WaitList::new();
    let waiters: Vec<_> = (0..WAITERS).map(|number| Box::pin(Waiter::new(number))).collect();
    let mut seen = Vec::new();
    // In one section: tests run side by side, and a search in another list between two visits
    // would let this search begin anew.
    kernel(|lock| {
        for waiter in &waiters {
            // SAFETY: the waiter is idle, and prepared with this priority; the list is emptied
            // below.
            let linked = unsafe {
                waiter.prepare(WakeTarget::job(waker(1, 3)), 1);
                list.link(lock, waiter.as_ref(), 1, Searcher::at_hand())
            };
            assert_eq!(linked, Linked::Done);
        }
        let mut search = Search::new();
        // Twice as many visits as are right, so that wrong ones end.
        for _ in 0..2 * WAITERS {
            let visit = list.grant_next(lock, &mut search, |&number| {
                seen.push(number);
                granted >> number & 1 != 0
            });
            if let Visit::End = visit {
                break;
            }
        }
        while list.pop(lock).is_some() {}
    });
    seen
}

#[test]
fn each_waiter_is_visited_once_and_in_order_whoever_is_granted_something() {
    for granted in 0..1 << WAITERS {
        assert_eq!(visited(granted), (0..WAITERS).collect::<Vec<_>>(), "{granted:#b}");
    }
}
