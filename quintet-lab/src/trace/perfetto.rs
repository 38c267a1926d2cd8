//! A recording in the format of Perfetto: `TrackEvent` messages of its protocol buffers.
//!
//! The numbers of fields are those of `perfetto/trace/trace_packet.proto`, `track_event.proto` and
//! `track_descriptor.proto`. Each group is a track with the group's tracks below it. Times are
//! nanoseconds.

use super::{Group, Recording};
use std::collections::BTreeMap;

mod field {
    //! Numbers of fields.
    pub const PACKET: u32 = 1;
    /// In a packet.
    pub const TIMESTAMP: u32 = 8;
    pub const SEQUENCE: u32 = 10;
    pub const TRACK_EVENT: u32 = 11;
    pub const TRACK_DESCRIPTOR: u32 = 60;
    /// In a track's descriptor.
    pub const UUID: u32 = 1;
    pub const TRACK_NAME: u32 = 2;
    pub const PARENT: u32 = 5;
    pub const COUNTER: u32 = 8;
    pub const CHILD_ORDERING: u32 = 11;
    pub const ORDER_RANK: u32 = 12;
    /// In an event.
    pub const ANNOTATION: u32 = 4;
    pub const TYPE: u32 = 9;
    pub const TRACK: u32 = 11;
    pub const NAME: u32 = 23;
    pub const COUNTER_VALUE: u32 = 30;
    pub const FLOW: u32 = 47;
    pub const FLOW_END: u32 = 48;
    /// In an annotation.
    pub const ANNOTATION_UINT: u32 = 3;
    pub const ANNOTATION_NAME: u32 = 10;
}

/// Kinds of events.
const BEGIN: u64 = 1;
const END: u64 = 2;
const INSTANT: u64 = 3;
const COUNTER: u64 = 4;
/// Children stand in the order of their ranks.
const EXPLICIT: u64 = 3;
/// All packets are of one sequence.
const SEQUENCE: u64 = 1;
/// The identifiers of groups, of tracks and of counters begin there.
const GROUPS: u64 = 1;
const TRACKS: u64 = 0x1000;
const COUNTERS: u64 = 0x1000_0000_0000;

/// A message, field by field.
#[derive(Clone, Default, Debug)]
struct Message(Vec<u8>);

impl Message {
    fn raw(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.0.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.0.push(value as u8);
    }

    fn key(&mut self, field: u32, wire: u64) {
        self.raw(u64::from(field) << 3 | wire);
    }

    fn number(mut self, field: u32, value: u64) -> Self {
        self.key(field, 0);
        self.raw(value);
        self
    }

    fn fixed(mut self, field: u32, value: u64) -> Self {
        self.key(field, 1);
        self.0.extend(value.to_le_bytes());
        self
    }

    fn bytes(mut self, field: u32, bytes: &[u8]) -> Self {
        self.key(field, 2);
        self.raw(bytes.len() as u64);
        self.0.extend(bytes);
        self
    }

    fn text(self, field: u32, text: &str) -> Self {
        self.bytes(field, text.as_bytes())
    }

    fn message(self, field: u32, message: &Self) -> Self {
        self.bytes(field, &message.0)
    }
}

/// The whole file.
pub fn bytes(recording: &Recording) -> Vec<u8> {
    let mut trace = Message::default();
    for descriptor in descriptors(recording) {
        let packet = Message::default()
            .number(field::SEQUENCE, SEQUENCE)
            .message(field::TRACK_DESCRIPTOR, &descriptor);
        trace = trace.message(field::PACKET, &packet);
    }
    for (cycle, _, event) in events(recording) {
        let packet = Message::default()
            .number(field::TIMESTAMP, nanoseconds(recording, cycle))
            .number(field::SEQUENCE, SEQUENCE)
            .message(field::TRACK_EVENT, &event);
        trace = trace.message(field::PACKET, &packet);
    }
    trace.0
}

fn nanoseconds(recording: &Recording, cycle: u64) -> u64 {
    let clock = u128::from(recording.clock_hz.max(1));
    let nanoseconds = (u128::from(cycle) * 1_000_000_000 + clock / 2) / clock;
    u64::try_from(nanoseconds).unwrap_or(u64::MAX)
}

fn uuid(track: u32) -> u64 {
    TRACKS + u64::from(track)
}

/// The tracks.
fn descriptors(recording: &Recording) -> Vec<Message> {
    let mut all = Vec::new();
    let track = |uuid: u64, name: &str, rank: usize| {
        Message::default()
            .number(field::UUID, uuid)
            .text(field::TRACK_NAME, name)
            .number(field::ORDER_RANK, rank as u64)
    };
    let ordered = recording.ordered();
    for (rank, group) in Group::ALL.iter().enumerate() {
        let is_its = |track: &&u32| recording.tracks[**track as usize].group == *group;
        if ordered.iter().any(|track| is_its(&track)) {
            let parent = track(GROUPS + rank as u64, group.word(), rank);
            all.push(parent.number(field::CHILD_ORDERING, EXPLICIT));
        }
        for (place, number) in ordered.iter().filter(is_its).enumerate() {
            let name = &recording.tracks[*number as usize].name;
            let child = track(uuid(*number), name, place);
            all.push(child.number(field::PARENT, GROUPS + rank as u64));
        }
    }
    for (number, name) in recording.counters.iter().enumerate() {
        let counter = track(COUNTERS + number as u64, name, Group::ALL.len());
        all.push(counter.message(field::COUNTER, &Message::default()));
    }
    all
}

/// What happens, each with its cycle and what comes first among events of one cycle.
fn events(recording: &Recording) -> Vec<(u64, u8, Message)> {
    let mut all = Vec::new();
    let event = |kind: u64, track: u64| {
        Message::default().number(field::TYPE, kind).number(field::TRACK, track)
    };
    let mut flows: BTreeMap<(u32, u64), Vec<u64>> = BTreeMap::new();
    for (arrow, id) in recording.arrows.iter().zip(1_u64..) {
        flows.entry((arrow.to, arrow.end)).or_default().push(id);
        let to = &recording.tracks[arrow.to as usize].name;
        let wake = event(INSTANT, uuid(arrow.from)).text(field::NAME, &format!("wakes {to}"));
        // Ahead of a slice that begins in the same cycle: the arrow may end there.
        all.push((arrow.start, 1, wake.fixed(field::FLOW, id)));
    }
    for slice in &recording.slices {
        let name = &recording.names[slice.name as usize];
        let own = Message::default()
            .text(field::ANNOTATION_NAME, "own cycles")
            .number(field::ANNOTATION_UINT, slice.own);
        let cycles = Message::default()
            .text(field::ANNOTATION_NAME, "cycles")
            .number(field::ANNOTATION_UINT, slice.end - slice.start);
        let mut begin = event(BEGIN, uuid(slice.track))
            .text(field::NAME, name)
            .message(field::ANNOTATION, &cycles)
            .message(field::ANNOTATION, &own);
        for id in flows.remove(&(slice.track, slice.start)).unwrap_or_default() {
            begin = begin.fixed(field::FLOW_END, id);
        }
        all.push((slice.start, 2, begin));
        // What takes no time ends behind its beginning.
        let order = if slice.start == slice.end { 4 } else { 0 };
        all.push((slice.end, order, event(END, uuid(slice.track))));
    }
    for mark in &recording.marks {
        let mark_event = event(INSTANT, uuid(mark.track)).text(field::NAME, &mark.text);
        all.push((mark.cycle, 3, mark_event));
    }
    for sample in &recording.samples {
        let value = event(COUNTER, COUNTERS + u64::from(sample.counter));
        let value = value.number(field::COUNTER_VALUE, u64::from(sample.value));
        all.push((sample.cycle, 3, value));
    }
    all.sort_by_key(|(cycle, order, _)| (*cycle, *order));
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::example;

    /// The fields of a message: numbers as they are, others as bytes.
    fn fields(mut bytes: &[u8]) -> Vec<(u32, u64, Vec<u8>)> {
        let mut all = Vec::new();
        while !bytes.is_empty() {
            let key = number(&mut bytes);
            let (value, content) = match key & 7 {
                0 => (number(&mut bytes), Vec::new()),
                1 => {
                    let (value, rest) = bytes.split_at(8);
                    bytes = rest;
                    (u64::from_le_bytes(value.try_into().unwrap()), Vec::new())
                }
                2 => {
                    let length = number(&mut bytes) as usize;
                    let (content, rest) = bytes.split_at(length);
                    bytes = rest;
                    (0, content.to_vec())
                }
                wire => panic!("no wire type {wire}"),
            };
            all.push(((key >> 3) as u32, value, content));
        }
        all
    }

    fn number(bytes: &mut &[u8]) -> u64 {
        let mut value = 0;
        for shift in (0..).step_by(7) {
            let (byte, rest) = bytes.split_first().unwrap();
            *bytes = rest;
            value |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                break;
            }
        }
        value
    }

    fn of(fields: &[(u32, u64, Vec<u8>)], number: u32) -> Option<(u64, Vec<u8>)> {
        let found = fields.iter().find(|(field, ..)| *field == number);
        found.map(|(_, value, bytes)| (*value, bytes.clone()))
    }

    #[test]
    fn the_file_is_decoded_to_what_was_recorded() {
        let packets = fields(&bytes(&example::recording()));
        let packets: Vec<_> = packets.iter().map(|(_, _, packet)| fields(packet)).collect();
        let tracks = packets.iter().filter_map(|packet| of(packet, field::TRACK_DESCRIPTOR));
        let names = tracks.map(|(_, track)| {
            let name = of(&fields(&track), field::TRACK_NAME).unwrap().1;
            String::from_utf8(name).unwrap()
        });
        let expected = [
            "exceptions",
            "UART0 (IRQ 5)",
            "threads",
            "worker",
            "output",
            "stdout",
            "ready threads",
        ];
        assert_eq!(names.collect::<Vec<_>>(), expected);
        let events = packets.iter().filter_map(|packet| {
            let event = fields(&of(packet, field::TRACK_EVENT)?.1);
            let kind = of(&event, field::TYPE)?.0;
            Some((of(packet, field::TIMESTAMP)?.0, kind, event))
        });
        let events: Vec<_> = events.collect();
        let kinds: Vec<_> = events.iter().map(|(time, kind, _)| (*time, *kind)).collect();
        let expected = [
            (0, BEGIN),
            (833, COUNTER),
            (49_167, INSTANT),
            (50_000, BEGIN),
            (58_333, INSTANT),
            (66_667, END),
            (100_000, END),
        ];
        assert_eq!(kinds, expected);
        let flow = of(&events[2].2, field::FLOW).unwrap().0;
        assert_eq!(of(&events[3].2, field::FLOW_END).unwrap().0, flow);
        assert_eq!(of(&events[3].2, field::NAME).unwrap().1, b"receive");
        assert_eq!(of(&events[1].2, field::COUNTER_VALUE).unwrap().0, 1);
    }
}
