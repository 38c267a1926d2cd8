//! A semaphore behaves as the model, in every short sequence of operations.

use std::pin::Pin;
use std::task::{Context, Poll};

use super::model::{Model, Stand, every_sequence, random_sequences, under_miri};
use crate::core::wake::host::{waker, was_woken};
use crate::sync::Semaphore;
use crate::sync::semaphore::Taking;

/// The priorities of the waiters: two equal ones, one above.
const PRIORITIES: [u8; 3] = [1, 2, 1];
/// Poll each, cancel each, give, take.
const OPERATIONS: usize = 8;

fn slot(index: usize, first_slot: u32) -> (usize, u32) {
    (usize::from(PRIORITIES[index]), first_slot + index as u32)
}

/// Runs a sequence on a semaphore and on the model; wakers are those of the slots from
/// `first_slot`.
fn run(sequence: &[usize], permits: u16, limit: u16, first_slot: u32) {
    let semaphore = Semaphore::with_limit(permits, limit);
    let mut model = Model::new(permits.into(), limit.into(), &PRIORITIES);
    let mut futures: [Option<Pin<Box<Taking<'_>>>>; 3] = [None, None, None];
    for (step, operation) in sequence.iter().enumerate() {
        match *operation {
            index @ 0..3 => {
                let future = futures[index].get_or_insert_with(|| Box::pin(semaphore.take()));
                let (priority, slot) = slot(index, first_slot);
                let waker = waker(priority, slot);
                let ready =
                    future.as_mut().poll(&mut Context::from_waker(&waker)) == Poll::Ready(());
                assert_eq!(ready, model.poll(index), "step {step} of {sequence:?}");
                if ready {
                    futures[index] = None;
                }
            }
            operation @ 3..6 => {
                let index = operation - 3;
                futures[index] = None;
                model.cancel(index);
            }
            6 => assert_eq!(semaphore.try_give().is_ok(), model.give(), "{step} of {sequence:?}"),
            _ => {
                assert_eq!(
                    semaphore.try_take().is_ok(),
                    model.try_take(),
                    "{step} of {sequence:?}"
                );
            }
        }
        assert_eq!(usize::from(semaphore.available()), model.count, "{step} of {sequence:?}");
        for index in 0..3 {
            let (priority, slot) = slot(index, first_slot);
            let woken = was_woken(priority, slot);
            let expected = std::mem::take(&mut model.woken[index]);
            assert_eq!(woken, expected, "waiter {index} after step {step} of {sequence:?}");
        }
    }
    drop(futures);
    for index in 0..3 {
        if model.stands[index] == Stand::Waiting {
            model.cancel(index);
        }
    }
    for index in 0..3 {
        model.cancel(index);
        let (priority, slot) = slot(index, first_slot);
        was_woken(priority, slot);
    }
    // Unused grants went back.
    let left = usize::from(semaphore.available());
    assert_eq!(left, model.count, "after {sequence:?}");
}

#[test]
fn every_short_sequence_agrees_with_the_model() {
    every_sequence(OPERATIONS, under_miri(2, 6), |sequence| run(sequence, 0, 2, 0));
}

#[test]
fn long_sequences_agree_with_the_model() {
    random_sequences(OPERATIONS, 40, under_miri(10, 20_000), |sequence| run(sequence, 1, 1, 3));
}

#[test]
#[should_panic(expected = "a semaphore that may never have a permit: its limit is at least 1")]
fn a_limit_of_nothing_is_refused() {
    let _never = Semaphore::with_limit(0, 0);
}

#[test]
#[should_panic(expected = "a semaphore begins with more permits than its limit allows")]
fn more_permits_than_the_limit_are_refused() {
    let _more = Semaphore::with_limit(2, 1);
}
