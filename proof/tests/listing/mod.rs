//! A function of a firmware image, as the list of what its instructions do.
//!
//! The decoder is the simulator's, so that the test needs no tools. Registers have no names here,
//! since the compiler may take others. But the constants that they hold are followed through
//! straight code: a listing says which address a store goes to, and which value MSR writes.

use quintet_sim::image::{Image, SymbolKind};
use quintet_sim::processor::Architecture;
use quintet_sim::processor::decode::{decode, is_wide};
use quintet_sim::processor::instruction::{
    Address, AluOperation, Offset, Operand, Operation, Register, Shift, Size,
};

/// Registers of the core that listings name.
const NAMED: [(u32, &str); 4] =
    [(0xE000_E100, "ISER"), (0xE000_E180, "ICER"), (0xE000_E200, "ISPR"), (0xE000_EF00, "STIR")];
/// Where the private peripherals begin: they are shown by address if they have no name here.
const PRIVATE: u32 = 0xE000_0000;
/// `mov r8, r8`, with which the assembler fills up to the literal data of an ARMv6-M function.
const FILLING: u16 = 0x46C0;
/// The program counter's bit in a list of registers.
const LIST_PC: u16 = 1 << 15;

/// The instructions of the function whose symbol is `name`, or whose mangled symbol has `name` as
/// one of its parts.
pub fn of(image: &Image, name: &str, architecture: Architecture) -> Vec<String> {
    let part = format!("{}{name}", name.len());
    let mut symbols = image.symbols.iter().filter(|symbol| symbol.kind == SymbolKind::Function);
    let symbol = symbols
        .find(|symbol| symbol.name == name || symbol.name.contains(&part))
        .unwrap_or_else(|| panic!("there is no function {name}"));
    let mut reader = Reader { image, known: [None; 16], architecture };
    let mut lines = Vec::new();
    let (mut at, end) = (symbol.address, symbol.address + symbol.size);
    while at < end && is_code(image, at) {
        if reader.half(at) == FILLING {
            at += 2;
            continue;
        }
        let (line, length) = reader.line(at);
        lines.push(line);
        at += length;
    }
    lines
}

/// Whether there are instructions at an address, and not literal data.
fn is_code(image: &Image, address: u32) -> bool {
    let before = image.mapping.iter().filter(|mapping| mapping.address <= address);
    before.max_by_key(|mapping| mapping.address).is_none_or(|mapping| mapping.code)
}

/// Reads one instruction after the other.
struct Reader<'a> {
    image: &'a Image,
    /// The constants in registers.
    known: [Option<u32>; 16],
    architecture: Architecture,
}

impl Reader<'_> {
    /// The instruction at an address, in words, and its length.
    fn line(&mut self, at: u32) -> (String, u32) {
        let first = self.half(at);
        let second = if is_wide(first) { self.half(at + 2) } else { 0 };
        let instruction = decode(first, second, self.architecture);
        let line = self.describe(instruction.operation, at);
        (line, u32::from(instruction.length))
    }

    fn half(&self, address: u32) -> u16 {
        let word = self.image.initial_word(address & !3).expect("functions are loaded");
        (word >> (8 * (address & 2))) as u16
    }

    fn describe(&mut self, operation: Operation, at: u32) -> String {
        match operation {
            Operation::MoveToSpecial { rn, special, .. } => {
                format!("msr {}, {}", special_register(special), self.value(rn))
            }
            Operation::MoveFromSpecial { rd, special } => {
                self.set(rd, None);
                format!("mrs {}", special_register(special))
            }
            Operation::ChangeState { disable: true, .. } => "cpsid".to_owned(),
            Operation::ChangeState { disable: false, .. } => "cpsie".to_owned(),
            Operation::DataSynchronizationBarrier => "dsb".to_owned(),
            Operation::InstructionSynchronizationBarrier => "isb".to_owned(),
            Operation::SendEvent => "sev".to_owned(),
            Operation::WaitForEvent => "wfe".to_owned(),
            Operation::Load { size, rt, address, .. } => self.load(size, rt, address, at),
            Operation::Store { size, rt, address, .. } => {
                format!("str{} {}, {}", suffix(size), self.place(address), self.value(rt))
            }
            Operation::LoadExclusive { rt, base, .. } => {
                self.set(rt, None);
                format!("ldrex {}", Self::name(self.known[usize::from(base.0)]))
            }
            Operation::StoreExclusive { rd, base, .. } => {
                self.set(rd, None);
                format!("strex {}", Self::name(self.known[usize::from(base.0)]))
            }
            Operation::StoreMultiple { .. } => "push".to_owned(),
            Operation::LoadMultiple { registers, .. } if registers & LIST_PC != 0 => {
                "pop, return".to_owned()
            }
            Operation::LoadMultiple { .. } => "pop".to_owned(),
            Operation::BranchExchange { rm: Register::LR } => "return".to_owned(),
            Operation::Branch { .. } | Operation::CompareBranch { .. } => "branch".to_owned(),
            Operation::BranchLink { .. } | Operation::BranchLinkExchange { .. } => {
                "call".to_owned()
            }
            Operation::IfThen { .. } => "it".to_owned(),
            Operation::Nop => "nop".to_owned(),
            other => self.compute(other),
        }
    }

    /// What only touches registers.
    fn compute(&mut self, operation: Operation) -> String {
        let (rd, value) = match operation {
            Operation::Move { rd, operand, .. } => (rd, self.operand(operand)),
            Operation::MoveWide { rd, immediate } => (rd, Some(u32::from(immediate))),
            Operation::MoveTop { rd, immediate } => {
                let low = self.known[usize::from(rd.0)].map(|value| value & 0xFFFF);
                (rd, low.map(|low| low | u32::from(immediate) << 16))
            }
            Operation::Alu { operation, rd, rn, operand, .. } => {
                let values = self.known[usize::from(rn.0)].zip(self.operand(operand));
                let value = values.and_then(|(one, other)| compute(operation, one, other));
                self.set(rd, value);
                return format!("{operation:?}").to_lowercase();
            }
            Operation::Compare { operation, .. } => {
                return format!("{operation:?}").to_lowercase();
            }
            other => return format!("{other:?}"),
        };
        self.set(rd, value);
        "mov".to_owned()
    }

    fn load(&mut self, size: Size, rt: Register, address: Address, at: u32) -> String {
        if let (Register::PC, Offset::Immediate(offset)) = (address.base, address.offset) {
            let literal = ((at + 4) & !3).wrapping_add_signed(offset);
            self.set(rt, self.image.initial_word(literal));
            return "ldr constant".to_owned();
        }
        let line = format!("ldr{} {}", suffix(size), self.place(address));
        self.set(rt, None);
        line
    }

    /// What an access goes to.
    fn place(&self, address: Address) -> String {
        let Offset::Immediate(offset) = address.offset else { return "[..]".to_owned() };
        let base = self.known[usize::from(address.base.0)];
        Self::name(base.map(|base| base.wrapping_add_signed(offset)))
    }

    /// A place in words.
    fn name(address: Option<u32>) -> String {
        let Some(address) = address else { return "[..]".to_owned() };
        match NAMED.iter().find(|(known, _)| *known == address) {
            Some((_, name)) => (*name).to_owned(),
            None if address >= PRIVATE => format!("[{address:#x}]"),
            None => "data".to_owned(),
        }
    }

    /// What a register holds, in words.
    fn value(&self, register: Register) -> String {
        let known = self.known[usize::from(register.0)];
        known.map_or_else(|| "..".to_owned(), |value| format!("{value:#x}"))
    }

    fn operand(&self, operand: Operand) -> Option<u32> {
        match operand {
            Operand::Immediate { value, .. } => Some(value),
            Operand::Register { rm, shift: Shift::Lsl, amount } => {
                self.known[usize::from(rm.0)].map(|value| value << amount)
            }
            Operand::Register { .. } | Operand::ShiftedByRegister { .. } => None,
        }
    }

    fn set(&mut self, register: Register, value: Option<u32>) {
        self.known[usize::from(register.0)] = value;
    }
}

/// What can be computed at sight.
fn compute(operation: AluOperation, one: u32, other: u32) -> Option<u32> {
    match operation {
        AluOperation::Add => Some(one.wrapping_add(other)),
        AluOperation::Sub => Some(one.wrapping_sub(other)),
        AluOperation::And => Some(one & other),
        AluOperation::Orr => Some(one | other),
        _ => None,
    }
}

/// The special registers that masks are made of.
fn special_register(number: u8) -> &'static str {
    match number {
        16 => "PRIMASK",
        17 => "BASEPRI",
        18 => "BASEPRI_MAX",
        _ => "another",
    }
}

/// How the size of an access is written.
const fn suffix(size: Size) -> &'static str {
    match size {
        Size::Byte => "b",
        Size::Half => "h",
        Size::Word => "",
    }
}
