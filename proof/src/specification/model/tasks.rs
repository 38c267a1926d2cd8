//! The specification of tasks: rounds, wakes, and polls.
//!
//! A task is a thread in no ring: the host does the task's steps while it polls the task. The
//! interrupt of their level polls tasks without a host.

use super::super::operation::Operation as Op;
use super::super::schedule::{HOST, HOSTED, IDLE, Schedule, TASKS};
use super::actors::is_actor;
use super::dispatch::DISPATCHER;
use super::{Behind, Stage, State};

/// The slots of the tasks that the thread hosts, and of its actor. The first of a round is slot 0.
pub(super) const ALL: u8 = ((1 << HOSTED) - 1) | (1 << TASKS);

/// The state of the level's slots, a bit each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Level {
    /// Those that were woken since they were last polled.
    ready: u8,
    /// Those that have something to poll.
    alive: u8,
    /// `true` if the interrupt of the tasks without a host is pending.
    pub(super) pended: bool,
}

impl Level {
    /// There are so many slots. Those of actors are always alive.
    pub(super) const fn new(slots: usize) -> Self {
        let alive = ((1_u16 << slots) - 1) as u8 >> TASKS << TASKS;
        Self { ready: 0, alive, pended: false }
    }
}

/// The task of a slot.
pub(super) fn task_of(slot: u8) -> usize {
    IDLE + 1 + usize::from(slot)
}

pub(super) const fn is_task(thread: usize) -> bool {
    thread > IDLE && thread != DISPATCHER
}

/// Returns the context that polls a task.
const fn poller(task: usize) -> usize {
    if ALL & bit_of(task) != 0 { HOST } else { DISPATCHER }
}

const fn bit_of(task: usize) -> u8 {
    1 << (task - IDLE - 1)
}

/// Returns `true` if a task that waits until a time has been polled.
fn is_timed_pending(stage: Stage) -> bool {
    matches!(stage, Stage::Timed(timed) if timed.is_pending())
}

impl State {
    /// Returns the thread or task that does the steps of a thread: the task that it polls, or
    /// itself.
    pub(super) fn acting(&self, thread: usize) -> usize {
        match self.threads[thread].stage {
            Stage::Polling(task, _) => task,
            _ => thread,
        }
    }

    /// Returns `true` if a task waits for a supply that no context has handed over. A task with a
    /// time limit has steps to do meanwhile.
    pub(super) fn is_pending(&self, task: usize) -> bool {
        let has_time = matches!(self.threads[task].stage, Stage::Timed(_));
        is_task(task)
            && !has_time
            && (0..self.lists.len()).any(|list| self.index(list, task).is_some())
    }

    /// Returns the ways in which a step of a thread or a task may begin. A task may find its supply
    /// at its second look, and use it in another step.
    pub(super) fn ways_on(&self, schedule: &Schedule, thread: usize) -> Vec<Stage> {
        let stage = self.threads[thread].stage;
        if self.is_pending(thread) {
            return vec![stage];
        }
        let mut ways = stage.ways_on();
        let looks_twice = match self.operation(schedule, thread) {
            Op::Send(_) | Op::Receive | Op::WaitSignal | Op::Post(_) | Op::TakeMail => {
                stage == Stage::Before
            }
            Op::SendUntil { .. } => stage == Stage::Until,
            _ => false,
        };
        if is_task(thread) && looks_twice {
            ways.push(Stage::Looked);
        }
        ways
    }

    /// Makes a thread or a task ready by its waker. The host of a task is woken behind it.
    pub(super) fn wake_by_waker(&mut self, woken: usize, behind: Behind) -> Stage {
        if is_task(woken) {
            self.level.ready |= bit_of(woken);
            return Stage::Waking(poller(woken), behind);
        }
        self.wake_poller(woken);
        behind.stage()
    }

    /// The timer's interrupt wakes a task.
    pub(super) fn expire_task(&mut self, task: usize) {
        self.level.ready |= bit_of(task);
        self.wake_poller(poller(task));
    }

    /// Wakes a thread, or pends the level's interrupt.
    fn wake_poller(&mut self, woken: usize) {
        if woken == DISPATCHER {
            self.level.pended = true;
        } else {
            self.wake(woken);
        }
    }

    /// Takes the next task of a round among these slots, and polls it.
    pub(super) fn next_of_round(&mut self, ahead: u8) -> Option<Stage> {
        let runnable = self.level.ready & self.level.alive & ahead;
        if runnable == 0 {
            return None;
        }
        let task = IDLE + 1 + runnable.trailing_zeros() as usize;
        let bit = bit_of(task);
        self.level.ready &= !bit;
        Some(Stage::Polling(task, ahead & !(bit | (bit - 1))))
    }

    /// Makes a task, unless there is one. The task is alive a step later, and then woken.
    pub(super) fn spawn(&mut self, slot: u8, stage: Stage) -> Stage {
        let task = task_of(slot);
        if let Stage::Built(task) = stage {
            self.level.alive |= bit_of(task);
            return Stage::Waking(task, Behind::Nothing);
        }
        if std::mem::replace(&mut self.threads[task].alive, true) {
            return Stage::Result(1);
        }
        Stage::Built(task)
    }

    /// Does a step of the host, which polls no task. The host yields between two rounds.
    pub(super) fn host(&mut self, thread: usize, stage: Stage) {
        let runnable = self.level.ready & self.level.alive & ALL;
        self.threads[thread].stage = match stage {
            Stage::Round(ahead) => self.next_of_round(ahead).unwrap_or(Stage::RoundOver),
            Stage::RoundOver if runnable == 0 => Stage::Parked,
            _ => Stage::Round(ALL),
        };
        match stage {
            Stage::Parked => self.await_wake(thread),
            Stage::RoundOver if runnable != 0 => self.yield_now(thread),
            _ => {}
        }
    }

    /// Does a step of a task that is polled. Returns `true` if there is one.
    pub(super) fn step_task(&mut self, schedule: &Schedule, task: usize, stage: Stage) -> bool {
        if is_actor(task) {
            return self.step_actor(schedule, task, stage);
        }
        let operation = self.operation(schedule, task);
        if self.is_pending(task) {
            self.go_on(task);
            return true;
        }
        match stage {
            Stage::Result(_) => return false,
            Stage::Before if operation == Op::End => return false,
            Stage::Ending => {
                self.level.alive &= !bit_of(task);
                let ended = &mut self.threads[task];
                (ended.alive, ended.stage) = (false, Stage::Before);
                ended.position += 1;
                self.go_on(task);
            }
            stage => {
                let stage = self.act(operation, stage, Some(task));
                self.threads[task].stage = stage;
                if stage == Stage::Pending {
                    self.threads[task].stage = Stage::Result(0);
                    self.go_on(task);
                } else if self.is_pending(task) || is_timed_pending(stage) {
                    self.go_on(task);
                }
            }
        }
        true
    }

    /// Ends a poll of a task: the polling context goes on with its round.
    pub(super) fn go_on(&mut self, task: usize) {
        let stage = match self.handlers.last_mut() {
            Some(level) if poller(task) == DISPATCHER => &mut level.stage,
            _ => &mut self.threads[HOST].stage,
        };
        if let Stage::Polling(_, ahead) = *stage {
            *stage = Stage::Round(ahead);
        }
    }
}
