//! What is put off comes back in order, or stays.

use std::sync::Arc;

use super::Deferred;
use crate::actor::handle::tests::short;
use crate::sync::Inbox;
use crate::sync::tests::model::keep;

#[test]
fn the_first_that_was_deferred_comes_first() {
    let inbox = keep(Inbox::<u8, 3>::new("table"));
    let (actor, mut later) = (keep(inbox.address()).handle(), Deferred::<u8, 2>::new());
    assert!(!later.recall(actor));
    assert_eq!([1, 2, 3].map(|event| later.defer(event)), [Ok(()), Ok(()), Err(3)]);
    actor.post(4);
    assert!(later.recall(actor));
    assert_eq!((inbox.try_next(), later.len()), (Some(1), 1));
    assert_eq!(later.defer(5), Ok(()));
    assert!(later.recall(actor) && later.recall(actor) && !later.recall(actor));
    let taken: Vec<_> = ::core::iter::from_fn(|| inbox.try_next()).collect();
    assert_eq!(taken, [5, 2, 4]);
}

#[test]
fn what_finds_no_room_stays_the_first() {
    let ((actor, queue), mut later) = (short(1), Deferred::<u8, 2>::new());
    assert_eq!([1, 2].map(|event| later.defer(event)), [Ok(()), Ok(())]);
    actor.post(0);
    assert!(!later.recall(actor));
    assert_eq!((later.len(), queue.take()), (2, Some((0, false))));
    assert!(later.recall(actor));
    assert_eq!(queue.take(), Some((1, false)));
    queue.stop();
    assert!(!later.recall(actor) && later.len() == 1);
}

#[test]
fn a_flush_drops_all() {
    let value = Arc::new(());
    let mut later = Deferred::<Arc<()>, 3>::new();
    for _ in 0..2 {
        later.defer(Arc::clone(&value)).expect("there is room");
    }
    assert_eq!((later.flush(), later.flush()), (2, 0));
    assert_eq!(Arc::strong_count(&value), 1);
    assert!(later.is_empty());
    later.defer(Arc::clone(&value)).expect("there is room");
    drop(later);
    assert_eq!(Arc::strong_count(&value), 1);
}
