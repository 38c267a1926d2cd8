//! A recording as a table: for each track the number of its slices, and how long they took.

use super::span::in_words;
use super::{Group, Recording, Slice};
use crate::report::table::{self, Table, grouped, share, table};
use serde::Serialize;
use std::collections::BTreeMap;

/// A line of the table.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Row {
    /// The subject of the track.
    pub group: &'static str,
    /// The track's name.
    pub name: String,
    /// The number of slices, or of lines of output.
    pub count: u64,
    /// The cycles of all slices, without the cycles of more urgent code.
    pub own_cycles: u64,
    /// The share of these in all cycles, in percent.
    pub share_percent: f64,
    /// The shortest slice, with the cycles of more urgent code.
    pub shortest: u64,
    /// The longest slice, with the cycles of more urgent code.
    pub longest: u64,
    /// The longest time from a wake to the begin of the slice; null without wakes.
    pub wake_longest: Option<u64>,
}

/// The lines of a recording, in the order of its tracks.
pub fn rows(recording: &Recording) -> Vec<Row> {
    let (from, to) = recording.window;
    // Of each track, and of each state that one shows.
    let mut rows: BTreeMap<(u32, Option<u32>), Row> = BTreeMap::new();
    let state = |slice: &Slice| {
        let group = recording.tracks[slice.track as usize].group;
        let is_state = matches!(group, Group::States | Group::Machines);
        is_state.then_some(slice.name)
    };
    for slice in &recording.slices {
        let key = (slice.track, state(slice));
        let row = rows.entry(key).or_insert_with(|| row(recording, key));
        let cycles = slice.end - slice.start;
        row.count += 1;
        row.own_cycles += slice.own;
        row.shortest = row.shortest.min(cycles);
        row.longest = row.longest.max(cycles);
    }
    // The marks of other tracks, as transitions, are within slices.
    let has_marks = |track: u32| {
        matches!(recording.tracks[track as usize].group, Group::Output | Group::Registers)
    };
    for mark in recording.marks.iter().filter(|mark| has_marks(mark.track)) {
        let key = (mark.track, None);
        rows.entry(key).or_insert_with(|| row(recording, key)).count += 1;
    }
    for arrow in &recording.arrows {
        let took = arrow.end - arrow.start;
        let note = |row: &mut Row| row.wake_longest = row.wake_longest.max(Some(took));
        rows.entry((arrow.to, None)).and_modify(note);
    }
    for row in rows.values_mut() {
        row.shortest = row.shortest.min(row.longest);
        let all = (to - from).max(1);
        row.share_percent = share(row.own_cycles, all);
    }
    let ordered = recording.ordered();
    let of_track = |track: &u32| {
        let keys = rows.range((*track, None)..=(*track, Some(u32::MAX)));
        keys.map(|(_, row)| row.clone()).collect::<Vec<Row>>()
    };
    ordered.iter().flat_map(of_track).collect()
}

/// Returns the row of a track, or of one of its states, before anything is counted.
fn row(recording: &Recording, (track, state): (u32, Option<u32>)) -> Row {
    let about = &recording.tracks[track as usize];
    let name = match state {
        Some(state) => format!("{}: {}", about.name, recording.names[state as usize]),
        None => about.name.clone(),
    };
    Row {
        group: about.group.word(),
        name,
        count: 0,
        own_cycles: 0,
        share_percent: 0.0,
        shortest: u64::MAX,
        longest: 0,
        wake_longest: None,
    }
}

/// The table.
pub fn tracks(rows: &[Row]) -> Table {
    let columns =
        ["track", "of", ">count", ">own cycles", ">share", ">shortest", ">longest", ">wake to run"];
    let mut lines = table(&columns);
    for row in rows {
        let is_output = row.longest == 0 && row.own_cycles == 0;
        let cycles = |cycles| if is_output { String::new() } else { grouped(cycles) };
        let share = if is_output { String::new() } else { format!("{:.2} %", row.share_percent) };
        lines.add_row([
            row.name.clone(),
            row.group.to_owned(),
            grouped(row.count),
            cycles(row.own_cycles),
            share,
            cycles(row.shortest),
            cycles(row.longest),
            row.wake_longest.map(grouped).unwrap_or_default(),
        ]);
    }
    lines
}

/// The table, and the part of the run that it shows.
pub fn text(recording: &Recording) -> String {
    let (from, to) = recording.window;
    let clock = recording.clock_hz;
    format!(
        "{}\n{} events from {} to {}, {} cycles at {} Hz.\n",
        table::text(&tracks(&rows(recording))),
        grouped(recording.events() as u64),
        in_words(from, clock),
        in_words(to, clock),
        grouped(to - from),
        grouped(clock),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::{Track, example};

    #[test]
    fn each_state_of_a_thread_has_a_row() {
        let mut recording = example::recording();
        let group = Group::States;
        recording.tracks.push(Track { group, name: "worker".into(), order: 0 });
        let stood = |name, start, end| Slice { track: 4, name, start, end, own: end - start };
        recording.names.extend(["ready".into(), "waits for a time".into()]);
        recording.slices.extend([stood(3, 0, 40), stood(2, 40, 50), stood(3, 60, 90)]);
        let rows = rows(&recording).into_iter().filter(|row| row.group == "states");
        let rows: Vec<_> = rows.map(|row| (row.name, row.count, row.own_cycles)).collect();
        let expected =
            [("worker: ready".into(), 1, 10), ("worker: waits for a time".into(), 2, 70)];
        assert_eq!(rows, expected);
    }

    #[test]
    fn tracks_are_summed_up() {
        let rows = rows(&example::recording());
        let names: Vec<_> = rows.iter().map(|row| &*row.name).collect();
        assert_eq!(names, ["UART0 (IRQ 5)", "worker", "stdout"]);
        assert_eq!((rows[0].own_cycles, rows[0].wake_longest), (200, Some(10)));
        assert_eq!((rows[1].own_cycles, rows[1].share_percent), (1000, 83.33));
        assert_eq!((rows[2].count, rows[2].longest), (1, 0));
        let text = text(&example::recording());
        assert!(text.contains("5 events from 0.000 us to 100.000 us, 1 200 cycles"), "{text}");
    }
}
