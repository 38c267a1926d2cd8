//! The largest and the smallest objects, and messages without size or with an odd alignment.

use std::cell::Cell;
use std::collections::VecDeque;

use super::model::keep;
use crate::sync::{Channel, Mailbox, Pool, Saturated, Semaphore, Signal};

/// Fills a channel, and passes messages through until each slot is used a few times.
fn pass<T: Clone + PartialEq, const N: usize>(make: impl Fn(usize) -> T) {
    let channel = Channel::<T, N>::new();
    let mut expected = VecDeque::new();
    let mut next = 0;
    for round in 0..5 {
        while let Ok(()) = channel.try_send(make(next)) {
            expected.push_back(make(next));
            next += 1;
            assert_eq!(channel.len() + channel.free_capacity(), N);
        }
        assert_eq!((channel.len(), channel.is_full()), (N, true), "round {round}");
        let rest = N / (round + 2);
        while channel.len() > rest {
            assert!(channel.try_receive().ok() == expected.pop_front(), "round {round}");
        }
    }
    channel.clear();
    assert!(channel.is_empty() && channel.free_capacity() == N);
}

#[test]
fn channels_of_every_length_keep_the_order() {
    pass::<u8, 1>(|number| number as u8);
    pass::<u8, 255>(|number| number as u8);
    pass::<[usize; 3], 1>(|number| [number; 3]);
    pass::<[usize; 3], 2>(|number| [number; 3]);
    pass::<[usize; 3], 255>(|number| [number; 3]);
    pass::<(), 3>(|_| ());
}

/// A message that is aligned to more than words.
#[derive(Clone, Debug, PartialEq)]
#[repr(align(64))]
struct Apart(u8);

#[test]
fn messages_lie_as_they_are_aligned() {
    pass::<Apart, 3>(|number| Apart(number as u8));
    let pool = keep(Pool::<Apart, 2>::new());
    let blocks = [1, 2].map(|number| pool.try_alloc(Apart(number)).expect("there are two"));
    for block in &blocks {
        assert!((&raw const **block).addr().is_multiple_of(64));
    }
    let signal = Signal::new();
    signal.signal(Apart(3));
    assert_eq!(signal.try_take(), Ok(Apart(3)));
}

/// A message without size, which counts its drops.
struct Counted;

thread_local! {
    static ENDED: Cell<u32> = const { Cell::new(0) };
}

impl Drop for Counted {
    fn drop(&mut self) {
        ENDED.set(ENDED.get() + 1);
    }
}

#[test]
fn messages_without_size_end_once() {
    let channel = Channel::<Counted, 2>::new();
    let (signal, mailbox) = (Signal::new(), Mailbox::new());
    for _ in 0..3 {
        drop(channel.try_send(Counted));
        signal.signal(Counted);
        drop(mailbox.try_post(Counted));
    }
    assert_eq!(ENDED.get(), 1 + 2 + 2, "two, one and one are kept");
    drop(signal.try_take());
    drop(mailbox.replace(Counted));
    assert_eq!(ENDED.get(), 7);
    drop((channel, mailbox));
    assert_eq!(ENDED.get(), 10);
    let pool = keep(Pool::<Counted, 1>::new());
    drop(pool.try_alloc(Counted));
    assert_eq!(ENDED.get(), 11);
}

#[test]
fn a_signal_without_data_is_signalled_once() {
    let signal = Signal::<()>::new();
    signal.signal(());
    signal.signal(());
    assert!(signal.signaled() && signal.try_take().is_ok() && signal.try_take().is_err());
}

#[test]
fn the_largest_semaphore_counts_no_further() {
    let semaphore = Semaphore::new(u16::MAX - 1);
    assert_eq!(semaphore.try_give(), Ok(()));
    assert_eq!(semaphore.try_give(), Err(Saturated));
    assert_eq!(semaphore.available(), u16::MAX);
    let permit = semaphore.try_acquire().expect("there are many");
    semaphore.give();
    drop(permit);
    assert_eq!(semaphore.available(), u16::MAX, "one more was made meanwhile");
}

#[test]
#[cfg_attr(miri, ignore = "too many blocks")]
fn the_largest_pool_has_all_its_blocks() {
    let pool = keep(Pool::<u8, { u16::MAX as usize }>::new());
    let blocks: Vec<_> = std::iter::from_fn(|| pool.try_alloc(0).ok()).collect();
    assert_eq!(blocks.len(), usize::from(u16::MAX));
    drop(blocks);
    assert!(pool.try_alloc(1).is_ok());
}
