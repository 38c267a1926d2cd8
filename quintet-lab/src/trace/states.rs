//! The states of threads that don't run: ready, or waiting for something, each from when to when.
//!
//! After a switch, the thread before it is either ready or waits. From then on, only a wake or the
//! thread's turn can change this state. FreeRTOS doesn't tell who was made ready, so its lists are
//! compared with their last content. The lab looks at a list whenever one of its words changes,
//! which may be in the middle of an update. So a thread that seems ready is looked at again at the
//! next switch.

use super::kernel::Kernel;
use crate::firmware::Firmware;
use crate::threads::layout::{About, Layout, State, Waiting};
use crate::threads::waits::{self, Names};
use quintet_sim::cores::Core;
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

/// The name of the state of a thread that could run.
pub const READY: &str = "ready";

/// The states of all threads.
#[derive(Debug, Default)]
pub struct States {
    /// The state of each thread that doesn't run, and since when.
    standing: BTreeMap<u32, (String, u64)>,
    /// The threads that seem to have become ready since the last switch, and when.
    woken: BTreeMap<u32, u64>,
    /// The threads that have run. Others may wait for them.
    known: BTreeMap<u32, About>,
    /// The names of waits, as each takes a search.
    words: BTreeMap<(u32, u32, u32), String>,
    /// The ready tasks of FreeRTOS.
    ready: BTreeSet<u32>,
}

/// A state that is over.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stood {
    /// The thread, by its control block.
    pub control: u32,
    /// The state.
    pub state: String,
    /// From when to when.
    pub times: (u64, u64),
}

impl States {
    /// Returns the tasks of FreeRTOS that became ready since the last time.
    pub fn look(&mut self, machine: &impl Core, kernel: &Kernel) -> Vec<u32> {
        let Some(tasks) = kernel.freertos() else { return Vec::new() };
        let ready = tasks.ready(machine);
        let new = ready.difference(&self.ready).copied().collect();
        self.ready = ready;
        new
    }

    /// Returns the number of ready tasks of FreeRTOS.
    pub fn ready(&self) -> u32 {
        u32::try_from(self.ready.len()).unwrap_or(u32::MAX)
    }

    /// Notes that a thread seems to have become ready while `running` runs.
    pub fn woken(&mut self, control: u32, running: u32, cycle: u64) {
        if control != running {
            self.woken.entry(control).or_insert(cycle);
        }
    }

    /// Returns the threads that did become ready, as `is_ready` says.
    fn settle(&mut self, is_ready: impl Fn(u32) -> bool) -> Vec<Stood> {
        let woken = std::mem::take(&mut self.woken).into_iter();
        let ready = woken.filter(|(control, _)| is_ready(*control));
        let ready: Vec<(u32, u64)> = ready.collect();
        let stood = ready.into_iter().map(|(control, at)| self.stand(control, READY.into(), at));
        stood.collect::<Vec<_>>().into_iter().flatten().collect()
    }

    /// Notes that another thread runs. Returns the states that are over.
    pub fn switched(
        &mut self,
        (firmware, machine, kernel): (&Firmware, &impl Core, &Kernel),
        (from, to): (u32, u32),
        cycle: u64,
    ) -> Vec<Stood> {
        let tasks = self.ready.clone();
        let is_ready = |control| match kernel.layout() {
            Some(layout) => layout.state(machine, control) == Some(State::Ready),
            None => tasks.contains(&control),
        };
        let mut over = self.settle(|control| control == to || is_ready(control));
        let state = match (kernel.layout(), kernel.freertos()) {
            _ if from == 0 => None,
            (Some(layout), _) => self.of_quintet(firmware, machine, layout, from),
            (None, Some(_)) if self.ready.contains(&from) => Some(READY.into()),
            (None, Some(tasks)) if tasks.is_deleted(machine, from) => None,
            (None, Some(tasks)) => Some(tasks.waits(firmware, machine, from)),
            (None, None) => None,
        };
        if let Some(tasks) = kernel.freertos() {
            // A task that another one deletes is gone from then on.
            let all: Vec<u32> = self.standing.keys().copied().collect();
            let gone = all.into_iter().filter(|control| tasks.is_deleted(machine, *control));
            over.extend(
                gone.collect::<Vec<_>>().into_iter().filter_map(|one| self.end(one, cycle)),
            );
        }
        let left = state.and_then(|state| self.stand(from, state, cycle));
        over.extend(left.into_iter().chain(self.end(to, cycle)));
        over
    }

    /// Ends all states at the end of the run.
    pub fn finish(&mut self, cycle: u64) -> Vec<Stood> {
        let mut over = self.settle(|_| true);
        let controls: Vec<u32> = self.standing.keys().copied().collect();
        over.extend(controls.into_iter().filter_map(|control| self.end(control, cycle)));
        over
    }

    fn end(&mut self, control: u32, cycle: u64) -> Option<Stood> {
        let (state, since) = self.standing.remove(&control)?;
        Some(Stood { control, state, times: (since, cycle) })
    }

    /// Sets the state of a thread from now on. Returns the state before, if it was another one.
    fn stand(&mut self, control: u32, state: String, cycle: u64) -> Option<Stood> {
        if self.standing.get(&control).is_some_and(|(before, _)| *before == state) {
            return None;
        }
        let before = self.end(control, cycle);
        self.standing.insert(control, (state, cycle));
        before
    }

    fn of_quintet(
        &mut self,
        firmware: &Firmware,
        machine: &impl Core,
        layout: &Layout,
        control: u32,
    ) -> Option<String> {
        if let Entry::Vacant(place) = self.known.entry(control) {
            place.insert(layout.about(machine, control)?);
        }
        match layout.state(machine, control)? {
            State::Waiting => self.wait(firmware, machine, layout, control),
            State::Running => None,
            state => Some(state.word().into()),
        }
    }

    /// Returns the thing that a thread of Quintet waits for.
    fn wait(
        &mut self,
        firmware: &Firmware,
        machine: &impl Core,
        layout: &Layout,
        control: u32,
    ) -> Option<String> {
        let about = self.known.get(&control)?;
        let threads = || self.known.iter().map(|(control, about)| (*control, about));
        let find = || {
            let names = Names { image: &firmware.image, types: firmware.debug.types() };
            let wait = waits::find(names, (layout, machine), threads(), (control, about));
            wait.map_or_else(|| "waits".into(), |wait| format!("waits for {}", wait.what))
        };
        if threads().any(|(other, _)| layout.joiner(machine, other) == Some(control)) {
            return Some(find());
        }
        let Waiting { place, link, .. } = layout.waiting(machine, control)?;
        let key = (control, place, link);
        if let Some(words) = self.words.get(&key) {
            return Some(words.clone());
        }
        let words = find();
        self.words.insert(key, words.clone());
        Some(words)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stood(control: u32, state: &str, times: (u64, u64)) -> Stood {
        Stood { control, state: state.into(), times }
    }

    #[test]
    fn a_state_lasts_until_another_one_or_until_the_thread_runs() {
        let mut states = States::default();
        assert_eq!(states.stand(1, "waits for a time".into(), 10), None);
        states.woken(1, 2, 20);
        assert_eq!(states.settle(|_| false), [], "it only seemed so");
        states.woken(1, 2, 30);
        states.woken(1, 2, 35);
        assert_eq!(states.settle(|_| true), [stood(1, "waits for a time", (10, 30))]);
        assert_eq!(states.end(1, 40), Some(stood(1, READY, (30, 40))));
        states.woken(1, 1, 50);
        assert_eq!((states.settle(|_| true), states.end(1, 60)), (vec![], None), "it runs");
    }

    #[test]
    fn the_end_of_the_run_ends_all_states() {
        let mut states = States::default();
        states.stand(1, READY.into(), 10);
        states.stand(2, "waits for a time".into(), 20);
        let ended = [stood(1, READY, (10, 99)), stood(2, "waits for a time", (20, 99))];
        assert_eq!(states.finish(99), ended);
        assert_eq!(states.finish(100), []);
    }
}
