//! The notes of a recorder. Tracks and names have numbers.

use super::{Arrow, Mark, Recording, Sample, Slice, Track};
use std::collections::BTreeMap;

/// After so many events, those that are too old are removed.
const PRUNE_EVENTS: usize = 1 << 16;

/// The part of a run that is recorded.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// From this cycle on.
    pub from: u64,
    /// Only the last so many cycles.
    pub last: Option<u64>,
    /// The most events.
    pub events: usize,
}

/// The subject of a track.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Key {
    /// The processor's sleep.
    Sleep,
    /// A register that masks: PRIMASK, FAULTMASK, BASEPRI.
    Mask(u8),
    /// A handler, by its exception.
    Exception(u16),
    /// A task, or a function.
    Unit(u16),
    /// A task of another executor, by an address in its memory.
    Task(u32),
    /// A thread, by its control block; 0 for thread mode without threads.
    Thread(u32),
    /// The states of a thread that doesn't run, by its control block.
    State(u32),
    /// A state machine, by its number.
    Machine(u16),
    /// The registers of a peripheral, by its name.
    Registers(String),
    /// A channel of output.
    Output(String),
}

/// The notes up to now.
#[derive(Debug)]
pub struct Store {
    limits: Limits,
    recording: Recording,
    tracks: BTreeMap<Key, u32>,
    names: BTreeMap<String, u32>,
    counters: BTreeMap<String, u32>,
    pruned: usize,
}

impl Store {
    /// Makes an empty store.
    pub fn new(limits: Limits, clock_hz: u64) -> Self {
        Self {
            limits,
            recording: Recording { clock_hz, ..Recording::default() },
            tracks: BTreeMap::new(),
            names: BTreeMap::new(),
            counters: BTreeMap::new(),
            pruned: 0,
        }
    }

    /// Returns the number of a track, if it is known.
    pub fn known(&self, key: &Key) -> Option<u32> {
        self.tracks.get(key).copied()
    }

    /// Forgets whose track this was: the next of that key is another one's.
    pub fn forget(&mut self, key: &Key) {
        self.tracks.remove(key);
    }

    /// Adds a track.
    pub fn add_track(&mut self, key: Key, track: Track) -> u32 {
        let number = number(self.recording.tracks.len());
        self.recording.tracks.push(track);
        self.tracks.insert(key, number);
        number
    }

    /// Adds a slice with the track's name, or another one.
    pub fn slice(&mut self, track: u32, name: Option<&str>, (start, end): (u64, u64), own: u64) {
        if end < self.limits.from {
            return;
        }
        let full = self.recording.tracks[track as usize].name.as_str();
        // What is in parentheses says more about the track.
        let name = name.unwrap_or_else(|| full.split(" (").next().unwrap_or(full)).to_owned();
        let name = self.name(name);
        self.recording.slices.push(Slice { track, name, start, end, own });
    }

    fn name(&mut self, name: String) -> u32 {
        if let Some(number) = self.names.get(&name) {
            return *number;
        }
        let number = number(self.recording.names.len());
        self.recording.names.push(name.clone());
        self.names.insert(name, number);
        number
    }

    /// Adds a value of a counter.
    pub fn sample(&mut self, name: &str, cycle: u64, value: u32) {
        if cycle < self.limits.from {
            return;
        }
        let next = number(self.counters.len());
        let counter = *self.counters.entry(name.to_owned()).or_insert(next);
        if counter == next {
            self.recording.counters.push(name.to_owned());
        }
        self.recording.samples.push(Sample { counter, cycle, value });
    }

    /// Adds a wake, unless somebody woke itself.
    pub fn arrow(&mut self, arrow: Arrow) {
        if arrow.start >= self.limits.from && arrow.from != arrow.to {
            self.recording.arrows.push(arrow);
        }
    }

    /// Adds a moment.
    pub fn mark(&mut self, track: u32, cycle: u64, bytes: &[u8]) {
        if cycle >= self.limits.from {
            let text = String::from_utf8_lossy(bytes).trim_end().to_owned();
            self.recording.marks.push(Mark { track, cycle, text });
        }
    }

    /// Removes, now and then, the events that are too old. Returns `true` if there is room for
    /// more.
    pub fn has_room(&mut self, cycle: u64) -> bool {
        let events = self.recording.events();
        if let Some(last) = self.limits.last
            && events >= self.pruned + PRUNE_EVENTS
        {
            let from = cycle.saturating_sub(last);
            self.recording.slices.retain(|slice| slice.end >= from);
            self.recording.marks.retain(|mark| mark.cycle >= from);
            self.recording.arrows.retain(|arrow| arrow.start >= from);
            self.recording.samples.retain(|sample| sample.cycle >= from);
            self.pruned = self.recording.events();
        }
        let has_room = events < self.limits.events;
        if !has_room {
            self.recording.cut = Some(format!("the limit of {} events", self.limits.events));
        }
        has_room
    }

    /// Returns the recording of a run that ended in `cycle`.
    pub fn finish(&mut self, cycle: u64) -> Recording {
        let last = self.limits.last.map_or(0, |last| cycle.saturating_sub(last));
        let mut recording = std::mem::take(&mut self.recording);
        sort_counters(&mut recording);
        recording.keep_window(self.limits.from.max(last), cycle);
        recording
    }
}

/// Gives counters the order of their names.
fn sort_counters(recording: &mut Recording) {
    let names = std::mem::take(&mut recording.counters);
    let mut order: Vec<usize> = (0..names.len()).collect();
    order.sort_by_key(|place| &names[*place]);
    let mut numbers = vec![0; names.len()];
    for (number, place) in (0..).zip(&order) {
        numbers[*place] = number;
    }
    recording.counters = order.into_iter().map(|place| names[place].clone()).collect();
    for sample in &mut recording.samples {
        sample.counter = numbers[sample.counter as usize];
    }
}

fn number(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::Group;

    #[test]
    fn only_the_last_cycles_are_kept() {
        let mut store = Store::new(Limits { from: 0, last: Some(100), events: 1 << 20 }, 1);
        let track = Track { group: Group::Processor, name: "sleep (deep)".into(), order: 0 };
        let track = store.add_track(Key::Sleep, track);
        for start in 0..PRUNE_EVENTS as u64 + 2 {
            store.slice(track, None, (start, start + 1), 1);
            assert!(store.has_room(start + 1));
        }
        assert!(store.recording.events() < 200);
        let recording = store.finish(PRUNE_EVENTS as u64 + 2);
        assert_eq!((recording.slices.len(), recording.names), (101, vec!["sleep".to_owned()]));
        assert_eq!(recording.window, (PRUNE_EVENTS as u64 - 98, PRUNE_EVENTS as u64 + 2));
    }

    #[test]
    fn counters_stand_in_the_order_of_their_names() {
        let mut store = Store::new(Limits { from: 0, last: None, events: 9 }, 1);
        for (cycle, name) in ["stack", "queue", "ready"].into_iter().enumerate() {
            store.sample(name, cycle as u64, 7 + cycle as u32);
        }
        let recording = store.finish(9);
        assert_eq!(recording.counters, ["queue", "ready", "stack"]);
        let samples: Vec<_> =
            recording.samples.iter().map(|one| (one.counter, one.value)).collect();
        assert_eq!(samples, [(2, 7), (0, 8), (1, 9)]);
    }

    #[test]
    fn a_store_that_is_full_says_so() {
        let mut store = Store::new(Limits { from: 10, last: None, events: 1 }, 1);
        store.sample("it", 9, 1);
        assert!(store.has_room(9));
        store.sample("it", 10, 1);
        assert!(!store.has_room(10));
        assert_eq!(store.finish(11).cut.as_deref(), Some("the limit of 1 events"));
    }
}
