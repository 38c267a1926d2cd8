//! From bits to an [`Instruction`]: a function without state.
//!
//! A word whose two lowest bits are set is an instruction of 32 bits; any other halfword is a
//! compressed one (`compressed`).

mod compressed;
#[cfg(test)]
mod tests;

use super::extensions::Extensions;
use super::instruction::{
    Atomic, Condition, CsrOperation, Instruction, Operation, Order, Register, Source, Unary, Width,
};

/// Returns the number of bytes of the instruction whose first halfword this is: 2 or 4.
#[inline]
pub const fn length(first: u32) -> u32 {
    if first & 3 == 3 { 4 } else { 2 }
}

/// Decodes an instruction of a core with these extensions. Of a compressed one, only the low
/// halfword counts. Returns `None` for an encoding that the core doesn't have.
pub fn decode(bits: u32, extensions: Extensions) -> Option<Instruction> {
    if length(bits) == 4 {
        wide(bits, extensions)
    } else if extensions.has(Extensions::C) {
        compressed::decode(bits as u16, extensions)
    } else {
        None
    }
}

const fn field(bits: u32, low: u32, width: u32) -> u32 {
    bits >> low & ((1 << width) - 1)
}

/// Sign-extends the lowest `width` bits.
const fn signed(value: u32, width: u32) -> u32 {
    ((value << (32 - width)) as i32 >> (32 - width)) as u32
}

/// The fields that stand at the same place in all formats.
struct Fields {
    bits: u32,
    /// The highest register that there is.
    last: Register,
}

impl Fields {
    fn register(&self, low: u32) -> Option<Register> {
        let number = field(self.bits, low, 5) as Register;
        (number <= self.last).then_some(number)
    }

    fn rd(&self) -> Option<Register> {
        self.register(7)
    }

    fn rs1(&self) -> Option<Register> {
        self.register(15)
    }

    fn rs2(&self) -> Option<Register> {
        self.register(20)
    }

    fn function(&self) -> u32 {
        field(self.bits, 12, 3)
    }

    fn seven(&self) -> u32 {
        field(self.bits, 25, 7)
    }

    fn immediate(&self) -> u32 {
        signed(self.bits >> 20, 12)
    }

    fn store_offset(&self) -> u32 {
        signed(self.seven() << 5 | field(self.bits, 7, 5), 12)
    }

    fn branch_offset(&self) -> u32 {
        let bits = self.bits;
        let offset = field(bits, 31, 1) << 12
            | field(bits, 7, 1) << 11
            | field(bits, 25, 6) << 5
            | field(bits, 8, 4) << 1;
        signed(offset, 13)
    }

    fn jump_offset(&self) -> u32 {
        let bits = self.bits;
        let offset = field(bits, 31, 1) << 20
            | field(bits, 12, 8) << 12
            | field(bits, 20, 1) << 11
            | field(bits, 21, 10) << 1;
        signed(offset, 21)
    }
}

/// The highest register of a core.
fn last_register(extensions: Extensions) -> Register {
    if extensions.has(Extensions::E) { 15 } else { 31 }
}

fn wide(bits: u32, extensions: Extensions) -> Option<Instruction> {
    let fields = Fields { bits, last: last_register(extensions) };
    match bits & 0x7f {
        0x37 => Some(Instruction::LoadUpper { rd: fields.rd()?, value: bits & 0xffff_f000 }),
        0x17 => Some(Instruction::AddUpperToPc { rd: fields.rd()?, value: bits & 0xffff_f000 }),
        0x6f => Some(Instruction::Jump { rd: fields.rd()?, offset: fields.jump_offset() }),
        0x67 if fields.function() == 0 => {
            let [rd, rs1] = [fields.rd()?, fields.rs1()?];
            Some(Instruction::JumpRegister { rd, rs1, offset: fields.immediate() })
        }
        0x63 => {
            let condition = condition(fields.function())?;
            let [rs1, rs2] = [fields.rs1()?, fields.rs2()?];
            Some(Instruction::Branch { condition, rs1, rs2, offset: fields.branch_offset() })
        }
        0x03 => {
            let width = load_width(fields.function())?;
            let [rd, rs1] = [fields.rd()?, fields.rs1()?];
            Some(Instruction::Load { width, rd, rs1, offset: fields.immediate() })
        }
        0x23 => {
            let width = load_width(fields.function()).filter(|_| fields.function() < 3)?;
            let [rs1, rs2] = [fields.rs1()?, fields.rs2()?];
            Some(Instruction::Store { width, rs1, rs2, offset: fields.store_offset() })
        }
        0x13 => immediate(&fields, extensions),
        0x33 => registers(&fields, extensions),
        0x0f => fence(&fields, extensions),
        0x73 => system(&fields),
        0x2f if extensions.has(Extensions::A) => atomic(&fields),
        _ => None,
    }
}

const fn condition(function: u32) -> Option<Condition> {
    Some(match function {
        0 => Condition::Equal,
        1 => Condition::NotEqual,
        4 => Condition::Less,
        5 => Condition::GreaterOrEqual,
        6 => Condition::LessUnsigned,
        7 => Condition::GreaterOrEqualUnsigned,
        _ => return None,
    })
}

const fn load_width(function: u32) -> Option<Width> {
    Some(match function {
        0 => Width::Byte,
        1 => Width::Half,
        2 => Width::Word,
        4 => Width::ByteUnsigned,
        5 => Width::HalfUnsigned,
        _ => return None,
    })
}

/// An operation, if the core has the extension to which it belongs.
fn of(has: bool, operation: Operation) -> Option<Operation> {
    has.then_some(operation)
}

fn immediate(fields: &Fields, extensions: Extensions) -> Option<Instruction> {
    let [rd, rs1] = [fields.rd()?, fields.rs1()?];
    let plain =
        |operation| Some(Instruction::Immediate { operation, rd, rs1, value: fields.immediate() });
    match fields.function() {
        0 => plain(Operation::Add),
        2 => plain(Operation::SetLess),
        3 => plain(Operation::SetLessUnsigned),
        4 => plain(Operation::Xor),
        6 => plain(Operation::Or),
        7 => plain(Operation::And),
        function => {
            if let Some(operation) = unary(fields.bits >> 20, function, extensions) {
                return Some(Instruction::Unary { operation, rd, rs1 });
            }
            let (zbb, zbs) = (extensions.has(Extensions::ZBB), extensions.has(Extensions::ZBS));
            let operation = match (fields.seven(), function) {
                (0x00, 1) => Some(Operation::ShiftLeft),
                (0x00, 5) => Some(Operation::ShiftRight),
                (0x20, 5) => Some(Operation::ShiftRightArithmetic),
                (0x30, 5) => of(zbb, Operation::RotateRight),
                (0x24, 1) => of(zbs, Operation::BitClear),
                (0x24, 5) => of(zbs, Operation::BitExtract),
                (0x34, 1) => of(zbs, Operation::BitInvert),
                (0x14, 1) => of(zbs, Operation::BitSet),
                _ => None,
            }?;
            let value = field(fields.bits, 20, 5);
            Some(Instruction::Immediate { operation, rd, rs1, value })
        }
    }
}

fn unary(immediate: u32, function: u32, extensions: Extensions) -> Option<Unary> {
    if !extensions.has(Extensions::ZBB) {
        return None;
    }
    Some(match (immediate, function) {
        (0x600, 1) => Unary::CountLeadingZeros,
        (0x601, 1) => Unary::CountTrailingZeros,
        (0x602, 1) => Unary::CountOnes,
        (0x604, 1) => Unary::SignExtendByte,
        (0x605, 1) => Unary::SignExtendHalf,
        (0x287, 5) => Unary::OrCombineBytes,
        (0x698, 5) => Unary::ReverseBytes,
        _ => return None,
    })
}

fn registers(fields: &Fields, extensions: Extensions) -> Option<Instruction> {
    let [rd, rs1] = [fields.rd()?, fields.rs1()?];
    let (m, zba) = (extensions.has(Extensions::M), extensions.has(Extensions::ZBA));
    let (zbb, zbs) = (extensions.has(Extensions::ZBB), extensions.has(Extensions::ZBS));
    let operation = match (fields.seven(), fields.function()) {
        (0x00, 0) => Some(Operation::Add),
        (0x20, 0) => Some(Operation::Subtract),
        (0x00, 1) => Some(Operation::ShiftLeft),
        (0x00, 2) => Some(Operation::SetLess),
        (0x00, 3) => Some(Operation::SetLessUnsigned),
        (0x00, 4) => Some(Operation::Xor),
        (0x00, 5) => Some(Operation::ShiftRight),
        (0x20, 5) => Some(Operation::ShiftRightArithmetic),
        (0x00, 6) => Some(Operation::Or),
        (0x00, 7) => Some(Operation::And),
        (0x01, function) => of(m, multiplication(function)),
        (0x10, 2) => of(zba, Operation::Shift1Add),
        (0x10, 4) => of(zba, Operation::Shift2Add),
        (0x10, 6) => of(zba, Operation::Shift3Add),
        (0x20, 4) => of(zbb, Operation::XorNot),
        (0x20, 6) => of(zbb, Operation::OrNot),
        (0x20, 7) => of(zbb, Operation::AndNot),
        (0x05, 4) => of(zbb, Operation::Minimum),
        (0x05, 5) => of(zbb, Operation::MinimumUnsigned),
        (0x05, 6) => of(zbb, Operation::Maximum),
        (0x05, 7) => of(zbb, Operation::MaximumUnsigned),
        (0x30, 1) => of(zbb, Operation::RotateLeft),
        (0x30, 5) => of(zbb, Operation::RotateRight),
        (0x04, 4) if zbb && field(fields.bits, 20, 5) == 0 => {
            return Some(Instruction::Unary { operation: Unary::ZeroExtendHalf, rd, rs1 });
        }
        (0x24, 1) => of(zbs, Operation::BitClear),
        (0x24, 5) => of(zbs, Operation::BitExtract),
        (0x34, 1) => of(zbs, Operation::BitInvert),
        (0x14, 1) => of(zbs, Operation::BitSet),
        _ => None,
    }?;
    Some(Instruction::Registers { operation, rd, rs1, rs2: fields.rs2()? })
}

const fn multiplication(function: u32) -> Operation {
    match function {
        0 => Operation::Multiply,
        1 => Operation::MultiplyHigh,
        2 => Operation::MultiplyHighSignedUnsigned,
        3 => Operation::MultiplyHighUnsigned,
        4 => Operation::Divide,
        5 => Operation::DivideUnsigned,
        6 => Operation::Remainder,
        _ => Operation::RemainderUnsigned,
    }
}

/// Fences ignore the fields that the specification reserves, as it asks.
fn fence(fields: &Fields, extensions: Extensions) -> Option<Instruction> {
    match fields.function() {
        0 => Some(Instruction::Fence { sets: (fields.bits >> 20) as u16 }),
        1 if extensions.has(Extensions::ZIFENCEI) => Some(Instruction::FenceInstructions),
        _ => None,
    }
}

fn system(fields: &Fields) -> Option<Instruction> {
    match fields.bits {
        0x0000_0073 => return Some(Instruction::EnvironmentCall),
        0x0010_0073 => return Some(Instruction::Breakpoint),
        0x3020_0073 => return Some(Instruction::MachineReturn),
        0x1050_0073 => return Some(Instruction::WaitForInterrupt),
        _ => {}
    }
    let operation = match fields.function() & 3 {
        1 => CsrOperation::Write,
        2 => CsrOperation::Set,
        3 => CsrOperation::Clear,
        _ => return None,
    };
    let source = match fields.function() & 4 {
        0 => Source::Register(fields.rs1()?),
        _ => Source::Immediate(field(fields.bits, 15, 5) as u8),
    };
    Some(Instruction::Csr { operation, rd: fields.rd()?, source, csr: (fields.bits >> 20) as u16 })
}

fn atomic(fields: &Fields) -> Option<Instruction> {
    if fields.function() != 2 {
        return None;
    }
    let order =
        Order { acquire: field(fields.bits, 26, 1) != 0, release: field(fields.bits, 25, 1) != 0 };
    let [rd, rs1] = [fields.rd()?, fields.rs1()?];
    let operation = match fields.bits >> 27 {
        0x02 if field(fields.bits, 20, 5) == 0 => {
            return Some(Instruction::LoadReserved { rd, rs1, order });
        }
        0x03 => {
            return Some(Instruction::StoreConditional { rd, rs1, rs2: fields.rs2()?, order });
        }
        0x01 => Atomic::Swap,
        0x00 => Atomic::Add,
        0x04 => Atomic::Xor,
        0x0c => Atomic::And,
        0x08 => Atomic::Or,
        0x10 => Atomic::Minimum,
        0x14 => Atomic::Maximum,
        0x18 => Atomic::MinimumUnsigned,
        0x1c => Atomic::MaximumUnsigned,
        _ => return None,
    };
    Some(Instruction::Atomic { operation, rd, rs1, rs2: fields.rs2()?, order })
}
