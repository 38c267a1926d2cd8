//! The most cycles of each section, from the image alone: on all ways, whether a run takes them or
//! not.
//!
//! Where a loop has no count, or a call goes through a pointer, there is no bound, and the place of
//! this is named. BASEPRI at the priority of PendSV holds off the switch alone, and is no mask.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, Result};
use quintet_lab::bounds::annotations::{Annotations, CallTargets};
use quintet_lab::bounds::sections::Finder;
use quintet_lab::bounds::{Analysis, Cause, Conditions, Obstacle, Open};
use quintet_lab::firmware::Firmware;
use quintet_sim::image::SymbolKind;
use quintet_sim::machine::Machine;
use serde::Deserialize;

use super::Where;
use crate::firmware::root;

/// The register of the priorities of PendSV and SysTick.
const SHPR3: u32 = 0xe000_ed20;

/// Functions that call by a pointer in a section, and parts of the names of all functions that they
/// may call.
const THROUGH_POINTERS: [(&str, &[&str]); 3] = [
    ("switch::ready::make_ready", &["turns::turn_by_time_and_release"]),
    ("scheduler::Scheduler>::append", &["turns::turn_by_time"]),
    ("core::wait::blocking::block_by_steps", &["core::wait::blocking::block_"]),
];

/// Without code for turns no thread takes turns, and no such call happens: INVARIANT(turns-hooked).
/// This function, which every scheduler has, stands for the missing one.
const IN_PLACE_OF_TURNS: &str = "__quintet_hold_ready_and_release";

/// What is known ahead of the sections of an image.
#[derive(Default)]
pub struct Ahead {
    /// By the instruction that begins it.
    pub sections: BTreeMap<u32, Bounded>,
    /// What an interrupt above the kernel's ceiling adds to a section that it interrupts.
    pub refill: u64,
}

/// The bound of a section, or of a place's sections.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Bounded {
    /// The most cycles of those that have a bound.
    pub cycles: u64,
    /// What is in the way of the others, in words.
    pub open: BTreeSet<String>,
}

impl Bounded {
    /// The bound in a word: the cycles, or what is in the way.
    pub fn listed(&self) -> Listed {
        if self.open.is_empty() {
            return Listed::Cycles(self.cycles);
        }
        Listed::Open(self.open.iter().cloned().collect::<Vec<_>>().join(", "))
    }

    /// Adds another section's.
    pub fn join(&mut self, other: &Self) {
        self.cycles = self.cycles.max(other.cycles);
        self.open.extend(other.open.iter().cloned());
    }
}

/// Analyses the image. `machine` has run it, so that priorities are set.
pub fn look(firmware: &Firmware, machine: &Machine) -> Result<Ahead> {
    let annotations = Annotations { calls: calls(firmware), ..Annotations::default() };
    let board = machine.board();
    let conditions = Conditions {
        board,
        vector_table: machine.vector_table(),
        annotations: &annotations,
        observed: None,
        wait_states: None,
        breakpoints_are_free: true,
        cuts_at_masks: true,
    };
    let analysis = Analysis::new(firmware, conditions)?;
    let [_, _, switch, _] = machine.read_word(SHPR3).unwrap_or_default().to_le_bytes();
    let implemented = !(0xff_u8.checked_shr(board.priority_bits.into()).unwrap_or(0));
    let finder = Finder::without(&analysis, |value| switch != 0 && value & implemented == switch);
    let mut ahead = Ahead { refill: analysis.interruption().refill, ..Ahead::default() };
    for held in finder.held() {
        let open = held.open.iter().map(|open| words(firmware, open)).collect();
        let this = Bounded { cycles: held.cycles.unwrap_or(0), open };
        ahead.sections.entry(held.address).or_default().join(&this);
    }
    Ok(ahead)
}

/// The calls through pointers, as far as the image has the functions.
fn calls(firmware: &Firmware) -> Vec<CallTargets> {
    let symbols = firmware.image.symbols.iter();
    let functions = symbols.filter(|symbol| symbol.kind == SymbolKind::Function);
    let functions: BTreeMap<u32, String> = functions
        .filter_map(|symbol| {
            let address = symbol.address & !1;
            Some((address, firmware.function(address)?))
        })
        .collect();
    let mut calls = Vec::new();
    for (caller, targets) in THROUGH_POINTERS {
        let is_target = |name: &str| targets.iter().any(|part| name.contains(part));
        let named = |is_wanted: &dyn Fn(&str) -> bool| -> Vec<String> {
            let wanted = functions.iter().filter(|(_, name)| is_wanted(name));
            wanted.map(|(address, _)| format!("{address:#x}")).collect()
        };
        let mut targets = named(&is_target);
        if targets.is_empty() {
            targets = named(&|name| name == IN_PLACE_OF_TURNS);
        }
        for function in named(&|name| name.ends_with(caller)) {
            if !targets.is_empty() {
                calls.push(CallTargets { function, at: None, targets: targets.clone() });
            }
        }
    }
    calls
}

fn words(firmware: &Firmware, open: &Open) -> String {
    let what = match open.cause {
        Cause::Loop | Cause::Irreducible | Cause::Tangled => "a loop without a count",
        Cause::Masked => "an end in a caller",
        Cause::Recursion => "a recursion",
        Cause::States => "too many states of the pipeline",
        Cause::Obstacle(Obstacle::IndirectCall | Obstacle::IndirectBranch) => {
            "a call through a pointer"
        }
        Cause::Obstacle(Obstacle::StackPointer) => "a return on another stack",
        Cause::Obstacle(Obstacle::Waits) => "a wait for an interrupt",
        Cause::Obstacle(_) => "an instruction that is not known",
        _ => "a mask that is not known",
    };
    let function = firmware.functions(open.address).into_iter().next();
    let function = function.or_else(|| firmware.function(open.address)).unwrap_or_default();
    let name = function.rsplit("::").next().unwrap_or(&function);
    format!("{what} in {}", name.split('+').next().unwrap_or(name))
}

/// The file.
pub const PATH: &str = "proof/masks-bounds.toml";

/// What stands at the beginning of the file.
const HEAD: &str = "\
# The most cycles of each place of the kernel's sections, on all ways through the code of the
# programs; or what has no bound, and where. Written by `cargo proof masks --static --accept`.
";

/// A place's bound in the file.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(untagged)]
pub enum Listed {
    /// The most cycles.
    Cycles(u64),
    /// What is in the way.
    Open(String),
}

/// The bounds by place, as the file has them.
#[derive(Default)]
pub struct List(pub BTreeMap<String, Listed>);

impl List {
    /// Reads the tree's.
    pub fn read() -> Result<Self> {
        let text = std::fs::read_to_string(root().join(PATH));
        let text = text.with_context(|| format!("cannot read {PATH}"))?;
        Ok(Self(toml::from_str(&text).context(PATH)?))
    }

    /// Returns what is in the way of places without a bound.
    pub fn text_of_open(&self) -> String {
        let open = self.0.iter().filter_map(|(place, listed)| match listed {
            Listed::Open(what) => Some(format!("open: {place}: {what}\n")),
            Listed::Cycles(_) => None,
        });
        open.collect()
    }

    /// Writes the bounds of places that are above `goal` or have none.
    pub fn write(bounds: &BTreeMap<Where, Bounded>, goal: u64) -> Result<()> {
        let mut text = HEAD.to_owned();
        for (place, bounded) in bounds {
            match bounded.listed() {
                Listed::Cycles(cycles) if cycles <= goal => {}
                Listed::Cycles(cycles) => text.push_str(&format!("\"{place}\" = {cycles}\n")),
                Listed::Open(what) => text.push_str(&format!("\"{place}\" = \"{what}\"\n")),
            }
        }
        std::fs::write(root().join(PATH), text).with_context(|| format!("cannot write {PATH}"))
    }

    /// Returns the places whose bound is more than the file says, or that have none although the
    /// file has one; if `all` programs were looked at, also entries without a use.
    pub fn problems(
        &self,
        bounds: &BTreeMap<Where, Bounded>,
        goal: u64,
        most: impl Fn(u64) -> f64,
        all: bool,
    ) -> Vec<String> {
        let mut problems = Vec::new();
        for (place, bounded) in bounds {
            let place = place.to_string();
            match (bounded.listed(), self.0.get(&place)) {
                (Listed::Cycles(_), Some(Listed::Open(_))) => {}
                (Listed::Cycles(cycles), listed) => {
                    let bound = match listed {
                        Some(Listed::Cycles(bound)) => *bound,
                        _ => goal,
                    };
                    if cycles as f64 > most(bound) {
                        problems.push(format!(
                            "{place} may hold interrupts off for {cycles} cycles, more than \
                             {bound}: shorten it, or accept it by `cargo proof masks --static \
                             --accept`"
                        ));
                    }
                }
                (Listed::Open(_), Some(Listed::Open(_))) => {}
                (Listed::Open(what), _) => {
                    problems.push(format!("{place} has no bound: {what}"));
                }
            }
        }
        let is_there = |name: &&String| bounds.keys().any(|place| place.to_string() == **name);
        let unused = self.0.keys().filter(|name| all && !is_there(name));
        problems.extend(unused.map(|name| format!("{PATH}: {name} has no section: remove it")));
        problems
    }
}
