//! A sequential model of tokens and waiters, written for clarity alone, and the sequences of
//! operations on which an object is compared with it.

use std::any::Any;
use std::collections::VecDeque;
use std::sync::Mutex;

/// The state of a waiter of the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stand {
    Idle,
    Waiting,
    Granted,
}

/// A count of tokens, and the waiters for one.
pub struct Model {
    pub count: usize,
    pub limit: usize,
    pub stands: Vec<Stand>,
    /// The waiters that must have been woken since the last look.
    pub woken: Vec<bool>,
    priorities: Vec<u8>,
    queue: VecDeque<usize>,
}

impl Model {
    pub fn new(count: usize, limit: usize, priorities: &[u8]) -> Self {
        Self {
            count,
            limit,
            stands: vec![Stand::Idle; priorities.len()],
            woken: vec![false; priorities.len()],
            priorities: priorities.to_vec(),
            queue: VecDeque::new(),
        }
    }

    /// Lets waiter `index` look for a token. Returns whether it gets one.
    pub fn poll(&mut self, index: usize) -> bool {
        match self.stands[index] {
            Stand::Idle => {
                if self.try_take() {
                    return true;
                }
                let own = self.priorities[index];
                let place = self.queue.iter().position(|other| self.priorities[*other] < own);
                self.queue.insert(place.unwrap_or(self.queue.len()), index);
                self.stands[index] = Stand::Waiting;
                false
            }
            Stand::Waiting => false,
            Stand::Granted => {
                self.stands[index] = Stand::Idle;
                true
            }
        }
    }

    /// Lets waiter `index` give up.
    pub fn cancel(&mut self, index: usize) {
        let stand = std::mem::replace(&mut self.stands[index], Stand::Idle);
        self.queue.retain(|other| *other != index);
        if stand == Stand::Granted {
            self.give();
        }
    }

    /// Gives a token; false if there are too many.
    pub fn give(&mut self) -> bool {
        if let Some(first) = self.queue.pop_front() {
            self.stands[first] = Stand::Granted;
            self.woken[first] = true;
            return true;
        }
        let room = self.count < self.limit;
        self.count += usize::from(room);
        room
    }

    /// Takes a token without waiting.
    pub fn try_take(&mut self) -> bool {
        let there = self.count > 0;
        self.count -= usize::from(there);
        there
    }
}

/// Calls `run` with every sequence of `length` operations, each below `operations`.
pub fn every_sequence(operations: usize, length: u32, run: impl Fn(&[usize])) {
    let mut sequence = vec![0; length as usize];
    for number in 0..operations.pow(length) {
        let mut rest = number;
        for operation in &mut sequence {
            *operation = rest % operations;
            rest /= operations;
        }
        run(&sequence);
    }
}

/// Calls `run` with `count` long sequences. The same ones each time.
pub fn random_sequences(operations: usize, length: usize, count: u64, run: impl Fn(&[usize])) {
    for seed in 1..=count {
        let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let sequence: Vec<usize> = (0..length)
            .map(|_| {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                (state >> 33) as usize % operations
            })
            .collect();
        run(&sequence);
    }
}

/// Keeps an object that outlives the handlers of its scenario. The object is not freed, but stays
/// reachable, so that Miri reports no leak.
pub fn keep<T: Sync + 'static>(value: T) -> &'static T {
    static KEPT: Mutex<Vec<&'static (dyn Any + Sync)>> = Mutex::new(Vec::new());
    let kept: &'static T = Box::leak(Box::new(value));
    KEPT.lock().unwrap().push(kept);
    kept
}

/// Returns the amount of a test: Miri takes some thousand times as long.
pub const fn under_miri<T: Copy>(miri: T, else_: T) -> T {
    if cfg!(miri) { miri } else { else_ }
}
