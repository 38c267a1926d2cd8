//! Slices that end while a more urgent thread runs: A, B and C take turns, and D moves the clock on
//! whenever one of them lets it. A thread in a section keeps its place then.

use super::{Family, Op, PLAIN, priority};

pub const PREEMPTED: Family = Family {
    name: "preempted",
    operations: &[Op::Give(1), Op::Tick(1), Op::Enter(0), Op::Exit, Op::Yield, priority(1, 1)],
    of_interrupts: &[Op::Tick(3), Op::Suspend(1), priority(3, 2)],
    other: [Op::Give(1), Op::Give(1)],
    third: &[Op::Take(0), Op::Give(1), Op::Give(1), Op::Yield, Op::Give(1)],
    others: [
        &[
            Op::Take(1),
            Op::Tick(3),
            Op::Take(1),
            Op::Tick(3),
            Op::Tick(3),
            Op::Take(1),
            Op::Tick(4),
        ],
        &[],
    ],
    before: &[priority(0, 2), Op::Give(0), Op::Give(1)],
    idle: [&[Op::TakeTurns, Op::Start(3)], &[Op::Resume(1), Op::Give(1), Op::Give(1), Op::Tick(3)]],
    ..PLAIN
};
