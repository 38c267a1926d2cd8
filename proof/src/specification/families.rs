//! Families of short schedules: each is for one object, and its disturbances.

use super::operation::Operation as Op;

mod above;
mod actors;
mod between;
mod chains;
mod conditions;
mod cooperative;
mod deadlines;
mod handed;
mod leaving;
mod lending;
mod levels;
mod order;
mod own;
mod pool;
mod preempted;
mod raised;
mod recursive;
mod search;
mod sections;
mod tasks;
mod threads;
mod turns;
mod until;
mod visits;
mod wakes;

/// The operations of the contexts in a family's schedules.
#[derive(Debug)]
pub struct Family {
    /// The family's object.
    pub name: &'static str,
    /// The operations of two threads, two each.
    pub operations: &'static [Op],
    /// The operations of an interrupt, while the less urgent thread does one of its own.
    pub of_interrupts: &'static [Op],
    /// The operations of the more urgent thread then.
    pub other: [Op; 2],
    /// The operations of a third thread, which is there before them.
    pub third: &'static [Op],
    /// The operations of the two most urgent threads, if idle starts them.
    pub others: [&'static [Op]; 2],
    /// The operations of idle, at the beginning and at the end.
    pub idle: [&'static [Op]; 2],
    /// The operations of the less urgent thread before.
    pub before: &'static [Op],
    /// The operations of tasks, if there are any.
    pub tasks: &'static [&'static [Op]],
    /// The operation of actors for each event.
    pub actors: &'static [&'static [Op]],
    /// `true` if the scheduler is cooperative.
    pub cooperative: bool,
}

/// A wait for both flags, which takes them.
const BOTH_FLAGS: Op = Op::WaitFlags { mask: 3, all: true, take: true };

const fn priority(thread: u8, priority: u8) -> Op {
    Op::SetPriority { thread, priority }
}

const fn lock_until(mutex: u8, ticks: u8) -> Op {
    Op::LockUntil { mutex, ticks }
}

/// The parts that most families lack.
const PLAIN: Family = Family {
    name: "",
    operations: &[],
    of_interrupts: &[],
    other: [Op::End; 2],
    third: &[],
    others: [&[]; 2],
    idle: [&[]; 2],
    before: &[],
    tasks: &[],
    actors: &[],
    cooperative: false,
};

const TIME: Family = Family {
    name: "time",
    operations: &[
        Op::Give(0),
        Op::Take(0),
        Op::TakeUntil { semaphore: 0, ticks: 2 },
        Op::TakeUntil { semaphore: 0, ticks: 0 },
        Op::TryTake(0),
        Op::Delay(2),
        Op::Delay(0),
        Op::Tick(2),
        Op::Suspend(1),
        Op::Resume(1),
        Op::SetPriority { thread: 1, priority: 1 },
    ],
    of_interrupts: &[
        Op::Give(0),
        Op::TryTake(0),
        Op::Tick(2),
        Op::Suspend(1),
        Op::Suspend(0),
        Op::SetPriority { thread: 1, priority: 1 },
        Op::SetPriority { thread: 0, priority: 4 },
    ],
    other: [Op::TakeUntil { semaphore: 0, ticks: 2 }, Op::Delay(1)],
    third: &[Op::TakeUntil { semaphore: 0, ticks: 3 }, Op::Delay(1)],
    idle: [&[], &[Op::Tick(2), Op::Resume(0), Op::Resume(1), Op::Give(0), Op::Tick(4)]],
    ..PLAIN
};

const MUTEXES: Family = Family {
    name: "mutexes",
    operations: &[
        Op::Lock(0),
        Op::LockUntil { mutex: 0, ticks: 2 },
        Op::TryLock(0),
        Op::Unlock(0),
        Op::Lock(1),
        Op::LockUntil { mutex: 1, ticks: 2 },
        Op::Unlock(1),
        Op::Tick(2),
        Op::Suspend(1),
        Op::Resume(2),
        Op::SetPriority { thread: 0, priority: 3 },
        Op::SetPriority { thread: 1, priority: 5 },
    ],
    of_interrupts: &[
        Op::Give(1),
        Op::Tick(2),
        Op::Suspend(0),
        Op::Suspend(1),
        Op::Suspend(2),
        Op::Wake(1),
        Op::SetPriority { thread: 1, priority: 1 },
        Op::SetPriority { thread: 0, priority: 4 },
        Op::SetPriority { thread: 2, priority: 5 },
    ],
    other: [Op::LockUntil { mutex: 1, ticks: 2 }, Op::Lock(0)],
    third: &[Op::Lock(0), Op::Take(1), Op::Lock(1), Op::Unlock(0)],
    idle: [&[], &[Op::Tick(2), Op::Resume(1), Op::Resume(0), Op::Give(1), Op::Tick(2)]],
    ..PLAIN
};

const CEILINGS: Family = Family {
    name: "ceilings",
    operations: &[
        Op::Lock(2),
        Op::LockUntil { mutex: 2, ticks: 2 },
        Op::LockUntil { mutex: 3, ticks: 2 },
        Op::TryLock(3),
        Op::Unlock(2),
        Op::Unlock(3),
        Op::Lock(0),
        Op::Take(0),
        Op::Tick(2),
        Op::Suspend(1),
        Op::SetPriority { thread: 0, priority: 5 },
        Op::SetPriority { thread: 1, priority: 1 },
    ],
    of_interrupts: &[
        Op::Give(1),
        Op::Tick(2),
        Op::Suspend(0),
        Op::Suspend(2),
        Op::SetPriority { thread: 1, priority: 1 },
        Op::SetPriority { thread: 0, priority: 5 },
        Op::SetPriority { thread: 2, priority: 4 },
    ],
    other: [Op::LockUntil { mutex: 3, ticks: 2 }, Op::Lock(2)],
    third: &[
        Op::Lock(2),
        Op::Take(1),
        Op::Unlock(2),
        Op::Lock(2),
        Op::TryLock(3),
        Op::Take(1),
        Op::Unlock(2),
    ],
    idle: [
        &[],
        &[
            Op::Tick(2),
            Op::Resume(1),
            Op::Resume(0),
            Op::Give(1),
            Op::Give(1),
            Op::Give(0),
            Op::Tick(2),
        ],
    ],
    ..PLAIN
};

const READERS: Family = Family {
    name: "readers",
    operations: &[
        Op::Read,
        Op::Write,
        Op::ReadUntil(2),
        Op::WriteUntil(2),
        Op::TryRead,
        Op::TryWrite,
        Op::LeaveRw,
        Op::GlanceRead,
        Op::Give(1),
        Op::Tick(2),
        Op::Suspend(1),
        Op::SetPriority { thread: 1, priority: 1 },
    ],
    of_interrupts: &[
        Op::GlanceRead,
        Op::GlanceWrite,
        Op::Give(1),
        Op::Tick(2),
        Op::Suspend(1),
        Op::SetPriority { thread: 1, priority: 1 },
        Op::SetPriority { thread: 0, priority: 4 },
    ],
    other: [Op::Write, Op::ReadUntil(2)],
    third: &[Op::Read, Op::Take(1), Op::LeaveRw, Op::Write],
    idle: [&[], &[Op::Tick(2), Op::Resume(1), Op::Give(1), Op::GlanceWrite]],
    ..PLAIN
};

/// A wait for the first two flags, in one of four ways.
const fn flags(all: bool, take: bool) -> Op {
    Op::WaitFlags { mask: 3, all, take }
}

const FLAGS: Family = Family {
    name: "flags",
    operations: &[
        Op::SetFlags(1),
        Op::SetFlags(3),
        Op::ClearFlags(1),
        Op::GetFlags,
        flags(false, false),
        flags(false, true),
        flags(true, false),
        flags(true, true),
        Op::WaitFlagsUntil { mask: 2, all: true, take: true, ticks: 2 },
        Op::Tick(2),
        Op::Suspend(1),
        Op::SetPriority { thread: 1, priority: 1 },
    ],
    of_interrupts: &[
        Op::SetPriority { thread: 1, priority: 5 },
        Op::SetFlags(1),
        Op::SetFlags(3),
        Op::ClearFlags(1),
        Op::Tick(2),
        Op::Suspend(1),
        Op::SetPriority { thread: 1, priority: 1 },
        Op::SetPriority { thread: 0, priority: 4 },
    ],
    other: [flags(true, true), Op::WaitFlagsUntil { mask: 3, all: false, take: true, ticks: 2 }],
    third: &[flags(true, true), Op::SetFlags(1), flags(false, false)],
    idle: [&[], &[Op::Tick(2), Op::Resume(1), Op::SetFlags(1), Op::SetFlags(2), Op::SetFlags(3)]],
    ..PLAIN
};

const CHANNEL: Family = Family {
    name: "channel",
    operations: &[
        Op::Send(1),
        Op::Receive,
        Op::SendUntil { message: 2, ticks: 2 },
        Op::ReceiveUntil(2),
        Op::TrySend(3),
        Op::TryReceive,
        Op::Tick(2),
        Op::Suspend(1),
        Op::Resume(1),
        Op::SetPriority { thread: 1, priority: 1 },
    ],
    of_interrupts: &[
        Op::TrySend(4),
        Op::TryReceive,
        Op::Tick(2),
        Op::Suspend(1),
        Op::SetPriority { thread: 1, priority: 1 },
        Op::SetPriority { thread: 0, priority: 4 },
    ],
    other: [Op::ReceiveUntil(2), Op::Send(5)],
    third: &[Op::Send(6), Op::Send(7), Op::Send(8), Op::Receive],
    idle: [&[], &[Op::Tick(2), Op::Resume(1), Op::TryReceive, Op::TrySend(9)]],
    ..PLAIN
};

const SIGNAL: Family = Family {
    name: "signal",
    operations: &[
        Op::Signal(1),
        Op::WaitSignal,
        Op::WaitSignalUntil(2),
        Op::TrySignal,
        Op::Tick(2),
        Op::Suspend(1),
        Op::Resume(1),
        Op::SetPriority { thread: 1, priority: 1 },
    ],
    of_interrupts: &[
        Op::Signal(2),
        Op::TrySignal,
        Op::Tick(2),
        Op::Suspend(1),
        Op::SetPriority { thread: 1, priority: 1 },
        Op::SetPriority { thread: 0, priority: 4 },
    ],
    other: [Op::WaitSignalUntil(2), Op::WaitSignal],
    third: &[Op::WaitSignal, Op::Signal(3), Op::WaitSignal],
    idle: [&[], &[Op::Tick(2), Op::Resume(1), Op::Signal(4), Op::Signal(5)]],
    ..PLAIN
};

const MAILBOX: Family = Family {
    name: "mailbox",
    operations: &[
        Op::Post(1),
        Op::TakeMail,
        Op::PostUntil { message: 2, ticks: 2 },
        Op::TakeMailUntil(2),
        Op::TryPost(3),
        Op::TryTakeMail,
        Op::Replace(4),
        Op::Tick(2),
        Op::Suspend(1),
        Op::Resume(1),
        Op::SetPriority { thread: 1, priority: 1 },
    ],
    of_interrupts: &[
        Op::TryPost(5),
        Op::TryTakeMail,
        Op::Replace(6),
        Op::Tick(2),
        Op::Suspend(1),
        Op::SetPriority { thread: 1, priority: 1 },
        Op::SetPriority { thread: 0, priority: 4 },
    ],
    other: [Op::TakeMailUntil(2), Op::Post(7)],
    third: &[Op::Post(8), Op::Post(9), Op::TakeMail],
    idle: [&[], &[Op::Tick(2), Op::Resume(1), Op::TryTakeMail, Op::Replace(10)]],
    ..PLAIN
};

const BARRIER: Family = Family {
    name: "barrier",
    operations: &[
        Op::Meet,
        Op::Arrive,
        Op::Yield,
        Op::End,
        Op::Suspend(1),
        Op::Resume(1),
        Op::Suspend(2),
        Op::SetPriority { thread: 1, priority: 1 },
    ],
    of_interrupts: &[
        Op::Arrive,
        Op::Suspend(1),
        Op::Suspend(0),
        Op::SetPriority { thread: 1, priority: 1 },
        Op::SetPriority { thread: 0, priority: 4 },
    ],
    other: [Op::Meet, Op::Meet],
    third: &[Op::Meet, Op::Meet],
    idle: [&[], &[Op::Resume(1), Op::Resume(2), Op::Arrive, Op::Arrive]],
    ..PLAIN
};

const TIMER: Family = Family {
    name: "timer",
    operations: &[
        Op::StartTimer(2),
        Op::StartPeriodic(2),
        Op::StopTimer,
        Op::Tick(1),
        Op::Tick(5),
        Op::Take(0),
        Op::TakeUntil { semaphore: 0, ticks: 2 },
        Op::Delay(2),
    ],
    of_interrupts: &[
        Op::StartTimer(1),
        Op::StartPeriodic(3),
        Op::StopTimer,
        Op::Tick(2),
        Op::TryTake(0),
        Op::Suspend(0),
    ],
    other: [Op::StartPeriodic(2), Op::Take(0)],
    third: &[Op::TakeUntil { semaphore: 0, ticks: 2 }, Op::StartTimer(4), Op::Take(0)],
    idle: [
        &[],
        &[Op::Tick(2), Op::StartTimer(1), Op::Tick(2), Op::Resume(0), Op::StopTimer, Op::Give(0)],
    ],
    ..PLAIN
};

const SLICES: Family = Family {
    name: "slices",
    operations: &[
        Op::Yield,
        Op::Tick(2),
        Op::Tick(4),
        Op::Take(0),
        Op::Give(0),
        Op::Delay(2),
        Op::Start(1),
        Op::Suspend(1),
        Op::Resume(2),
        Op::End,
        Op::SetPriority { thread: 0, priority: 2 },
        Op::SetPriority { thread: 2, priority: 1 },
    ],
    of_interrupts: &[
        Op::Tick(2),
        Op::Tick(4),
        Op::Give(1),
        Op::Suspend(2),
        Op::Wake(1),
        Op::SetPriority { thread: 0, priority: 2 },
        Op::SetPriority { thread: 1, priority: 3 },
    ],
    other: [Op::Give(1), Op::Tick(4)],
    third: &[Op::Take(1), Op::Tick(2), Op::Yield, Op::Tick(2)],
    idle: [&[Op::TakeTurns], &[Op::Give(1), Op::Tick(3), Op::Resume(1), Op::Give(0), Op::Tick(3)]],
    ..PLAIN
};

/// All.
pub const FAMILIES: [&Family; 37] = [
    &threads::THREADS,
    &TIME,
    &MUTEXES,
    &CEILINGS,
    &conditions::CONDITIONS,
    &conditions::CHANGES,
    &READERS,
    &FLAGS,
    &own::OWN,
    &CHANNEL,
    &SIGNAL,
    &MAILBOX,
    &BARRIER,
    &TIMER,
    &SLICES,
    &sections::SECTIONS,
    &turns::TURNS,
    &preempted::PREEMPTED,
    &above::ABOVE,
    &recursive::RECURSIVE,
    &pool::POOL,
    &tasks::TASKS,
    &levels::LEVELS,
    &actors::ACTORS,
    &deadlines::DEADLINES,
    &handed::HANDED,
    &between::BETWEEN,
    &leaving::LEAVING,
    &lending::LENDING,
    &chains::CHAINS,
    &order::ORDER,
    &search::SEARCH,
    &raised::RAISED,
    &visits::VISITS,
    &wakes::WAKES,
    &until::UNTIL,
    &cooperative::COOPERATIVE,
];
