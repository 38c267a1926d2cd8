//! A few wakers of waiting futures. A waker too many takes the place of another waker. The task of
//! that one is woken, and registers again.

use core::cell::Cell;
use core::task::Waker;

/// The number of wakers that fit without waking another one in vain.
const COUNT: usize = 3;

/// A few wakers.
pub struct Wakers {
    slots: [Cell<Option<Waker>>; COUNT],
    next: Cell<usize>,
}

impl Wakers {
    pub const fn new() -> Self {
        Self { slots: [const { Cell::new(None) }; COUNT], next: Cell::new(0) }
    }

    /// Registers a waker, unless it is registered already.
    pub fn register(&self, waker: &Waker) {
        for slot in &self.slots {
            let Some(there) = slot.take() else { continue };
            let is_it = there.will_wake(waker);
            slot.set(Some(there));
            if is_it {
                return;
            }
        }
        let place = self.next.get() % COUNT;
        self.next.set(place + 1);
        if let Some(other) = self.slots[place].replace(Some(waker.clone())) {
            other.wake();
        }
    }

    /// Wakes all wakers.
    pub fn wake(&self) {
        for slot in &self.slots {
            if let Some(waker) = slot.take() {
                waker.wake();
            }
        }
    }
}
