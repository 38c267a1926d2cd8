//! Tasks of a level of interrupts, beside tasks that a thread hosts, threads and interrupts: all
//! wait for the same objects, and give to them.

use super::{Family, Op, PLAIN};

const fn flags(mask: u8, take: bool) -> Op {
    Op::WaitFlags { mask, all: false, take }
}

pub const LEVELS: Family = Family {
    name: "levels",
    operations: &[
        Op::Give(1),
        Op::Take(1),
        Op::SetFlags(1),
        Op::Receive,
        Op::TrySend(1),
        Op::Spawn(3),
        Op::WakeTask(3),
        Op::WakeTask(4),
        Op::Tick(2),
        Op::Suspend(2),
    ],
    of_interrupts: &[
        Op::WakeTask(3),
        Op::WakeTask(4),
        Op::Give(1),
        Op::SetFlags(3),
        Op::Spawn(4),
        Op::TryReceive,
        Op::Tick(2),
        Op::SetPriority { thread: 1, priority: 3 },
    ],
    other: [Op::Take(1), Op::Receive],
    third: &[Op::Host],
    tasks: &[
        &[Op::Take(1), Op::WakeTask(3), flags(1, true), Op::Send(2), Op::Take(1)],
        &[flags(1, false), Op::Give(1), Op::Yield, Op::Receive],
        &[],
        &[
            Op::Take(1),
            Op::WakeTask(0),
            Op::Yield,
            flags(1, true),
            Op::TakeUntil { semaphore: 1, ticks: 1 },
            Op::Send(3),
            Op::Send(4),
            Op::Send(5),
            Op::End,
            Op::Give(1),
        ],
        &[flags(3, true), Op::Give(1), Op::Resume(2), Op::Receive, Op::SetFlags(1), Op::Take(1)],
    ],
    idle: [
        &[Op::Spawn(0), Op::Spawn(1), Op::Spawn(3)],
        &[
            Op::Spawn(4),
            Op::Resume(2),
            Op::Give(1),
            Op::SetFlags(2),
            Op::TryReceive,
            Op::Tick(2),
            Op::SetFlags(1),
            Op::Give(1),
            Op::TryReceive,
            Op::Spawn(3),
        ],
    ],
    ..PLAIN
};
