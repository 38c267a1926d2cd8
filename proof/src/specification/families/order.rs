//! The order of waiters while one is moved: D, C and B wait for a permit, and A gives one of them
//! another priority. Between two places, a disturbance lets E, which waits elsewhere before, wait
//! beside them, or moves another one of them, or the same one.

use super::{Family, Op, PLAIN, priority};

pub const ORDER: Family = Family {
    name: "order",
    operations: &[
        priority(1, 6),
        priority(1, 3),
        priority(2, 5),
        priority(3, 1),
        priority(3, 2),
        Op::Give(0),
        Op::Give(1),
        Op::Tick(2),
    ],
    of_interrupts: &[
        Op::Give(1),
        Op::Give(0),
        Op::Tick(2),
        priority(1, 1),
        priority(1, 4),
        priority(1, 6),
        priority(2, 1),
        priority(2, 4),
        priority(2, 6),
        priority(3, 1),
        priority(3, 5),
        Op::Suspend(0),
        Op::Suspend(1),
    ],
    other: [Op::Take(0), Op::Take(0)],
    third: &[Op::TakeUntil { semaphore: 0, ticks: 2 }, Op::Take(0)],
    others: [&[Op::Take(0), Op::Take(0)], &[Op::Take(1), Op::Take(0)]],
    before: &[Op::Start(1)],
    idle: [
        &[Op::Start(4), Op::Start(3)],
        &[
            Op::Give(0),
            Op::Resume(0),
            Op::Resume(1),
            Op::Give(0),
            Op::Give(1),
            Op::Give(0),
            Op::Give(0),
            Op::Give(0),
            Op::Give(0),
            Op::Give(0),
        ],
    ],
    ..PLAIN
};
