//! Tasks that a thread hosts, which wake threads and are woken by them.

use super::{Family, Op, PLAIN};

pub const TASKS: Family = Family {
    name: "tasks",
    operations: &[
        Op::Spawn(0),
        Op::Spawn(1),
        Op::WakeTask(0),
        Op::WakeTask(1),
        Op::Give(1),
        Op::Take(2),
        Op::SetFlags(1),
        Op::Receive,
        Op::Yield,
        Op::Suspend(2),
        Op::Resume(2),
    ],
    of_interrupts: &[
        Op::WakeTask(0),
        Op::WakeTask(1),
        Op::Wake(2),
        Op::Give(1),
        Op::Spawn(1),
        Op::SetFlags(1),
        Op::TryReceive,
        Op::Suspend(2),
        Op::SetPriority { thread: 1, priority: 1 },
    ],
    other: [Op::Take(2), Op::Spawn(2)],
    third: &[Op::Take(1), Op::Host],
    idle: [
        &[Op::Give(1), Op::Spawn(0)],
        &[Op::Spawn(1), Op::Resume(2), Op::Give(1), Op::SetFlags(3), Op::Give(2), Op::TryReceive],
    ],
    tasks: &[
        &[Op::Take(1), Op::Give(2), Op::Yield, Op::Send(1), Op::Send(2), Op::Send(3), Op::Give(2)],
        &[
            Op::WaitFlags { mask: 1, all: true, take: true },
            Op::Yield,
            Op::Give(1),
            Op::WakeTask(0),
            Op::Receive,
        ],
        &[Op::SetFlags(1), Op::End, Op::Alloc(1), Op::Give(2)],
    ],
    ..PLAIN
};
