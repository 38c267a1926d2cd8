//! Objects among threads of the host, which interleave anywhere. Under Miri, with its checks for
//! data races.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::task::{Context, Poll, Wake};
use std::{future::Future, pin::pin, sync::Arc, thread};

use super::model::under_miri;
use crate::sync::{Channel, Semaphore, Signal};

/// Wakes a thread.
struct Unpark(thread::Thread, AtomicBool);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.1.store(true, Ordering::Release);
        self.0.unpark();
    }
}

/// Runs a future to its end on this thread.
fn block_on<F: Future>(future: F) -> F::Output {
    let unpark = Arc::new(Unpark(thread::current(), AtomicBool::new(false)));
    let waker = Arc::clone(&unpark).into();
    let mut future = pin!(future);
    loop {
        if let Poll::Ready(output) = future.as_mut().poll(&mut Context::from_waker(&waker)) {
            return output;
        }
        while !unpark.1.swap(false, Ordering::Acquire) {
            thread::park();
        }
    }
}

/// Polls a future once, then drops it: a wait that is cancelled.
fn poll_once<F: Future>(future: F) -> Option<F::Output> {
    let unpark = Arc::new(Unpark(thread::current(), AtomicBool::new(false)));
    let mut future = pin!(future);
    match future.as_mut().poll(&mut Context::from_waker(&unpark.into())) {
        Poll::Ready(output) => Some(output),
        Poll::Pending => None,
    }
}

/// Delivers every message of every sender once, in its sender's order, even past cancelled waits.
fn messages_arrive<M: Send + 'static>(new: fn(usize) -> M, number: fn(&M) -> usize) {
    const SENDERS: usize = 2;
    let each = under_miri(8, 5000);
    let channel = Channel::<M, 3>::new();
    let received = Mutex::new(Vec::new());
    let count = AtomicUsize::new(0);
    thread::scope(|scope| {
        for sender in 0..SENDERS {
            let channel = &channel;
            scope.spawn(move || {
                for index in 0..each {
                    block_on(channel.send(new(sender * each + index)));
                }
            });
        }
        for _ in 0..2 {
            scope.spawn(|| {
                while count.fetch_add(1, Ordering::Relaxed) < SENDERS * each {
                    let message =
                        poll_once(channel.receive()).unwrap_or_else(|| block_on(channel.receive()));
                    // The order is that of one receiver.
                    received.lock().unwrap().push((thread::current().id(), number(&message)));
                }
            });
        }
    });
    let received = received.into_inner().unwrap();
    let mut numbers: Vec<_> = received.iter().map(|(_, number)| *number).collect();
    numbers.sort_unstable();
    assert_eq!(numbers, (0..SENDERS * each).collect::<Vec<_>>());
    for receiver in [received[0].0, received[received.len() - 1].0] {
        for sender in 0..SENDERS {
            let of_sender =
                received.iter().filter(|(by, number)| *by == receiver && number / each == sender);
            assert!(of_sender.is_sorted_by_key(|(_, number)| number));
        }
    }
}

#[test]
fn small_messages_arrive_once_and_in_order() {
    messages_arrive(|number| [number], |message| message[0]);
}

#[test]
fn large_messages_arrive_once_and_in_order() {
    messages_arrive(
        |number| [number; 9],
        |message: &[usize; 9]| {
            assert!(message.iter().all(|part| *part == message[0]));
            message[0]
        },
    );
}

#[test]
fn permits_are_neither_lost_nor_made() {
    let each = under_miri(8, 5000);
    let semaphore = Semaphore::new(2);
    let inside = AtomicUsize::new(0);
    thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                for _ in 0..each {
                    drop(poll_once(semaphore.acquire()));
                    let _permit = block_on(semaphore.acquire());
                    assert!(inside.fetch_add(1, Ordering::SeqCst) < 2);
                    inside.fetch_sub(1, Ordering::SeqCst);
                }
            });
        }
    });
    assert_eq!(semaphore.available(), 2);
}

#[test]
fn a_waiter_sees_the_latest_value_in_the_end() {
    let last = under_miri(50, 20_000);
    let signal = Signal::<Box<usize>>::new();
    thread::scope(|scope| {
        scope.spawn(|| {
            let mut before = 0;
            while before < last {
                let value = *block_on(signal.wait());
                assert!(value > before);
                before = value;
            }
        });
        for value in 1..=last {
            signal.signal(Box::new(value));
        }
    });
}
