//! Slices and mutexes. A thread may be above its equals by a mutex when their slice is over. It has
//! had its turn when it comes back. A, B and C take turns. D comes to a mutex that one of them has.

use super::{Family, Op, PLAIN, priority};

pub const ABOVE: Family = Family {
    name: "above",
    operations: &[
        Op::Lock(3),
        Op::Unlock(3),
        Op::Lock(0),
        Op::Unlock(0),
        Op::Tick(1),
        Op::Tick(3),
        Op::Enter(0),
        Op::Exit,
        Op::Start(3),
        Op::Take(1),
    ],
    of_interrupts: &[
        Op::Tick(1),
        Op::Tick(3),
        Op::Give(1),
        Op::Start(4),
        Op::Suspend(0),
        priority(0, 1),
        priority(1, 3),
    ],
    other: [Op::Lock(3), Op::Tick(3)],
    third: &[
        Op::Lock(3),
        Op::Tick(3),
        Op::Unlock(3),
        Op::Lock(0),
        Op::Take(1),
        Op::Unlock(0),
        Op::Tick(3),
    ],
    others: [&[Op::Lock(0), Op::Unlock(0)], &[Op::Tick(2)]],
    before: &[priority(0, 2)],
    idle: [
        &[Op::TakeTurns],
        &[Op::Give(1), Op::Tick(3), Op::Resume(0), Op::Start(3), Op::Tick(3), Op::Give(1)],
    ],
    ..PLAIN
};
