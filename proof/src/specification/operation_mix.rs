//! The operations of a random schedule: a few kinds of them meet more often than many.

use super::operation::Operation as Op;
use super::schedule::{
    BLOCKS, CEILINGS, MUTEXES, PRIORITY_MAX, QUEUES, SECTIONS, SEMAPHORES, TASKS, THREADS,
};
use crate::random::Random;

/// Kinds of operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Semaphores,
    Wakers,
    Suspension,
    Starts,
    Flags,
    Yields,
    Mutexes,
    Priorities,
    Channel,
    Time,
    Conditions,
    Readers,
    Signal,
    Mailbox,
    Barrier,
    Timer,
    Slices,
    Sections,
    Pool,
    Tasks,
    Own,
    Actors,
}

const KINDS: [Kind; 22] = [
    Kind::Semaphores,
    Kind::Wakers,
    Kind::Suspension,
    Kind::Starts,
    Kind::Flags,
    Kind::Yields,
    Kind::Mutexes,
    Kind::Priorities,
    Kind::Channel,
    Kind::Time,
    Kind::Conditions,
    Kind::Readers,
    Kind::Signal,
    Kind::Mailbox,
    Kind::Barrier,
    Kind::Timer,
    Kind::Slices,
    Kind::Sections,
    Kind::Pool,
    Kind::Tasks,
    Kind::Own,
    Kind::Actors,
];

/// The main operations of a schedule.
pub struct OperationMix {
    kinds: Vec<Kind>,
    /// `true` if waits end at a time.
    is_timed: bool,
}

/// The object of an operation.
struct About {
    thread: u8,
    semaphore: u8,
    mutex: u8,
    mask: u8,
    message: u8,
    ticks: u8,
    block: u8,
    section: u8,
    task: u8,
    actor: u8,
}

impl About {
    fn random(random: &mut Random) -> Self {
        let mut below = |limit: usize| random.below(limit as u32) as u8;
        Self {
            thread: below(THREADS),
            semaphore: below(SEMAPHORES),
            mutex: below(MUTEXES),
            mask: 1 + below(7),
            message: 1 + below(200),
            ticks: 1 + below(6),
            block: below(BLOCKS),
            section: below(SECTIONS.len()),
            task: below(TASKS),
            actor: below(QUEUES.len()),
        }
    }
}

impl OperationMix {
    /// Three to six kinds.
    pub fn random(random: &mut Random) -> Self {
        let kinds = (0..3 + random.below(4)).map(|_| random.pick(&KINDS));
        Self { kinds: kinds.collect(), is_timed: random.one_in(2) }
    }

    /// Returns `true` if the clock goes on.
    pub fn has_time(&self) -> bool {
        self.is_timed || self.takes_turns() || self.has(Kind::Time) || self.has(Kind::Timer)
    }

    /// Returns `true` if threads take turns by time.
    pub fn takes_turns(&self) -> bool {
        self.has(Kind::Slices)
    }

    /// Returns `true` if there are tasks.
    pub fn has_tasks(&self) -> bool {
        self.has(Kind::Tasks)
    }

    /// Returns `true` if there are actors.
    pub fn has_actors(&self) -> bool {
        self.has(Kind::Actors)
    }

    fn has(&self, kind: Kind) -> bool {
        self.kinds.contains(&kind)
    }

    /// An operation that every context may do.
    pub fn of_all(&self, random: &mut Random) -> Op {
        let About { thread, semaphore, mask, message, ticks, block, task, .. } =
            About::random(random);
        match random.pick(&self.kinds) {
            Kind::Semaphores => {
                random.pick(&[Op::Give(semaphore), Op::Give(0), Op::TryTake(semaphore)])
            }
            Kind::Wakers => random.pick(&[Op::Wake(thread), Op::Unpark(thread)]),
            Kind::Suspension => {
                random.pick(&[Op::Suspend(thread), Op::Resume(thread), Op::Resume(thread)])
            }
            Kind::Starts => Op::Start(thread),
            Kind::Flags => {
                random.pick(&[Op::SetFlags(mask), Op::SetFlags(mask), Op::ClearFlags(mask)])
            }
            Kind::Own => random.pick(&[
                Op::SetOwn { thread, flags: mask },
                Op::SetOwn { thread, flags: mask },
                Op::ClearOwn { thread, flags: mask },
            ]),
            Kind::Priorities => {
                let priority = 1 + random.below(u32::from(PRIORITY_MAX)) as u8;
                Op::SetPriority { thread, priority }
            }
            Kind::Channel => random.pick(&[Op::TrySend(message), Op::TryReceive]),
            Kind::Conditions => random.pick(&[Op::NotifyOne, Op::NotifyAll]),
            Kind::Readers => random.pick(&[Op::GlanceRead, Op::GlanceWrite]),
            Kind::Signal => random.pick(&[Op::Signal(message), Op::Signal(message), Op::TrySignal]),
            Kind::Mailbox => {
                random.pick(&[Op::TryPost(message), Op::Replace(message), Op::TryTakeMail])
            }
            Kind::Barrier => Op::Arrive,
            Kind::Timer => random.pick(&[
                Op::StartTimer(ticks),
                Op::StartPeriodic(ticks),
                Op::StopTimer,
                Op::TryTake(0),
            ]),
            Kind::Pool => random.pick(&[Op::TryAlloc(message), Op::Free(block), Op::Free(block)]),
            Kind::Tasks => random.pick(&[Op::Spawn(task), Op::WakeTask(task), Op::Give(1)]),
            Kind::Actors => to_actor(random),
            Kind::Yields | Kind::Mutexes | Kind::Time | Kind::Slices | Kind::Sections => {
                Op::Give(0)
            }
        }
    }

    /// An operation of a thread.
    pub fn of_thread(&self, random: &mut Random) -> Op {
        if random.one_in(2) {
            return self.of_all(random);
        }
        let about = About::random(random);
        let timed = self.is_timed && random.one_in(2);
        let kind = random.pick(&self.kinds);
        if timed {
            return timed_wait(kind, &about, random);
        }
        let About { thread, semaphore, mutex, mask, message, ticks, section, .. } = about;
        match kind {
            Kind::Semaphores | Kind::Timer => random.pick(&[Op::Take(semaphore), Op::Take(0)]),
            Kind::Wakers => random.pick(&[Op::Await, Op::AwaitItself, Op::Park]),
            Kind::Suspension | Kind::Yields | Kind::Priorities | Kind::Slices => Op::Yield,
            Kind::Starts => Op::Join(thread),
            Kind::Flags => Op::WaitFlags { mask, all: random.one_in(2), take: random.one_in(2) },
            Kind::Own => Op::WaitOwn { mask, all: random.one_in(2), take: random.one_in(2) },
            Kind::Mutexes => {
                let lock = if waits_for(mutex) { Op::Lock(mutex) } else { Op::TryLock(mutex) };
                random.pick(&[lock, lock, Op::Unlock(mutex)])
            }
            Kind::Channel => random.pick(&[Op::Send(message), Op::Receive]),
            Kind::Time => random.pick(&[Op::Delay(ticks), Op::TakeUntil { semaphore, ticks }]),
            Kind::Conditions => {
                let mutex = mutex % 2 * 2;
                let wait = Op::WaitChange(mutex);
                random.pick(&[wait, wait, Op::Lock(mutex), Op::Lock(mutex), Op::Unlock(mutex)])
            }
            Kind::Readers => random.pick(&[
                Op::Read,
                Op::Write,
                Op::TryRead,
                Op::TryWrite,
                Op::LeaveRw,
                Op::LeaveRw,
            ]),
            Kind::Signal => Op::WaitSignal,
            Kind::Mailbox => random.pick(&[Op::Post(message), Op::TakeMail]),
            Kind::Barrier => Op::Meet,
            Kind::Sections => random.pick(&[Op::Enter(section), Op::Exit]),
            Kind::Pool => Op::Alloc(message),
            Kind::Tasks => Op::Take(1),
            Kind::Actors => to_actor(random),
        }
    }

    /// An operation of a task. Tasks don't wait for the tokens of the software timer.
    pub fn of_task(&self, random: &mut Random) -> Op {
        if random.one_in(2) {
            return self.of_all(random);
        }
        let About { mask, message, ticks, .. } = About::random(random);
        let kind = random.pick(&self.kinds);
        if self.is_timed && random.one_in(2) {
            let (all, take) = (random.one_in(2), random.one_in(2));
            return match kind {
                Kind::Flags => Op::WaitFlagsUntil { mask, all, take, ticks },
                Kind::Channel => {
                    random.pick(&[Op::SendUntil { message, ticks }, Op::ReceiveUntil(ticks)])
                }
                Kind::Signal => Op::WaitSignalUntil(ticks),
                Kind::Mailbox => {
                    random.pick(&[Op::PostUntil { message, ticks }, Op::TakeMailUntil(ticks)])
                }
                Kind::Pool => Op::AllocUntil { value: message, ticks },
                Kind::Time | Kind::Yields => Op::Delay(ticks),
                _ => Op::TakeUntil { semaphore: 1 + random.below(2) as u8, ticks },
            };
        }
        match kind {
            Kind::Flags => Op::WaitFlags { mask, all: random.one_in(2), take: random.one_in(2) },
            Kind::Channel => random.pick(&[Op::Send(message), Op::Receive]),
            Kind::Signal => Op::WaitSignal,
            Kind::Mailbox => random.pick(&[Op::Post(message), Op::TakeMail]),
            Kind::Pool => Op::Alloc(message),
            Kind::Yields => Op::Yield,
            _ => random.pick(&[Op::Take(1), Op::Take(2), Op::Yield]),
        }
    }

    /// An operation of the interrupt above the kernel.
    pub fn above(&self, random: &mut Random) -> Op {
        let About { thread, task, .. } = About::random(random);
        if self.has_tasks() && random.one_in(2) { Op::WakeTask(task) } else { Op::Wake(thread) }
    }
}

/// An operation on an actor: usually a post.
fn to_actor(random: &mut Random) -> Op {
    let About { actor, message: event, .. } = About::random(random);
    let post = Op::PostEvent { actor, event };
    random.pick(&[
        post,
        post,
        Op::PostFront { actor, event },
        Op::PostMargin { actor, event, free: 1 },
        Op::StopActor(actor),
        Op::StartActor(actor),
        Op::StartActorWith { actor, event },
        Op::RestartActor(actor),
        Op::RestartActorWith { actor, event },
        Op::Fill(actor),
    ])
}

/// Returns `true` if threads wait for a mutex also without a time. They can't for one whose ceiling
/// may be below them.
const fn waits_for(mutex: u8) -> bool {
    let ceiling = CEILINGS[mutex as usize];
    ceiling == 0 || ceiling >= PRIORITY_MAX
}

/// A wait that ends at a time.
fn timed_wait(kind: Kind, about: &About, random: &mut Random) -> Op {
    let &About { thread, semaphore, mutex, mask, message, ticks, .. } = about;
    match kind {
        Kind::Flags => {
            let (all, take) = (random.one_in(2), random.one_in(2));
            Op::WaitFlagsUntil { mask, all, take, ticks }
        }
        Kind::Own => {
            let (all, take) = (random.one_in(2), random.one_in(2));
            Op::WaitOwnUntil { mask, all, take, ticks }
        }
        Kind::Mutexes => {
            let lock = Op::LockUntil { mutex, ticks };
            random.pick(&[lock, lock, Op::Unlock(mutex)])
        }
        Kind::Channel => random.pick(&[Op::SendUntil { message, ticks }, Op::ReceiveUntil(ticks)]),
        Kind::Conditions => {
            let mutex = mutex % 2 * 2;
            random.pick(&[Op::WaitChangeUntil { mutex, ticks }, Op::LockUntil { mutex, ticks }])
        }
        Kind::Readers => {
            random.pick(&[Op::ReadUntil(ticks), Op::WriteUntil(ticks), Op::LeaveRw, Op::LeaveRw])
        }
        Kind::Signal => Op::WaitSignalUntil(ticks),
        Kind::Wakers => Op::ParkUntil(ticks),
        Kind::Starts => Op::JoinUntil { thread, ticks },
        Kind::Mailbox => random.pick(&[Op::PostUntil { message, ticks }, Op::TakeMailUntil(ticks)]),
        Kind::Time | Kind::Slices => Op::Delay(ticks),
        _ => Op::TakeUntil { semaphore, ticks },
    }
}
