//! Tasks that wait until a time, beside threads that do.

use super::{Family, Op, PLAIN};

const fn take(ticks: u8) -> Op {
    Op::TakeUntil { semaphore: 1, ticks }
}

const fn flags(all: bool, take: bool, ticks: u8) -> Op {
    Op::WaitFlagsUntil { mask: 3, all, take, ticks }
}

pub const DEADLINES: Family = Family {
    name: "deadlines",
    operations: &[
        Op::Give(1),
        take(2),
        Op::Delay(2),
        Op::Tick(1),
        Op::Tick(2),
        Op::SetFlags(1),
        Op::WakeTask(0),
        Op::WakeTask(1),
        Op::Spawn(2),
        Op::Suspend(2),
        Op::Resume(2),
    ],
    of_interrupts: &[
        Op::Tick(1),
        Op::Tick(2),
        Op::Give(1),
        Op::TryTake(1),
        Op::SetFlags(3),
        Op::WakeTask(0),
        Op::Suspend(2),
        Op::SetPriority { thread: 2, priority: 3 },
    ],
    other: [Op::Give(1), take(1)],
    third: &[Op::Host],
    tasks: &[
        &[take(2), Op::Delay(1), flags(false, true, 2), take(0), take(1)],
        &[Op::Delay(2), Op::Give(1), flags(true, true, 1), Op::Yield, take(3)],
        &[flags(false, false, 2), take(1), Op::Delay(0), Op::Give(1)],
    ],
    idle: [
        &[Op::Spawn(0), Op::Spawn(1)],
        &[
            Op::Resume(2),
            Op::Tick(2),
            Op::Spawn(2),
            Op::SetFlags(1),
            Op::Tick(1),
            Op::Give(1),
            Op::Tick(2),
            Op::Give(1),
            Op::Tick(3),
            Op::Tick(3),
        ],
    ],
    ..PLAIN
};
