//! Tasks that wait until a time for something that is handed to them: a message, a place for one, a
//! signal, a block. A supply that comes after the end of the time goes to the next waiter, and is
//! there for others. E does two things to the mailbox at once.

use super::{Family, Op, PLAIN};

const fn post(message: u8, ticks: u8) -> Op {
    Op::PostUntil { message, ticks }
}

const fn send(message: u8, ticks: u8) -> Op {
    Op::SendUntil { message, ticks }
}

const fn alloc(value: u8, ticks: u8) -> Op {
    Op::AllocUntil { value, ticks }
}

pub const HANDED: Family = Family {
    name: "handed",
    operations: &[
        Op::TrySend(1),
        Op::Receive,
        Op::Signal(2),
        Op::TryPost(3),
        Op::TryTakeMail,
        Op::Replace(4),
        Op::Free(1),
        Op::Tick(1),
        Op::Tick(2),
        Op::WakeTask(1),
    ],
    of_interrupts: &[
        Op::Tick(1),
        Op::Tick(2),
        Op::TrySend(5),
        Op::TryReceive,
        Op::Signal(6),
        Op::TryPost(7),
        Op::TryTakeMail,
        Op::Replace(8),
        Op::Free(1),
        Op::Start(4),
    ],
    other: [Op::Receive, Op::Tick(1)],
    third: &[Op::Host],
    others: [&[], &[Op::TryTakeMail, Op::Replace(23)]],
    tasks: &[
        &[post(12, 1), send(9, 1), send(10, 1), send(11, 1), alloc(13, 2), post(14, 2)],
        &[Op::WaitSignalUntil(1), Op::TakeMailUntil(1), Op::ReceiveUntil(1), alloc(15, 2)],
        &[alloc(16, 1), alloc(17, 1), alloc(18, 1), alloc(19, 2), Op::TakeMailUntil(2)],
    ],
    idle: [
        &[Op::TryPost(20), Op::Spawn(0), Op::Spawn(1), Op::Spawn(2)],
        &[
            Op::TryReceive,
            Op::Tick(1),
            Op::Signal(21),
            Op::Free(0),
            Op::Tick(1),
            Op::TrySend(22),
            Op::Tick(1),
            Op::TryTakeMail,
            Op::Tick(3),
            Op::TryReceive,
            Op::TrySignal,
        ],
    ],
    ..PLAIN
};
