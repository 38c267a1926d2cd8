//! A search among waiters, whose thread is lent a priority between two of its steps: A has a mutex,
//! and belongs between D and C. After E has come to the mutex, A belongs before both.

use super::{BOTH_FLAGS, Family, Op, PLAIN, priority};

pub const RAISED: Family = Family {
    name: "raised",
    operations: &[
        Op::Take(0),
        Op::TakeUntil { semaphore: 0, ticks: 3 },
        BOTH_FLAGS,
        Op::WaitFlagsUntil { mask: 3, all: false, take: true, ticks: 3 },
        Op::Unlock(0),
        Op::Give(1),
        Op::Give(0),
        Op::SetFlags(3),
        Op::Tick(2),
    ],
    of_interrupts: &[
        Op::Give(1),
        Op::Give(0),
        Op::SetFlags(3),
        Op::Tick(2),
        Op::Suspend(0),
        priority(4, 2),
        priority(0, 1),
        priority(3, 5),
    ],
    other: [Op::Take(0), BOTH_FLAGS],
    third: &[Op::Take(0), BOTH_FLAGS],
    others: [&[Op::Take(0), BOTH_FLAGS], &[Op::Take(1), Op::Lock(0), Op::Unlock(0)]],
    before: &[Op::Lock(0), priority(0, 3)],
    idle: [
        &[Op::Start(4), Op::Start(3)],
        &[
            Op::Give(1),
            Op::Resume(0),
            Op::Give(0),
            Op::SetFlags(3),
            Op::Tick(2),
            Op::Give(0),
            Op::SetFlags(3),
            Op::Give(0),
            Op::Give(0),
            Op::SetFlags(3),
            Op::SetFlags(3),
        ],
    ],
    ..PLAIN
};
