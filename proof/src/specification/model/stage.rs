//! The progress of a context with an operation.

use super::condvar::Change;
use super::mutex::{Leave, Lock};
use super::timed::Timed;
use super::visit::Visit;

/// A context's place in its script.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Stage {
    /// Before the effect of its next operation.
    Before,
    /// The context knows the end of its wait, and looks for the first time.
    Until,
    /// The context knows whether that end has passed, and looks for the first time.
    Timely(bool),
    /// The context has found nothing, and checks the time.
    Looked,
    /// The context's timer is armed. It looks for the last time before it waits.
    Armed,
    /// The context got its grant, and must still use it.
    Granted,
    /// The context has brought a supply for a waiter, and hands it over. No other thread runs
    /// before.
    HandingOver { list: usize, behind: Behind },
    /// The context visits waiters, one in each step. No other thread runs between the steps.
    Visiting(Visit),
    /// The context wakes this thread or task by its waker, and then goes on itself. If it has
    /// granted something, no other thread runs before.
    Waking(usize, Behind),
    /// A task has woken itself, and waits.
    Pending,
    /// A task waits until a time.
    Timed(Timed),
    /// The context has looked, and is about to await a wake.
    Awaiting,
    /// The context was woken, and looks again.
    Woken,
    /// The context has made a task, which is not alive yet.
    Built(usize),
    /// The context has this block of the pool, and is about to keep it.
    Allocated(u8),
    /// The context has taken the value out of this block, and is about to return it.
    Freeing(u8, u8),
    /// The context is in a section of this resource, and is about to be counted.
    Entered(u8),
    /// The context is about to leave the innermost section: its ceiling, and then the section, or
    /// both.
    Exiting,
    /// The context no longer has the ceiling of the innermost section.
    Lowered,
    /// The context leaves both at once.
    Leaving,
    /// The host looks for the next task of its round, among these.
    Round(u8),
    /// The host has found no ready task among these, and looks at all.
    RoundOver,
    /// The host is about to wait for one.
    Parked,
    /// The context polls this task, and has these ahead.
    Polling(usize, u8),
    /// The context goes along a chain of waiters, and is then at the next stage.
    Walking(Walk, After),
    /// The context has left a mutex, and is then at the next stage.
    HandsOn(Leave, After),
    /// The context is about to have a mutex.
    Locking(Lock),
    /// The context has found the mutex locked, and is about to wait for it by its waker.
    Linking(Lock),
    /// The context is among the mutex's waiters, and arms a timer if it has one.
    Arming(Lock),
    /// The context waits for a mutex by its waker, and checks whether it has the mutex.
    Parking(Lock),
    /// The context waits for a change.
    Change(Change),
    /// The context has arrived, in this round.
    Arrived(u8),
    /// The context knows the expiry of the software timer.
    Due(u32),
    /// The context is about to arm the software timer.
    Claimed(u32),
    /// An actor has this event, and says so.
    Handling(u8),
    /// The actor has logged the event, and does one operation.
    Handled,
    /// The context that posts has found no room, and looks again.
    Full,
    /// The events of an actor that is stopped are dropped, one in each step.
    Dropping,
    /// Behind the effect: this is to be logged.
    Result(u16),
    /// A thread that has logged its end.
    Ending,
}

/// The next step along a chain: this thread is brought closer to the priority that is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Walk {
    pub(super) thread: usize,
    /// `true` if the thread has moved among waiters.
    pub(super) moved: bool,
    /// The least priority that the thread gets.
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

/// The stage after a wake.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Behind {
    /// The operation is over, with this.
    Over(u16),
    /// The operation, which was to wake, is over and has granted nothing.
    Nothing,
    /// Others are visited.
    Visit(Visit),
    /// The task waits.
    Pending,
    /// The actor has this event.
    Handling(u8),
    /// The task has its supply before the end of its time, and takes the timer out.
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

/// The stage after a walk, or after leaving a mutex.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum After {
    /// The operation is over, with this.
    Over(u16),
    /// A mutex is tried anew, to whose owner a priority was lent.
    Lending(Lock),
    /// The thread waits for a mutex.
    Parking(Lock),
    /// The thread has left the mutex, and goes to the place of its priority.
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
    /// Returns `true` if a thread is among waiters, but not moved there: it leaves the mutex first.
    pub(super) const fn is_unmoved(self) -> bool {
        matches!(self, Self::Change(Change::Listed | Change::Left) | Self::HandsOn(_, After::Left))
    }

    /// Returns `true` if no other thread runs before the next step.
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

    /// Returns the ways in which a step may begin. A visit of waiters starts again if one has left
    /// a list meanwhile.
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

    /// The same with the found supply, if the stage has one.
    pub(super) const fn with(self, found: u16) -> Self {
        match self {
            Self::Result(_) => Self::Result(found),
            Self::Allocated(_) => Self::Allocated(found as u8),
            Self::Timed(timed) => Self::Timed(timed.with(found)),
            _ => self,
        }
    }
}
