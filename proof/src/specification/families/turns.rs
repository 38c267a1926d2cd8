//! Slices and sections: the equals of a thread with a ceiling don't interrupt it, but its slice
//! goes on. B and C take turns, and so does A while it is as urgent.

use super::{Family, Op, PLAIN};

pub const TURNS: Family = Family {
    name: "turns",
    operations: &[
        Op::Enter(0),
        Op::Enter(1),
        Op::Exit,
        Op::Tick(1),
        Op::Tick(3),
        Op::Yield,
        Op::Start(1),
        Op::Start(3),
        Op::Give(1),
        Op::End,
        Op::SetPriority { thread: 0, priority: 2 },
        Op::SetPriority { thread: 1, priority: 1 },
    ],
    of_interrupts: &[
        Op::Tick(1),
        Op::Tick(3),
        Op::Give(1),
        Op::Start(4),
        Op::SetPriority { thread: 0, priority: 2 },
        Op::SetPriority { thread: 1, priority: 1 },
        Op::SetPriority { thread: 2, priority: 4 },
    ],
    other: [Op::Enter(0), Op::Tick(3)],
    third: &[Op::Enter(0), Op::Take(1), Op::Tick(2), Op::Exit, Op::Take(1), Op::Tick(2)],
    others: [&[Op::Enter(0), Op::Tick(1)], &[Op::Tick(2)]],
    before: &[Op::SetPriority { thread: 0, priority: 2 }],
    idle: [
        &[Op::TakeTurns],
        &[Op::Give(1), Op::Tick(3), Op::Give(1), Op::Start(0), Op::Tick(3), Op::Start(4)],
    ],
    ..PLAIN
};
