//! Sections in which less urgent code holds more urgent code off: masks, ceilings of threads, and
//! functions that the user has named.

use crate::firmware::Firmware;
use crate::masks::{Masked, Register};
use serde::Serialize;
use std::collections::BTreeMap;

/// A place names so many functions: those nearest to the user's code.
const FUNCTIONS_MAX: usize = 3;

/// The means by which a section holds others off.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum By {
    /// A register of the processor.
    Mask,
    /// A ceiling of threads, or a priority that a thread inherits.
    Ceiling,
    /// A function in which a resource is used, as the user says.
    Function,
    /// The user says how long the section takes.
    Declared,
    /// A bound of the code, whether the section came in the run or not.
    Bound,
}

/// A section; of the figures, those of its longest time.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Section {
    /// The place of the section.
    pub place: String,
    /// The means by which the section holds others off.
    pub by: By,
    /// The same in words.
    pub how: String,
    /// The urgency of the code in the section.
    pub owner: u32,
    /// The urgency of the most urgent code that the section holds off.
    pub reach: u32,
    /// The unit, if the section is a function.
    pub unit: Option<u16>,
    /// The longest time, without the cycles of more urgent code in between.
    pub cycles: u64,
    /// The beginning of that time; none if the time was not measured.
    pub at: Option<u64>,
    /// How often the section came.
    pub times: u64,
}

impl Section {
    /// Returns `true` if the section delays code of that urgency.
    pub const fn holds_off(&self, urgency: u32) -> bool {
        self.owner < urgency && urgency <= self.reach
    }
}

/// The longest time of a section, its beginning, and how often it came.
#[derive(Clone, Copy, Debug)]
struct Longest {
    cycles: u64,
    at: u64,
    times: u64,
}

impl Longest {
    fn note(&mut self, at: u64, cycles: u64) {
        self.times += 1;
        if cycles > self.cycles {
            (self.at, self.cycles) = (at, cycles);
        }
    }

    const NONE: Self = Self { cycles: 0, at: 0, times: 0 };
}

/// A thread that is in a section.
#[derive(Clone, Copy, Debug)]
struct Open {
    owner: u32,
    reach: u32,
    at: u64,
    /// Of the thread's own cycles, the first.
    cycles: u64,
    pc: u32,
}

/// All sections of a run.
#[derive(Clone, Debug, Default)]
pub struct Sections {
    /// By the instruction that begins it, what it sets, and who is in it; with the first of the
    /// longest.
    masks: BTreeMap<(u32, u16, u32), (Masked, Longest)>,
    /// By the instruction that begins it, who is in it, and how far it reaches.
    ceilings: BTreeMap<(u32, u32, u32), Longest>,
    /// By the unit, and who is in it.
    calls: BTreeMap<(u16, u32), Longest>,
    open: BTreeMap<u32, Open>,
}

impl Sections {
    /// Forgets the sections that are over.
    pub fn clear(&mut self) {
        self.masks.clear();
        self.ceilings.clear();
        self.calls.clear();
    }

    /// A mask has ended that code of the urgency `owner` had set.
    pub fn note_mask(&mut self, mask: Masked, owner: u32) {
        let register = match mask.register {
            Register::Basepri(value) => u16::from(value),
            Register::Primask => 256,
            Register::Faultmask => 257,
            Register::MachineStatus => 258,
        };
        let key = (mask.from, register, owner);
        let (first, longest) = self.masks.entry(key).or_insert((mask, Longest::NONE));
        if mask.cycles > longest.cycles {
            *first = mask;
        }
        longest.note(mask.start, mask.cycles);
    }

    /// A function that is a section has been called, and has begun in that cycle, or later.
    pub fn note_call(&mut self, unit: u16, owner: u32, (at, cycles): (u64, u64)) {
        self.calls.entry((unit, owner)).or_insert(Longest::NONE).note(at, cycles);
    }

    /// Looks at the thread that runs: its urgency, and the urgency up to which no code preempts the
    /// thread.
    pub fn look_at_thread(
        &mut self,
        control: u32,
        (owner, reach): (u32, u32),
        (at, cycles): (u64, u64),
        pc: u32,
    ) {
        if reach > owner {
            let open = self.open.entry(control);
            let open = open.or_insert(Open { owner, reach, at, cycles, pc });
            open.reach = open.reach.max(reach);
        } else if !self.open.is_empty() {
            self.end_of_thread(control, cycles);
        }
    }

    /// The section of a thread ends, which has had so many cycles, if it is in one.
    pub fn end_of_thread(&mut self, control: u32, cycles: u64) {
        let Some(open) = self.open.remove(&control) else { return };
        let key = (open.pc, open.owner, open.reach);
        let took = cycles.saturating_sub(open.cycles);
        self.ceilings.entry(key).or_insert(Longest::NONE).note(open.at, took);
    }

    /// All of them, the longest first, those of one place and one kind together. `of_basepri` says
    /// what a value of BASEPRI holds off.
    pub fn all(&self, firmware: &Firmware, of_basepri: impl Fn(u8) -> u32) -> Vec<Section> {
        let mut all: Vec<Section> = Vec::new();
        for ((_, _, owner), (mask, longest)) in &self.masks {
            let reach = match mask.register {
                Register::Basepri(value) => of_basepri(value),
                _ => u32::MAX,
            };
            all.push(Section {
                place: firmware.functions_in_words(mask.place(firmware), FUNCTIONS_MAX),
                by: By::Mask,
                how: mask.register.to_string(),
                owner: *owner,
                reach,
                unit: None,
                cycles: longest.cycles,
                at: Some(longest.at),
                times: longest.times,
            });
        }
        for ((pc, owner, reach), longest) in &self.ceilings {
            all.push(Section {
                place: firmware.functions_in_words(*pc, FUNCTIONS_MAX),
                by: By::Ceiling,
                how: "ceiling of threads".into(),
                owner: *owner,
                reach: *reach,
                unit: None,
                cycles: longest.cycles,
                at: Some(longest.at),
                times: longest.times,
            });
        }
        for ((unit, owner), longest) in &self.calls {
            all.push(Section {
                place: String::new(),
                by: By::Function,
                how: String::new(),
                owner: *owner,
                reach: 0,
                unit: Some(*unit),
                cycles: longest.cycles,
                at: Some(longest.at),
                times: longest.times,
            });
        }
        together(all)
    }
}

/// The longest first. What is inlined at several addresses is one place, whoever is in it.
fn together(mut all: Vec<Section>) -> Vec<Section> {
    all.sort_by_key(|section| std::cmp::Reverse(section.cycles));
    let mut places: Vec<Section> = Vec::new();
    for section in all {
        let same = |place: &&mut Section| {
            let key = |one: &Section| (one.by, one.unit, one.owner, one.reach);
            (&place.place, &place.how) == (&section.place, &section.how)
                && key(place) == key(&section)
        };
        match places.iter_mut().find(same) {
            Some(place) => place.times += section.times,
            None => places.push(section),
        }
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_section_holds_off_what_is_more_urgent_up_to_its_reach() {
        let mut sections = Sections::default();
        let looks = [(0, 5, 5), (10, 5, 9), (20, 5, 9), (34, 5, 5), (40, 5, 5)];
        for (cycles, owner, reach) in looks {
            sections.look_at_thread(1, (owner, reach), (100 + cycles, cycles), 0x100);
        }
        let longest = sections.ceilings[&(0x100, 5, 9)];
        assert_eq!((longest.cycles, longest.at, longest.times), (24, 110, 1));
        let section = Section {
            place: "here".into(),
            by: By::Ceiling,
            how: String::new(),
            owner: 5,
            reach: 9,
            unit: None,
            cycles: 24,
            at: None,
            times: 1,
        };
        let held = [4, 5, 6, 9, 10].map(|urgency| section.holds_off(urgency));
        assert_eq!(held, [false, false, true, true, false]);
        let longer = Section { cycles: 30, times: 2, ..section.clone() };
        let [one] = &together(vec![section, longer])[..] else { panic!("it is one place") };
        assert_eq!((one.cycles, one.times), (30, 3));
    }
}
