//! Sections of resources that threads share.

use super::{Family, Op, PLAIN};

pub const SECTIONS: Family = Family {
    name: "sections",
    operations: &[
        Op::Exit,
        Op::Enter(1),
        Op::Give(0),
        Op::Take(1),
        Op::TryLock(0),
        Op::Unlock(0),
        Op::Suspend(0),
        Op::Suspend(1),
        Op::Start(2),
        Op::End,
        Op::SetPriority { thread: 0, priority: 4 },
        Op::SetPriority { thread: 1, priority: 5 },
    ],
    of_interrupts: &[
        Op::Give(0),
        Op::Wake(1),
        Op::Suspend(0),
        Op::Suspend(1),
        Op::SetPriority { thread: 0, priority: 1 },
        Op::SetPriority { thread: 1, priority: 1 },
        Op::SetPriority { thread: 1, priority: 5 },
    ],
    other: [Op::Enter(0), Op::Lock(0)],
    third: &[Op::Take(0), Op::Enter(1), Op::Give(1), Op::Exit, Op::Enter(0)],
    idle: [&[], &[Op::Resume(0), Op::Resume(1), Op::Give(0), Op::Give(1), Op::Give(1)]],
    before: &[Op::SetPriority { thread: 0, priority: 2 }, Op::Enter(0)],
    ..PLAIN
};
