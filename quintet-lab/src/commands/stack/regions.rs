//! The stacks and their deepest use, found by watching the stack pointers.
//!
//! If stacks lie side by side, the pointer of a stack that overflows goes into the next stack. The
//! way there tells the two cases apart: a push leads down, and a switch sets the pointer.

use crate::firmware::Firmware;
use crate::firmware::symbols::demangle;
use crate::main_stack::{self, sets_stack_pointer};
use crate::threads::freertos::Freertos;
use crate::threads::layout::Layout;
use quintet_sim::image::{Image, SymbolKind};
use quintet_sim::machine::Machine;
use quintet_sim::processor::Architecture;
use quintet_sim::processor::decode::decode;
use quintet_sim::processor::instruction::{Operation, Register};
use serde::Serialize;

/// A pointer that leaves a region of unknown size downwards by more than this is elsewhere.
const OVERFLOW_BYTES: u32 = 4096;

/// A kernel stores less than this below the pointer.
const STORED_MAX: u32 = 256;

/// The size of an exception's frame.
const FRAME_BYTES: u32 = 32;

/// The variable in which Quintet keeps the registers of idle while threads run. The process stack
/// pointer points there, but no function is called on it.
const NO_STACK: &str = "switch::starting::IDLE_REGISTERS";

/// One of the processor's two stack pointers.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// MSP.
    Main,
    /// PSP.
    Process,
}

/// A stack.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Region {
    /// The pointer that uses the region.
    pub kind: Kind,
    /// The variable of the region.
    pub symbol: Option<String>,
    /// One above the region's highest byte.
    pub top: u32,
    /// The region's lowest byte, if it is known.
    pub bottom: Option<u32>,
    /// The lowest value of the pointer.
    pub lowest: u32,
    /// The count of instructions when that was.
    pub instructions: u64,
    /// The cycle when that was.
    pub cycle: u64,
    /// `true` if a handler stored something there, below the pointer.
    pub stored: bool,
    /// `true` if the stack is a task's whose top is not known before the task runs.
    pub is_task: bool,
}

/// Watches the stack pointers.
pub struct Depths<'a> {
    image: &'a Image,
    /// The tasks of FreeRTOS, which have their stacks in a heap.
    tasks: Option<Freertos>,
    /// The threads of Quintet, among them those that run processes.
    threads: Option<Layout>,
    regions: Vec<Region>,
    /// The region of each kind that was used last.
    current: [Option<usize>; 2],
    exception: u16,
    /// The instruction that comes next.
    next: u32,
    /// The process stack pointer.
    process: u32,
    /// `true` if code runs on the process stack.
    on_process: bool,
    /// `true` if the process stack pointer was set since code last ran on it.
    process_was_set: bool,
    /// `true` if the process stack pointer is in a frame that the kernel has made: by it a process
    /// is entered that begins anew, or that ends. The process has not chosen its stack yet.
    in_made_frame: bool,
}

impl<'a> Depths<'a> {
    /// From reset: the main stack's top is the initial stack pointer.
    pub fn new(firmware: &'a Firmware, machine: &Machine) -> Self {
        let image = &firmware.image;
        let top = machine.processor.registers.main_stack_pointer();
        let main = Region {
            kind: Kind::Main,
            symbol: None,
            top,
            bottom: main_stack::end(image, top),
            lowest: top,
            instructions: 0,
            cycle: 0,
            stored: false,
            is_task: false,
        };
        Self {
            image,
            tasks: Freertos::find(firmware),
            threads: Layout::find(image),
            regions: vec![main],
            current: [Some(0), None],
            exception: 0,
            next: machine.processor.registers.r[15],
            process: machine.processor.registers.process_stack_pointer(),
            on_process: false,
            process_was_set: false,
            in_made_frame: false,
        }
    }

    /// Looks at the pointers after a step.
    pub fn sample(&mut self, machine: &Machine) {
        let registers = &machine.processor.registers;
        let process = registers.process_stack_pointer();
        // Nothing is pushed there while something runs on the main stack.
        self.process_was_set |=
            !self.on_process && self.exception == registers.ipsr && self.process != process;
        self.process = process;
        self.on_process = registers.ipsr == 0 && registers.process_stack;
        if self.on_process {
            self.pointer(Kind::Process, registers.process_stack_pointer(), machine);
        } else {
            self.pointer(Kind::Main, registers.main_stack_pointer(), machine);
        }
        if registers.ipsr != self.exception {
            self.exception = registers.ipsr;
            // The entry's frame went to the interrupted code's stack.
            if self.current[1].is_some() {
                self.pointer(Kind::Process, registers.process_stack_pointer(), machine);
            }
        }
        if registers.ipsr != 0 && self.current[1].is_some() && !self.in_made_frame {
            self.stored_below(machine);
        }
        self.next = registers.r[15];
    }

    /// Counts words that a handler has stored below the process stack pointer: before they switch,
    /// kernels save there the registers that the exception's frame leaves out.
    fn stored_below(&mut self, machine: &Machine) {
        let registers = &machine.processor.registers;
        let store = self.executed(machine).and_then(|(first, second)| stored(first, second));
        let Some((base, offset)) = store else { return };
        let pointer = registers.process_stack_pointer();
        let lowest = registers.r[usize::from(base & 15)].wrapping_sub(offset);
        if !(1..=STORED_MAX).contains(&pointer.wrapping_sub(lowest)) {
            return;
        }
        let region = self.current[1].and_then(|index| self.regions.get_mut(index));
        let Some(region) = region.filter(|region| lowest < region.lowest) else { return };
        region.lowest = lowest;
        region.instructions = machine.instructions();
        region.cycle = machine.cycle();
        region.stored = true;
    }

    /// The stacks that were used.
    pub fn into_regions(self) -> Vec<Region> {
        let is_stack = |region: &Region| {
            !region.symbol.as_ref().is_some_and(|symbol| symbol.ends_with(NO_STACK))
        };
        self.regions.into_iter().filter(is_stack).collect()
    }

    #[inline]
    fn pointer(&mut self, kind: Kind, pointer: u32, machine: &Machine) {
        if kind == Kind::Process && self.enters_made_frame(pointer, machine) {
            self.process_was_set = false;
            return;
        }
        let current = self.current[kind as usize];
        let inside = current.is_some_and(|index| self.regions[index].holds(pointer));
        let index = if inside { current } else { self.outside(kind, pointer, machine) };
        if kind == Kind::Process {
            self.process_was_set = false;
        }
        let Some(index) = index else { return };
        self.current[kind as usize] = Some(index);
        let region = &mut self.regions[index];
        if pointer < region.lowest {
            region.lowest = pointer;
            region.instructions = machine.instructions();
            region.cycle = machine.cycle();
            region.stored = false;
        }
    }

    /// Returns `true` if the process stack pointer is in a frame that the kernel has made for a
    /// process: it was set below all that the process has used, and not by the process.
    #[inline]
    fn enters_made_frame(&mut self, pointer: u32, machine: &Machine) -> bool {
        if self.process_was_set {
            self.in_made_frame = self.is_below_its_process(pointer, machine);
        } else if self.in_made_frame && self.on_process {
            let executed = self.executed(machine);
            let sets = executed.is_some_and(|(first, second)| sets_stack_pointer(first, second));
            self.in_made_frame = !sets;
        }
        self.in_made_frame
    }

    #[cold]
    fn is_below_its_process(&self, pointer: u32, machine: &Machine) -> bool {
        let name = self.process(Kind::Process, machine);
        name.is_some() && self.regions.iter().any(|one| one.symbol == name && pointer < one.lowest)
    }

    /// Returns the region of a pointer outside of the last used region. If the pointer was not set
    /// but went down, this is still the last used region.
    #[cold]
    fn outside(&mut self, kind: Kind, pointer: u32, machine: &Machine) -> Option<usize> {
        let was_set = kind == Kind::Process && self.process_was_set
            || self
                .executed(machine)
                .is_some_and(|(first, second)| sets_stack_pointer(first, second));
        let current = self.current[kind as usize]
            .filter(|&index| !was_set && self.regions[index].is_below(pointer));
        current.or_else(|| self.find(kind, pointer, machine))
    }

    /// The halfwords of the instruction that was executed last, and of the next place in memory.
    fn executed(&self, machine: &Machine) -> Option<(u16, u16)> {
        let second = machine.read_halfword(self.next.wrapping_add(2)).unwrap_or(0);
        Some((machine.read_halfword(self.next)?, second))
    }

    /// Returns the region of a pointer outside of the last used region. If no region contains it,
    /// makes a new one.
    fn find(&mut self, kind: Kind, pointer: u32, machine: &Machine) -> Option<usize> {
        let known = self.regions.iter().position(|one| one.kind == kind && one.holds(pointer));
        if known.is_some() {
            return known;
        }
        if let Some(region) = self.of_task(kind, pointer, machine) {
            self.regions.push(region);
            return Some(self.regions.len() - 1);
        }
        // A stack is empty when its pointer is at its end, one above the variable.
        let variable = self.image.symbols.iter().find(|symbol| {
            symbol.kind == SymbolKind::Data
                && pointer > symbol.address
                && pointer - symbol.address <= symbol.size
        });
        if variable.is_none()
            && let Some(name) = self.process(kind, machine)
        {
            return Some(self.of_process(name, pointer));
        }
        let region = Region {
            kind,
            symbol: variable.map(|symbol| demangle(&symbol.name)),
            top: variable.map_or(pointer, |symbol| symbol.address.saturating_add(symbol.size)),
            bottom: variable.map(|symbol| symbol.address),
            ..Region::unused(kind, pointer)
        };
        self.regions.push(region);
        Some(self.regions.len() - 1)
    }

    /// Returns the name of the running process, if it is one: its thread has no stack that the
    /// kernel knows.
    fn process(&self, kind: Kind, machine: &Machine) -> Option<String> {
        let threads = self.threads.as_ref().filter(|_| kind == Kind::Process)?;
        let about = threads.about(machine, threads.running(machine)?)?;
        (about.stack_size == 0).then_some(about.name)
    }

    /// The stack of a process, which chooses the place itself. The frame of its first entry, which
    /// the kernel makes, is nothing but a way there.
    fn of_process(&mut self, name: String, pointer: u32) -> usize {
        let is_first_frame = |one: &Region| {
            one.symbol.as_ref() == Some(&name) && one.top - one.lowest <= FRAME_BYTES
        };
        let index = self.regions.iter().position(is_first_frame).unwrap_or(self.regions.len());
        let unused = Region::unused(Kind::Process, pointer);
        let region = Region { symbol: Some(name), ..unused };
        match self.regions.get_mut(index) {
            Some(first) => *first = region,
            None => self.regions.push(region),
        }
        index
    }

    /// The stack of the running task of FreeRTOS. When a task runs for the first time, the pointer
    /// is at the top.
    fn of_task(&self, kind: Kind, pointer: u32, machine: &Machine) -> Option<Region> {
        let tasks = self.tasks.as_ref().filter(|_| kind == Kind::Process)?;
        let control = tasks.running(machine)?;
        let bottom = tasks.stack(machine, control).filter(|bottom| *bottom < pointer)?;
        let name = tasks.about(machine, control)?.name;
        let unused = Region::unused(kind, pointer);
        Some(Region { symbol: Some(name), bottom: Some(bottom), ..unused })
    }
}

impl Region {
    /// A stack of unknown size in which nothing was, up to `top`.
    const fn unused(kind: Kind, top: u32) -> Self {
        Self {
            kind,
            symbol: None,
            top,
            bottom: None,
            lowest: u32::MAX,
            instructions: 0,
            cycle: 0,
            stored: false,
            is_task: false,
        }
    }

    /// Returns `true` if the pointer is in this stack. At the lowest byte, the pointer may as well
    /// be at the top of the next stack, which is empty.
    #[inline]
    fn holds(&self, pointer: u32) -> bool {
        let unknown = || self.lowest.min(self.top).saturating_sub(OVERFLOW_BYTES);
        pointer <= self.top && pointer > self.bottom.unwrap_or_else(unknown)
    }

    /// Returns `true` if the pointer is below this stack, or at its lowest byte.
    fn is_below(&self, pointer: u32) -> bool {
        self.bottom.is_some_and(|bottom| pointer <= bottom)
    }
}

/// For a store of several registers with a base other than SP: returns the base's number, and the
/// distance of the lowest word below the base's new value.
fn stored(first: u16, second: u16) -> Option<(u8, u32)> {
    let operation = decode(first, second, Architecture::V7M).operation;
    let Operation::StoreMultiple { base, registers, decrement_before, writeback } = operation
    else {
        return None;
    };
    let bytes = 4 * registers.count_ones();
    // Behind a write-back the base is at the lowest word, or above the highest.
    let offset = if decrement_before == writeback { 0 } else { bytes };
    (base != Register::SP).then_some((base.0, offset))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_stored_below_a_pointer_is_known_by_its_instruction() {
        let cases = [
            ((0xe920, 0x0ff0), Some((0, 0))),  // STMDB R0!, {R4-R11}
            ((0xe902, 0x0ff0), Some((2, 32))), // STMDB R2, {R4-R11}
            ((0xc0f0, 0), Some((0, 16))),      // STM R0!, {R4-R7}
            ((0xe880, 0x0ff0), Some((0, 0))),  // STM R0, {R4-R11}
            ((0xb5f0, 0), None),               // PUSH
            ((0x6001, 0), None),               // STR R1, [R0]
        ];
        for ((first, second), expected) in cases {
            assert_eq!(stored(first, second), expected, "{first:#06x} {second:#06x}");
        }
    }

    #[test]
    fn a_region_holds_its_pointer_and_no_other() {
        let region = Region {
            kind: Kind::Process,
            symbol: None,
            top: 0x2000_4000,
            bottom: Some(0x2000_3000),
            lowest: u32::MAX,
            instructions: 0,
            cycle: 0,
            stored: false,
            is_task: false,
        };
        assert!(region.holds(0x2000_4000) && region.holds(0x2000_3004));
        assert!(!region.holds(0x2000_3000) && region.is_below(0x2000_3000));
        assert!(!region.holds(0x2000_4004) && !region.holds(0x2000_2ff8));
        assert!(region.is_below(0x2000_2ff8) && !region.is_below(0x2000_4004));
        let unknown = Region { bottom: None, ..region };
        assert!(unknown.holds(0x2000_3004) && !unknown.holds(0x2000_3000), "4096 bytes");
    }
}
