//! Chains of owners that change while another thread comes to them: A has a mutex and waits for the
//! mutex of C, which waits elsewhere. Between two steps, a disturbance lets E or D wait for A's
//! mutex, moves or suspends one of them, or ends a wait.

use super::{Family, Op, PLAIN, lock_until, priority};

pub const LENDING: Family = Family {
    name: "lending",
    operations: &[
        Op::Lock(1),
        lock_until(1, 2),
        Op::Unlock(0),
        Op::Lock(0),
        Op::Give(1),
        Op::Give(2),
        Op::Give(0),
        Op::Tick(2),
        priority(2, 5),
        priority(4, 1),
    ],
    of_interrupts: &[
        Op::Give(1),
        Op::Give(2),
        Op::Give(0),
        Op::Tick(2),
        Op::Suspend(0),
        Op::Suspend(4),
        priority(0, 3),
        priority(2, 5),
        priority(3, 1),
        priority(4, 2),
    ],
    other: [lock_until(0, 2), Op::Lock(1)],
    third: &[Op::Lock(1), Op::Take(0), Op::Unlock(1)],
    others: [&[Op::Take(2), lock_until(0, 3), Op::Lock(1)], &[Op::Take(1), Op::Lock(0)]],
    before: &[Op::Lock(0), priority(0, 3)],
    idle: [
        &[Op::Start(4), Op::Start(3)],
        &[
            Op::Give(1),
            Op::Give(0),
            Op::Resume(0),
            Op::Resume(4),
            Op::Give(2),
            Op::Tick(2),
            Op::Give(0),
            Op::Tick(3),
        ],
    ],
    ..PLAIN
};
