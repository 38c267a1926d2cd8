//! Mutexes with several waiters are left, while an interrupt changes the next owner, or the owner
//! that leaves. A has two mutexes, and E and B wait for one of them. D waits for C, which waits as
//! well, while D's priority is changed.

use super::{Family, Op, PLAIN, priority};

pub const LEAVING: Family = Family {
    name: "leaving",
    operations: &[
        Op::Unlock(0),
        Op::Unlock(2),
        Op::Lock(1),
        Op::Give(1),
        Op::Tick(2),
        priority(0, 3),
        priority(1, 6),
        priority(3, 6),
        priority(4, 1),
    ],
    of_interrupts: &[
        Op::Suspend(0),
        Op::Suspend(1),
        Op::Suspend(3),
        Op::Tick(2),
        Op::Give(1),
        priority(0, 4),
        priority(1, 6),
        priority(3, 1),
        priority(3, 6),
        priority(4, 2),
    ],
    other: [Op::LockUntil { mutex: 0, ticks: 2 }, Op::Unlock(0)],
    third: &[Op::Lock(1), Op::Take(1), Op::Unlock(1), Op::Lock(0)],
    others: [
        &[Op::Lock(1), Op::Unlock(1), Op::Lock(2)],
        &[Op::Lock(0), Op::Unlock(0), Op::Lock(2)],
    ],
    before: &[Op::Lock(0), Op::Lock(2), Op::Start(4), Op::Start(3), Op::Start(1)],
    idle: [
        &[],
        &[Op::Tick(2), Op::Resume(0), Op::Resume(1), Op::Resume(3), Op::Give(1), Op::Tick(3)],
    ],
    ..PLAIN
};
