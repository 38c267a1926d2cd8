//! Channels, signals and flags under every interleaving of interrupts that use them too.

use std::cell::RefCell;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

use super::model::keep;
use crate::arch::explore::explore;
use crate::sync::channel::{Receiving, Sending};
use crate::sync::{Channel, Flags, Signal};

/// Polls a future with a waker that has no effect.
fn poll<F: Future>(future: &mut Pin<Box<F>>) -> Poll<F::Output> {
    future.as_mut().poll(&mut Context::from_waker(Waker::noop()))
}

/// A message that is moved under the lock, and one that is moved with the lock open.
trait Message: Copy + Send + 'static {
    fn new(number: u8) -> Self;
    fn number(self) -> u8;
}

impl Message for u8 {
    fn new(number: u8) -> Self {
        number
    }
    fn number(self) -> u8 {
        self
    }
}

impl Message for [u8; 40] {
    fn new(number: u8) -> Self {
        [number; 40]
    }
    fn number(self) -> u8 {
        assert!(self.iter().all(|byte| *byte == self[0]), "a torn message");
        self[0]
    }
}

/// Two interrupts send, one receives and one gives up while thread mode sends and receives. Every
/// message that was accepted is received once, and those of thread mode in their order.
fn messages_survive<M: Message>() -> usize {
    explore(|scenario| {
        let channel = keep(Channel::<M, 2>::new());
        let sent = Rc::new(RefCell::new(Vec::new()));
        let received = Rc::new(RefCell::new(Vec::new()));
        let by_interrupt = Rc::new(RefCell::new(Vec::new()));
        for number in [10, 20] {
            let sent = Rc::clone(&sent);
            scenario.interrupt(number / 10, move || {
                if channel.try_send(M::new(number)).is_ok() {
                    sent.borrow_mut().push(number);
                }
            });
        }
        let theirs = Rc::clone(&by_interrupt);
        scenario.interrupt(3, move || {
            theirs.borrow_mut().extend(channel.try_receive().ok().map(M::number));
        });
        let (own_sent, own_received) = (Rc::clone(&sent), Rc::clone(&received));
        scenario.run(move || {
            for number in [1, 2] {
                let mut sending: Pin<Box<Sending<'_, M, 2>>> =
                    Box::pin(channel.send(M::new(number)));
                if poll(&mut sending).is_ready() {
                    own_sent.borrow_mut().push(number);
                }
            }
            let mut receiving: Pin<Box<Receiving<'_, M, 2>>> = Box::pin(channel.receive());
            if let Poll::Ready(message) = poll(&mut receiving) {
                own_received.borrow_mut().push(message.number());
            }
        });
        let rest: Vec<_> =
            std::iter::from_fn(|| channel.try_receive().ok()).map(M::number).collect();
        assert_eq!((channel.len(), channel.free_capacity()), (0, 2));
        // For each receiver, the received messages came before the messages that were left.
        for receiver in [&received, &by_interrupt] {
            receiver.borrow_mut().extend(&rest);
            let own = receiver.borrow().clone().into_iter().filter(|number| *number < 10);
            assert!(own.is_sorted(), "{receiver:?} is out of order");
        }
        let by_interrupt = by_interrupt.borrow();
        received.borrow_mut().extend(&by_interrupt[..by_interrupt.len() - rest.len()]);
        let (mut sent, mut received) = (sent.take(), received.take());
        sent.sort_unstable();
        received.sort_unstable();
        assert_eq!(sent, received);
    })
}

#[test]
#[cfg_attr(miri, ignore = "too many interleavings")]
fn small_messages_survive_every_interleaving() {
    let runs = messages_survive::<u8>();
    assert!(runs > 500, "{runs}");
}

#[test]
#[cfg_attr(miri, ignore = "too many interleavings")]
fn large_messages_survive_every_interleaving() {
    let runs = messages_survive::<[u8; 40]>();
    assert!(runs > 500, "{runs}");
}

/// The first messages of a channel that begins with all zeros come from three contexts at once: its
/// slots are counted once.
#[test]
fn slots_are_counted_once_whoever_comes_first() {
    let runs = explore(|scenario| {
        let channel = keep(Channel::<[usize; 2], 9>::new());
        for number in [1, 2] {
            scenario.interrupt(number, move || {
                channel.try_send([usize::from(number); 2]).expect("there is room");
            });
        }
        scenario.run(move || channel.try_send([3; 2]).expect("there is room"));
        assert_eq!((channel.len(), channel.free_capacity()), (3, 6));
        let more = (0..9).take_while(|_| channel.try_send([4; 2]).is_ok()).count();
        assert_eq!(more, 6);
        let all: Vec<_> = std::iter::from_fn(|| channel.try_receive().ok()).collect();
        let count = |number| all.iter().filter(|message| **message == [number; 2]).count();
        assert_eq!([1, 2, 3, 4].map(count), [1, 1, 1, 6]);
    });
    assert!(cfg!(miri) || runs > 20, "{runs}");
}

/// Drops a waiting receiver while a message is handed to it: the other receiver gets the message.
#[test]
fn a_message_for_a_dropped_receiver_goes_to_the_next() {
    let runs = explore(|scenario| {
        let channel = keep(Channel::<u8, 1>::new());
        let next = Rc::new(RefCell::new(Some(Box::pin(channel.receive()))));
        scenario.interrupt(1, || channel.try_send(1).unwrap());
        let theirs = Rc::clone(&next);
        scenario.interrupt(2, move || {
            let polled = theirs.borrow_mut().as_mut().map(poll);
            if let Some(Poll::Ready(message)) = polled {
                assert_eq!(message, 1);
                theirs.borrow_mut().take();
            }
        });
        let taken = Rc::new(RefCell::new(None));
        let own = Rc::clone(&taken);
        scenario.run(move || {
            let mut receiving = Box::pin(channel.receive());
            if let Poll::Ready(message) = poll(&mut receiving) {
                own.replace(Some(message));
            }
        });
        let by_next = next.borrow_mut().as_mut().is_none_or(|next| poll(next).is_ready());
        assert!(by_next != taken.borrow().is_some(), "one of them has it");
        assert_eq!(channel.free_capacity(), 1);
    });
    assert!(cfg!(miri) || runs > 20, "{runs}");
}

/// A signal that is overwritten, taken and waited for: the last value is never lost.
#[test]
fn the_last_value_is_seen() {
    let runs = explore(|scenario| {
        let signal = keep(Signal::<u32>::new());
        let seen = Rc::new(RefCell::new(Vec::new()));
        scenario.interrupt(1, || signal.signal(1));
        let theirs = Rc::clone(&seen);
        scenario.interrupt(2, move || {
            theirs.borrow_mut().extend(signal.try_take().ok());
        });
        let own = Rc::clone(&seen);
        let last = Rc::new(RefCell::new(false));
        let sent_last = Rc::clone(&last);
        scenario.interrupt(3, move || {
            signal.signal(2);
            *sent_last.borrow_mut() = true;
        });
        scenario.run(move || {
            let mut waiting = Box::pin(signal.wait());
            for _ in 0..2 {
                if let Poll::Ready(value) = poll(&mut waiting) {
                    own.borrow_mut().push(value);
                    return;
                }
            }
        });
        seen.borrow_mut().extend(signal.try_take().ok());
        assert!(!signal.signaled());
        let seen = seen.borrow();
        assert!(seen.len() <= 2 && !seen.is_empty(), "{seen:?}");
        assert!(seen.iter().all(|value| *value == 1 || *value == 2));
    });
    assert!(cfg!(miri) || runs > 20, "{runs}");
}

/// A visit of waiters that is interrupted by a cancel, a new waiter and another `set` serves all.
#[test]
fn flags_reach_every_waiter() {
    let runs = explore(|scenario| {
        let flags = keep(Flags::new(0));
        let waiters: Rc<RefCell<Vec<_>>> = Rc::default();
        for _ in 0..4 {
            let mut waiting = Box::pin(flags.wait_any(3));
            assert!(poll(&mut waiting).is_pending());
            waiters.borrow_mut().push(Some(waiting));
        }
        let theirs = Rc::clone(&waiters);
        scenario.interrupt(1, move || {
            let cancelled = theirs.borrow_mut()[1].take();
            drop(cancelled);
        });
        if !cfg!(miri) {
            scenario.interrupt(2, || flags.set(2));
        }
        let theirs = Rc::clone(&waiters);
        scenario.interrupt(3, move || {
            let mut waiting = Box::pin(flags.wait_any(1));
            if poll(&mut waiting).is_pending() {
                theirs.borrow_mut().push(Some(waiting));
            }
        });
        scenario.run(|| flags.set(1));
        for waiting in waiters.borrow_mut().iter_mut().flatten() {
            assert!(poll(waiting).is_ready(), "a waiter was passed over");
        }
    });
    assert!(cfg!(miri) || runs > 20, "{runs}");
}
