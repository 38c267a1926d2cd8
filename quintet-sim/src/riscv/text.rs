//! Instructions as text, in the notation of assemblers, without their abbreviations.

use std::fmt::Write;

use super::instruction::{
    AfterPop, Atomic, Condition, CsrOperation, Instruction, Operation, Order, Register, Source,
    Unary, Width,
};

/// The names of the registers by the calling convention.
pub const REGISTERS: [&str; 32] = [
    "zero", "ra", "sp", "gp", "tp", "t0", "t1", "t2", "s0", "s1", "a0", "a1", "a2", "a3", "a4",
    "a5", "a6", "a7", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "t3", "t4",
    "t5", "t6",
];

fn name(register: Register) -> &'static str {
    REGISTERS[usize::from(register & 31)]
}

impl Instruction {
    /// Returns the text of the instruction at `pc`. Targets of branches and jumps are addresses.
    /// What stood for a compressed instruction has the name of the long one.
    pub fn text(&self, pc: u32) -> String {
        let target = |offset: u32| format!("{:#x}", pc.wrapping_add(offset));
        let upper = |value: u32| format!("{:#x}", value >> 12);
        match *self {
            Self::LoadUpper { rd, value } => format!("lui {}, {}", name(rd), upper(value)),
            Self::AddUpperToPc { rd, value } => format!("auipc {}, {}", name(rd), upper(value)),
            Self::Jump { rd, offset } => format!("jal {}, {}", name(rd), target(offset)),
            Self::JumpRegister { rd, rs1, offset } => {
                format!("jalr {}, {}({})", name(rd), offset as i32, name(rs1))
            }
            Self::Branch { condition, rs1, rs2, offset } => {
                let condition = of_condition(condition);
                format!("{condition} {}, {}, {}", name(rs1), name(rs2), target(offset))
            }
            Self::Load { width, rd, rs1, offset } => {
                format!("l{} {}, {}({})", of_width(width), name(rd), offset as i32, name(rs1))
            }
            Self::Store { width, rs1, rs2, offset } => {
                format!("s{} {}, {}({})", of_width(width), name(rs2), offset as i32, name(rs1))
            }
            Self::Immediate { operation, rd, rs1, value } => {
                immediate(operation, name(rd), name(rs1), value)
            }
            Self::Registers { operation, rd, rs1, rs2 } => {
                format!("{} {}, {}, {}", of(operation), name(rd), name(rs1), name(rs2))
            }
            Self::Unary { operation, rd, rs1 } => {
                format!("{} {}, {}", of_one(operation), name(rd), name(rs1))
            }
            Self::Fence { .. } => "fence".to_owned(),
            Self::FenceInstructions => "fence.i".to_owned(),
            Self::EnvironmentCall => "ecall".to_owned(),
            Self::Breakpoint => "ebreak".to_owned(),
            Self::MachineReturn => "mret".to_owned(),
            Self::WaitForInterrupt => "wfi".to_owned(),
            Self::Csr { operation, rd, source, csr } => csr_text(operation, rd, source, csr),
            Self::LoadReserved { rd, rs1, order } => {
                format!("lr.w{} {}, ({})", of_order(order), name(rd), name(rs1))
            }
            Self::StoreConditional { rd, rs1, rs2, order } => {
                format!("sc.w{} {}, {}, ({})", of_order(order), name(rd), name(rs2), name(rs1))
            }
            Self::Atomic { operation, rd, rs1, rs2, order } => {
                let operation = format!("amo{}.w{}", of_atomic(operation), of_order(order));
                format!("{operation} {}, {}, ({})", name(rd), name(rs2), name(rs1))
            }
            _ => self.several(),
        }
    }

    /// The text of an instruction of Zcmp.
    fn several(&self) -> String {
        match *self {
            Self::Push { saved, bytes } => format!("cm.push {{{}}}, -{bytes}", list(saved)),
            Self::Pop { saved, bytes, then } => {
                let name = match then {
                    AfterPop::Nothing => "cm.pop",
                    AfterPop::Return => "cm.popret",
                    AfterPop::ReturnZero => "cm.popretz",
                };
                format!("{name} {{{}}}, {bytes}", list(saved))
            }
            Self::MoveFromArguments { r1, r2 } => format!("cm.mvsa01 {}, {}", name(r1), name(r2)),
            Self::MoveToArguments { r1, r2 } => format!("cm.mva01s {}, {}", name(r1), name(r2)),
            _ => String::new(),
        }
    }
}

/// The registers of a push or pop.
fn list(saved: u8) -> String {
    let mut text = "ra".to_owned();
    let end = match saved {
        0 => Ok(()),
        1 => write!(text, ", s0"),
        _ => write!(text, ", s0-s{}", saved - 1),
    };
    // Writing to a string never fails.
    debug_assert!(end.is_ok());
    text
}

fn immediate(operation: Operation, rd: &str, rs1: &str, value: u32) -> String {
    let text = match operation {
        Operation::SetLess => "slti",
        Operation::SetLessUnsigned => "sltiu",
        _ => return format!("{}i {rd}, {rs1}, {}", of(operation), value as i32),
    };
    format!("{text} {rd}, {rs1}, {}", value as i32)
}

fn csr_text(operation: CsrOperation, rd: Register, source: Source, csr: u16) -> String {
    let letter = match operation {
        CsrOperation::Write => 'w',
        CsrOperation::Set => 's',
        CsrOperation::Clear => 'c',
    };
    match source {
        Source::Register(rs1) => {
            format!("csrr{letter} {}, {csr:#x}, {}", name(rd), name(rs1))
        }
        Source::Immediate(value) => format!("csrr{letter}i {}, {csr:#x}, {value}", name(rd)),
    }
}

const fn of_condition(condition: Condition) -> &'static str {
    match condition {
        Condition::Equal => "beq",
        Condition::NotEqual => "bne",
        Condition::Less => "blt",
        Condition::GreaterOrEqual => "bge",
        Condition::LessUnsigned => "bltu",
        Condition::GreaterOrEqualUnsigned => "bgeu",
    }
}

const fn of_width(width: Width) -> &'static str {
    match width {
        Width::Byte => "b",
        Width::Half => "h",
        Width::Word => "w",
        Width::ByteUnsigned => "bu",
        Width::HalfUnsigned => "hu",
    }
}

const fn of_order(order: Order) -> &'static str {
    match (order.acquire, order.release) {
        (false, false) => "",
        (true, false) => ".aq",
        (false, true) => ".rl",
        (true, true) => ".aqrl",
    }
}

const fn of_atomic(operation: Atomic) -> &'static str {
    match operation {
        Atomic::Swap => "swap",
        Atomic::Add => "add",
        Atomic::Xor => "xor",
        Atomic::And => "and",
        Atomic::Or => "or",
        Atomic::Minimum => "min",
        Atomic::Maximum => "max",
        Atomic::MinimumUnsigned => "minu",
        Atomic::MaximumUnsigned => "maxu",
    }
}

const fn of_one(operation: Unary) -> &'static str {
    match operation {
        Unary::CountLeadingZeros => "clz",
        Unary::CountTrailingZeros => "ctz",
        Unary::CountOnes => "cpop",
        Unary::SignExtendByte => "sext.b",
        Unary::SignExtendHalf => "sext.h",
        Unary::ZeroExtendHalf => "zext.h",
        Unary::OrCombineBytes => "orc.b",
        Unary::ReverseBytes => "rev8",
    }
}

const fn of(operation: Operation) -> &'static str {
    match operation {
        Operation::Add => "add",
        Operation::Subtract => "sub",
        Operation::ShiftLeft => "sll",
        Operation::SetLess => "slt",
        Operation::SetLessUnsigned => "sltu",
        Operation::Xor => "xor",
        Operation::ShiftRight => "srl",
        Operation::ShiftRightArithmetic => "sra",
        Operation::Or => "or",
        Operation::And => "and",
        Operation::Multiply => "mul",
        Operation::MultiplyHigh => "mulh",
        Operation::MultiplyHighSignedUnsigned => "mulhsu",
        Operation::MultiplyHighUnsigned => "mulhu",
        Operation::Divide => "div",
        Operation::DivideUnsigned => "divu",
        Operation::Remainder => "rem",
        Operation::RemainderUnsigned => "remu",
        Operation::Shift1Add => "sh1add",
        Operation::Shift2Add => "sh2add",
        Operation::Shift3Add => "sh3add",
        Operation::AndNot => "andn",
        Operation::OrNot => "orn",
        Operation::XorNot => "xnor",
        Operation::Maximum => "max",
        Operation::MaximumUnsigned => "maxu",
        Operation::Minimum => "min",
        Operation::MinimumUnsigned => "minu",
        Operation::RotateLeft => "rol",
        Operation::RotateRight => "ror",
        Operation::BitClear => "bclr",
        Operation::BitExtract => "bext",
        Operation::BitInvert => "binv",
        Operation::BitSet => "bset",
    }
}
