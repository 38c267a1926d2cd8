//! Visits of waiters: one in each step, from the most urgent on.
//!
//! A visit starts again if the list has changed meanwhile. It grants the supply that is there at
//! the time.

use super::tokens::then;
use super::wait::{BARRIER, CONDVAR, FLAGS, RWLOCK, Wants};
use super::{Behind, Stage, State};

/// The waiters that are visited, and the reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum What {
    Flags,
    /// The waiters for a change since this round or an earlier one.
    Change(u8),
    /// The waiters that met in this round.
    Met(u8),
    /// The first writer gets in. If there was none, readers are next.
    Writers {
        seen: bool,
    },
    Readers,
}

/// The progress of a visit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Visit {
    what: What,
    /// The last waiter that the visit has passed.
    passed: Option<usize>,
    /// The result of the operation.
    result: u16,
}

impl What {
    const fn list(self) -> usize {
        match self {
            Self::Flags => FLAGS,
            Self::Change(_) => CONDVAR,
            Self::Met(_) => BARRIER,
            Self::Writers { .. } | Self::Readers => RWLOCK,
        }
    }
}

impl Visit {
    pub(super) const fn new(what: What, result: u16) -> Self {
        Self { what, passed: None, result }
    }

    /// The same from the beginning, if the visit has passed a waiter.
    pub(super) fn anew(self) -> Option<Self> {
        self.passed.map(|_| Self { passed: None, ..self })
    }
}

impl State {
    /// Visits the next waiter. Returns the context's next stage.
    pub(super) fn visit(&mut self, visit: Visit) -> Stage {
        let Visit { mut what, passed, result } = visit;
        let list = what.list();
        let place = passed.and_then(|passed| self.index(list, passed));
        let index = place.map_or(0, |place| place + 1);
        let Some(waiter) = self.lists[list].get(index).copied() else {
            return match what {
                What::Writers { seen: false } => Stage::Visiting(Visit::new(What::Readers, result)),
                _ => Stage::Result(result),
            };
        };
        let found = match (&mut what, waiter.wants) {
            (What::Flags, wants) => self.take(list, wants),
            (What::Change(number), Wants::Round(begun)) => (begun <= *number).then_some(0),
            (What::Met(round), Wants::Round(met)) => (met == *round).then_some(0),
            (What::Writers { seen }, Wants::Write) => {
                *seen = true;
                self.enter(Wants::Write).then_some(0)
            }
            (What::Readers, Wants::Read) => self.enter(Wants::Read).then_some(0),
            _ => None,
        };
        let Some(found) = found else {
            return Stage::Visiting(Visit { what, passed: Some(waiter.thread), result });
        };
        let visit = Visit { what, passed: place.and(passed), result };
        if list == CONDVAR {
            self.lists[list].remove(index);
            return Stage::Waking(waiter.thread, Behind::Visit(visit));
        }
        let woken = self.grant(list, index, found);
        if matches!(what, What::Writers { .. }) {
            return Stage::Result(result);
        }
        then(woken, Behind::Visit(visit))
    }
}
