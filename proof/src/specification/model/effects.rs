//! The specification of operations: their effects on the objects.

use super::super::operation::Operation as Op;
use super::sections::REFUSED;
use super::stage::After;
use super::tasks::{is_task, task_of};
use super::tokens::then;
use super::visit::{Visit, What};
use super::wait::{FLAGS, MAIL, OWN, PLACE, QUEUED, ROOM, SIGNAL, Wants};
use super::{Behind, Stage, State, Walk};

impl State {
    /// Does the effect of an operation, or of a part of it. Returns the context's next stage. A
    /// thread that waits is at this stage when its turn comes.
    pub(super) fn act(&mut self, operation: Op, stage: Stage, thread: Option<usize>) -> Stage {
        match stage {
            Stage::Walking(walk, after) => {
                self.settle(walk).map_or(after.stage(), |next| Stage::Walking(next, after))
            }
            Stage::HandingOver { list, behind } => then(self.hand_over(list), behind),
            Stage::Visiting(visit) => self.visit(visit),
            Stage::Waking(woken, behind) => self.wake_by_waker(woken, behind),
            Stage::Freeing(slot, value) => self.free(slot, value.into()),
            stage => match (self.act_anywhere(operation, stage), thread) {
                (Some(next), _) => next,
                (None, Some(thread)) => self.act_in(thread, operation, stage),
                (None, None) => stage,
            },
        }
    }

    /// The operations that every context may do.
    fn act_anywhere(&mut self, operation: Op, stage: Stage) -> Option<Stage> {
        let result = match operation {
            Op::Give(semaphore) => {
                return Some(then(self.give(semaphore.into()), Behind::Over(0)));
            }
            Op::TryTake(semaphore) => self.take_one(semaphore.into()).into(),
            Op::Available(semaphore) => self.tokens[usize::from(semaphore)],
            Op::SetFlags(flags) => {
                *self.flags(FLAGS) |= flags;
                return Some(Stage::Visiting(Visit::new(What::Flags, 0)));
            }
            Op::ClearFlags(flags) => self.clear_flags(FLAGS, flags),
            Op::GetFlags => (*self.flags(FLAGS)).into(),
            Op::SetOwn { thread, flags } => return Some(self.set_own(thread, flags)),
            Op::ClearOwn { thread, flags } => self.clear_flags(OWN + usize::from(thread), flags),
            Op::TrySend(message) => return Some(self.try_send(message)),
            Op::TryReceive => return Some(self.try_receive()),
            Op::NotifyOne => return Some(self.notify_one()),
            Op::NotifyAll => return Some(self.notify_all()),
            Op::GlanceRead => return Some(self.glance(Wants::Read, stage)),
            Op::GlanceWrite => return Some(self.glance(Wants::Write, stage)),
            Op::Signal(value) => return Some(self.signal(value)),
            Op::TrySignal => return Some(self.try_signal()),
            Op::TryPost(message) => return Some(self.try_post(message)),
            Op::Replace(message) => return Some(self.replace(message)),
            Op::TryTakeMail => return Some(self.try_take_mail()),
            Op::Arrive => return Some(self.arrive()),
            Op::TryAlloc(value) => return Some(self.try_alloc(value, stage)),
            Op::Free(slot) => return Some(self.take_out(slot)),
            Op::Spawn(slot) => return Some(self.spawn(slot, stage)),
            Op::WakeTask(slot) => return Some(Stage::Waking(task_of(slot), Behind::Nothing)),
            Op::StartTimer(ticks) => return Some(self.start_timer(stage, ticks, 0)),
            Op::StartPeriodic(ticks) => return Some(self.start_timer(stage, ticks, ticks)),
            Op::StopTimer => self.stop_timer(),
            Op::End => 0,
            _ => return self.act_on_actors(operation, stage),
        };
        Some(Stage::Result(result))
    }

    /// The operations on threads and on the time that every context may do.
    pub(super) fn act_on_threads(&mut self, operation: Op) -> Option<Stage> {
        let mut result = 0;
        match operation {
            Op::Suspend(thread) => result = self.suspend(thread.into()),
            Op::Resume(thread) => self.resume(thread.into()),
            Op::Start(thread) => result = self.start(thread.into()),
            Op::Wake(thread) => self.wake(thread.into()),
            Op::Unpark(thread) => self.unpark(thread.into()),
            Op::State(thread) => {
                let thread = &self.threads[usize::from(thread)];
                result = u16::from(thread.alive) | u16::from(thread.suspended) << 1;
            }
            Op::SetPriority { thread, priority } => {
                // No other thread runs between this and the end of the walk.
                self.threads[usize::from(thread)].base = priority;
                return Some(Stage::Walking(Walk::to(thread.into()), After::Over(0)));
            }
            Op::Tick(ticks) => self.now += u32::from(ticks),
            Op::TakeTurns => self.take_turns(),
            _ => return None,
        }
        Some(Stage::Result(result))
    }

    /// The operations that only threads may do.
    fn act_in(&mut self, thread: usize, operation: Op, stage: Stage) -> Stage {
        if self.is_refused(thread, operation) {
            return Stage::Result(REFUSED);
        }
        if let (Some(ticks), Stage::Before) = (operation.ticks(), stage) {
            self.threads[thread].until = self.now + u32::from(ticks);
            return Stage::Until;
        }
        if is_task(thread) && operation.ticks().is_some() {
            return self.act_until(thread, operation, stage);
        }
        match operation {
            Op::Yield if is_task(thread) => Stage::Waking(thread, Behind::Pending),
            Op::Yield => {
                self.yield_now(thread);
                Stage::Result(0)
            }
            Op::Join(other) => Stage::Result(self.join(thread, other.into())),
            Op::Park => {
                self.park(thread);
                Stage::Result(0)
            }
            Op::ParkUntil(_) | Op::JoinUntil { .. } => self.wait_until(thread, operation, stage),
            Op::Await | Op::AwaitItself => self.await_twice(thread, operation, stage),
            Op::Delay(_) => self.delay(thread),
            Op::Read => self.enter_blocking(thread, Wants::Read, stage),
            Op::Write => self.enter_blocking(thread, Wants::Write, stage),
            Op::ReadUntil(_) => self.enter_blocking(thread, Wants::Read, stage),
            Op::WriteUntil(_) => self.enter_blocking(thread, Wants::Write, stage),
            Op::TryRead => self.try_enter(thread, Wants::Read),
            Op::TryWrite => self.try_enter(thread, Wants::Write),
            Op::LeaveRw => self.leave_own(thread),
            Op::Meet => self.meet(thread, stage),
            Op::Enter(resource) => self.enter_section(thread, resource, stage),
            Op::Exit => self.exit_section(thread, stage),
            Op::Alloc(value) => self.alloc(thread, value, stage),
            _ => self.act_on_mutexes(thread, operation, stage),
        }
    }

    /// The operations of threads on mutexes, and on the condition variable.
    fn act_on_mutexes(&mut self, thread: usize, operation: Op, stage: Stage) -> Stage {
        match (operation, stage) {
            (_, Stage::HandsOn(leave, after)) => self.leave_on(thread, leave, after),
            (_, Stage::Locking(lock)) => self.contend(thread, lock),
            (_, Stage::Linking(lock)) => self.link(thread, lock),
            (_, Stage::Arming(lock)) => self.arm_lock(thread, lock),
            (_, Stage::Parking(lock)) => self.park_for(thread, lock),
            (Op::Lock(mutex), _) => self.lock(thread, mutex.into(), false),
            (Op::LockUntil { mutex, .. }, _) => self.lock(thread, mutex.into(), true),
            (Op::TryLock(mutex), _) => Stage::Result(self.try_lock(thread, mutex.into())),
            (Op::Unlock(mutex), _) => self.unlock(thread, mutex.into()),
            (Op::WaitChange(mutex), _) => self.wait_change(thread, mutex.into(), false, stage),
            (Op::WaitChangeUntil { mutex, .. }, _) => {
                self.wait_change(thread, mutex.into(), true, stage)
            }
            _ => self.act_on_supplies(thread, operation, stage),
        }
    }

    /// The waits of threads for supplies from other contexts.
    fn act_on_supplies(&mut self, thread: usize, operation: Op, stage: Stage) -> Stage {
        let over = Stage::Result(0);
        match operation {
            Op::Take(semaphore) => self.block(thread, semaphore.into(), Wants::One, over),
            Op::TakeUntil { semaphore, .. } => {
                self.block_until(thread, semaphore.into(), Wants::One, (stage, over))
            }
            Op::WaitFlags { mask, all, take } => {
                self.block(thread, FLAGS, Wants::Flags { mask, all, take }, over)
            }
            Op::WaitFlagsUntil { mask, all, take, .. } => {
                self.block_until(thread, FLAGS, Wants::Flags { mask, all, take }, (stage, over))
            }
            Op::WaitOwn { mask, all, take } => {
                self.block(thread, OWN + thread, Wants::Flags { mask, all, take }, over)
            }
            Op::WaitOwnUntil { mask, all, take, .. } => {
                let wants = Wants::Flags { mask, all, take };
                self.block_until(thread, OWN + thread, wants, (stage, over))
            }
            Op::Send(message) => self.block_and(thread, ROOM, stage, |own| own.append(message)),
            Op::SendUntil { message, .. } => {
                self.block_and_until(thread, ROOM, stage, |own| own.append(message))
            }
            Op::Receive => self.block_and(thread, QUEUED, stage, Self::remove),
            Op::ReceiveUntil(_) => self.block_and_until(thread, QUEUED, stage, Self::remove),
            Op::WaitSignal => self.block_and(thread, SIGNAL, stage, Self::take_signal),
            Op::WaitSignalUntil(_) => {
                self.block_and_until(thread, SIGNAL, stage, Self::take_signal)
            }
            Op::Post(message) => {
                self.block_and(thread, PLACE, stage, |own| own.fill(message, Stage::Before))
            }
            Op::PostUntil { message, .. } => {
                self.block_and_until(thread, PLACE, stage, |own| own.fill(message, Stage::Until))
            }
            Op::TakeMail => self.block_and(thread, MAIL, stage, Self::empty),
            Op::TakeMailUntil(_) => self.block_and_until(thread, MAIL, stage, Self::empty),
            _ => stage,
        }
    }
}
