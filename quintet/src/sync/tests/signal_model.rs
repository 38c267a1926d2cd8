//! A signal hands each value to one waiter, the latest value counts, and none is lost.

use std::pin::Pin;
use std::task::{Context, Poll};

use super::model::{Model, every_sequence, under_miri};
use crate::core::wake::host::{waker, was_woken};
use crate::sync::Signal;
use crate::sync::signal::Waiting;

const PRIORITIES: [u8; 2] = [1, 3];
const SLOT: u32 = 6;

/// Waits for a value that must come back to the heap.
type Future<'a> = Pin<Box<Waiting<'a, Box<usize>>>>;

fn run(sequence: &[usize]) {
    let signal = Signal::new();
    let mut model = Model::new(0, 1, &PRIORITIES);
    let mut value = None;
    let mut futures: [Option<Future<'_>>; 2] = [None, None];
    for (step, operation) in sequence.iter().enumerate() {
        match *operation {
            index @ 0..2 => {
                let future = futures[index].get_or_insert_with(|| Box::pin(signal.wait()));
                let waker = waker(PRIORITIES[index].into(), SLOT);
                let polled = future.as_mut().poll(&mut Context::from_waker(&waker));
                let expected = model.poll(index).then(|| value.take()).flatten();
                assert_eq!(polled.is_ready(), expected.is_some(), "{step} of {sequence:?}");
                if let Poll::Ready(polled) = polled {
                    assert_eq!(Some(*polled), expected);
                    futures[index] = None;
                }
            }
            operation @ 2..4 => {
                futures[operation - 2] = None;
                model.cancel(operation - 2);
            }
            4 => {
                signal.signal(Box::new(step));
                if value.replace(step).is_none() {
                    model.give();
                }
            }
            _ => {
                let expected = model.try_take().then(|| value.take()).flatten();
                assert_eq!(signal.try_take().ok().map(|value| *value), expected);
            }
        }
        assert_eq!(signal.signaled(), model.count == 1);
        for (index, priority) in PRIORITIES.iter().enumerate() {
            let woken = was_woken(usize::from(*priority), SLOT);
            let expected = std::mem::take(&mut model.woken[index]);
            assert_eq!(woken, expected, "waiter {index} after step {step} of {sequence:?}");
        }
    }
    drop(futures);
    for priority in PRIORITIES {
        was_woken(priority.into(), SLOT);
    }
    // A value that was handed to a waiter that never ran is there again.
    assert_eq!(signal.try_take().ok().map(|value| *value), value);
}

#[test]
fn every_short_sequence_agrees_with_the_model() {
    every_sequence(6, under_miri(3, 7), run);
}
