//! The transitions of state machines: the state of each machine whenever it changes.
//!
//! Firmware has no code for this. A machine stores its state as the last step of a transition, and
//! the recorder watches that memory. The types of statics (`debug = 2`) tell where machines are and
//! which states the stored numbers mean. The description that a machine leaves in the ELF file has
//! the names of the source, and the events of each transition.

use crate::chart::{Drawing, description};
use crate::debug::types::{Key, Place, Read, Shape, Types, Within};
use crate::firmware::Firmware;
use crate::firmware::facts;
use crate::simulated::Simulated;
use quintet_sim::bus::{AccessKind, WatchedRange};
use std::sync::Arc;

/// The fields by which the framework's machines are known.
const STATE: &str = "__state";
const KEPT: &str = "__kept";
/// The tag of a state is within so many bytes.
const WATCHED_MAX: u32 = 64;

/// What a machine did.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Moved {
    /// The number of the machine.
    pub machine: u16,
    /// The state before, and since which cycle; none before the start.
    pub from: Option<(String, u64)>,
    /// The state from now on; none after a stop.
    pub to: Option<String>,
    /// The events that lead from one to the other, as the source writes them.
    pub events: Vec<String>,
}

impl Moved {
    /// The transition in words. `event` is the event that the machine's actor has taken, if known.
    pub fn text(&self, event: Option<&str>) -> String {
        let events = event.map_or_else(|| self.events.join(" or "), str::to_owned);
        let on = if events.is_empty() { String::new() } else { format!(" on {events}") };
        match (&self.from, &self.to) {
            (Some((from, _)), Some(to)) => format!("{from} \u{2192} {to}{on}"),
            (None, Some(to)) => format!("starts in {to}{on}"),
            (Some((from, _)), None) => format!("stops in {from}{on}"),
            (None, None) => String::new(),
        }
    }
}

/// A machine in memory.
#[derive(Clone, Debug)]
struct One {
    name: String,
    /// Where the state is.
    address: u32,
    kind: Key,
    drawing: Option<usize>,
    /// The variants in which the machine lies: without them, there is no machine.
    within: Vec<Within>,
    /// Whether the memory had a machine's first content already.
    is_there: bool,
    state: Option<(String, u64)>,
}

/// The machines of an image.
#[derive(Debug, Default)]
pub struct Machines {
    types: Arc<Types>,
    all: Vec<One>,
    drawings: Vec<Drawing>,
}

impl Machines {
    /// Finds the machines in statics. Without the types of statics there are none.
    pub fn find(firmware: &Firmware) -> Self {
        let lines = facts::charts(firmware.debug.file()).unwrap_or_default();
        if lines.is_empty() {
            return Self::default();
        }
        Self::of(Arc::clone(firmware.debug.types()), description::read(&lines).unwrap_or_default())
    }

    fn of(types: Arc<Types>, drawings: Vec<Drawing>) -> Self {
        let is_machine = |shape: &Shape| {
            shape.name.starts_with("Machine<") && shape.has_field(STATE) && shape.has_field(KEPT)
        };
        let mut all: Vec<One> = Vec::new();
        for place in types.find_within(is_machine) {
            let Some(state) = types.field(&place, STATE) else { continue };
            let chart = types.shape(place.kind).map_or("", |shape| chart_of(&shape.name));
            let drawing = drawing(&types, &drawings, chart, state.kind);
            let name = name(&place, chart);
            let (address, kind, within) = (state.address, state.kind, place.within);
            all.push(One { name, address, kind, drawing, within, is_there: false, state: None });
        }
        Self { types, all, drawings }
    }

    /// Returns `true` if the image describes machines, but none was found in memory.
    pub fn are_missing(&self) -> bool {
        self.all.is_empty() && !self.drawings.is_empty()
    }

    /// Lets the machine watch the states.
    pub fn watch(&self, machine: &mut impl Simulated) {
        for one in &self.all {
            let tags = one.within.iter().filter_map(|one| self.types.tag(one.address, one.kind));
            let state = (one.address, self.types.size(one.kind).clamp(1, WATCHED_MAX));
            for (address, length) in tags.chain([state]) {
                for (start, length) in self.types.watched(address, length) {
                    let kind = AccessKind::Write;
                    machine.watch_memory(WatchedRange { start, length, kind });
                }
            }
        }
    }

    /// The name of a machine: whose it is, and its type.
    pub fn name(&self, number: u16) -> &str {
        self.all.get(usize::from(number)).map_or("", |one| &one.name)
    }

    /// The transitions since the last time.
    pub fn look(&mut self, machine: &impl Simulated) -> Vec<Moved> {
        let mut moved = Vec::new();
        for (number, one) in (0..).zip(&mut self.all) {
            let read = |address, size| read(machine, address, size);
            let found = match is_within(&self.types, &one.within, &read) {
                true => self.types.active((one.address, one.kind), &read),
                // No machine is none that was started.
                false => Some(("None", None)),
            };
            let Some((option, inside)) = found else { continue };
            let leaf = match inside.filter(|_| option == "Some") {
                Some(place) => self.types.active(place, &read).map(|(leaf, _)| leaf),
                None => None,
            };
            if option == "Some" && (leaf.is_none() || !one.is_there) {
                continue;
            }
            // Before the start-up code has filled the memory, the memory means nothing.
            one.is_there = true;
            let drawing = one.drawing.map(|number| &self.drawings[number]);
            let to = leaf.map(|leaf| in_source(drawing, leaf));
            if to.as_ref() == one.state.as_ref().map(|(state, _)| state) {
                continue;
            }
            let from = one.state.take();
            one.state = to.clone().map(|to| (to, machine.cycle()));
            let ends = from.as_ref().map(|(from, _)| &**from).zip(to.as_deref());
            let events = drawing.zip(ends).map(|(drawing, ends)| events(drawing, ends));
            moved.push(Moved { machine: number, from, to, events: events.unwrap_or_default() });
        }
        moved
    }

    /// The states at the end of the run: the machine, the state, and since which cycle.
    pub fn finish(&mut self) -> Vec<(u16, String, u64)> {
        let all = (0..).zip(&mut self.all);
        all.filter_map(|(number, one)| one.state.take().map(|(name, since)| (number, name, since)))
            .collect()
    }
}

/// Whether all variants around a machine are active.
fn is_within(types: &Types, within: &[Within], read: &Read<'_>) -> bool {
    within.iter().all(|one| {
        let active = types.active((one.address, one.kind), read);
        active.is_some_and(|(variant, _)| variant == one.variant)
    })
}

/// Up to 8 bytes of memory.
pub fn read(machine: &impl Simulated, address: u32, size: u32) -> Option<u64> {
    let mut bytes = [0; 8];
    let size = usize::try_from(size).ok().filter(|size| *size <= bytes.len())?;
    machine.read_memory(address, &mut bytes[..size]).ok()?;
    Some(u64::from_le_bytes(bytes))
}

/// The struct in the type of its machine: the last part of its path.
fn chart_of(name: &str) -> &str {
    let inside = name.strip_prefix("Machine<").unwrap_or(name);
    let path = inside.split([',', '<', '>']).next().unwrap_or(inside);
    path.rsplit("::").next().unwrap_or(path)
}

/// Whose machine it is: the task that has it as a resource of its own, or else the variable.
fn name(place: &Place, chart: &str) -> String {
    let task = place
        .path
        .split("::")
        .find_map(|part| part.strip_prefix("__quintet_")?.strip_suffix("_LocalResources"));
    let variable = place.path.rsplit("::").next().unwrap_or(&place.path);
    let variable = variable.strip_prefix("__quintet_shared_").unwrap_or(variable);
    format!("{}{}: {chart}", task.unwrap_or(variable), place.index)
}

/// A name without what Rust's two ways of writing names differ in.
fn plain(name: &str) -> String {
    name.trim_start_matches("r#").replace('_', "").to_lowercase()
}

/// The description of a machine, by its name and its states.
fn drawing(types: &Types, drawings: &[Drawing], chart: &str, state: Key) -> Option<usize> {
    let leaves = types.active((0, state), &|_, _| Some(u64::MAX));
    let leaves = leaves.and_then(|(_, inside)| inside).map(|(_, kind)| kind);
    let has_all = |drawing: &Drawing| {
        let mut variants = leaves.into_iter().flat_map(|kind| types.variants(kind));
        variants.all(|leaf| drawing.states.iter().any(|state| plain(&state.name) == plain(leaf)))
    };
    drawings.iter().position(|drawing| drawing.name == chart && has_all(drawing))
}

/// The name of a leaf in the source.
fn in_source(drawing: Option<&Drawing>, leaf: &str) -> String {
    let states = drawing.into_iter().flat_map(|drawing| &drawing.states);
    let mut names = states.map(|state| &state.name);
    names.find(|name| plain(name) == plain(leaf)).map_or_else(|| leaf.to_owned(), Clone::clone)
}

/// A state and all that it lies in.
fn chain(drawing: &Drawing, name: &str) -> Vec<usize> {
    let mut chain = Vec::new();
    let mut next = drawing.states.iter().position(|state| state.name == name);
    while let Some(state) = next.filter(|state| !chain.contains(state)) {
        chain.push(state);
        next = drawing.states[state].parent;
    }
    chain
}

/// The events that lead from a leaf to another one, without the path of their type.
fn events(drawing: &Drawing, (from, to): (&str, &str)) -> Vec<String> {
    let (from, to) = (chain(drawing, from), chain(drawing, to));
    let leads =
        drawing.edges.iter().filter(|edge| from.contains(&edge.from) && to.contains(&edge.to));
    let mut events: Vec<String> = Vec::new();
    for event in leads.filter_map(|edge| edge.reaction.event.as_deref()) {
        let event = event.split('(').next().unwrap_or(event);
        let event = event.rsplit("::").next().unwrap_or(event).trim().to_owned();
        if !events.contains(&event) {
            events.push(event);
        }
    }
    events
}

#[cfg(test)]
mod tests {
    use quintet_sim::machine::Machine;

    use super::*;
    use crate::debug::types::example;
    use quintet_sim::board::Board;

    const LINES: &str = "chart\tmachine\tLamp\nchart\tstate\toff\t\t\t\n\
        chart\tstate\tturns_on\t\t\t\nchart\tinitial\toff\t\n\
        chart\tedge\texternal\toff\tturns_on\tEvent::Press(_)\t\t\n";

    #[test]
    fn a_machine_tells_its_states_in_the_words_of_its_source() {
        let address = 0x2000_0100;
        let mut machine = Machine::new(&Board::named("lm3s6965").unwrap());
        let drawings = description::read(LINES).unwrap();
        let mut machines = Machines::of(Arc::new(example::types(address)), drawings);
        assert_eq!(machines.name(1), "lamp 1: Lamp");
        let mut then = |bytes: [u8; 2]| {
            machine.write_memory(address, &bytes).unwrap();
            machines.look(&machine)
        };
        assert_eq!(then([0, 0]), [], "nobody has filled the memory yet");
        assert_eq!(then([2, 2]), [], "not started");
        let start = &then([2, 0])[0];
        assert_eq!((start.machine, &*start.text(None)), (1, "starts in off"));
        let moved = &then([2, 1])[0];
        assert_eq!(moved.text(None), "off \u{2192} turns_on on Press");
        assert_eq!(moved.text(Some("Turn")), "off \u{2192} turns_on on Turn");
        assert_eq!(then([2, 9]), [], "no state has this number");
        assert_eq!(then([2, 2])[0].text(None), "stops in turns_on");
        assert_eq!(machines.finish(), []);
    }

    #[test]
    fn a_machine_in_an_option_in_a_machine_is_there_while_the_option_has_it() {
        let address = 0x2000_0100;
        let mut machine = Machine::new(&Board::named("lm3s6965").unwrap());
        let lines = LINES.replace("Lamp", "Owner") + LINES;
        let drawings = description::read(&lines).unwrap();
        let mut machines = Machines::of(Arc::new(example::nested(address)), drawings);
        let names = [machines.name(0), machines.name(1)].map(str::to_owned);
        assert_eq!(names, ["OWNER: Lamp", "OWNER: Owner"]);
        let mut then = |bytes: [u8; 2]| {
            machine.write_memory(address, &bytes).unwrap();
            let moved = machines.look(&machine);
            moved.iter().map(|one| (one.machine, one.text(None))).collect::<Vec<_>>()
        };
        assert_eq!(then([3, 2]), [], "no lamp, and nothing is started");
        assert_eq!(then([3, 0]), [(1, "starts in off".to_owned())]);
        assert_eq!(then([2, 0]), [], "a lamp that isn't started");
        assert_eq!(then([0, 0]), [(0, "starts in off".to_owned())]);
        assert_eq!(then([1, 0]), [(0, "off \u{2192} turns_on on Press".to_owned())]);
        assert_eq!(then([3, 0]), [(0, "stops in turns_on".to_owned())]);
        assert_eq!(then([0, 0]), [(0, "starts in off".to_owned())]);
    }

    #[test]
    fn without_types_there_are_no_machines() {
        let mut machines = Machines::of(Arc::default(), description::read(LINES).unwrap());
        assert!(machines.are_missing());
        assert_eq!(machines.name(0), "");
        assert_eq!(machines.finish(), []);
    }
}
