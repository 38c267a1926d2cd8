//! The main stack: its end, and overflows.
//!
//! Nothing stops a stack whose memory is above the variables: words that are pushed below its end
//! overwrite the variables, and firmware goes on with wrong values. So the machine notes the
//! instructions that move the main stack below its end, and the commands report them, however the
//! firmware ends.

use quintet_sim::image::{Image, SymbolKind};
use quintet_sim::machine::Machine;
use quintet_sim::observe::StackOverflow;
use serde::Serialize;

use crate::debug::Place;
use crate::debug::backtrace::places;
use crate::exit::Outcome;
use crate::firmware::Firmware;
use crate::firmware::symbols::demangle;
use crate::output;
use crate::report::fault::exception_name;
use crate::report::table::grouped;

/// Symbols of linker scripts for the end of the main stack, the most precise first.
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

/// The most overwritten variables that are named.
const NAMED_MAX: usize = 3;

/// The main stack was larger than its memory.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Overflow {
    /// The end of the stack.
    pub end: u32,
    /// The lowest address of the stack.
    pub lowest: u32,
    /// The bytes below the end.
    pub bytes: u32,
    /// The cycle in which the stack first passed its end.
    pub cycle: u64,
    /// The handler, or thread mode.
    pub exception: String,
    /// The function and the line that passed the end first.
    pub places: Vec<Place>,
    /// The function and the line of the deepest use.
    pub deepest: Vec<Place>,
    /// The variables, or other parts of the image, that the stack overwrote.
    pub overwritten: Vec<String>,
    /// `true` if the stack overwrote any variable.
    #[serde(skip)]
    pub is_harmful: bool,
    /// `true` if the stack lies below the variables, as `flip-link` puts it.
    #[serde(skip)]
    pub is_lowest: bool,
}

/// Tells the machine where the main stack ends. The stack pointer is the initial one.
pub fn watch(image: &Image, machine: &mut Machine) {
    let top = machine.processor.registers.main_stack_pointer();
    machine.set_main_stack_end(end(image, top).unwrap_or(0));
}

/// Returns `true` if the main stack has gone below its end. If an instruction has set the pointer
/// there, the pointer belongs to another stack.
pub fn is_overflown(machine: &Machine) -> bool {
    first_overflow(machine).is_some()
}

fn is_set(machine: &Machine, pc: u32) -> bool {
    let second = machine.read_halfword(pc.wrapping_add(2)).unwrap_or(0);
    machine.read_halfword(pc).is_some_and(|first| sets_stack_pointer(first, second))
}

/// Returns the first overflow of the main stack, with the instruction that caused it.
pub fn first_overflow(machine: &Machine) -> Option<StackOverflow> {
    machine.main_stack_overflows().iter().find(|one| !is_set(machine, one.pc)).copied()
}

/// Returns the end of a command whose firmware may have overflowed its main stack. Prints the
/// overflow. If the stack overwrote variables, the command fails.
pub fn verdict(overflow: Option<&Overflow>, outcome: Outcome) -> Outcome {
    let Some(overflow) = overflow else { return outcome };
    output::complain(&overflow.text());
    output::complain(&overflow.advice());
    if overflow.is_harmful && outcome == Outcome::Done { Outcome::Died } else { outcome }
}

impl Overflow {
    /// Returns the overflow of the main stack; `None` if the stack has stayed above its end.
    pub fn find(firmware: &Firmware, machine: &Machine) -> Option<Self> {
        let all = machine.main_stack_overflows().iter();
        let overflows: Vec<_> = all.filter(|one| !is_set(machine, one.pc)).collect();
        let first = overflows.first()?;
        let deepest = overflows.iter().min_by_key(|one| one.lowest)?;
        let end = machine.main_stack_end();
        let overwritten = overwritten(&firmware.image, deepest.lowest, end);
        Some(Self {
            end,
            lowest: deepest.lowest,
            bytes: end.saturating_sub(deepest.lowest),
            cycle: first.cycle,
            exception: exception_name(first.exception),
            places: places(firmware, first.pc),
            deepest: places(firmware, deepest.lowest_pc),
            is_harmful: !overwritten.is_empty(),
            overwritten,
            is_lowest: {
                let memories = machine.board().memory_ranges();
                memories.iter().any(|memory| memory.writable && memory.start == end)
            },
        })
    }

    /// Returns one line: the overflow, and its place.
    pub fn text(&self) -> String {
        let function = |places: &[Place]| {
            Place::own_of(places).map(Place::function_and_line).unwrap_or_default()
        };
        let context = match self.exception.as_str() {
            "thread mode" => String::new(),
            exception => format!(" (in the handler of {exception})"),
        };
        let (first, deepest) = (function(&self.places), function(&self.deepest));
        let deepest = if deepest == first { String::new() } else { format!(", deepest {deepest}") };
        let over = match self.overwritten.as_slice() {
            [] => "; nothing of the image lies there".to_owned(),
            all => format!(", written over {}", listed(all)),
        };
        format!(
            "the main stack overflowed: it went {} bytes below its end at {:#010x}, first \
             {first}{context} in cycle {}{deepest}{over}",
            grouped(u64::from(self.bytes)),
            self.end,
            grouped(self.cycle),
        )
    }

    /// Returns the advice.
    pub fn advice(&self) -> String {
        let mut advice = "make statics and buffers smaller, or the calls shallower, so that the \
                          main stack has more room; `quintet stack` shows the deepest calls"
            .to_owned();
        if !self.is_lowest {
            advice
                .push_str(", and `flip-link` as the linker makes an overflow a fault on the chip");
        }
        advice
    }
}

fn listed(all: &[String]) -> String {
    let named: Vec<String> = all.iter().take(NAMED_MAX).map(|name| format!("`{name}`")).collect();
    match all.len().saturating_sub(NAMED_MAX) {
        0 => named.join(", "),
        more => format!("{} and {more} more", named.join(", ")),
    }
}

/// Returns the variables between two addresses, the highest first, or the sections where variables
/// have no names.
fn overwritten(image: &Image, lowest: u32, end: u32) -> Vec<String> {
    let is_hit = |address: u32, size: u32| {
        size > 0 && address < end && lowest < address.saturating_add(size)
    };
    let data = image.symbols.iter().filter(|symbol| symbol.kind == SymbolKind::Data);
    let mut hit: Vec<_> = data.filter(|symbol| is_hit(symbol.address, symbol.size)).collect();
    hit.sort_by_key(|symbol| std::cmp::Reverse(symbol.address));
    let mut names: Vec<String> = hit.iter().map(|symbol| demangle(&symbol.name)).collect();
    if names.is_empty() {
        let sections = image.sections.iter().filter(|section| section.writable);
        let hit = sections.filter(|section| is_hit(section.address, section.size));
        names.extend(hit.map(|section| section.name.clone()));
    }
    names.dedup();
    names
}

/// Returns `true` if the instruction gives the stack pointer a value that does not depend on the
/// old one: MOV SP, LDR SP, MSR MSP or MSR PSP.
pub fn sets_stack_pointer(first: u16, second: u16) -> bool {
    const MSP: u16 = 8;
    const PSP: u16 = 9;
    let moved = first & 0xff87 == 0x4685;
    let loaded = matches!(first & 0xfff0, 0xf850 | 0xf8d0) && second >> 12 == 13;
    let written = first & 0xfff0 == 0xf380 && matches!(second & 0xff, MSP | PSP);
    moved || loaded || written
}

/// Returns the end of the main stack: from the linker script, or above the highest section in its
/// memory.
pub fn end(image: &Image, top: u32) -> Option<u32> {
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
        let bottom = |symbols, sections| end(&Image { symbols, sections, ..Image::default() }, top);
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
    fn what_sets_the_stack_pointer_is_known_by_its_instruction() {
        let sets = [(0x4685, 0), (0x46ad, 0), (0xf381, 0x8809), (0xf380, 0x8808), (0xf8d1, 0xd000)];
        for (first, second) in sets {
            assert!(sets_stack_pointer(first, second), "{first:#06x} {second:#06x}");
        }
        // PUSH, SUB SP, MOV R7 SP, MSR BASEPRI, LDR R1.
        let others = [(0xb5f0, 0), (0xb082, 0), (0x466f, 0), (0xf381, 0x8811), (0xf8d1, 0x1000)];
        for (first, second) in others {
            assert!(!sets_stack_pointer(first, second), "{first:#06x} {second:#06x}");
        }
    }

    #[test]
    fn what_is_written_over_variables_is_no_success() {
        let overflow = |overwritten: Vec<String>| Overflow {
            end: 0x2000_0800,
            lowest: 0x2000_0780,
            bytes: 128,
            cycle: 1000,
            exception: "SysTick".into(),
            places: vec![Place { function: Some("app::deep".into()), ..Place::default() }],
            deepest: vec![Place { function: Some("app::deeper".into()), ..Place::default() }],
            is_harmful: !overwritten.is_empty(),
            overwritten,
            is_lowest: false,
        };
        let harmful = overflow(vec!["app::TABLE".into()]);
        let said = "the main stack overflowed: it went 128 bytes below its end at 0x20000800, \
                    first in app::deep (in the handler of SysTick) in cycle 1 000, deepest in \
                    app::deeper, written over `app::TABLE`";
        assert_eq!(harmful.text(), said);
        assert_eq!(verdict(Some(&harmful), Outcome::Done), Outcome::Died);
        assert_eq!(verdict(Some(&harmful), Outcome::Firmware(3)), Outcome::Firmware(3));
        let harmless = overflow(Vec::new());
        assert!(harmless.advice().contains("`flip-link` as the linker"));
        let lowest = Overflow { is_lowest: true, ..overflow(Vec::new()) };
        assert!(!lowest.advice().contains("flip-link"), "it has it already");
        assert!(harmless.text().ends_with("; nothing of the image lies there"));
        assert_eq!(verdict(Some(&harmless), Outcome::Done), Outcome::Done);
        assert_eq!(verdict(None, Outcome::Done), Outcome::Done);
    }

    #[test]
    fn what_lies_below_the_end_is_named_from_there() {
        let symbol = |name: &str, address, size| Symbol {
            size,
            kind: SymbolKind::Data,
            absolute: false,
            ..label(name, address)
        };
        let symbols = vec![symbol("FIRST", 0x2000_0000, 64), symbol("LAST", 0x2000_0040, 64)];
        let image = Image { symbols, ..Image::default() };
        assert_eq!(overwritten(&image, 0x2000_0041, 0x2000_0080), ["LAST"]);
        assert_eq!(overwritten(&image, 0x2000_0020, 0x2000_0080), ["LAST", "FIRST"]);
        assert!(overwritten(&image, 0x2000_0080, 0x2000_0100).is_empty());
        let names = ["a", "b", "c", "d"].map(str::to_owned);
        assert_eq!(listed(&names), "`a`, `b`, `c` and 1 more");
    }
}
