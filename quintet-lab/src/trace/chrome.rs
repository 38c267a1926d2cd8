//! A recording in the format of Chrome's trace viewer: JSON that Perfetto reads too.
//!
//! Each group is a process, each track a thread in it, and times are microseconds.

use super::{Group, Recording};
use serde_json::{Value, json};

/// The whole file.
pub fn text(recording: &Recording) -> String {
    let value = json!({
        "displayTimeUnit": "ns",
        "otherData": {"clock_hz": recording.clock_hz.to_string()},
        "traceEvents": events(recording),
    });
    format!("{value}\n")
}

/// The number of a group as a process; counters come behind them all.
fn process(group: Group) -> usize {
    1 + Group::ALL.iter().position(|one| *one == group).unwrap_or(0)
}

const COUNTERS: usize = Group::ALL.len() + 1;

fn events(recording: &Recording) -> Vec<Value> {
    let mut events = metadata(recording);
    let at = |track: u32| (process(recording.tracks[track as usize].group), track + 1);
    let time = |cycle: u64| recording.microseconds(cycle);
    for slice in &recording.slices {
        let (pid, tid) = at(slice.track);
        let (cycles, own) = (slice.end - slice.start, slice.own);
        events.push(json!({
            "ph": "X", "pid": pid, "tid": tid, "name": recording.names[slice.name as usize],
            "ts": time(slice.start), "dur": time(slice.end) - time(slice.start),
            "args": {"cycle": slice.start, "cycles": cycles, "own_cycles": own},
        }));
    }
    for mark in &recording.marks {
        let (pid, tid) = at(mark.track);
        events.push(json!({
            "ph": "i", "s": "t", "pid": pid, "tid": tid, "name": mark.text,
            "ts": time(mark.cycle), "args": {"cycle": mark.cycle},
        }));
    }
    for (id, arrow) in recording.arrows.iter().enumerate() {
        let ((from, thread), (to, woken)) = (at(arrow.from), at(arrow.to));
        events.push(json!({
            "ph": "s", "id": id, "cat": "wake", "name": "wake", "pid": from, "tid": thread,
            "ts": time(arrow.start),
        }));
        events.push(json!({
            "ph": "f", "bp": "e", "id": id, "cat": "wake", "name": "wake", "pid": to,
            "tid": woken, "ts": time(arrow.end),
        }));
    }
    for sample in &recording.samples {
        events.push(json!({
            "ph": "C", "pid": COUNTERS, "tid": 0,
            "name": recording.counters[sample.counter as usize],
            "ts": time(sample.cycle), "args": {"value": sample.value},
        }));
    }
    events
}

/// The names of groups and tracks.
fn metadata(recording: &Recording) -> Vec<Value> {
    let named = |what: &str, pid: usize, tid: u32, name: &str| json!({"ph": "M", "name": what, "pid": pid, "tid": tid, "args": {"name": name}});
    let ordered = |what: &str, pid: usize, tid: u32, index: usize| json!({"ph": "M", "name": what, "pid": pid, "tid": tid, "args": {"sort_index": index}});
    let mut events = Vec::new();
    for group in Group::ALL {
        let pid = process(group);
        events.push(named("process_name", pid, 0, group.word()));
        events.push(ordered("process_sort_index", pid, 0, pid));
    }
    if !recording.samples.is_empty() {
        events.push(named("process_name", COUNTERS, 0, "counters"));
    }
    for (index, track) in recording.ordered().into_iter().enumerate() {
        let Some(about) = recording.tracks.get(track as usize) else { continue };
        let pid = process(about.group);
        events.push(named("thread_name", pid, track + 1, &about.name));
        events.push(ordered("thread_sort_index", pid, track + 1, index));
    }
    events
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::example;

    #[test]
    fn everything_is_in_the_file() {
        let value: Value = serde_json::from_str(&text(&example::recording())).unwrap();
        let events = value["traceEvents"].as_array().unwrap();
        let of = |phase: &str| events.iter().filter(|one| one["ph"] == phase).collect::<Vec<_>>();
        let slices = of("X");
        assert_eq!((slices.len(), &slices[1]["name"]), (2, &json!("receive")));
        assert_eq!((&slices[1]["ts"], &slices[1]["args"]["cycles"]), (&json!(50.0), &json!(200)));
        assert_eq!(of("i")[0]["name"], "a \"line\" </script>");
        assert_eq!((of("s").len(), of("f").len(), of("C").len()), (1, 1, 1));
        assert_eq!(of("s")[0]["id"], of("f")[0]["id"]);
        let names: Vec<_> = of("M").iter().map(|one| one["args"]["name"].clone()).collect();
        assert!(names.contains(&json!("UART0 (IRQ 5)")) && !names.contains(&json!("never")));
    }
}
