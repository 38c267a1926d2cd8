//! The specification of tasks that wait until a time: delays, and futures with a deadline.
//!
//! A future with a deadline first looks for its supply, then at the time. A supply that is handed
//! over between the time and the end of the wait goes back. A token for a message, or a similar
//! one, is used before the timer is taken out. A block is kept after that.

use super::super::operation::Operation as Op;
use super::visit::{Visit, What};
use super::wait::{
    FLAGS, MAIL, PLACE, POOL, Purpose, QUEUED, ROOM, SIGNAL, TIMED_OUT, Timer, Wants,
};
use super::{Behind, Stage, State, tokens::then};

/// The progress of a task's wait until a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Timed {
    phase: Phase,
    /// The granted supply.
    found: u16,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Phase {
    /// The task is among the waiters, and checks the time.
    Listed,
    /// The task is about to arm its timer.
    Arming,
    /// The task waits. At a poll, it looks for its supply.
    Waiting,
    /// There was no supply. The task checks the time.
    Late,
    /// The time is up. The task leaves the waiters.
    Leaving,
    /// The task gives back the supply that it was granted meanwhile.
    GivingBack,
    /// The task has found its supply at once, and is about to use it.
    Using,
    /// The handed-over token was useless. The task waits again.
    Anew,
    /// The task has its supply, and takes the timer out.
    Disarming,
}

impl Timed {
    /// Returns `true` if the task's poll is over.
    pub(super) fn is_pending(self) -> bool {
        self.phase == Phase::Waiting
    }

    /// The same, with the granted supply.
    pub(super) const fn with(self, found: u16) -> Self {
        Self { found, ..self }
    }

    /// The task has its supply, which is the operation's result.
    pub(super) const fn disarming(found: u16) -> Self {
        Self { phase: Phase::Disarming, found }
    }

    const fn at(self, phase: Phase) -> Stage {
        Stage::Timed(Self { phase, ..self })
    }
}

/// The task knows the end of its wait.
const fn begin(phase: Phase) -> Stage {
    Stage::Timed(Timed { phase, found: 0 })
}

impl State {
    /// A step of a task's wait until a time. The wait is over when there is a result.
    pub(super) fn act_until(&mut self, task: usize, operation: Op, stage: Stage) -> Stage {
        let (list, wants) = match operation {
            Op::AllocUntil { value, .. } if let Stage::Allocated(slot) = stage => {
                return self.keep(slot, value);
            }
            Op::AllocUntil { .. } => (POOL, Wants::Block),
            Op::TakeUntil { semaphore, .. } => (semaphore.into(), Wants::One),
            Op::WaitFlagsUntil { mask, all, take, .. } => (FLAGS, Wants::Flags { mask, all, take }),
            Op::SendUntil { .. } => (ROOM, Wants::One),
            Op::ReceiveUntil(_) => (QUEUED, Wants::One),
            Op::WaitSignalUntil(_) => (SIGNAL, Wants::One),
            Op::PostUntil { .. } => (PLACE, Wants::One),
            Op::TakeMailUntil(_) => (MAIL, Wants::One),
            _ => return self.await_time(task, stage),
        };
        let Stage::Timed(timed) = stage else {
            return self.begin_until(task, operation, (list, wants), stage);
        };
        self.await_until(task, operation, (list, wants), timed)
    }

    /// A task looks for its supply until a time. A sender uses a token of its first look in the
    /// same step.
    fn begin_until(
        &mut self,
        task: usize,
        operation: Op,
        (list, wants): (usize, Wants),
        stage: Stage,
    ) -> Stage {
        let Some(found) = self.take(list, wants) else {
            self.enlist(list, task, false, wants);
            return begin(Phase::Listed);
        };
        match operation {
            Op::TakeUntil { .. } | Op::WaitFlagsUntil { .. } => Stage::Result(found),
            Op::AllocUntil { .. } => Stage::Allocated(found as u8),
            Op::SendUntil { message, .. } if stage == Stage::Until => self.append(message),
            _ => begin(Phase::Using),
        }
    }

    /// A task uses a handed-over token, if this comes before its timer is out.
    fn use_token(&mut self, operation: Op) -> Option<Stage> {
        let stage = match operation {
            Op::SendUntil { message, .. } => self.append(message),
            Op::ReceiveUntil(_) => self.remove(),
            Op::WaitSignalUntil(_) => self.take_signal(),
            Op::PostUntil { message, .. } => self.fill(message, begin(Phase::Anew)),
            Op::TakeMailUntil(_) => self.empty(),
            _ => return None,
        };
        Some(match stage {
            Stage::Result(result) => Stage::Timed(Timed::disarming(result)),
            Stage::HandingOver { list, behind: Behind::Over(result) } => {
                Stage::HandingOver { list, behind: Behind::Disarming(result) }
            }
            stage => stage,
        })
    }

    /// A task waits for a time alone.
    fn await_time(&mut self, task: usize, stage: Stage) -> Stage {
        match stage {
            Stage::Timed(timed) if timed.phase == Phase::Arming => self.arm_task(task, timed),
            Stage::Timed(_) if self.threads[task].timer.is_some() => stage,
            Stage::Until if self.threads[task].until > self.now => begin(Phase::Arming),
            _ => Stage::Result(0),
        }
    }

    /// A task waits for something, until a time.
    fn await_until(
        &mut self,
        task: usize,
        operation: Op,
        (list, wants): (usize, Wants),
        timed: Timed,
    ) -> Stage {
        let is_late = self.threads[task].until <= self.now;
        match timed.phase {
            Phase::Listed if !is_late => timed.at(Phase::Arming),
            Phase::Listed => timed.at(Phase::Leaving),
            Phase::Arming => self.arm_task(task, timed),
            Phase::Waiting if self.index(list, task).is_none() => {
                self.use_token(operation).unwrap_or(timed.at(Phase::Disarming))
            }
            Phase::Using => self.use_token(operation).unwrap_or(timed.at(Phase::Disarming)),
            Phase::Anew if self.take(list, wants).is_some() => timed.at(Phase::Using),
            Phase::Anew => {
                self.enlist(list, task, false, wants);
                timed.at(Phase::Waiting)
            }
            Phase::Waiting => timed.at(Phase::Late),
            Phase::Late if is_late => timed.at(Phase::Leaving),
            Phase::Late => timed.at(Phase::Waiting),
            Phase::Leaving if self.delist(list, task) => Stage::Result(TIMED_OUT),
            Phase::Leaving => timed.at(Phase::GivingBack),
            Phase::GivingBack => self.give_back(list, wants, timed.found),
            Phase::Disarming => {
                self.threads[task].timer = None;
                match operation {
                    Op::AllocUntil { .. } => Stage::Allocated(timed.found as u8),
                    _ => Stage::Result(timed.found),
                }
            }
        }
    }

    /// Arms the timer that wakes a task.
    fn arm_task(&mut self, task: usize, timed: Timed) -> Stage {
        let at = self.threads[task].until;
        self.threads[task].timer = Some(Timer { at, purpose: Purpose::Task });
        timed.at(Phase::Waiting)
    }

    /// Gives a supply that a task was granted after the end of its time to others.
    fn give_back(&mut self, list: usize, wants: Wants, found: u16) -> Stage {
        match wants {
            Wants::Flags { take: true, .. } => {
                *self.flags(list) |= found as u8;
                Stage::Visiting(Visit::new(What::Flags, TIMED_OUT))
            }
            Wants::Flags { .. } => Stage::Result(TIMED_OUT),
            Wants::Block => self.free(found as u8, TIMED_OUT),
            _ => then(self.hand_over(list), Behind::Over(TIMED_OUT)),
        }
    }
}
