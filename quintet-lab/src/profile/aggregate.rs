//! The counted cycles by names: of functions, of lines, of contexts, and of paths of calls.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde::Serialize;

use super::shadow::Context;
use super::{Place, Recorder};
use crate::debug;
use crate::firmware::Firmware;
use crate::firmware::names::without_generics;
use crate::report::fault::exception_name;

/// The cycles in which the processor slept, as a context.
const ASLEEP: &str = "(asleep)";

/// Which inlined functions are shown as functions. The cycles of the others belong to their
/// callers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Inlined {
    /// Those of the firmware's own source.
    Own,
    /// Those of the compiler's library and of crates of the registry too.
    All,
}

/// A run's cycles, by names.
#[derive(Clone, Debug, Serialize)]
pub struct Profile {
    /// All of them.
    pub cycles: u64,
    /// By context: threads, exceptions, sleep.
    pub contexts: Vec<Sum>,
    /// By function, inlined ones included.
    pub functions: Vec<Sum>,
    /// By line of source.
    pub lines: Vec<Line>,
    /// By path: the context, and the functions from the outermost to the innermost.
    #[serde(skip)]
    pub paths: Vec<(Vec<String>, u64)>,
}

/// The cycles of one function or context.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Sum {
    /// The function's name.
    pub name: String,
    /// The cycles in itself.
    pub own_cycles: u64,
    /// The cycles in the function and in the functions that it called, each once.
    pub cycles: u64,
    /// The number of calls by a call instruction. Null if they are not counted: for contexts, and
    /// for functions that are inlined everywhere.
    pub calls: Option<u64>,
}

/// The cycles of one line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Line {
    /// The source file.
    pub file: String,
    /// The line in the file.
    pub line: u32,
    /// The innermost function there.
    pub function: String,
    /// The cycles of the line's instructions.
    pub cycles: u64,
}

/// The functions at an address, the outermost first; and the line of the innermost.
type Names = (Vec<String>, Option<(String, u32)>);

/// Looks up each address once.
struct Lookup<'a> {
    firmware: &'a Firmware,
    inlined: Inlined,
    known: HashMap<u32, Names>,
}

impl Lookup<'_> {
    fn at(&mut self, address: u32) -> &Names {
        let (firmware, inlined) = (self.firmware, self.inlined);
        self.known.entry(address).or_insert_with(|| names(firmware, inlined, address))
    }
}

fn names(firmware: &Firmware, inlined: Inlined, address: u32) -> Names {
    let mut places = firmware.locate(address);
    if inlined == Inlined::Own {
        let is_shown = |place: &debug::Place| place.is_own() || !place.inlined;
        let first = places.iter().position(is_shown).unwrap_or_default();
        places.drain(..first);
    }
    // The symbol has the whole path, where debug information has a name.
    let symbol = firmware.function(address).unwrap_or_else(|| format!("{address:#010x}"));
    let inlined = places.iter().rev().filter(|place| place.inlined);
    let inlined = inlined.filter_map(|place| place.function.as_deref()).map(without_generics);
    let names = std::iter::once(symbol).chain(inlined).collect();
    let line = places.into_iter().find_map(|place| Some((place.file?, place.line?)));
    (names, line)
}

/// The sums while they grow.
#[derive(Default)]
struct Sums(BTreeMap<String, (u64, u64, Option<u64>)>);

impl Sums {
    /// Adds the cycles of a path, which belong to the last of its names.
    fn add(&mut self, path: &[String], cycles: u64) {
        let once: BTreeSet<&String> = path.iter().collect();
        for name in once {
            self.0.entry(name.clone()).or_default().1 += cycles;
        }
        if let Some(last) = path.last() {
            self.0.entry(last.clone()).or_default().0 += cycles;
        }
    }

    fn count_call(&mut self, name: &str, times: u64) {
        if let Some(sum) = self.0.get_mut(name) {
            *sum.2.get_or_insert(0) += times;
        }
    }

    /// Those that took the most themselves first.
    fn into_sums(self) -> Vec<Sum> {
        let sum = |(name, (own_cycles, cycles, calls))| Sum { name, own_cycles, cycles, calls };
        let mut sums: Vec<Sum> = self.0.into_iter().map(sum).collect();
        sums.sort_by_key(|sum| (Reverse(sum.own_cycles), Reverse(sum.cycles)));
        sums
    }
}

impl Profile {
    pub(super) fn new(recorder: &Recorder, firmware: &Firmware, inlined: Inlined) -> Self {
        let mut lookup = Lookup { firmware, inlined, known: HashMap::new() };
        let (mut functions, mut contexts) = (Sums::default(), Sums::default());
        let mut lines = BTreeMap::<(String, u32), (String, u64)>::new();
        let mut paths = BTreeMap::<Vec<String>, u64>::new();
        for (&(node, address), &cycles) in &recorder.cycles {
            let mut path = Vec::new();
            for place in recorder.calls.path(node) {
                match place {
                    Place::Context(context) => path.push(recorder.name(context)),
                    Place::Call(address) => path.extend_from_slice(&lookup.at(address).0),
                }
            }
            let (names, line) = lookup.at(address);
            path.extend_from_slice(names);
            if let Some(line) = line {
                let innermost = names.last().cloned().unwrap_or_default();
                lines.entry(line.clone()).or_insert((innermost, 0)).1 += cycles;
            }
            contexts.add(&path[..1], cycles);
            functions.add(&path[1..], cycles);
            *paths.entry(path).or_default() += cycles;
        }
        if recorder.asleep > 0 {
            contexts.add(&[ASLEEP.to_owned()], recorder.asleep);
        }
        for (&address, &times) in &recorder.called {
            let name = lookup.at(address).0.first().cloned().unwrap_or_default();
            functions.count_call(&name, times);
        }
        let line = |((file, line), (function, cycles))| Line { file, line, function, cycles };
        let mut lines: Vec<Line> = lines.into_iter().map(line).collect();
        lines.sort_by_key(|line| Reverse(line.cycles));
        let contexts = contexts.into_sums();
        Self {
            cycles: contexts.iter().map(|context| context.cycles).sum(),
            contexts,
            functions: functions.into_sums(),
            lines,
            paths: paths.into_iter().collect(),
        }
    }
}

impl Recorder {
    /// A context's name for people.
    fn name(&self, context: Context) -> String {
        match context {
            Context::Main if self.threads.is_empty() => "main".to_owned(),
            Context::Main => "before the threads".to_owned(),
            Context::Thread(control) => self.threads.get(&control).cloned().unwrap_or_default(),
            Context::Exception(number) => exception_name(number),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recursion_counts_once() {
        let mut sums = Sums::default();
        let path = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        sums.add(&path(&["a", "b", "a"]), 5);
        sums.add(&path(&["a"]), 2);
        sums.count_call("b", 3);
        sums.count_call("gone", 1);
        let sum = |name: &str, own_cycles, cycles, calls| Sum {
            name: name.to_owned(),
            own_cycles,
            cycles,
            calls,
        };
        assert_eq!(sums.into_sums(), [sum("a", 7, 7, None), sum("b", 0, 5, Some(3))]);
    }
}
