//! A recording in the format of Chrome's trace viewer: JSON that Perfetto reads too.
//!
//! Each group is a process, each track a thread in it, and times are microseconds.

use super::{Group, Recording};
use serde_json::{Value, json};
use std::fmt::Write;

/// The whole file. Events are written one by one: a value for each would take many times the memory
/// of the text.
pub fn text(recording: &Recording) -> String {
    let mut text = String::new();
    let clock = recording.clock_hz;
    text.push_str("{\"displayTimeUnit\":\"ns\",\"otherData\":{\"clock_hz\":\"");
    // Writing to a text doesn't fail.
    let _ = write!(text, "{clock}\"}},\"traceEvents\":[");
    let metadata = metadata(recording).into_iter().map(|event| event.to_string());
    let all = metadata.chain(slices(recording)).chain(marks(recording));
    let all = all.chain(arrows(recording)).chain(samples(recording));
    for (index, event) in all.enumerate() {
        text.push_str(if index == 0 { "\n" } else { ",\n" });
        text.push_str(&event);
    }
    text.push_str("\n]}\n");
    text
}

/// The number of a group as a process; counters come behind them all.
fn process(group: Group) -> usize {
    1 + Group::ALL.iter().position(|one| *one == group).unwrap_or(0)
}

const COUNTERS: usize = Group::ALL.len() + 1;

/// Where a track is: its process and its thread.
fn place(recording: &Recording, track: u32) -> String {
    let process = process(recording.tracks[track as usize].group);
    format!("\"pid\":{process},\"tid\":{}", track + 1)
}

/// A text as JSON has it.
fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}

fn slices(recording: &Recording) -> impl Iterator<Item = String> {
    let names: Vec<String> = recording.names.iter().map(|name| quoted(name)).collect();
    recording.slices.iter().map(move |slice| {
        let start = recording.microseconds(slice.start);
        format!(
            "{{\"ph\":\"X\",{},\"name\":{},\"ts\":{start},\"dur\":{},\"args\":{{\"cycle\":{},\
             \"cycles\":{},\"own_cycles\":{}}}}}",
            place(recording, slice.track),
            names[slice.name as usize],
            recording.microseconds(slice.end) - start,
            slice.start,
            slice.end - slice.start,
            slice.own
        )
    })
}

fn marks(recording: &Recording) -> impl Iterator<Item = String> {
    recording.marks.iter().map(|mark| {
        format!(
            "{{\"ph\":\"i\",\"s\":\"t\",{},\"name\":{},\"ts\":{},\"args\":{{\"cycle\":{}}}}}",
            place(recording, mark.track),
            quoted(&mark.text),
            recording.microseconds(mark.cycle),
            mark.cycle
        )
    })
}

/// An arrow is two events, which have its number.
fn arrows(recording: &Recording) -> impl Iterator<Item = String> {
    let ends = recording.arrows.iter().enumerate().flat_map(|(id, arrow)| {
        let from = ("\"s\"", id, arrow.from, arrow.start);
        [from, ("\"f\",\"bp\":\"e\"", id, arrow.to, arrow.end)]
    });
    ends.map(|(phase, id, track, cycle)| {
        format!(
            "{{\"ph\":{phase},\"id\":{id},\"cat\":\"wake\",\"name\":\"wake\",{},\"ts\":{}}}",
            place(recording, track),
            recording.microseconds(cycle)
        )
    })
}

fn samples(recording: &Recording) -> impl Iterator<Item = String> {
    recording.samples.iter().map(|sample| {
        format!(
            "{{\"ph\":\"C\",\"pid\":{COUNTERS},\"tid\":0,\"name\":{},\"ts\":{},\
             \"args\":{{\"value\":{}}}}}",
            quoted(&recording.counters[sample.counter as usize]),
            recording.microseconds(sample.cycle),
            sample.value
        )
    })
}

/// What is to be known of a process, or of a thread in it.
fn about(what: &str, pid: usize, tid: u32, args: &Value) -> Value {
    let mut about = json!({"ph": "M", "name": what, "pid": pid, "tid": tid});
    about["args"] = args.clone();
    about
}

/// The names of groups and tracks.
fn metadata(recording: &Recording) -> Vec<Value> {
    let named = |what: &str, pid: usize, tid: u32, name: &str| {
        about(what, pid, tid, &json!({ "name": name }))
    };
    let ordered = |what: &str, pid: usize, tid: u32, index: usize| {
        about(what, pid, tid, &json!({ "sort_index": index }))
    };
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
        assert_eq!((&slices[1]["ts"], &slices[1]["args"]["cycles"]), (&json!(50), &json!(200)));
        assert_eq!(of("i")[0]["name"], "a \"line\" </script>");
        assert_eq!((of("s").len(), of("f").len(), of("C").len()), (1, 1, 1));
        assert_eq!(of("s")[0]["id"], of("f")[0]["id"]);
        let names: Vec<_> = of("M").iter().map(|one| one["args"]["name"].clone()).collect();
        assert!(names.contains(&json!("UART0 (IRQ 5)")) && !names.contains(&json!("never")));
    }
}
