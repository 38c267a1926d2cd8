//! Visits of waiters, one in each step, while one of them gets another place: idle sets flags, and
//! passes E and D. The first task gets its grant, and lets A go on, which was held while it moved
//! B.

use super::{Family, Op, PLAIN, priority};

const fn flags(mask: u8) -> Op {
    Op::WaitFlags { mask, all: false, take: false }
}

pub const VISITS: Family = Family {
    name: "visits",
    operations: &[
        priority(1, 4),
        priority(1, 1),
        priority(3, 1),
        priority(4, 2),
        Op::SetFlags(1),
        Op::SetFlags(2),
        Op::ClearFlags(1),
        flags(1),
        Op::Suspend(0),
        Op::Resume(0),
    ],
    of_interrupts: &[
        Op::Suspend(0),
        Op::SetFlags(1),
        Op::SetFlags(2),
        priority(1, 5),
        priority(1, 1),
        priority(3, 1),
    ],
    other: [flags(1), flags(2)],
    third: &[Op::Host],
    others: [&[flags(2), Op::Resume(0)], &[flags(2), flags(4)]],
    tasks: &[&[flags(1), Op::Resume(0), flags(2)], &[flags(2)], &[]],
    idle: [
        &[Op::Start(4), Op::Start(3), Op::Spawn(0), Op::Start(2), Op::Start(1), Op::Spawn(1)],
        &[Op::SetFlags(1), Op::Resume(0), Op::SetFlags(2), Op::SetFlags(4)],
    ],
    ..PLAIN
};
