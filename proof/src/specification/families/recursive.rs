//! Mutexes that their owner may lock again.

use super::{Family, Op, PLAIN};

pub const RECURSIVE: Family = Family {
    name: "recursive",
    operations: &[
        Op::Lock(4),
        Op::LockUntil { mutex: 4, ticks: 2 },
        Op::Unlock(4),
        Op::Lock(5),
        Op::TryLock(5),
        Op::Unlock(5),
        Op::Lock(0),
        Op::Tick(2),
        Op::Suspend(1),
        Op::End,
        Op::SetPriority { thread: 1, priority: 1 },
    ],
    of_interrupts: &[
        Op::Give(1),
        Op::Tick(2),
        Op::Suspend(1),
        Op::SetPriority { thread: 1, priority: 1 },
        Op::SetPriority { thread: 0, priority: 4 },
    ],
    other: [Op::Lock(5), Op::LockUntil { mutex: 4, ticks: 2 }],
    third: &[Op::Lock(4), Op::Lock(4), Op::Take(1), Op::Unlock(4), Op::Lock(5), Op::Unlock(4)],
    idle: [&[], &[Op::Tick(2), Op::Resume(1), Op::Give(1), Op::Tick(2)]],
    before: &[Op::Lock(5)],
    ..PLAIN
};
