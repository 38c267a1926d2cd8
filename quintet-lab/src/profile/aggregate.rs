//! The counted cycles by names: of functions, of lines, of contexts, and of paths of calls.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde::Serialize;

use super::shadow::Context;
use super::tree::{Branch, Cycles, Tree};
use super::{Handlers, Place, Recorder};
use crate::debug;
use crate::firmware::{Firmware, entries};

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
    pub tree: Tree,
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
    entries: &'a BTreeSet<u32>,
    known: HashMap<u32, Names>,
}

impl Lookup<'_> {
    fn at(&mut self, address: u32) -> &Names {
        if !self.known.contains_key(&address) {
            let names = self.names(address);
            self.known.insert(address, names);
        }
        &self.known[&address]
    }

    /// A name for a function without a symbol: where it begins. That is the last address up to
    /// `address` at which a function began in this run.
    fn unnamed(&self, address: u32) -> String {
        let entry = self.entries.range(..=address).next_back();
        let entry = entry.filter(|entry| self.firmware.function(**entry).is_none());
        let entry = *entry.unwrap_or(&address);
        let image = &self.firmware.image;
        let vector = (!entries::has_functions(image)).then(|| entries::handler(image, entry));
        vector.flatten().unwrap_or_else(|| format!("function at {entry:#010x}"))
    }

    fn names(&self, address: u32) -> Names {
        let (firmware, inlined) = (self.firmware, self.inlined);
        let mut places = firmware.locate(address);
        if inlined == Inlined::Own {
            let is_shown = |place: &debug::Place| place.is_own() || !place.inlined;
            let first = places.iter().position(is_shown).unwrap_or_default();
            places.drain(..first);
        }
        // The symbol has the whole path, where debug information has a name.
        let symbol = firmware.function(address).unwrap_or_else(|| self.unnamed(address));
        let inlined = places.iter().rev().filter(|place| place.inlined);
        let inlined = inlined.filter_map(debug::Place::plain_function);
        let names = std::iter::once(symbol).chain(inlined).collect();
        let line = places.into_iter().find_map(|place| Some((place.file?, place.line?)));
        (names, line)
    }
}

/// Those that took the most themselves first.
fn sorted(sums: BTreeMap<String, Cycles>, calls: &BTreeMap<String, u64>) -> Vec<Sum> {
    let sum = |(name, Cycles { own, all })| {
        let calls = calls.get(&name).copied();
        Sum { name, own_cycles: own, cycles: all, calls }
    };
    let mut sums: Vec<Sum> = sums.into_iter().map(sum).collect();
    sums.sort_by_key(|sum| (Reverse(sum.own_cycles), Reverse(sum.cycles)));
    sums
}

impl Profile {
    pub(super) fn new(
        recorder: &Recorder,
        firmware: &Firmware,
        inlined: Inlined,
        handlers: &Handlers,
    ) -> Self {
        let mut lookup =
            Lookup { firmware, inlined, entries: &recorder.entries, known: HashMap::new() };
        let mut tree = Tree::default();
        // A node is made behind its parent.
        let mut branches: Vec<Branch> = Vec::new();
        for &(parent, place) in &recorder.calls.nodes {
            let parent = parent.map(|parent| branches[parent]);
            let branch = match place {
                Place::Context(context) => {
                    tree.child(parent, &recorder.name(context, firmware, handlers))
                }
                Place::Call(address) => below(&mut tree, parent, &lookup.at(address).0),
            };
            branches.push(branch);
        }
        let mut lines = BTreeMap::<(String, u32), (String, u64)>::new();
        for (node, address, cycles) in recorder.cycles.all() {
            let (functions, line) = lookup.at(address);
            if let Some(line) = line {
                let innermost = functions.last().cloned().unwrap_or_default();
                lines.entry(line.clone()).or_insert((innermost, 0)).1 += cycles;
            }
            let branch = below(&mut tree, Some(branches[node]), functions);
            tree.spend(branch, cycles);
        }
        let mut calls = BTreeMap::<String, u64>::new();
        for (&address, &times) in &recorder.called {
            let name = lookup.at(address).0.first().cloned().unwrap_or_default();
            *calls.entry(name).or_default() += times;
        }
        let [mut contexts, functions] = tree.sums();
        // A context whose cycles didn't count is none.
        contexts.retain(|_, cycles| cycles.all > 0);
        if recorder.asleep > 0 {
            let asleep = Cycles { own: recorder.asleep, all: recorder.asleep };
            contexts.insert(ASLEEP.to_owned(), asleep);
        }
        let functions = functions.into_iter().filter(|(_, cycles)| cycles.all > 0).collect();
        let line = |((file, line), (function, cycles))| Line { file, line, function, cycles };
        let mut lines: Vec<Line> = lines.into_iter().map(line).collect();
        lines.sort_by_key(|line| Reverse(line.cycles));
        let contexts = sorted(contexts, &BTreeMap::new());
        Self {
            cycles: contexts.iter().map(|context| context.cycles).sum(),
            contexts,
            functions: sorted(functions, &calls),
            lines,
            tree,
        }
    }
}

/// The branch of functions of one address, the outermost first, below another branch.
fn below(tree: &mut Tree, branch: Option<Branch>, functions: &[String]) -> Branch {
    let innermost = functions.iter().fold(branch, |branch, name| Some(tree.child(branch, name)));
    // An address has a function, or its own digits.
    innermost.unwrap_or_default()
}

impl Recorder {
    /// A context's name for people.
    fn name(&self, context: Context, firmware: &Firmware, handlers: &Handlers) -> String {
        match context {
            Context::Main if self.threads.is_empty() => "main".to_owned(),
            Context::Main => "before the threads".to_owned(),
            Context::Thread(number) => {
                let thread = self.threads.get(number as usize);
                thread.map(|(_, name)| name.clone()).unwrap_or_default()
            }
            // An interrupt has its number, and the name of its handler.
            Context::Exception(number) => {
                let handler = self.handlers.get(&number).filter(|_| (handlers.has_own)(number));
                let name = handler.and_then(|address| firmware.function(*address));
                match name {
                    Some(name) => format!("{name} ({})", (handlers.name)(number)),
                    None => (handlers.name)(number),
                }
            }
        }
    }
}
