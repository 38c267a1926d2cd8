//! The specification of actors: bounded queues of events, and one event a dispatch.
//!
//! An actor has a slot of a level, as a task has, which is always alive. A context that has posted
//! wakes the actor in a step of its own. So does the actor that has taken an event while others
//! wait.

use std::collections::VecDeque;

use super::super::operation::Operation as Op;
use super::super::schedule::{IDLE, QUEUES, Schedule, TASKS};
use super::{Behind, Stage, State};

/// The events that wait for an actor.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Queue {
    events: VecDeque<u8>,
    stopped: bool,
    /// The most events that ever waited at once.
    most: usize,
}

/// The place of a new event.
#[derive(Clone, Copy)]
enum Place {
    Front,
    /// Behind the others, if so many places stay free.
    Back(u8),
}

/// The first actor, among the threads.
const FIRST: usize = IDLE + 1 + TASKS;

/// Returns `true` if this is an actor.
pub(super) const fn is_actor(thread: usize) -> bool {
    FIRST <= thread && thread < FIRST + QUEUES.len()
}

/// Returns the stage of a context that has put its event: the actor is woken then.
fn posted(actor: usize) -> Stage {
    Stage::Waking(FIRST + actor, Behind::Nothing)
}

impl Queue {
    fn put(&mut self, event: u8, place: Place, room: usize) -> bool {
        let free = if let Place::Back(free) = place { usize::from(free) } else { 0 };
        if self.stopped || self.events.len() + free >= room {
            return false;
        }
        match place {
            Place::Front => self.events.push_front(event),
            Place::Back(_) => self.events.push_back(event),
        }
        self.most = self.most.max(self.events.len());
        true
    }

    /// Drops an event that was posted before a stop. Returns `true` if there was one.
    fn drop_one(&mut self) -> bool {
        self.stopped && self.events.pop_front().is_some()
    }
}

impl State {
    /// The operations on actors, which every context may do.
    pub(super) fn act_on_actors(&mut self, operation: Op, stage: Stage) -> Option<Stage> {
        Some(match operation {
            Op::PostEvent { actor, event } => self.post_to(actor, event, Place::Back(0), stage),
            Op::PostFront { actor, event } => self.post_to(actor, event, Place::Front, stage),
            Op::PostMargin { actor, event, free } => {
                self.post_to(actor, event, Place::Back(free), stage)
            }
            Op::StopActor(actor) => self.stop_actor(actor.into(), stage),
            Op::StartActor(actor) => {
                let queue = &mut self.actors[usize::from(actor)];
                if queue.drop_one() {
                    return Some(Stage::Dropping);
                }
                queue.stopped = false;
                Stage::Result(0)
            }
            Op::StartActorWith { actor, event } => self.start_with(actor.into(), event),
            Op::RestartActor(actor) => self.restart_actor(actor.into(), None),
            Op::RestartActorWith { actor, event } => self.restart_actor(actor.into(), Some(event)),
            Op::Fill(actor) => {
                let Queue { events, most, .. } = &self.actors[usize::from(actor)];
                Stage::Result((events.len() | most << 4) as u16)
            }
            _ => return self.act_on_threads(operation),
        })
    }

    /// A context that finds no room looks a second time, after pending exceptions.
    fn post_to(&mut self, actor: u8, event: u8, place: Place, stage: Stage) -> Stage {
        let actor = usize::from(actor);
        if self.actors[actor].put(event, place, QUEUES[actor]) {
            return posted(actor);
        }
        if stage == Stage::Full { Stage::Result(1) } else { Stage::Full }
    }

    /// No event is admitted. Then the waiting events are dropped, until the actor is started.
    fn stop_actor(&mut self, actor: usize, stage: Stage) -> Stage {
        let queue = &mut self.actors[actor];
        if stage != Stage::Dropping {
            queue.stopped = true;
            return Stage::Dropping;
        }
        if queue.drop_one() { Stage::Dropping } else { Stage::Result(0) }
    }

    /// An actor that isn't stopped gets no event.
    fn start_with(&mut self, actor: usize, event: u8) -> Stage {
        let queue = &mut self.actors[actor];
        if queue.drop_one() {
            return Stage::Dropping;
        }
        if !std::mem::take(&mut queue.stopped) {
            return Stage::Result(0);
        }
        queue.put(event, Place::Back(0), QUEUES[actor]);
        posted(actor)
    }

    /// The waiting events are dropped, and also those that are posted meanwhile. Then events are
    /// admitted, with `first` as the first.
    fn restart_actor(&mut self, actor: usize, first: Option<u8>) -> Stage {
        let queue = &mut self.actors[actor];
        if queue.events.pop_front().is_some() {
            return Stage::Dropping;
        }
        queue.stopped = false;
        match first {
            Some(event) => {
                queue.put(event, Place::Back(0), QUEUES[actor]);
                posted(actor)
            }
            None => Stage::Result(0),
        }
    }

    /// Does a step of an actor's dispatch: the actor takes an event, if there is one, logs it, and
    /// does the next operation of its script.
    pub(super) fn step_actor(&mut self, schedule: &Schedule, actor: usize, stage: Stage) -> bool {
        let operation = self.operation(schedule, actor);
        let stage = match stage {
            Stage::Result(_) | Stage::Handling(_) => return false,
            Stage::Before => {
                let events = &mut self.actors[actor - FIRST].events;
                match events.pop_front() {
                    None => return self.end_dispatch(actor),
                    Some(event) if events.is_empty() => Stage::Handling(event),
                    Some(event) => Stage::Waking(actor, Behind::Handling(event)),
                }
            }
            Stage::Handled if operation == Op::End => {
                self.threads[actor].position += 1;
                return self.end_dispatch(actor);
            }
            Stage::Handled => self.act(operation, Stage::Before, None),
            stage => self.act(operation, stage, None),
        };
        self.threads[actor].stage = stage;
        true
    }

    /// Changes an actor's state after its entry: the event, or the operation.
    pub(super) fn log_of_actor(&mut self, actor: usize) {
        if let Stage::Handling(_) = self.threads[actor].stage {
            self.threads[actor].stage = Stage::Handled;
        } else {
            self.threads[actor].position += 1;
            self.end_dispatch(actor);
        }
    }

    /// Ends the actor's dispatch: the round goes on.
    fn end_dispatch(&mut self, actor: usize) -> bool {
        self.threads[actor].stage = Stage::Before;
        self.go_on(actor);
        true
    }
}
