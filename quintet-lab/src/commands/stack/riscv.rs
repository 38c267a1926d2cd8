//! The stacks of firmware on a RISC-V core, which has one stack pointer.
//!
//! An instruction that computes the pointer from itself pushes or pops, and the pointer stays in
//! its stack. Any other instruction that changes it sets it: to another stack, unless the value
//! lies in the same one. AUIPC and LUI make the pointer half of an address, from which the next
//! instruction loads it.

use quintet_sim::cores::Core;
use quintet_sim::image::{Image, Symbol, SymbolKind};
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
use crate::threads::freertos::Freertos;

const STACK: u8 = 2;

/// Watches the stack pointer.
pub struct Depths<'a> {
    image: &'a Image,
    tasks: Option<Freertos>,
    regions: Vec<Region>,
    current: Option<usize>,
    pointer: u32,
}

impl<'a> Depths<'a> {
    /// From reset, when no stack is known: start-up code sets the pointer.
    pub fn new(firmware: &'a Firmware) -> Self {
        let (image, tasks) = (&firmware.image, Freertos::find(firmware));
        Self { image, tasks, regions: Vec::new(), current: None, pointer: 0 }
    }

    /// Looks at the pointer after the step at `from`.
    pub fn sample(&mut self, machine: &Machine, from: u32) {
        let pointer = machine.stack_pointer();
        if pointer == self.pointer || is_half(machine, from) {
            return;
        }
        self.pointer = pointer;
        let is_inside = self.current.is_some_and(|index| holds(&self.regions[index], pointer));
        if !is_inside && (self.current.is_none() || sets_stack_pointer(machine, from)) {
            self.current = self.find(pointer, machine);
        }
        let Some(region) = self.current.and_then(|index| self.regions.get_mut(index)) else {
            return;
        };
        // The first pointer of a task is below the frame that it begins from.
        if pointer > region.top && region.is_task {
            region.top = pointer;
        }
        if pointer < region.lowest {
            region.lowest = pointer;
            region.instructions = machine.instructions();
            region.cycle = machine.cycle();
        }
    }

    /// The region of a pointer that was set. Reset leaves the pointer 0, which is no stack.
    fn find(&mut self, pointer: u32, machine: &Machine) -> Option<usize> {
        if pointer == 0 {
            return None;
        }
        let known = self.regions.iter().position(|region| holds(region, pointer));
        if known.is_some() {
            return known;
        }
        if let Some(region) = self.of_task(pointer, machine) {
            self.regions.push(region);
            return Some(self.regions.len() - 1);
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
            is_task: false,
        });
        Some(self.regions.len() - 1)
    }

    /// The stack of the running task of FreeRTOS.
    fn of_task(&self, pointer: u32, machine: &Machine) -> Option<Region> {
        let tasks = self.tasks.as_ref()?;
        let control = tasks.running(machine)?;
        let bottom = tasks.stack(machine, control).filter(|bottom| *bottom < pointer)?;
        // The handlers' own stack is a variable, and the tasks' stacks lie in a heap.
        if self.image.symbols.iter().any(|symbol| holds_alone(symbol, pointer, bottom)) {
            return None;
        }
        Some(Region {
            kind: Kind::Process,
            symbol: Some(tasks.about(machine, control)?.name),
            top: pointer,
            bottom: Some(bottom),
            lowest: pointer,
            instructions: machine.instructions(),
            cycle: machine.cycle(),
            stored: false,
            is_task: true,
        })
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

/// Returns `true` if a pointer is in a variable, and another address is not.
fn holds_alone(symbol: &Symbol, pointer: u32, other: u32) -> bool {
    let is_data = symbol.kind == SymbolKind::Data && symbol.size > 0;
    let is_in = |address: u32| address.wrapping_sub(symbol.address) < symbol.size;
    is_data && is_in(pointer.wrapping_sub(1)) && !is_in(other)
}

/// Returns `true` if the instruction makes the stack pointer half of an address.
fn is_half(machine: &Machine, address: u32) -> bool {
    let bits = machine.bits(address);
    let bits = bits.map(|bits| if decode::length(bits) == 2 { bits & 0xffff } else { bits });
    let extensions = machine.hart.configuration().extensions;
    matches!(
        bits.and_then(|bits| decode::decode(bits, extensions)),
        Some(
            Instruction::AddUpperToPc { rd: STACK, .. } | Instruction::LoadUpper { rd: STACK, .. }
        )
    )
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
