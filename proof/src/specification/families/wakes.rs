//! Wakes by wakers, and notifications: threads wait for one of the two, and each gets its own.

use super::{Family, Op, PLAIN};

pub const WAKES: Family = Family {
    name: "wakes",
    operations: &[
        Op::Await,
        Op::AwaitItself,
        Op::Park,
        Op::Wake(1),
        Op::Unpark(1),
        Op::Wake(0),
        Op::Unpark(0),
        Op::Take(0),
        Op::Suspend(1),
        Op::End,
    ],
    of_interrupts: &[
        Op::Wake(1),
        Op::Unpark(1),
        Op::Wake(0),
        Op::Unpark(0),
        Op::Suspend(0),
        Op::SetPriority { thread: 0, priority: 4 },
        Op::SetPriority { thread: 1, priority: 1 },
    ],
    other: [Op::Await, Op::Park],
    third: &[Op::Unpark(1), Op::Await, Op::Unpark(1), Op::Park],
    idle: [
        &[],
        &[
            Op::Wake(1),
            Op::Unpark(1),
            Op::Resume(1),
            Op::Resume(0),
            Op::Unpark(0),
            Op::Wake(2),
            Op::Unpark(2),
            Op::Wake(0),
            Op::Give(0),
            Op::Start(1),
        ],
    ],
    ..PLAIN
};
