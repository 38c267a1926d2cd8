//! Pools of events: blocks have one owner, values are dropped once, and handles are counted right
//! wherever interrupts come.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::{EventPool, HANDLES_MAX, PoolEmpty, Shared, Unique};
use crate::arch::explore::explore;
use crate::sync::tests::model::keep;

fn pool<T: Send, const N: usize>() -> &'static EventPool<T, N> {
    keep(EventPool::new())
}

#[test]
fn handles_are_one_word() {
    assert_eq!(size_of::<Unique<[u8; 64]>>(), size_of::<usize>());
    assert_eq!(size_of::<Option<Shared<[u8; 64]>>>(), size_of::<usize>());
}

#[test]
fn blocks_are_apart_and_come_back() {
    let pool = pool::<u64, 3>();
    let [mut a, b, c] = [1, 2, 3].map(|value| pool.try_new(value).expect("there are three"));
    assert_eq!(pool.try_new(4).unwrap_err(), PoolEmpty(4));
    *a += 10;
    assert_eq!([*a, *b, *c], [11, 2, 3]);
    let place = &raw const *b;
    drop(b);
    let d = pool.try_new(5).expect("one has come back");
    assert_eq!(&raw const *d, place);
    assert_eq!(d.into_inner(), 5);
    assert!(pool.try_new(6).is_ok());
    assert_eq!((pool.high_water(), pool.capacity()), (3, 3));
}

#[test]
fn the_last_handle_recycles() {
    let value = Arc::new(());
    let pool = pool::<Arc<()>, 1>();
    let first = pool.try_new(Arc::clone(&value)).expect("it is free").share();
    let second = first.clone();
    assert!(pool.try_new(Arc::clone(&value)).is_err());
    drop(first);
    assert_eq!(Arc::strong_count(&value), 2);
    drop(second);
    assert_eq!(Arc::strong_count(&value), 1);
    for _ in 0..5 {
        let handle = pool.try_new(Arc::clone(&value)).expect("it is free");
        assert_eq!(Arc::strong_count(&handle), 2);
    }
    assert_eq!(Arc::strong_count(&value), 1);
}

#[test]
fn the_only_shared_handle_is_unique_again() {
    let pool = pool::<u8, 1>();
    let first = pool.try_new(1).expect("it is free").share();
    let second = first.clone();
    let first = first.try_unique().expect_err("there are two");
    drop(second);
    let mut unique = first.try_unique().expect("there is one");
    *unique = 2;
    assert_eq!(*unique.share(), 2);
}

#[test]
fn a_handle_too_many_is_refused_and_not_counted() {
    let pool = pool::<u8, 1>();
    let handle = pool.try_new(1).expect("it is free").share();
    handle.count().store(HANDLES_MAX + 1, Ordering::Relaxed);
    let refused = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| handle.clone()));
    let message = *refused.expect_err("it is refused").downcast::<&str>().expect("a text");
    let expected = "an event has more than 2^31 handles: the program forgets them by `mem::forget`";
    assert_eq!(message, expected);
    assert_eq!(handle.count().swap(1, Ordering::Relaxed), HANDLES_MAX + 1);
}

#[test]
fn an_empty_pool_says_what_to_do() {
    let text = PoolEmpty(()).to_string();
    let expected = "the event pool has no free block: make it larger, or try again when events \
                    have been handled";
    assert_eq!(text, expected);
}

/// Whatever comes when: no block is handed out twice, and each value is dropped once.
#[test]
fn whoever_comes_when_blocks_have_one_owner() {
    let runs = explore(|scenario| {
        let pool = pool::<Arc<u8>, 2>();
        let values = [0, 1, 2, 3].map(Arc::new);
        let held = Rc::new(RefCell::new(Vec::new()));
        for priority in [1, 2] {
            let (value, held) = (Arc::clone(&values[usize::from(priority)]), Rc::clone(&held));
            scenario.interrupt(priority, move || {
                if let Ok(block) = pool.try_new(Arc::clone(&value)) {
                    held.borrow_mut().push(block);
                }
            });
        }
        scenario.run(|| {
            if let Ok(block) = pool.try_new(Arc::clone(&values[0])) {
                assert_eq!(**block, 0);
            }
            assert!(held.borrow().len() < 2 || pool.try_new(Arc::clone(&values[3])).is_err());
        });
        let mut seen: Vec<_> = held.borrow().iter().map(|block| ***block).collect();
        seen.sort_unstable();
        seen.dedup();
        assert_eq!(seen.len(), held.borrow().len());
        held.borrow_mut().clear();
        assert_eq!(Arc::strong_count(&values[0]), 1);
    });
    assert!(cfg!(miri) || runs > 10, "{runs}");
}

/// Whatever comes when: handles that several contexts clone and drop are counted right, and the
/// last one recycles.
#[test]
fn whoever_comes_when_the_last_handle_recycles() {
    let runs = explore(|scenario| {
        let pool = pool::<Arc<u8>, 1>();
        let value = Arc::new(7);
        let first = pool.try_new(Arc::clone(&value)).expect("it is free").share();
        for priority in [1, 2] {
            let theirs = RefCell::new(Some(first.clone()));
            scenario.interrupt(priority, move || {
                let Some(theirs) = theirs.take() else { return };
                let another = theirs.clone();
                drop(theirs);
                assert_eq!(**another, 7);
            });
        }
        scenario.run(|| {
            let another = first.clone();
            drop(first);
            assert_eq!(**another, 7);
        });
        assert_eq!(Arc::strong_count(&value), 1);
        assert!(pool.try_new(value).is_ok());
    });
    assert!(cfg!(miri) || runs > 10, "{runs}");
}
