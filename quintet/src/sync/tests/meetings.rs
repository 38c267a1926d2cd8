//! Barriers and mailboxes when a waiter gives up, or is overtaken.

use std::cell::RefCell;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};

use super::model::keep;
use crate::arch::explore::{KERNEL, explore};
use crate::core::wake::host::{waker, was_woken};
use crate::sync::mailbox::{NoMessage, Occupied};
use crate::sync::{Barrier, Mailbox};

fn poll<F: Future>(future: &mut Pin<Box<F>>, priority: usize, slot: u32) -> Poll<F::Output> {
    future.as_mut().poll(&mut Context::from_waker(&waker(priority, slot)))
}

#[test]
fn who_gives_up_before_all_have_arrived_has_not_arrived() {
    let barrier = Barrier::new(3);
    let (mut first, mut second) = (Box::pin(barrier.wait()), Box::pin(barrier.wait()));
    assert!(poll(&mut first, 1, 20).is_pending());
    assert!(poll(&mut second, 1, 21).is_pending());
    drop(second);
    assert!(!barrier.arrive(), "one is missing again");
    assert!(!was_woken(1, 20));
    assert!(barrier.arrive());
    assert!(was_woken(1, 20) && !was_woken(1, 21));
    // The next round begins at once, and a passed waiter doesn't take part when it is dropped.
    let mut third = Box::pin(barrier.wait());
    assert!(poll(&mut third, 1, 22).is_pending());
    assert_eq!(poll(&mut first, 1, 20), Poll::Ready(false));
    drop(first);
    assert!(!barrier.arrive());
    assert_eq!(poll(&mut Box::pin(barrier.wait()), 1, 23), Poll::Ready(true));
    assert!(was_woken(1, 22));
    assert_eq!(poll(&mut third, 1, 22), Poll::Ready(false));
}

/// Lets a task of an interrupt arrive anywhere while the last one lets the others continue: then
/// this task is the first of the next round, and waits.
#[test]
fn who_arrives_while_the_others_are_let_go_waits_for_the_next_round() {
    let runs = explore(|run| {
        let barrier = keep(Barrier::new(3));
        let mut others = [20, 21].map(|slot| (Box::pin(barrier.wait()), slot));
        for (other, slot) in &mut others {
            was_woken(1, *slot);
            assert!(poll(other, 1, *slot).is_pending());
        }
        was_woken(2, 22);
        let own = Rc::new(RefCell::new(Box::pin(barrier.wait())));
        let came = Rc::new(RefCell::new(Poll::Pending));
        let (theirs, theirs_came) = (Rc::clone(&own), Rc::clone(&came));
        run.interrupt(KERNEL, move || {
            *theirs_came.borrow_mut() = poll(&mut theirs.borrow_mut(), 2, 22);
        });
        let mut was_last = false;
        run.run(|| was_last = barrier.arrive());
        for (other, slot) in &mut others {
            assert!(was_woken(1, *slot));
            assert_eq!(poll(other, 1, *slot), Poll::Ready(false));
        }
        // One of the two was the last of the round, and the other is the first of the next.
        assert_eq!(came.borrow().is_ready(), !was_last);
        if was_last {
            assert!(!was_woken(2, 22) && poll(&mut own.borrow_mut(), 2, 22).is_pending());
        }
    });
    assert!(runs > 3, "{runs}");
}

#[test]
fn who_was_handed_a_message_sees_the_one_that_replaced_it() {
    let mailbox = Mailbox::new();
    let mut taking = Box::pin(mailbox.take());
    assert!(poll(&mut taking, 2, 20).is_pending());
    mailbox.try_post(String::from("first")).unwrap();
    assert!(was_woken(2, 20));
    assert_eq!(mailbox.try_take(), Err(NoMessage), "it is handed over");
    assert_eq!(mailbox.replace(String::from("second")).as_deref(), Some("first"));
    assert_eq!(poll(&mut taking, 2, 20), Poll::Ready(String::from("second")));
    assert_eq!(mailbox.try_take(), Err(NoMessage));
}

#[test]
fn who_was_handed_the_place_waits_behind_a_message_that_came_there() {
    let mailbox = Mailbox::new();
    mailbox.try_post(1).unwrap();
    let mut posting = Box::pin(mailbox.post(2));
    assert!(poll(&mut posting, 2, 21).is_pending());
    assert_eq!(mailbox.try_take(), Ok(1));
    assert!(was_woken(2, 21));
    assert_eq!(mailbox.try_post(3), Err(Occupied(3)), "the place is handed over");
    // 2 isn't there yet: 4 comes before 2, and replaces nothing.
    assert_eq!(mailbox.replace(4), None);
    assert!(mailbox.is_full());
    assert!(poll(&mut posting, 2, 21).is_pending());
    assert_eq!(mailbox.try_take(), Ok(4));
    assert!(was_woken(2, 21));
    assert_eq!(poll(&mut posting, 2, 21), Poll::Ready(()));
    assert_eq!(mailbox.try_take(), Ok(2));
    assert_eq!(mailbox.try_take(), Err(NoMessage));
    mailbox.try_post(5).unwrap();
    assert_eq!(mailbox.try_take(), Ok(5));
}

#[test]
fn who_was_handed_the_place_has_it_behind_a_message_that_came_before() {
    let mailbox = Mailbox::new();
    mailbox.try_post(1).unwrap();
    let mut posting = Box::pin(mailbox.post(2));
    assert!(poll(&mut posting, 2, 26).is_pending());
    assert_eq!(mailbox.try_take(), Ok(1));
    assert_eq!(mailbox.replace(3), None);
    // 3 is there at once, and the taker leaves the place to 2.
    assert_eq!(mailbox.try_take(), Ok(3));
    assert_eq!(mailbox.try_post(4), Err(Occupied(4)));
    assert_eq!(poll(&mut posting, 2, 26), Poll::Ready(()));
    assert_eq!(mailbox.try_take(), Ok(2));
    mailbox.try_post(5).unwrap();
    assert_eq!(mailbox.try_take(), Ok(5));
}

#[test]
fn a_message_that_replaced_that_of_who_gives_up_is_there() {
    let mailbox = Mailbox::new();
    mailbox.try_post(1).unwrap();
    let mut posting = Box::pin(mailbox.post(2));
    assert!(poll(&mut posting, 2, 24).is_pending());
    assert_eq!(mailbox.try_take(), Ok(1));
    assert_eq!(mailbox.replace(3), None);
    assert!(mailbox.is_full());
    drop(posting);
    assert_eq!(mailbox.try_post(4), Err(Occupied(4)));
    assert_eq!(mailbox.try_take(), Ok(3));
    mailbox.try_post(5).unwrap();
    assert_eq!(mailbox.try_take(), Ok(5));
}

#[test]
fn who_has_posted_takes_the_place_of_nobody() {
    let mailbox = Mailbox::new();
    let mut posting = Box::pin(mailbox.post(1));
    assert_eq!(poll(&mut posting, 2, 25), Poll::Ready(()));
    assert_eq!(poll(&mut posting, 2, 25), Poll::Ready(()), "it doesn't wait");
    assert_eq!(mailbox.try_take(), Ok(1));
    assert_eq!(poll(&mut posting, 2, 25), Poll::Ready(()));
    mailbox.try_post(2).expect("the place is free");
    assert_eq!(mailbox.try_take(), Ok(2));
}

#[test]
fn a_message_that_nobody_takes_goes_to_the_next() {
    let mailbox = Mailbox::new();
    let (mut first, mut second) = (Box::pin(mailbox.take()), Box::pin(mailbox.take()));
    assert!(poll(&mut first, 2, 22).is_pending());
    assert!(poll(&mut second, 1, 22).is_pending());
    mailbox.try_post(1).unwrap();
    assert!(was_woken(2, 22));
    drop(first);
    assert!(was_woken(1, 22));
    assert_eq!(poll(&mut second, 1, 22), Poll::Ready(1));
}
