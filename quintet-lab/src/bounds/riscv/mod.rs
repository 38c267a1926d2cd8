//! Bounds of stack on a RISC-V core, from the image: each function with all that it calls.
//!
//! Cycles have no bound here yet. What interrupts a function takes more, and is not counted: a
//! handler is a function of its own.

pub mod frame;

use std::collections::{BTreeMap, BTreeSet};

use quintet_sim::image::{Image, SymbolKind};
use quintet_sim::riscv::machine::Machine;
use serde::Serialize;

use crate::debug::Place;
use crate::debug::backtrace::places;
use crate::firmware::Firmware;
use crate::firmware::symbols::demangle;
use crate::report::table::{self, grouped, table};
use frame::{Call, Frame, Obstacle, frame};

/// So many places without a bound are told of a function.
const OPEN_MAX: usize = 8;

/// The functions of an image, as far as they were asked for.
pub struct Stacks<'a> {
    firmware: &'a Firmware,
    machine: &'a Machine,
    /// The first addresses of functions, and those behind their ends.
    functions: BTreeMap<u32, u32>,
    frames: BTreeMap<u32, Frame>,
    totals: BTreeMap<u32, Total>,
}

/// A function with what it calls.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
struct Total {
    stack: u32,
    open: BTreeSet<(u32, Obstacle)>,
}

/// What is said of a function.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Row {
    /// Its name.
    pub function: String,
    /// Its first instruction.
    pub entry: u32,
    /// `BOUNDED` or `OPEN`: of its stack.
    pub verdict: &'static str,
    /// Not there yet.
    pub cycles: Option<u64>,
    /// The most bytes of stack below where it begins; none if something is open.
    pub stack: Option<u32>,
    /// What has no bound.
    pub open: Vec<String>,
}

impl<'a> Stacks<'a> {
    /// Of an image. `machine` has it in its memory.
    pub fn new(firmware: &'a Firmware, machine: &'a Machine) -> Self {
        let functions = functions(&firmware.image);
        Self { firmware, machine, functions, frames: BTreeMap::new(), totals: BTreeMap::new() }
    }

    /// The first addresses of all functions.
    pub fn entries(&self) -> BTreeSet<u32> {
        self.functions.keys().copied().collect()
    }

    /// Returns what is said of a function.
    pub fn row(&mut self, entry: u32) -> Row {
        let total = self.total(entry);
        let symbol = self.firmware.image.function_at(entry).filter(|one| one.address == entry);
        let function = symbol.map_or_else(|| format!("{entry:#010x}"), |one| demangle(&one.name));
        let place = |(address, obstacle): &(u32, Obstacle)| {
            let place = Place::at(*address, &places(self.firmware, *address));
            format!("{}: {place}", obstacle.words())
        };
        let mut open: Vec<String> = total.open.iter().take(OPEN_MAX).map(place).collect();
        if total.open.len() > OPEN_MAX {
            open.push(format!("and {} more", total.open.len() - OPEN_MAX));
        }
        let stack = open.is_empty().then_some(total.stack);
        let verdict = if open.is_empty() { "BOUNDED" } else { "OPEN" };
        Row { function, entry, verdict, cycles: None, stack, open }
    }

    /// Follows a function and all that it calls, without recursion of this program: images may call
    /// as deep as they like.
    fn total(&mut self, entry: u32) -> Total {
        let mut path = vec![entry];
        while let Some(&function) = path.last() {
            if self.totals.contains_key(&function) {
                path.pop();
                continue;
            }
            let calls = self.frame(function).calls.clone();
            let missing = calls
                .iter()
                .find(|call| !self.totals.contains_key(&call.to) && !path.contains(&call.to));
            if let Some(call) = missing {
                path.push(call.to);
                continue;
            }
            let total = self.sum(function, &calls, &path);
            self.totals.insert(function, total);
            path.pop();
        }
        self.totals.get(&entry).cloned().unwrap_or_default()
    }

    fn sum(&self, function: u32, calls: &BTreeSet<Call>, path: &[u32]) -> Total {
        let frame = self.frames.get(&function).cloned().unwrap_or_default();
        let mut total = Total { stack: frame.deepest, open: frame.obstacles };
        for call in calls {
            match self.totals.get(&call.to) {
                Some(callee) => {
                    total.stack = total.stack.max(call.depth.saturating_add(callee.stack));
                    total.open.extend(callee.open.iter().copied());
                }
                None if path.contains(&call.to) => {
                    total.open.insert((call.at, Obstacle::Recursion));
                }
                None => {}
            }
        }
        total
    }

    fn frame(&mut self, entry: u32) -> &Frame {
        let end = self.functions.get(&entry).copied().unwrap_or_else(|| {
            let next = self.functions.range(entry.saturating_add(1)..).next();
            next.map_or(u32::MAX, |(next, _)| *next)
        });
        let machine = self.machine;
        self.frames.entry(entry).or_insert_with(|| frame(machine, (entry, end)))
    }
}

/// The functions of an image. One whose symbol has no size ends where the next one begins.
fn functions(image: &Image) -> BTreeMap<u32, u32> {
    let is_code = |address: u32| {
        let mut sections = image.sections.iter().filter(|section| section.executable);
        sections.any(|section| address.wrapping_sub(section.address) < section.size)
    };
    let all = image.symbols.iter().filter(|symbol| symbol.kind == SymbolKind::Function);
    let all: Vec<_> = all.filter(|symbol| is_code(symbol.address)).collect();
    let starts: BTreeSet<u32> = all.iter().map(|symbol| symbol.address).collect();
    let mut functions = BTreeMap::new();
    for symbol in all {
        let next = starts.range(symbol.address.saturating_add(1)..).next();
        let end = match symbol.size {
            0 => next.copied().unwrap_or(u32::MAX),
            size => symbol.address.saturating_add(size),
        };
        let known = functions.entry(symbol.address).or_insert(end);
        *known = (*known).max(end);
    }
    functions
}

/// The rows for people.
pub fn text(rows: &[Row]) -> String {
    let mut shown = table(&["function", "verdict", ">bytes of stack"]);
    for row in rows {
        let stack = row.stack.map_or("?".to_owned(), |stack| grouped(stack.into()));
        shown.add_row([row.function.clone(), row.verdict.to_owned(), stack]);
    }
    let mut text = table::text(&shown);
    for row in rows.iter().filter(|row| !row.open.is_empty()) {
        text.push_str(&format!("\n{} is open:\n", row.function));
        row.open.iter().for_each(|open| text.push_str(&format!("  {open}\n")));
    }
    text.push_str(
        "\nWhat interrupts a function takes more: a handler is a function of its own. Cycles have \
         no bound yet on a RISC-V core.\n",
    );
    text
}
