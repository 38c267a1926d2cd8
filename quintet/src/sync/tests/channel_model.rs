//! A channel behaves as the model: two counts of tokens and a queue.

use std::collections::VecDeque;
use std::pin::Pin;
use std::task::{Context, Poll};

use super::model::{Model, every_sequence, random_sequences, under_miri};
use crate::core::wake::host::{waker, was_woken};
use crate::sync::Channel;
use crate::sync::channel::{Receiving, Sending};

/// The priorities of two senders and two receivers.
const SENDERS: [u8; 2] = [1, 2];
const RECEIVERS: [u8; 2] = [2, 1];
/// Poll and cancel two senders and two receivers, send, receive.
const OPERATIONS: usize = 10;

/// A future that sends.
type Sender<'a, M> = Pin<Box<Sending<'a, M, 2>>>;

/// A message with a number, moved with the lock held or open by its size.
trait Message {
    fn new(number: usize) -> Self;
    fn number(&self) -> usize;
}

/// Moved under the lock. Its memory must come back.
impl Message for Box<usize> {
    fn new(number: usize) -> Self {
        Self::new(number)
    }
    fn number(&self) -> usize {
        **self
    }
}

/// Moved with the lock open. Its memory must come back.
impl Message for [Box<usize>; 5] {
    fn new(number: usize) -> Self {
        std::array::from_fn(|_| Box::new(number))
    }
    fn number(&self) -> usize {
        assert!(self.iter().all(|part| *part == self[0]));
        *self[0]
    }
}

struct Both<'a, M> {
    channel: &'a Channel<M, 2>,
    sending: [Option<(Sender<'a, M>, usize)>; 2],
    receiving: [Option<Pin<Box<Receiving<'a, M, 2>>>>; 2],
    free: Model,
    queued: Model,
    queue: VecDeque<usize>,
    first_slot: u32,
}

impl<M: Message> Both<'_, M> {
    fn poll_sender(&mut self, index: usize, number: usize) {
        let channel = self.channel;
        let (future, number) = self.sending[index]
            .get_or_insert_with(|| (Box::pin(channel.send(M::new(number))), number));
        let waker = waker(SENDERS[index].into(), self.first_slot + index as u32);
        let ready = future.as_mut().poll(&mut Context::from_waker(&waker)).is_ready();
        assert_eq!(ready, self.free.poll(index));
        if ready {
            self.queue.push_back(*number);
            self.queued.give();
            self.sending[index] = None;
        }
    }

    fn poll_receiver(&mut self, index: usize) {
        let channel = self.channel;
        let future = self.receiving[index].get_or_insert_with(|| Box::pin(channel.receive()));
        let waker = waker(RECEIVERS[index].into(), self.first_slot + 2 + index as u32);
        let polled = future.as_mut().poll(&mut Context::from_waker(&waker));
        assert_eq!(polled.is_ready(), self.queued.poll(index));
        if let Poll::Ready(message) = polled {
            assert_eq!(Some(message.number()), self.queue.pop_front());
            self.free.give();
            self.receiving[index] = None;
        }
    }

    fn try_send(&mut self, number: usize) {
        let room = self.free.try_take();
        match self.channel.try_send(M::new(number)) {
            Ok(()) => {
                assert!(room);
                self.queue.push_back(number);
                self.queued.give();
            }
            Err(full) => {
                assert!(!room);
                assert_eq!(full.0.number(), number);
            }
        }
    }

    fn try_receive(&mut self) {
        let there = self.queued.try_take();
        let message = self.channel.try_receive();
        assert_eq!(message.is_ok(), there);
        if let Ok(message) = message {
            assert_eq!(Some(message.number()), self.queue.pop_front());
            self.free.give();
        }
    }

    fn check(&mut self) {
        assert_eq!(self.channel.len(), self.queued.count);
        assert_eq!(self.channel.free_capacity(), self.free.count);
        for index in 0..2 {
            let slot = self.first_slot + index as u32;
            let sender = was_woken(SENDERS[index].into(), slot);
            assert_eq!(sender, std::mem::take(&mut self.free.woken[index]));
            let receiver = was_woken(RECEIVERS[index].into(), slot + 2);
            assert_eq!(receiver, std::mem::take(&mut self.queued.woken[index]));
        }
    }
}

fn run<M: Message>(sequence: &[usize], first_slot: u32) {
    let channel = Channel::<M, 2>::new();
    let mut both = Both {
        channel: &channel,
        sending: [None, None],
        receiving: [None, None],
        free: Model::new(2, 2, &SENDERS),
        queued: Model::new(0, 2, &RECEIVERS),
        queue: VecDeque::new(),
        first_slot,
    };
    for (step, operation) in sequence.iter().enumerate() {
        match *operation {
            index @ 0..2 => both.poll_sender(index, step),
            operation @ 2..4 => both.poll_receiver(operation - 2),
            operation @ 4..6 => {
                both.sending[operation - 4] = None;
                both.free.cancel(operation - 4);
            }
            operation @ 6..8 => {
                both.receiving[operation - 6] = None;
                both.queued.cancel(operation - 6);
            }
            8 => both.try_send(step),
            _ => both.try_receive(),
        }
        both.check();
    }
    let Both { sending, receiving, queue, .. } = both;
    drop((sending, receiving));
    for index in 0..2 {
        was_woken(SENDERS[index].into(), first_slot + index as u32);
        was_woken(RECEIVERS[index].into(), first_slot + 2 + index as u32);
    }
    // Messages that were handed to dropped futures are there again, in order.
    let rest: Vec<usize> =
        std::iter::from_fn(|| channel.try_receive().ok()).map(|message| message.number()).collect();
    assert_eq!(rest, Vec::from(queue), "after {sequence:?}");
    assert_eq!(channel.free_capacity(), 2);
}

#[test]
fn every_short_sequence_of_small_messages_agrees_with_the_model() {
    every_sequence(OPERATIONS, under_miri(2, 5), |sequence| run::<Box<usize>>(sequence, 8));
}

#[test]
fn every_short_sequence_of_large_messages_agrees_with_the_model() {
    let length = under_miri(2, 5);
    every_sequence(OPERATIONS, length, |sequence| run::<[Box<usize>; 5]>(sequence, 12));
}

#[test]
fn long_sequences_agree_with_the_model() {
    let count = under_miri(8, 20_000);
    random_sequences(OPERATIONS, 40, count, |sequence| run::<Box<usize>>(sequence, 16));
}

#[test]
fn a_channel_drops_its_messages_with_itself() {
    let message = std::rc::Rc::new(());
    let channel = Channel::<_, 3>::new();
    channel.try_send(message.clone()).unwrap();
    channel.try_send(message.clone()).unwrap();
    drop(channel);
    assert_eq!(std::rc::Rc::strong_count(&message), 1);
}
