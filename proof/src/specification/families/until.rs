//! Waits until a time for a notification, and for another thread's end.

use super::{Family, Op, PLAIN};

const fn join(thread: u8, ticks: u8) -> Op {
    Op::JoinUntil { thread, ticks }
}

pub const UNTIL: Family = Family {
    name: "until",
    operations: &[
        Op::ParkUntil(2),
        Op::ParkUntil(0),
        Op::Park,
        Op::Unpark(1),
        Op::Unpark(0),
        join(1, 2),
        join(2, 2),
        join(2, 0),
        Op::Join(2),
        Op::Tick(2),
        Op::Suspend(1),
        Op::End,
    ],
    of_interrupts: &[
        Op::Unpark(1),
        Op::Unpark(0),
        Op::Wake(0),
        Op::Tick(2),
        Op::Give(0),
        Op::Start(2),
        Op::Suspend(0),
        Op::SetPriority { thread: 0, priority: 4 },
    ],
    other: [Op::ParkUntil(2), join(2, 2)],
    third: &[Op::ParkUntil(3), Op::Take(0)],
    idle: [
        &[],
        &[
            Op::Tick(2),
            Op::Unpark(1),
            Op::Resume(1),
            Op::Resume(0),
            Op::Unpark(0),
            Op::Give(0),
            Op::Start(2),
            Op::Tick(3),
            Op::Unpark(2),
            Op::Give(0),
            Op::Unpark(0),
            Op::Unpark(1),
        ],
    ],
    ..PLAIN
};
