//! Threads that run until they wait.

use super::{Family, Op, PLAIN};

pub const COOPERATIVE: Family = Family {
    name: "cooperative",
    operations: &[
        Op::Give(0),
        Op::Take(0),
        Op::Yield,
        Op::AwaitItself,
        Op::Park,
        Op::Unpark(1),
        Op::Lock(0),
        Op::Unlock(0),
        Op::Lock(2),
        Op::Enter(0),
        Op::Suspend(1),
        Op::Start(2),
        Op::SetPriority { thread: 0, priority: 3 },
    ],
    of_interrupts: &[
        Op::Give(0),
        Op::Wake(1),
        Op::Suspend(0),
        Op::Suspend(1),
        Op::Resume(0),
        Op::Unpark(1),
        Op::SetPriority { thread: 0, priority: 4 },
        Op::SetPriority { thread: 1, priority: 1 },
    ],
    other: [Op::Take(0), Op::Lock(0)],
    third: &[Op::Lock(0), Op::Take(0), Op::Yield, Op::Unlock(0)],
    idle: [&[], &[Op::Resume(0), Op::Resume(1), Op::Give(0), Op::Wake(1), Op::Give(0)]],
    cooperative: true,
    ..PLAIN
};
