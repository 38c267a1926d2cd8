//! How far a context has come with an operation.

use super::condvar::Change;
use super::mutex::{Leave, Lock};
use super::timed::Timed;
use super::visit::Visit;

/// Where a context is in its script.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Stage {
    /// Before the effect of its next operation.
    Before,
    /// It knows until when it waits, and looks for the first time.
    Until,
    /// It knows whether that has passed, and looks for the first time.
    Timely(bool),
    /// It has found nothing, and looks at the time.
    Looked,
    /// Its timer is armed, and it looks for the last time before it waits.
    Armed,
    /// It was granted what it waited for, and has still to use it.
    Granted,
    /// It has brought what somebody waits for, and hands it over. No other thread runs before.
    HandingOver { list: usize, behind: Behind },
    /// It visits those who wait, one in each step, and no other thread runs between.
    Visiting(Visit),
    /// It wakes this one by its waker, and then goes on itself. If it has granted that something,
    /// no other thread runs before.
    Waking(usize, Behind),
    /// A task has woken itself, and waits.
    Pending,
    /// A task waits until a time.
    Timed(Timed),
    /// It has looked, and is about to await a wake.
    Awaiting,
    /// It was woken, and looks again.
    Woken,
    /// It has made a task, which is not alive yet.
    Built(usize),
    /// It has this block of the pool, and is about to keep it.
    Allocated(u8),
    /// It has taken the value out of this block, and is about to return it.
    Freeing(u8, u8),
    /// It is in a section of this resource, and is about to be counted.
    Entered(u8),
    /// It is about to leave the innermost section: its ceiling, and then the section, or both.
    Exiting,
    /// It has no longer the ceiling of the innermost section.
    Lowered,
    /// It leaves both at once.
    Leaving,
    /// The host looks for the next task of its round, among these.
    Round(u8),
    /// It has found none, and looks at all.
    RoundOver,
    /// It is about to wait for one.
    Parked,
    /// It polls this task, and has these ahead.
    Polling(usize, u8),
    /// It goes along a chain of those who wait for each other, and is then at the stage behind.
    Walking(Walk, After),
    /// It has left a mutex, and is then at the stage behind.
    HandsOn(Leave, After),
    /// It is about to have a mutex.
    Locking(Lock),
    /// It has found the mutex locked, and is about to wait for it by its waker.
    Linking(Lock),
    /// It is among those who wait for it, and arms a timer if it has one.
    Arming(Lock),
    /// It waits for a mutex by its waker, and looks whether it has it.
    Parking(Lock),
    /// It waits for a change.
    Change(Change),
    /// It has arrived, in this round.
    Arrived(u8),
    /// It knows when the software timer is to expire.
    Due(u32),
    /// It is about to arm the software timer.
    Claimed(u32),
    /// An actor has this event, and says so.
    Handling(u8),
    /// It has said so, and does one operation.
    Handled,
    /// Who posts has found no room, and looks again.
    Full,
    /// The events of an actor that is stopped are dropped, one in each step.
    Dropping,
    /// Behind the effect: this is to be logged.
    Result(u16),
    /// A thread that has logged its end.
    Ending,
}

/// What is next along a chain: this thread is brought closer to what is due to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Walk {
    pub(super) thread: usize,
    /// Whether it has moved among waiters.
    pub(super) moved: bool,
    /// What it is given at least.
    pub(super) lent: u8,
}

impl Walk {
    /// A thread that has not moved.
    pub(super) const fn to(thread: usize) -> Self {
        Self { thread, moved: false, lent: 0 }
    }

    /// One that is lent a priority.
    pub(super) const fn lent(thread: usize, lent: u8) -> Self {
        Self { thread, moved: false, lent }
    }
}

/// What is behind waking somebody.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Behind {
    /// The operation is over, with this.
    Over(u16),
    /// The operation is over, which was to wake, and granted nothing.
    Nothing,
    /// Others are visited.
    Visit(Visit),
    /// The task waits.
    Pending,
    /// The actor has this event.
    Handling(u8),
    /// The task has what it waited for until a time, and takes the timer out.
    Disarming(u16),
}

impl Behind {
    pub(super) const fn stage(self) -> Stage {
        match self {
            Self::Over(result) => Stage::Result(result),
            Self::Nothing => Stage::Result(0),
            Self::Visit(visit) => Stage::Visiting(visit),
            Self::Pending => Stage::Pending,
            Self::Handling(event) => Stage::Handling(event),
            Self::Disarming(result) => Stage::Timed(Timed::disarming(result)),
        }
    }
}

/// What is behind a walk, or behind leaving a mutex.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum After {
    /// The operation is over, with this.
    Over(u16),
    /// A mutex is tried anew, to whose owner a priority was lent.
    Lending(Lock),
    /// The thread waits for a mutex.
    Parking(Lock),
    /// The thread has left the mutex, and goes to where its priority belongs.
    Left,
    /// The thread waits for a change.
    Change,
}

impl After {
    pub(super) const fn stage(self) -> Stage {
        match self {
            Self::Over(result) => Stage::Result(result),
            Self::Lending(lock) => Stage::Locking(lock),
            Self::Parking(lock) => Stage::Arming(lock),
            Self::Left => Stage::Change(Change::Left),
            Self::Change => Stage::Change(Change::Arming),
        }
    }
}

impl Stage {
    /// Whether a thread is among waiters, but not moved there: it leaves the mutex first.
    pub(super) const fn is_unmoved(self) -> bool {
        matches!(self, Self::Change(Change::Listed | Change::Left) | Self::HandsOn(_, After::Left))
    }

    /// Whether no other thread runs before the next step.
    pub(super) const fn holds_switches_off(self) -> bool {
        match self {
            Self::Visiting(_)
            | Self::HandingOver { .. }
            | Self::HandsOn(..)
            | Self::Walking(..)
            | Self::Change(Change::Listed | Change::Left)
            | Self::Claimed(_) => true,
            Self::Waking(_, behind) => {
                !matches!(behind, Behind::Nothing | Behind::Pending | Behind::Handling(_))
            }
            _ => false,
        }
    }

    /// How a step may begin. A visit of those who wait begins anew when somebody has left a list
    /// meanwhile.
    pub(super) fn ways_on(self) -> Vec<Self> {
        match self {
            Self::Result(_) | Self::Handling(_) => Vec::new(),
            Self::Exiting => vec![self, Self::Leaving],
            Self::Visiting(visit) => {
                let anew = visit.anew().map(Self::Visiting);
                [self].into_iter().chain(anew).collect()
            }
            _ => vec![self],
        }
    }

    /// The same, if it is where something was found: with that.
    pub(super) const fn with(self, found: u16) -> Self {
        match self {
            Self::Result(_) => Self::Result(found),
            Self::Allocated(_) => Self::Allocated(found as u8),
            Self::Timed(timed) => Self::Timed(timed.with(found)),
            _ => self,
        }
    }
}
