//! Which stacks there are and how deep each got, found out by watching the stack pointers.

use crate::firmware::symbols::demangle;
use quintet_sim::image::{Image, SymbolKind};
use quintet_sim::machine::Machine;
use serde::Serialize;

/// Symbols with which linker scripts say where the main stack must end, the most precise first.
const BOTTOM_SYMBOLS: [&str; 10] = [
    "_stack_end",
    "__StackLimit",
    "__stack_limit",
    "__sheap",
    "__HeapLimit",
    "_end",
    "end",
    "__bss_end__",
    "__ebss",
    "_ebss",
];

/// A pointer that leaves its region downwards by less than this has overflowed; by more, it is
/// elsewhere.
const OVERFLOW_BYTES: u32 = 4096;

/// Which of the processor's two stack pointers.
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
    /// The pointer that uses it.
    pub kind: Kind,
    /// The variable that it is.
    pub symbol: Option<String>,
    /// One above its highest byte.
    pub top: u32,
    /// Its lowest byte, where known.
    pub bottom: Option<u32>,
    /// The lowest value of the pointer.
    pub lowest: u32,
    /// The count of instructions when that was.
    pub instructions: u64,
    /// The cycle when that was.
    pub cycle: u64,
}

/// Watches the stack pointers.
pub struct Depths<'a> {
    image: &'a Image,
    regions: Vec<Region>,
    /// The region of each kind that was used last.
    current: [Option<usize>; 2],
    exception: u16,
}

impl<'a> Depths<'a> {
    /// From reset: the main stack's top is the initial stack pointer.
    pub fn new(image: &'a Image, machine: &Machine) -> Self {
        let top = machine.processor.registers.main_stack_pointer();
        let main = Region {
            kind: Kind::Main,
            symbol: None,
            top,
            bottom: main_bottom(image, top),
            lowest: top,
            instructions: 0,
            cycle: 0,
        };
        Self { image, regions: vec![main], current: [Some(0), None], exception: 0 }
    }

    /// Looks at the pointers after a step.
    pub fn sample(&mut self, machine: &Machine) {
        let registers = &machine.processor.registers;
        let in_thread = registers.ipsr == 0;
        if in_thread && registers.process_stack {
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
    }

    /// The stacks that were used.
    pub fn into_regions(self) -> Vec<Region> {
        self.regions
    }

    #[inline]
    fn pointer(&mut self, kind: Kind, pointer: u32, machine: &Machine) {
        let current = self.current[kind as usize];
        let inside = current.is_some_and(|index| self.regions[index].holds(pointer));
        let index = if inside { current } else { self.find(kind, pointer) };
        let Some(index) = index else { return };
        self.current[kind as usize] = Some(index);
        let region = &mut self.regions[index];
        if pointer < region.lowest {
            region.lowest = pointer;
            region.instructions = machine.instructions();
            region.cycle = machine.cycle();
        }
    }

    /// The region of a pointer that is not in the one used last; a new one where it is in none.
    #[cold]
    fn find(&mut self, kind: Kind, pointer: u32) -> Option<usize> {
        let known = self.regions.iter().position(|one| one.kind == kind && one.holds(pointer));
        if known.is_some() {
            return known;
        }
        // A stack is empty when its pointer is at its end, one above the variable.
        let variable = self.image.symbols.iter().find(|symbol| {
            symbol.kind == SymbolKind::Data
                && pointer > symbol.address
                && pointer - symbol.address <= symbol.size
        });
        self.regions.push(Region {
            kind,
            symbol: variable.map(|symbol| demangle(&symbol.name)),
            top: variable.map_or(pointer, |symbol| symbol.address.saturating_add(symbol.size)),
            bottom: variable.map(|symbol| symbol.address),
            lowest: u32::MAX,
            instructions: 0,
            cycle: 0,
        });
        Some(self.regions.len() - 1)
    }
}

impl Region {
    /// Whether the pointer is in this stack, or has just overflowed it.
    #[inline]
    fn holds(&self, pointer: u32) -> bool {
        let floor = match self.bottom {
            Some(bottom) => bottom.saturating_sub(OVERFLOW_BYTES),
            None => self.lowest.min(self.top).saturating_sub(OVERFLOW_BYTES),
        };
        pointer <= self.top && pointer >= floor
    }
}

/// Where the main stack must end: where the linker script says, or above the highest section in its
/// memory.
fn main_bottom(image: &Image, top: u32) -> Option<u32> {
    const SAME_MEMORY: u32 = 0x0100_0000;
    let below = |address: u32| address < top && top - address < SAME_MEMORY;
    let symbol = BOTTOM_SYMBOLS
        .iter()
        .filter_map(|name| image.symbol(name))
        .map(|symbol| symbol.address)
        .find(|&address| below(address));
    let sections = image.sections.iter().filter(|section| section.writable);
    let highest = sections
        .map(|section| section.address.saturating_add(section.size))
        .filter(|&end| below(end))
        .max();
    symbol.or(highest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use quintet_sim::image::{Section, Symbol};

    fn label(name: &str, address: u32) -> Symbol {
        Symbol { name: name.into(), address, size: 0, kind: SymbolKind::Label, absolute: true }
    }

    #[test]
    fn the_linker_says_where_the_main_stack_ends() {
        let top = 0x2001_0000;
        let bottom =
            |symbols, sections| main_bottom(&Image { symbols, sections, ..Image::default() }, top);
        assert_eq!(bottom(vec![], vec![]), None);
        let symbols = vec![label("__sheap", 0x2000_0100), label("_stack_end", 0x2000_0200)];
        assert_eq!(bottom(symbols, vec![]), Some(0x2000_0200));
        assert_eq!(bottom(vec![label("end", 0x100)], vec![]), None, "that is in flash");
        let bss = Section {
            name: ".bss".into(),
            address: 0x2000_0000,
            load_address: None,
            size: 0x40,
            executable: false,
            writable: true,
        };
        assert_eq!(bottom(vec![], vec![bss]), Some(0x2000_0040));
    }

    #[test]
    fn a_region_holds_its_pointer_and_a_small_overflow() {
        let region = Region {
            kind: Kind::Process,
            symbol: None,
            top: 0x2000_4000,
            bottom: Some(0x2000_3000),
            lowest: u32::MAX,
            instructions: 0,
            cycle: 0,
        };
        assert!(
            region.holds(0x2000_4000) && region.holds(0x2000_3000) && region.holds(0x2000_2ff8)
        );
        assert!(!region.holds(0x2000_4004) && !region.holds(0x2000_1ff8));
    }
}
