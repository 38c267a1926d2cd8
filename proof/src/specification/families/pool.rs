//! Blocks of a pool.

use super::{Family, Op, PLAIN};

pub const POOL: Family = Family {
    name: "pool",
    operations: &[
        Op::Alloc(1),
        Op::TryAlloc(2),
        Op::Free(0),
        Op::Free(1),
        Op::Free(2),
        Op::Yield,
        Op::Give(0),
        Op::Suspend(1),
        Op::Resume(1),
        Op::SetPriority { thread: 1, priority: 1 },
    ],
    of_interrupts: &[
        Op::TryAlloc(3),
        Op::Free(0),
        Op::Free(2),
        Op::Suspend(1),
        Op::SetPriority { thread: 1, priority: 1 },
        Op::SetPriority { thread: 0, priority: 4 },
    ],
    other: [Op::Alloc(4), Op::Alloc(5)],
    third: &[Op::Alloc(6), Op::Alloc(7), Op::Take(0), Op::Alloc(8), Op::Alloc(9)],
    idle: [&[], &[Op::Resume(1), Op::Give(0), Op::Free(1), Op::Free(2), Op::Free(0)]],
    ..PLAIN
};
