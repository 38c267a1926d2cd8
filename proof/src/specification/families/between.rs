//! Two sections of a supply: between them, the thread that brings the supply is suspended, or a
//! more urgent thread starts. D waits for messages, E for places, and tasks for a semaphore and a
//! message.

use super::{Family, Op, PLAIN};

pub const BETWEEN: Family = Family {
    name: "between",
    operations: &[
        Op::Send(1),
        Op::TrySend(2),
        Op::Receive,
        Op::TryReceive,
        Op::TakeMail,
        Op::TryTakeMail,
        Op::Replace(3),
        Op::Give(1),
        Op::Suspend(0),
        Op::Resume(0),
    ],
    of_interrupts: &[
        Op::Suspend(0),
        Op::Start(1),
        Op::Give(1),
        Op::TrySend(4),
        Op::TryTakeMail,
        Op::SetPriority { thread: 1, priority: 3 },
    ],
    other: [Op::TryReceive, Op::TryTakeMail],
    third: &[Op::Host],
    others: [&[Op::Receive, Op::Receive], &[Op::Post(5), Op::Post(6), Op::Post(7)]],
    tasks: &[&[Op::Take(1), Op::Receive, Op::Take(1)], &[Op::Take(1), Op::TakeMail], &[]],
    idle: [
        &[Op::Start(3), Op::Start(4), Op::Spawn(0), Op::Spawn(1)],
        &[Op::Resume(0), Op::TryTakeMail, Op::Give(1), Op::TrySend(8), Op::Give(1), Op::Replace(9)],
    ],
    ..PLAIN
};
