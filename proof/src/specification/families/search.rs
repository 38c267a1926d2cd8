//! The search among waiters for the place of one more: B is as urgent as E, and belongs before D
//! and A. A task of C's belongs before A. Between two steps of a search, a disturbance changes the
//! list, or the priority of the thread that searches.

use super::{BOTH_FLAGS, Family, Op, PLAIN, priority};

pub const SEARCH: Family = Family {
    name: "search",
    operations: &[
        Op::Take(0),
        Op::TakeUntil { semaphore: 0, ticks: 3 },
        BOTH_FLAGS,
        Op::WaitFlagsUntil { mask: 3, all: false, take: true, ticks: 3 },
        Op::Give(0),
        Op::SetFlags(3),
        Op::Tick(2),
        Op::Spawn(0),
        priority(1, 2),
        priority(3, 1),
    ],
    of_interrupts: &[
        Op::Give(0),
        Op::SetFlags(3),
        Op::Tick(2),
        priority(1, 1),
        priority(1, 3),
        priority(1, 5),
        priority(3, 1),
        priority(4, 1),
        priority(0, 3),
    ],
    other: [Op::Take(0), BOTH_FLAGS],
    third: &[Op::Host],
    others: [&[Op::TakeUntil { semaphore: 0, ticks: 2 }, Op::Take(0)], &[Op::Take(0), Op::Take(0)]],
    before: &[priority(1, 4)],
    tasks: &[&[Op::Take(0)], &[BOTH_FLAGS], &[]],
    idle: [
        &[Op::Start(4), Op::Start(3), Op::Spawn(1)],
        &[
            Op::Spawn(0),
            Op::Give(0),
            Op::SetFlags(3),
            Op::Tick(2),
            Op::Give(0),
            Op::SetFlags(3),
            Op::Give(0),
            Op::SetFlags(3),
            Op::Give(0),
            Op::Give(0),
        ],
    ],
    ..PLAIN
};
