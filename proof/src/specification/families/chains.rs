//! Two owners, one of which waits for the other: A comes to the mutex of D, and D waits for the
//! mutex of C. A lends them its priority in steps. Between two steps, a disturbance suspends A,
//! moves one of them, or lets E come to the mutex too.

use super::{Family, Op, PLAIN, lock_until, priority};

pub const CHAINS: Family = Family {
    name: "chains",
    operations: &[
        Op::Lock(0),
        lock_until(0, 2),
        Op::Lock(1),
        lock_until(1, 2),
        Op::Unlock(0),
        Op::Give(0),
        Op::Give(1),
        Op::Tick(2),
        priority(3, 6),
    ],
    of_interrupts: &[
        Op::Suspend(0),
        Op::Suspend(3),
        Op::Give(0),
        Op::Give(1),
        Op::Tick(2),
        priority(0, 1),
        priority(2, 4),
        priority(3, 1),
    ],
    other: [lock_until(0, 2), Op::Lock(1)],
    third: &[Op::Lock(1), Op::Take(0), Op::Unlock(1)],
    others: [&[Op::Lock(0), Op::Lock(1), Op::Unlock(0)], &[Op::Take(1), Op::Lock(0)]],
    before: &[priority(0, 5)],
    idle: [
        &[Op::Start(2), Op::Start(3), Op::Start(4)],
        &[
            Op::Give(1),
            Op::Resume(3),
            Op::Tick(2),
            Op::Give(0),
            Op::Resume(0),
            Op::Give(0),
            Op::Tick(3),
        ],
    ],
    ..PLAIN
};
