//! The share of time in which the processor is awake, as a counter.

use super::{Group, Recording, Sample};

/// The window has so many parts, each with a value of its own.
const PARTS: u64 = 500;
/// The shortest part, in cycles: shorter parts tell nothing.
const CYCLES_MIN: u64 = 100;

/// Adds the counter, if the processor has ever slept.
pub fn add(recording: &mut Recording) {
    let (from, to) = recording.window;
    let part = ((to - from) / PARTS).max(CYCLES_MIN);
    let is_sleep = |track: u32| {
        let track = &recording.tracks[track as usize];
        track.group == Group::Processor && track.name == "sleep"
    };
    let sleeps = recording.slices.iter().filter(|slice| is_sleep(slice.track));
    let mut asleep = vec![0_u64; ((to - from).div_ceil(part)) as usize];
    let mut has_slept = false;
    for sleep in sleeps {
        has_slept = true;
        let (mut start, end) = (sleep.start - from, sleep.end - from);
        while start < end {
            let index = start / part;
            let until = end.min((index + 1) * part);
            if let Some(sum) = asleep.get_mut(index as usize) {
                *sum += until - start;
            }
            start = until;
        }
    }
    if !has_slept {
        return;
    }
    let counter = u32::try_from(recording.counters.len()).unwrap_or(u32::MAX);
    recording.counters.push("processor awake, %".into());
    let mut last = None;
    for (index, asleep) in asleep.into_iter().enumerate() {
        let cycle = from + index as u64 * part;
        let length = part.min(to - cycle).max(1);
        let value = u32::try_from(100 - 100 * asleep.min(length) / length).unwrap_or(100);
        if last.replace(value) != Some(value) {
            recording.samples.push(Sample { counter, cycle, value });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::{Slice, Track, example};

    #[test]
    fn what_is_not_sleep_is_load() {
        let mut recording = example::recording();
        add(&mut recording);
        assert_eq!(recording.counters.len(), 1, "it never sleeps");
        let track = recording.tracks.len() as u32;
        let sleep = Track { group: Group::Processor, name: "sleep".into(), order: 0 };
        recording.tracks.push(sleep);
        recording.slices.push(Slice { track, name: 0, start: 150, end: 300, own: 150 });
        add(&mut recording);
        let samples = recording.samples.iter().filter(|sample| sample.counter == 1);
        let values: Vec<_> = samples.map(|sample| (sample.cycle, sample.value)).collect();
        assert_eq!(values, [(0, 100), (100, 50), (200, 0), (300, 100)]);
    }
}
