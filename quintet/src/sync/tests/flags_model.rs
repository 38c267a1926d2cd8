//! Flags behave as a model that visits all waiters at once.

use std::pin::Pin;
use std::task::{Context, Poll};

use super::model::{every_sequence, random_sequences, under_miri};
use crate::core::wake::host::{waker, was_woken};
use crate::sync::Flags;
use crate::sync::flags::{NotSet, Waiting};

/// The demand of each waiter: its priority, its mask, whether all of the mask, whether to clear it.
const WAITERS: [(u8, u32, bool, bool); 3] =
    [(1, 0b011, false, true), (2, 0b110, true, true), (2, 0b010, false, false)];
/// Poll and cancel three waiters, set three combinations, clear one, try.
const OPERATIONS: usize = 11;

#[derive(Default)]
struct Model {
    flags: u32,
    /// The waiters, in order.
    queue: Vec<usize>,
    granted: [Option<u32>; 3],
    woken: [bool; 3],
}

impl Model {
    fn take(&mut self, (_, mask, all, take): (u8, u32, bool, bool)) -> Option<u32> {
        let hits = self.flags & mask;
        let satisfied = if all { hits == mask } else { hits != 0 };
        if satisfied && take {
            self.flags &= !hits;
        }
        satisfied.then_some(hits)
    }

    fn poll(&mut self, index: usize) -> Option<u32> {
        if let Some(flags) = self.granted[index].take() {
            return Some(flags);
        }
        if self.queue.contains(&index) {
            return None;
        }
        let taken = self.take(WAITERS[index]);
        if taken.is_none() {
            let less_urgent = |other: &usize| WAITERS[*other].0 < WAITERS[index].0;
            let place = self.queue.iter().position(less_urgent).unwrap_or(self.queue.len());
            self.queue.insert(place, index);
        }
        taken
    }

    fn set(&mut self, flags: u32) {
        self.flags |= flags;
        for index in std::mem::take(&mut self.queue) {
            self.granted[index] = self.take(WAITERS[index]);
            if self.granted[index].is_some() {
                self.woken[index] = true;
            } else {
                self.queue.push(index);
            }
        }
    }

    fn cancel(&mut self, index: usize) {
        self.queue.retain(|other| *other != index);
        if let Some(flags) = self.granted[index].take()
            && WAITERS[index].3
        {
            self.set(flags);
        }
    }
}

fn begin<'a>(flags: &'a Flags, index: usize) -> Waiting<'a> {
    let (_, mask, all, take) = WAITERS[index];
    match (all, take) {
        (false, false) => flags.wait_any(mask),
        (true, false) => flags.wait_all(mask),
        (false, true) => flags.take_any(mask),
        (true, true) => flags.take_all(mask),
    }
}

fn run(sequence: &[usize], first_slot: u32) {
    let flags = Flags::new(0);
    let mut model = Model::default();
    let mut futures: [Option<Pin<Box<Waiting<'_>>>>; 3] = [None, None, None];
    let slot = |index: usize| (usize::from(WAITERS[index].0), first_slot + index as u32);
    for (step, operation) in sequence.iter().enumerate() {
        match *operation {
            index @ 0..3 => {
                let future = futures[index].get_or_insert_with(|| Box::pin(begin(&flags, index)));
                let waker = waker(slot(index).0, slot(index).1);
                let polled = future.as_mut().poll(&mut Context::from_waker(&waker));
                let expected = model.poll(index).map_or(Poll::Pending, Poll::Ready);
                assert_eq!(polled, expected, "waiter {index}, step {step} of {sequence:?}");
                if polled.is_ready() {
                    futures[index] = None;
                }
            }
            operation @ 3..6 => {
                futures[operation - 3] = None;
                model.cancel(operation - 3);
            }
            operation @ 6..9 => {
                let set = [0b001, 0b010, 0b111][operation - 6];
                flags.set(set);
                model.set(set);
            }
            9 => {
                assert_eq!(flags.clear(0b101), model.flags);
                model.flags &= !0b101;
            }
            _ => {
                let expected = model.take((0, 0b100, true, true)).ok_or(NotSet);
                assert_eq!(flags.try_take_all(0b100), expected);
            }
        }
        assert_eq!(flags.get(), model.flags, "step {step} of {sequence:?}");
        for index in 0..3 {
            let expected = std::mem::take(&mut model.woken[index]);
            let (priority, slot) = slot(index);
            assert_eq!(was_woken(priority, slot), expected, "{index}, {step} of {sequence:?}");
        }
    }
    drop(futures);
    for index in 0..3 {
        was_woken(slot(index).0, slot(index).1);
    }
}

#[test]
fn every_short_sequence_agrees_with_the_model() {
    every_sequence(OPERATIONS, under_miri(2, 5), |sequence| run(sequence, 0));
}

#[test]
fn long_sequences_agree_with_the_model() {
    random_sequences(OPERATIONS, 40, under_miri(8, 20_000), |sequence| run(sequence, 3));
}

#[test]
fn nothing_to_wait_for() {
    let flags = Flags::new(u32::MAX);
    assert_eq!(flags.try_all(0), Ok(0));
    assert_eq!(flags.try_any(0), Err(NotSet));
    assert_eq!(flags.try_any(6), Ok(6));
    assert_eq!(flags.try_take_any(2), Ok(2));
    assert_eq!(flags.try_all(6), Err(NotSet));
}

/// Grants more waiters than one section visits, in the order of their priorities.
#[test]
fn all_of_many_waiters_are_served() {
    let flags = Flags::new(0);
    let mut futures: Vec<_> = (0..9).map(|_| Box::pin(flags.wait_any(1))).collect();
    for (index, future) in futures.iter_mut().enumerate() {
        let waker = waker(3, 8 + index as u32);
        assert!(future.as_mut().poll(&mut Context::from_waker(&waker)).is_pending());
    }
    flags.set(2);
    flags.set(1);
    for (index, future) in futures.iter_mut().enumerate() {
        assert!(was_woken(3, 8 + index as u32));
        let polled = future.as_mut().poll(&mut Context::from_waker(std::task::Waker::noop()));
        assert_eq!(polled, Poll::Ready(1));
    }
}
