//! The operations of threads on each other: start, join, park, wake, suspend, resume, another
//! priority.

use super::{Family, Op, PLAIN};

pub const THREADS: Family = Family {
    name: "threads",
    operations: &[
        Op::Give(0),
        Op::Take(0),
        Op::Yield,
        Op::Await,
        Op::Wake(1),
        Op::Unpark(1),
        Op::Suspend(1),
        Op::Resume(1),
        Op::Start(2),
        Op::Join(1),
        Op::Join(2),
        Op::End,
        Op::SetPriority { thread: 0, priority: 3 },
        Op::Suspend(0),
    ],
    of_interrupts: &[
        Op::SetPriority { thread: 1, priority: 5 },
        Op::Give(0),
        Op::TryTake(0),
        Op::Wake(1),
        Op::Wake(0),
        Op::Unpark(1),
        Op::Suspend(1),
        Op::Suspend(0),
        Op::Resume(1),
        Op::Start(2),
        Op::SetPriority { thread: 1, priority: 1 },
        Op::SetPriority { thread: 0, priority: 4 },
    ],
    other: [Op::Take(0), Op::Await],
    third: &[Op::Take(0), Op::Give(0), Op::Yield],
    idle: [
        &[],
        &[
            Op::Give(0),
            Op::Wake(1),
            Op::Resume(0),
            Op::Give(0),
            Op::Wake(1),
            Op::Give(0),
            Op::Give(0),
        ],
    ],
    ..PLAIN
};
