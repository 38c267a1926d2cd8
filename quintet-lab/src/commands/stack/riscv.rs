//! The stacks of firmware on a RISC-V core, which has one stack pointer.
//!
//! An instruction that computes the pointer from itself pushes or pops, and the pointer stays in
//! its stack. Any other instruction that changes it sets it: to another stack, unless the value
//! lies in the same one.

use quintet_sim::cores::Core;
use quintet_sim::image::{Image, SymbolKind};
use quintet_sim::machine::Until;
use quintet_sim::riscv::decode;
use quintet_sim::riscv::instruction::Instruction;
use quintet_sim::riscv::machine::Machine;

use super::Stack;
use super::regions::{Kind, Region};
use crate::debug::walk;
use crate::firmware::Firmware;
use crate::firmware::symbols::demangle;
use crate::main_stack;

const STACK: u8 = 2;

/// Watches the stack pointer.
pub struct Depths<'a> {
    image: &'a Image,
    regions: Vec<Region>,
    current: Option<usize>,
    pointer: u32,
}

impl<'a> Depths<'a> {
    /// From reset, when no stack is known: start-up code sets the pointer.
    pub fn new(image: &'a Image) -> Self {
        Self { image, regions: Vec::new(), current: None, pointer: 0 }
    }

    /// Looks at the pointer after the step at `from`.
    pub fn sample(&mut self, machine: &Machine, from: u32) {
        let pointer = machine.stack_pointer();
        if pointer == self.pointer {
            return;
        }
        self.pointer = pointer;
        let is_inside = self.current.is_some_and(|index| holds(&self.regions[index], pointer));
        if !is_inside && (self.current.is_none() || sets_stack_pointer(machine, from)) {
            self.current = self.find(pointer);
        }
        let Some(region) = self.current.and_then(|index| self.regions.get_mut(index)) else {
            return;
        };
        if pointer < region.lowest {
            region.lowest = pointer;
            region.instructions = machine.instructions();
            region.cycle = machine.cycle();
        }
    }

    /// The region of a pointer that was set. Reset leaves the pointer 0, which is no stack.
    fn find(&mut self, pointer: u32) -> Option<usize> {
        if pointer == 0 {
            return None;
        }
        let known = self.regions.iter().position(|region| holds(region, pointer));
        if known.is_some() {
            return known;
        }
        // A stack is empty when its pointer is one above the variable.
        let variable = self.image.symbols.iter().find(|symbol| {
            symbol.kind == SymbolKind::Data
                && pointer > symbol.address
                && pointer - symbol.address <= symbol.size
        });
        let is_main = variable.is_none() && !self.regions.iter().any(|one| one.kind == Kind::Main);
        let top = variable.map_or(pointer, |symbol| symbol.address + symbol.size);
        self.regions.push(Region {
            kind: if is_main { Kind::Main } else { Kind::Process },
            symbol: variable.map(|symbol| demangle(&symbol.name)),
            top,
            bottom: match variable {
                Some(symbol) => Some(symbol.address),
                None => main_stack::end(self.image, pointer),
            },
            lowest: pointer,
            instructions: 0,
            cycle: 0,
            stored: false,
        });
        Some(self.regions.len() - 1)
    }

    /// The stacks, each with what ran when it was deepest. `replay` is the machine before its first
    /// step.
    pub fn into_stacks(self, firmware: &Firmware, mut replay: Machine) -> Vec<Stack> {
        let mut regions = self.regions;
        regions.sort_by_key(|region| region.instructions);
        let stack = |region: Region| {
            if replay.instructions() < region.instructions {
                let max_instructions = Some(region.instructions);
                replay.run_until(&Until { max_instructions, ..Until::default() });
            }
            let available = region.bottom.map(|bottom| region.top.saturating_sub(bottom));
            Stack {
                kind: region.kind,
                symbol: region.symbol,
                top: region.top,
                bottom: region.bottom,
                lowest: region.lowest,
                used: region.top.saturating_sub(region.lowest),
                available,
                overflow: region.bottom.is_some_and(|bottom| region.lowest < bottom),
                cycle: region.cycle,
                backtrace: walk::backtrace(firmware, &replay),
            }
        };
        let mut stacks: Vec<Stack> = regions.into_iter().map(stack).collect();
        stacks.sort_by_key(|stack| (stack.kind, stack.top));
        stacks
    }
}

/// Returns `true` if a pointer is in a region whose end is known, or at its top.
fn holds(region: &Region, pointer: u32) -> bool {
    pointer <= region.top && region.bottom.is_some_and(|bottom| pointer >= bottom)
}

/// Returns `true` if the instruction gives the stack pointer a value that has nothing to do with
/// the one before.
fn sets_stack_pointer(machine: &Machine, address: u32) -> bool {
    let Some(bits) = machine.bits(address) else { return true };
    let bits = if decode::length(bits) == 2 { bits & 0xffff } else { bits };
    let moves = match decode::decode(bits, machine.hart.configuration().extensions) {
        Some(Instruction::Immediate { rd: STACK, rs1, .. }) => rs1 == STACK,
        Some(Instruction::Registers { rd: STACK, rs1, rs2, .. }) => rs1 == STACK || rs2 == STACK,
        Some(Instruction::Push { .. } | Instruction::Pop { .. }) => true,
        _ => false,
    };
    !moves
}
