//! Actors: one that a thread hosts, beside a task, and one of a level of interrupts, beside one of
//! its tasks. Every context posts to both actors, the actors post to each other, and all stop and
//! start them.

use super::{Family, Op, PLAIN};

const fn post(actor: u8, event: u8) -> Op {
    Op::PostEvent { actor, event }
}

const fn front(actor: u8, event: u8) -> Op {
    Op::PostFront { actor, event }
}

const fn margin(actor: u8, event: u8) -> Op {
    Op::PostMargin { actor, event, free: 1 }
}

pub const ACTORS: Family = Family {
    name: "actors",
    operations: &[
        post(0, 1),
        front(0, 2),
        margin(0, 3),
        post(1, 4),
        front(1, 5),
        Op::StopActor(0),
        Op::StopActor(1),
        Op::StartActor(0),
        Op::StartActorWith { actor: 1, event: 6 },
        Op::RestartActor(0),
        Op::Give(1),
        Op::Suspend(2),
        Op::Resume(2),
    ],
    of_interrupts: &[
        post(0, 7),
        front(0, 8),
        margin(0, 9),
        post(1, 10),
        front(1, 11),
        Op::StopActor(0),
        Op::StopActor(1),
        Op::StartActor(1),
        Op::StartActorWith { actor: 0, event: 12 },
        Op::RestartActorWith { actor: 0, event: 28 },
        Op::WakeTask(5),
        Op::Suspend(0),
    ],
    other: [post(0, 13), front(0, 14)],
    third: &[Op::Take(1), Op::Host],
    tasks: &[
        &[Op::Take(2), post(0, 15), Op::Yield, post(1, 16)],
        &[],
        &[],
        &[Op::Take(2), post(1, 17), post(1, 18), Op::Fill(1), front(0, 19)],
    ],
    actors: &[
        &[post(1, 20), Op::Give(2), post(0, 21), Op::Fill(0), Op::StopActor(1)],
        &[Op::Give(2), front(0, 22), front(1, 23), Op::Fill(0), margin(0, 24)],
    ],
    idle: [
        &[Op::Spawn(0), Op::Spawn(3), post(0, 25)],
        &[
            Op::Resume(2),
            Op::Resume(0),
            Op::Give(1),
            Op::Give(2),
            Op::StartActor(0),
            Op::StartActorWith { actor: 1, event: 26 },
            post(0, 27),
            Op::Fill(1),
        ],
    ],
    ..PLAIN
};
