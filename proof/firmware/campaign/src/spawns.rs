//! What is spawned starts once, with its own arguments, in order, and is dropped once. The same for
//! what is sent.
//!
//! Every spawn has a [`Message`] with a number of its own. A clock of events says which spawns came
//! strictly before which others, so that their starts must too.

use core::ops::RangeInclusive;
use portable_atomic::{AtomicU32, Ordering};

use crate::Count;

/// The most spawns of a task.
const SPAWNS_MAX: usize = 64;

/// The spawns of one task.
pub struct Spawns {
    /// Events: beginnings and ends of spawns.
    clock: Count,
    /// Spawns, and so the number of the next message.
    number: Count,
    /// Spawns that were accepted.
    accepted: Count,
    /// Spawns that were refused.
    refused: Count,
    /// Messages that were dropped, by the task or by a spawner that was refused.
    dropped: Count,
    /// Starts.
    started: Count,
    /// When each spawn began, by its number.
    begun: [AtomicU32; SPAWNS_MAX],
    /// When each spawn ended, by its number; 0 if it was refused.
    ended: [AtomicU32; SPAWNS_MAX],
    /// The numbers of the messages, in the order of their starts.
    starts: [AtomicU32; SPAWNS_MAX],
}

/// The argument of a spawn, or what is sent. Two words.
pub struct Message {
    number: u16,
    /// Something to know it by.
    check: u16,
    spawns: &'static Spawns,
}

/// A spawn, or a send, that takes a while.
pub struct Begun {
    number: u16,
    spawns: &'static Spawns,
}

impl Begun {
    /// Its message.
    #[inline]
    #[must_use]
    pub fn message(&self) -> Message {
        Message { number: self.number, check: !self.number, spawns: self.spawns }
    }

    /// It has ended, and was accepted.
    #[inline]
    pub fn end(self) {
        let Self { number, spawns } = self;
        spawns.ended[usize::from(number) % SPAWNS_MAX].store(spawns.clock.add(), Ordering::Relaxed);
        spawns.accepted.add();
    }

    /// It has ended, and was refused: its message comes back.
    #[inline]
    pub fn refuse(self, message: &Message) {
        let same = message.number == self.number && message.check == !self.number;
        assert!(same, "somebody else's arguments come back");
        self.spawns.refused.add();
    }
}

/// A message that is moved with the kernel's lock open, because it is large.
pub struct Large {
    /// The message.
    pub message: Message,
    copies: [u16; 8],
}

impl Large {
    /// A large message.
    #[inline]
    #[must_use]
    pub fn new(message: Message) -> Self {
        let copies = [message.number; 8];
        Self { message, copies }
    }

    /// The message in it, when all of it belongs together.
    #[inline]
    #[must_use]
    pub fn open(self) -> Message {
        let number = self.message.number;
        assert!(self.copies.iter().all(|copy| *copy == number), "a message is made of two");
        self.message
    }
}

impl Drop for Message {
    #[inline]
    fn drop(&mut self) {
        assert!(self.check == !self.number, "a message is damaged, or dropped twice");
        self.check = 0;
        self.spawns.dropped.add();
    }
}

impl Spawns {
    /// None yet.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            clock: Count(AtomicU32::new(1)),
            number: Count::new(),
            accepted: Count::new(),
            refused: Count::new(),
            dropped: Count::new(),
            started: Count::new(),
            begun: [const { AtomicU32::new(0) }; SPAWNS_MAX],
            ended: [const { AtomicU32::new(0) }; SPAWNS_MAX],
            starts: [const { AtomicU32::new(0) }; SPAWNS_MAX],
        }
    }

    /// Spawns; nothing if it was refused.
    #[inline]
    pub fn spawn<T>(&'static self, spawn: impl FnOnce(Message) -> Result<T, Message>) -> Option<T> {
        let begun = self.begin();
        match spawn(begun.message()) {
            Ok(value) => {
                begun.end();
                Some(value)
            }
            Err(message) => {
                begun.refuse(&message);
                None
            }
        }
    }

    /// A spawn begins.
    #[inline]
    pub fn begin(&'static self) -> Begun {
        let number = self.number.add() as u16;
        self.begun[usize::from(number) % SPAWNS_MAX].store(self.clock.add(), Ordering::Relaxed);
        Begun { number, spawns: self }
    }

    /// The task starts.
    #[inline]
    pub fn start(&'static self, message: &Message) {
        assert!(message.check == !message.number, "the arguments are damaged");
        let index = self.started.add() as usize % SPAWNS_MAX;
        self.starts[index].store(u32::from(message.number), Ordering::Relaxed);
    }

    /// The number of spawns that were accepted.
    #[must_use]
    pub fn accepted(&self) -> u32 {
        self.accepted.get()
    }

    /// Nothing comes any more, and nothing is alive. Every spawn has started, in order.
    pub fn judge(&self) {
        self.count(0..=0);
        self.judge_order();
    }

    /// Nothing comes any more, and nothing is alive. All but so many spawns have started.
    pub fn count(&self, cancelled: RangeInclusive<u32>) {
        let (accepted, started) = (self.accepted.get(), self.started.get());
        let missing = accepted.wrapping_sub(started);
        assert!(cancelled.contains(&missing), "{accepted} spawns, {started} starts");
        let (all, dropped) = (self.number.get(), self.dropped.get());
        assert!(all == dropped, "{all} messages, {dropped} were dropped");
        assert!(all as usize <= SPAWNS_MAX, "{all} spawns are too many to remember");
        assert!(all == accepted + self.refused.get(), "a spawn has no result");
    }

    /// Nothing has overtaken what was spawned before it, and nothing started twice.
    fn judge_order(&self) {
        // From the last start to the first: no later start's spawn may have ended before the
        // present one's began.
        let mut earliest = u32::MAX;
        let started = self.started.get() as usize;
        for start in self.starts[..started].iter().rev() {
            let number = start.load(Ordering::Relaxed) as usize % SPAWNS_MAX;
            let (begun, ended) = (&self.begun[number], &self.ended[number]);
            let begun = begun.load(Ordering::Relaxed);
            assert!(begun < earliest, "spawn {number} has overtaken another one");
            let ended = ended.swap(0, Ordering::Relaxed);
            assert!(ended != 0, "spawn {number} started twice, or was refused");
            earliest = earliest.min(ended);
        }
    }
}

impl Default for Spawns {
    fn default() -> Self {
        Self::new()
    }
}
