//! The specification of event flags, of all and of threads' own.

use super::super::schedule::THREADS;
use super::wait::{FLAGS, OWN};
use super::{Behind, Stage, State, tokens::then};

/// The flags of all, and each thread's own.
pub(super) type Flags = [u8; 1 + THREADS];

impl State {
    /// Returns the flags for which the waiters of a list wait.
    pub(super) const fn flags(&mut self, list: usize) -> &mut u8 {
        &mut self.flags[if list == FLAGS { 0 } else { list - OWN + 1 }]
    }

    /// Takes the flags that somebody waits for, if they are set.
    pub(super) fn take_flags(
        &mut self,
        list: usize,
        mask: u8,
        all: bool,
        take: bool,
    ) -> Option<u16> {
        let flags = self.flags(list);
        let hits = *flags & mask;
        let set = if all { hits == mask } else { hits != 0 };
        if set && take {
            *flags &= !hits;
        }
        set.then_some(hits.into())
    }

    pub(super) const fn clear_flags(&mut self, list: usize, flags: u8) -> u16 {
        let own = self.flags(list);
        let before = *own;
        *own &= !flags;
        before as u16
    }

    /// Sets flags of a thread's own. In the same step, the thread gets its grant.
    pub(super) fn set_own(&mut self, thread: u8, flags: u8) -> Stage {
        let list = OWN + usize::from(thread);
        *self.flags(list) |= flags;
        let waiter = self.lists[list].first().copied();
        let found = waiter.and_then(|waiter| self.take(list, waiter.wants));
        let woken = found.and_then(|found| self.grant(list, 0, found));
        then(woken, Behind::Over(0))
    }
}
