//! The lines, functions and branches of the sources that were executed.
//!
//! Code that isn't in the image can't be executed, and isn't counted: the compiler found that no
//! path reaches it, or that no code uses it.

mod cobertura;
mod code;
pub mod gathered;
mod html;
mod lcov;

pub use cobertura::cobertura;
pub use html::html;
pub use lcov::{LcovError, read, write};

use std::collections::BTreeMap;

use quintet_sim::cores::Core;

use crate::counters::Counters;
use crate::debug::Place;
use crate::firmware::Firmware;

/// What is said of coverage in which a run was cut before its end.
pub const PARTIAL: &str = "partial: Ctrl-C has cut a run in it";

/// Counts what is executed. [`Recorder::look`] follows each step.
#[derive(Clone, Debug, Default)]
pub struct Recorder {
    /// How often each instruction was executed.
    executed: Counters,
    /// How often the next one behind it was another than the one at the next address.
    taken: Counters,
    instructions: u64,
    skipped: u64,
}

impl Recorder {
    /// Looks at the machine after the step at `from`.
    pub fn look(&mut self, machine: &impl Core, from: u32) {
        let before = std::mem::replace(&mut self.instructions, machine.instructions());
        let skipped = std::mem::replace(&mut self.skipped, machine.skipped());
        // An instruction whose condition in an IT block failed has done nothing.
        if before == machine.instructions() || skipped != machine.skipped() {
            return;
        }
        *self.executed.of(0, from) += 1;
        let to = machine.pc();
        if to != from.wrapping_add(2) && to != from.wrapping_add(4) {
            *self.taken.of(0, from) += 1;
        }
    }

    /// The executed lines, functions and branches of the firmware's own files; of `all` files, if
    /// that is wanted.
    pub fn coverage(&self, machine: &impl Core, firmware: &Firmware, all: bool) -> Coverage {
        let mut coverage = Coverage::default();
        let executed = |address| self.executed.get(0, address);
        // An IT has the line of what stands behind it, and is executed however the condition is.
        let mut conditions = Vec::new();
        for instruction in code::instructions(machine, &firmware.image) {
            let address = instruction.address;
            let places = firmware.locate(address);
            let count = executed(address);
            // Inlined code is in several files at once: in its own, and in its callers'.
            for place in places.iter().filter(|place| all || place.is_own()) {
                let Some((file, line)) = line(place) else { continue };
                if instruction.is_condition {
                    conditions.push((file, line, count));
                    continue;
                }
                let lines = &mut coverage.files.entry(file).or_default().lines;
                let so_far = lines.entry(line).or_default();
                *so_far = count.max(*so_far);
            }
            let innermost = places.iter().find(|place| all || place.is_own());
            if let (true, Some((file, line))) = (instruction.is_branch, innermost.and_then(line)) {
                let taken = self.taken.get(0, address);
                let branches = &mut coverage.files.entry(file).or_default().branches;
                branches.entry(line).or_default().push([taken, count - taken]);
            }
        }
        for (file, line, count) in conditions {
            // A line that has nothing else.
            let lines = &mut coverage.files.entry(file).or_default().lines;
            lines.entry(line).or_insert(count);
        }
        for (address, name) in functions(firmware) {
            let places = firmware.locate(address);
            // The function itself is the last; those before it are inlined.
            let Some(place) = places.last().filter(|place| all || place.is_own()) else { continue };
            let Some((file, line)) = line(place) else { continue };
            let functions = &mut coverage.files.entry(file).or_default().functions;
            let function = functions.entry(name).or_insert(Function { line, count: 0 });
            function.count += executed(address);
        }
        coverage
    }
}

fn line(place: &Place) -> Option<(String, u32)> {
    // Line 0 is what the compiler made by itself.
    Some((place.file.clone()?, place.line.filter(|line| *line > 0)?))
}

/// The functions, by their first instruction.
fn functions(firmware: &Firmware) -> BTreeMap<u32, String> {
    let is_function = |address: &u32| firmware.image.function_at(*address).is_some();
    let symbols = firmware.image.symbols.iter();
    let addresses = symbols.filter(|symbol| symbol.size > 0).map(|symbol| symbol.address);
    addresses
        .filter(is_function)
        .filter_map(|address| Some((address, firmware.function(address)?)))
        .collect()
}

/// The executed part of each source file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Coverage {
    /// By the path of the file.
    pub files: BTreeMap<String, File>,
    /// `true` if a run in it was cut before its end.
    pub is_partial: bool,
}

/// The executed part of a source file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct File {
    /// How often each line was executed that has code: of its instructions the most.
    pub lines: BTreeMap<u32, u64>,
    /// The functions, by name.
    pub functions: BTreeMap<String, Function>,
    /// Of each line's conditional branches: how often each was taken and not.
    pub branches: BTreeMap<u32, Vec<[u64; 2]>>,
}

/// A function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Function {
    /// Where it begins.
    pub line: u32,
    /// How often it was called.
    pub count: u64,
}

/// How many there are, and how many of them were executed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Share {
    /// Executed ones.
    pub hit: usize,
    /// All.
    pub all: usize,
}

impl Share {
    fn of(counts: impl Iterator<Item = u64>) -> Self {
        let mut share = Self::default();
        for count in counts {
            share.all += 1;
            share.hit += usize::from(count > 0);
        }
        share
    }

    fn plus(self, other: Self) -> Self {
        Self { hit: self.hit + other.hit, all: self.all + other.all }
    }

    /// In per cent; none of nothing.
    pub fn percent(self) -> Option<f64> {
        (self.all > 0).then(|| self.hit as f64 / self.all as f64 * 100.0)
    }
}

impl File {
    /// Lines with code.
    pub fn line_share(&self) -> Share {
        Share::of(self.lines.values().copied())
    }

    /// Functions of the image.
    pub fn function_share(&self) -> Share {
        Share::of(self.functions.values().map(|function| function.count))
    }

    /// Ways out of conditional branches.
    pub fn branch_share(&self) -> Share {
        Share::of(self.branches.values().flatten().flatten().copied())
    }
}

impl Coverage {
    /// The sums of all files: lines, functions, branches.
    pub fn shares(&self) -> [Share; 3] {
        let of = |share: fn(&File) -> Share| {
            self.files.values().map(share).fold(Share::default(), Share::plus)
        };
        [of(File::line_share), of(File::function_share), of(File::branch_share)]
    }

    /// Adds the counts of another run, or of another image of the same sources.
    pub fn add(&mut self, other: Self) {
        self.is_partial |= other.is_partial;
        for (path, file) in other.files {
            let own = self.files.entry(path).or_default();
            for (line, count) in file.lines {
                *own.lines.entry(line).or_default() += count;
            }
            for (name, function) in file.functions {
                let own = own.functions.entry(name).or_insert(Function { count: 0, ..function });
                own.count += function.count;
            }
            for (line, branches) in file.branches {
                let own = own.branches.entry(line).or_default();
                // Another image may have more copies of a line: by their order.
                own.resize(own.len().max(branches.len()), [0; 2]);
                for (own, [taken, passed]) in own.iter_mut().zip(branches) {
                    own[0] += taken;
                    own[1] += passed;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use quintet_sim::board::Board;
    use quintet_sim::machine::Machine;

    /// A file with two lines, a function and a branch.
    pub fn coverage(first: u64, second: u64) -> Coverage {
        let file = File {
            lines: BTreeMap::from([(3, first), (5, second)]),
            functions: BTreeMap::from([(
                "app::main".to_owned(),
                Function { line: 3, count: first },
            )]),
            branches: BTreeMap::from([(5, vec![[second, 0]])]),
        };
        let files = BTreeMap::from([("src/main.rs".to_owned(), file)]);
        Coverage { files, is_partial: false }
    }

    #[test]
    fn runs_add_up() {
        let mut sum = coverage(1, 0);
        let [lines, functions, branches] = sum.shares();
        assert_eq!(lines, Share { hit: 1, all: 2 });
        assert_eq!((functions.hit, branches), (1, Share { hit: 0, all: 2 }));
        sum.add(coverage(2, 4));
        assert_eq!(sum.files["src/main.rs"].lines, BTreeMap::from([(3, 3), (5, 4)]));
        assert_eq!(sum.files["src/main.rs"].branches[&5], [[4, 0]]);
        assert_eq!(sum.shares()[0].percent(), Some(100.0));
        assert_eq!(Coverage::default().shares()[0].percent(), None);
        assert!(!sum.is_partial);
        sum.add(Coverage { is_partial: true, ..Coverage::default() });
        sum.add(coverage(1, 1));
        assert!(sum.is_partial);
    }

    #[test]
    fn an_instruction_whose_condition_fails_is_not_executed() {
        // cmp r0, #0; ite eq; moveq r1, #1; movne r1, #2; nop
        const CODE: u32 = 0x2000_0000;
        let code: [u16; 5] = [0x2800, 0xbf0c, 0x2101, 0x2102, 0xbf00];
        let bytes: Vec<u8> = code.iter().flat_map(|half| half.to_le_bytes()).collect();
        let mut machine = Machine::new(&Board::named("lm3s6965").unwrap());
        machine.write_memory(CODE, &bytes).unwrap();
        let mut recorder = Recorder::default();
        for _ in 0..2 {
            machine.processor.registers.r[15] = CODE;
            for _ in 0..5 {
                let from = machine.pc();
                assert_eq!(machine.step(), None);
                recorder.look(&machine, from);
            }
        }
        let counts = [0, 2, 4, 6, 8].map(|offset| recorder.executed.get(0, CODE + offset));
        assert_eq!(counts, [2, 2, 2, 0, 2]);
        // The counter of the hardware counts the fifth.
        assert_eq!((machine.instructions(), machine.skipped()), (10, 2));
    }
}
