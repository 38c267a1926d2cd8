//! Flags of a thread's own. The threads of the schedules are the first two. They change each
//! other's flags, and so do a thread of the same priority and interrupts.

use super::{Family, Op, PLAIN};

/// A wait for the first two flags, in one of four ways.
const fn own(all: bool, take: bool) -> Op {
    Op::WaitOwn { mask: 3, all, take }
}

const fn set(thread: u8, flags: u8) -> Op {
    Op::SetOwn { thread, flags }
}

pub const OWN: Family = Family {
    name: "own",
    operations: &[
        set(0, 2),
        set(1, 1),
        set(1, 3),
        Op::ClearOwn { thread: 1, flags: 1 },
        own(false, false),
        own(false, true),
        own(true, false),
        own(true, true),
        Op::WaitOwnUntil { mask: 2, all: true, take: true, ticks: 2 },
        Op::Park,
        Op::Unpark(1),
        Op::Tick(2),
        Op::Suspend(1),
    ],
    of_interrupts: &[
        set(1, 1),
        set(0, 2),
        Op::ClearOwn { thread: 1, flags: 1 },
        Op::Unpark(1),
        Op::Tick(2),
        Op::Suspend(1),
        Op::SetPriority { thread: 1, priority: 5 },
        Op::SetPriority { thread: 1, priority: 1 },
        Op::SetPriority { thread: 0, priority: 4 },
    ],
    other: [own(true, true), Op::WaitOwnUntil { mask: 3, all: false, take: true, ticks: 2 }],
    third: &[own(true, true), set(1, 1), own(false, false)],
    idle: [
        &[],
        &[
            Op::Tick(2),
            // Flags that are left after the end of a time.
            Op::ClearOwn { thread: 0, flags: 0 },
            Op::Resume(1),
            set(1, 1),
            set(0, 3),
            set(2, 3),
            set(1, 3),
            set(2, 1),
        ],
    ],
    ..PLAIN
};
