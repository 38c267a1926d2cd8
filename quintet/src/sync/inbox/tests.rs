//! Inboxes that a task serves, with posts at every point. (A thread waits as for a signal.)

use std::cell::RefCell;
use std::future::Future;
use std::pin::pin;
use std::rc::Rc;
use std::task::{Context, Poll};

use super::Inbox;
use crate::arch::explore::explore;
use crate::core::wake::host::{waker, was_woken};
use crate::sync::tests::model::keep;

#[test]
fn a_task_serves_events_in_order() {
    let inbox = Inbox::<u8, 4>::new("log");
    let seen = RefCell::new(Vec::new());
    let waker = waker(1, 3);
    let mut context = Context::from_waker(&waker);
    let mut serve = pin!(inbox.serve_async(async |event| seen.borrow_mut().push(event)));
    inbox.post(1);
    inbox.post(2);
    inbox.post_front(0);
    assert!(serve.as_mut().poll(&mut context).is_pending());
    assert_eq!(*seen.borrow(), [0, 1, 2]);
    assert!(!was_woken(1, 3));
    inbox.post(3);
    assert!(was_woken(1, 3));
    assert!(serve.as_mut().poll(&mut context).is_pending());
    assert_eq!(*seen.borrow(), [0, 1, 2, 3]);
}

#[test]
fn a_dropped_wait_takes_nothing() {
    let inbox = Inbox::<u8, 2>::new("log");
    let waker = waker(1, 4);
    let mut context = Context::from_waker(&waker);
    {
        let mut next = pin!(inbox.next());
        assert_eq!(next.as_mut().poll(&mut context), Poll::Pending);
        inbox.post(1);
    }
    let mut next = pin!(inbox.next());
    assert_eq!(next.as_mut().poll(&mut context), Poll::Ready(1));
    assert_eq!(inbox.try_next(), None);
}

#[test]
fn it_stops_and_starts() {
    let inbox = Inbox::<u8, 2>::new("log");
    inbox.post(1);
    inbox.stop();
    assert!(inbox.is_stopped());
    assert_eq!((inbox.try_post(2), inbox.try_next()), (Err(2), None));
    inbox.start();
    assert_eq!((inbox.try_post(3), inbox.try_post_margin(4, 1)), (Ok(()), Err(4)));
    assert_eq!((inbox.queue().len, inbox.try_next()), (1, Some(3)));
}

#[test]
#[should_panic = "the queue of the actor `log` is full (1 events)"]
fn a_refusal_names_it() {
    let inbox = Inbox::<u8, 1>::new("log");
    inbox.post(1);
    inbox.post_front(2);
}

#[test]
fn a_handle_posts_to_it() {
    let inbox = keep(Inbox::<u8, 2>::new("log"));
    let handle = keep(inbox.address()).handle();
    handle.post(2);
    handle.post_front(1);
    assert_eq!((handle.name(), handle.queue().high_water), ("log", 2));
    assert_eq!([inbox.try_next(), inbox.try_next()], [Some(1), Some(2)]);
}

/// Misses no event in any order of events, as each post wakes the waiter.
#[test]
fn no_event_is_missed() {
    let runs = explore(|scenario| {
        let inbox = Rc::new(Inbox::<u8, 4>::new("log"));
        for (priority, event) in [(1, 1), (2, 2)] {
            let inbox = Rc::clone(&inbox);
            scenario.interrupt(priority, move || inbox.post(event));
        }
        let mut taken = Vec::new();
        let mut next = pin!(inbox.next());
        let waker = waker(2, 5);
        let mut context = Context::from_waker(&waker);
        let _stale = was_woken(2, 5);
        scenario.run(|| {
            if let Poll::Ready(event) = next.as_mut().poll(&mut context) {
                taken.push(event);
                next.set(inbox.next());
            }
        });
        while inbox.queue().len != 0 {
            // The future either waits, and was woken, or was never polled.
            let was_woken = was_woken(2, 5);
            assert!(was_woken || !taken.is_empty());
            let Poll::Ready(event) = next.as_mut().poll(&mut context) else {
                panic!("an event is there")
            };
            taken.push(event);
            next.set(inbox.next());
        }
        taken.sort_unstable();
        assert_eq!(taken, [1, 2]);
    });
    assert!(cfg!(miri) || runs > 20, "{runs}");
}
