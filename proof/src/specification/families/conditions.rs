//! Waits for a change of the data that a mutex protects.

use super::{Family, Op, PLAIN, priority};

pub const CONDITIONS: Family = Family {
    name: "conditions",
    operations: &[
        Op::Lock(0),
        Op::Unlock(0),
        Op::WaitChange(0),
        Op::WaitChangeUntil { mutex: 0, ticks: 2 },
        Op::Lock(2),
        Op::WaitChangeUntil { mutex: 2, ticks: 2 },
        Op::NotifyOne,
        Op::NotifyAll,
        Op::Tick(2),
        Op::Suspend(1),
        Op::SetPriority { thread: 1, priority: 4 },
        Op::SetPriority { thread: 2, priority: 1 },
    ],
    of_interrupts: &[
        Op::NotifyOne,
        Op::NotifyAll,
        Op::Tick(2),
        Op::Wake(1),
        Op::Unpark(2),
        Op::Suspend(0),
        Op::Suspend(1),
        Op::SetPriority { thread: 1, priority: 1 },
        Op::SetPriority { thread: 0, priority: 4 },
        Op::SetPriority { thread: 2, priority: 5 },
    ],
    other: [Op::Lock(0), Op::WaitChangeUntil { mutex: 0, ticks: 2 }],
    third: &[Op::Lock(0), Op::WaitChange(0), Op::Unlock(0), Op::Park],
    idle: [
        &[],
        &[Op::Resume(1), Op::NotifyOne, Op::Resume(0), Op::Tick(2), Op::NotifyAll, Op::Give(2)],
    ],
    ..PLAIN
};

/// Waits for a change, by a thread that has two mutexes, one with a ceiling. D and C wait for the
/// change before. E comes to the mutex that A leaves, gives A another priority and notifies two of
/// them. Between two steps, a disturbance moves one of them, suspends A, or notifies them early.
pub const CHANGES: Family = Family {
    name: "changes",
    operations: &[
        Op::WaitChange(2),
        Op::WaitChangeUntil { mutex: 2, ticks: 2 },
        Op::WaitChange(0),
        Op::Unlock(0),
        Op::Unlock(2),
        Op::NotifyOne,
        Op::NotifyAll,
        Op::Tick(2),
        priority(2, 1),
    ],
    of_interrupts: &[
        Op::NotifyOne,
        Op::NotifyAll,
        Op::Tick(2),
        Op::Suspend(0),
        priority(0, 3),
        priority(0, 4),
        priority(2, 4),
        priority(3, 1),
    ],
    other: [Op::Lock(2), Op::WaitChange(2)],
    third: &[Op::Lock(2), Op::WaitChange(2), Op::Unlock(2)],
    others: [
        &[Op::Lock(0), Op::WaitChange(0), Op::Unlock(0)],
        &[Op::Lock(2), priority(0, 3), Op::NotifyOne, Op::NotifyOne, Op::Unlock(2)],
    ],
    before: &[Op::Lock(0), Op::Lock(2), Op::Start(4)],
    idle: [
        &[Op::Start(3)],
        &[Op::NotifyOne, Op::Resume(0), Op::NotifyOne, Op::Tick(2), Op::NotifyOne, Op::NotifyAll],
    ],
    ..PLAIN
};
