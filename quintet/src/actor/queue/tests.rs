//! Queues of events against one of the standard library, and at every point at which posts, stops
//! and starts may come.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;
use std::sync::Arc;

use super::{Fill, Queue};
use crate::arch::explore::explore;
use crate::arch::pend;

/// The order of a double-ended queue of the standard library, for every length up to 5, whatever
/// comes from which side; and the same fill and high water.
#[test]
fn it_is_a_bounded_double_ended_queue() {
    compare::<1>();
    compare::<2>();
    compare::<3>();
    compare::<5>();
    compare::<255>();
}

fn compare<const N: usize>() {
    let (queue, mut model) = (Queue::<Box<u32>, N>::new(), VecDeque::new());
    let (mut random, mut most) = (1_u32, 0);
    let rounds = if cfg!(miri) { 100 } else { 20_000 };
    for value in 0..rounds {
        random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let margin = (random >> 16) as usize % 3;
        match random >> 28 {
            0..5 => {
                let posted = queue.post(Box::new(value)).is_ok();
                assert_eq!(posted, model.len() < N);
                posted.then(|| model.push_back(value));
            }
            5..8 => {
                let back = queue.post_front(Box::new(value));
                assert_eq!(back.is_ok(), model.len() < N);
                back.map_or_else(|back| assert_eq!(*back, value), |()| model.push_front(value));
            }
            8..10 => {
                let posted = queue.post_margin(Box::new(value), margin as u8).is_ok();
                assert_eq!(posted, model.len() + margin < N);
                posted.then(|| model.push_back(value));
            }
            _ => {
                let taken = queue.take().map(|(value, more)| (*value, more));
                assert_eq!(taken, model.pop_front().map(|value| (value, !model.is_empty())));
            }
        }
        most = most.max(model.len());
        let fill = Fill { len: model.len() as u8, capacity: N as u8, high_water: most as u8 };
        assert_eq!(queue.fill(), fill);
    }
}

#[test]
fn what_waits_is_dropped_with_the_queue() {
    let value = Arc::new(());
    let queue = Queue::<Arc<()>, 4>::new();
    for _ in 0..3 {
        queue.post(Arc::clone(&value)).expect("there is room");
    }
    drop(queue.take());
    drop(queue);
    assert_eq!(Arc::strong_count(&value), 1);
}

#[test]
fn a_stopped_queue_is_empty_and_gives_events_back() {
    let value = Arc::new(());
    let queue = Queue::<Arc<()>, 3>::new_stopped();
    assert!(queue.is_stopped());
    assert!(queue.post(Arc::clone(&value)).is_err());
    queue.start();
    assert!(!queue.is_stopped());
    queue.post(Arc::clone(&value)).expect("it was started");
    queue.post_front(Arc::clone(&value)).expect("it was started");
    assert_eq!(Arc::strong_count(&value), 3);
    queue.stop();
    assert_eq!(Arc::strong_count(&value), 1);
    assert!(queue.post(Arc::clone(&value)).is_err());
    assert!(queue.post_front(Arc::clone(&value)).is_err());
    assert!(queue.take().is_none());
    queue.start();
    assert!(queue.take().is_none());
    assert_eq!(queue.fill(), Fill { len: 0, capacity: 3, high_water: 2 });
}

#[test]
#[should_panic = "the queue of the actor `table` is full (2 events): make it longer by \
                  `queue = ..`, or use `try_post`, which returns the event"]
fn a_refusal_names_the_actor() {
    let queue = Queue::<u8, 2>::new();
    for event in 0..3 {
        queue.post(event).unwrap_or_else(|event| queue.refuse(event, "table"));
    }
}

#[test]
#[should_panic = "the actor `table` is stopped: start it before you post to it, or use \
                  `try_post`, which returns the event"]
fn a_refusal_says_that_the_actor_is_stopped() {
    let queue = Queue::<u8, 2>::new_stopped();
    queue.post(0).unwrap_or_else(|event| queue.refuse(event, "table"));
}

/// Whatever comes when: each event that was admitted is taken once, those of one poster in its
/// order, and the job is woken as long as some wait.
#[test]
fn every_event_is_taken_once() {
    let runs = explore(|scenario| {
        let queue = Rc::new(Queue::<Box<u8>, 3>::new());
        let (sent, taken) = (Rc::new(RefCell::new(Vec::new())), Rc::new(RefCell::new(Vec::new())));
        let post = {
            let (queue, sent) = (Rc::clone(&queue), Rc::clone(&sent));
            move |value: u8| match queue.post(Box::new(value)) {
                Ok(()) => {
                    sent.borrow_mut().push(value);
                    pend(1);
                }
                Err(back) => assert_eq!(*back, value),
            }
        };
        let (actor, seen) = (Rc::clone(&queue), Rc::clone(&taken));
        scenario.level(1, 2, move || {
            let Some((event, more)) = actor.take() else { return };
            if more {
                pend(1);
            }
            seen.borrow_mut().push(*event);
        });
        for (priority, value) in [(1, 10), (3, 30)] {
            let post = post.clone();
            scenario.interrupt(priority, move || {
                post(value);
                post(value + 1);
            });
        }
        scenario.run(|| {
            post(0);
            post(1);
        });
        let (mut sent, mut taken) = (sent.take(), taken.take());
        for first in [0, 10, 30] {
            let of_poster: Vec<_> =
                taken.iter().filter(|value| **value / 10 == first / 10).collect();
            assert!(of_poster.is_sorted());
        }
        sent.sort_unstable();
        taken.sort_unstable();
        assert_eq!(sent, taken);
        assert_eq!(queue.fill().len, 0);
    });
    assert!(cfg!(miri) || runs > 50, "{runs}");
}

/// Whatever comes when: behind a stop, nothing of before is taken, and nothing is lost or dropped
/// twice.
#[test]
fn nothing_from_before_a_stop_is_taken_behind_a_start() {
    let runs = explore(|scenario| {
        let queue = Rc::new(Queue::<Arc<u8>, 3>::new());
        let events = [0, 1, 2].map(Arc::new);
        let starter = Rc::clone(&queue);
        let last = Arc::clone(&events[2]);
        scenario.interrupt(2, move || {
            if starter.is_stopped() {
                starter.start();
                starter.post(Arc::clone(&last)).expect("it is empty");
            }
        });
        let actor = Rc::clone(&queue);
        scenario.interrupt(1, move || {
            let _ = actor.take();
        });
        scenario.run(|| {
            queue.post(Arc::clone(&events[0])).expect("it is open");
            queue.post(Arc::clone(&events[1])).expect("it is open");
            queue.stop();
            while let Some((event, _)) = queue.take() {
                assert_eq!(*event, 2);
            }
        });
        while queue.take().is_some() {}
        for event in &events[..2] {
            assert_eq!(Arc::strong_count(event), 1);
        }
    });
    assert!(cfg!(miri) || runs > 20, "{runs}");
}

/// Whatever comes when: nobody who posts during a restart is told that the queue is stopped, each
/// event from before it is dropped, and the first one comes before those from behind it.
#[test]
fn a_restart_refuses_nobody() {
    let runs = explore(|scenario| {
        let queue = Rc::new(Queue::<Arc<u8>, 4>::new());
        let events = [0, 1, 2, 3, 4].map(Arc::new);
        for event in [2, 3] {
            let (poster, event) = (Rc::clone(&queue), Arc::clone(&events[event]));
            scenario.interrupt(1, move || {
                assert!(!poster.is_stopped());
                poster.post(Arc::clone(&event)).expect("there is room");
            });
        }
        scenario.run(|| {
            queue.post(Arc::clone(&events[0])).expect("it is open");
            queue.post(Arc::clone(&events[1])).expect("it is open");
            queue.restart(Some(Arc::clone(&events[4])));
        });
        let taken: Vec<_> = std::iter::from_fn(|| queue.take()).map(|(event, _)| *event).collect();
        assert_eq!(taken[0], 4);
        assert!(taken[1..].iter().all(|event| [2, 3].contains(event)), "{taken:?}");
        for event in [0, 1, 4] {
            assert_eq!(Arc::strong_count(&events[event]), 1);
        }
    });
    assert!(cfg!(miri) || runs > 20, "{runs}");
}

#[test]
fn an_event_that_starts_nothing_is_dropped() {
    let (queue, event) = (Queue::<Arc<()>, 2>::new(), Arc::new(()));
    assert!(!queue.start_with(Arc::clone(&event)), "it is started");
    assert_eq!((Arc::strong_count(&event), queue.fill().len), (1, 0));
    queue.stop();
    assert!(queue.start_with(Arc::clone(&event)));
    assert_eq!((Arc::strong_count(&event), queue.fill().len), (2, 1));
    drop(queue.take());
    assert_eq!(Arc::strong_count(&event), 1);
}
