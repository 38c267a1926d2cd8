//! The stack of one function on a RISC-V core, and what it calls: its code is followed from its
//! first instruction, with what is known of the registers.
//!
//! ```text
//!  value of a register:   a constant    the stack pointer at entry, and so much    anything
//! ```
//! Where ways meet, what differs is anything. Save and restore routines of compilers, by the option
//! `-msave-restore`, are called with a return address in t0, and move the stack pointer: they are
//! followed as parts of the function.

use std::collections::{BTreeMap, BTreeSet};

use quintet_sim::cores::{Core, Target};
use quintet_sim::riscv::decode;
use quintet_sim::riscv::instruction::{AfterPop, Instruction, Operation};
use quintet_sim::riscv::machine::Machine;

/// The registers with a meaning: the return address, the stack pointer, and the return address of
/// save and restore routines.
const LINK: u8 = 1;
const STACK: u8 = 2;
const ALTERNATE_LINK: u8 = 5;

/// What a call leaves as it was: the stack pointer, gp, tp, and s0 to s11.
const PRESERVED: u32 = 0x0ffc_031c;

/// So often an instruction may be looked at, in a function: each look makes a register unknown.
const LOOKS_MAX: usize = 200_000;

/// What is known of a register.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Value {
    /// A constant.
    Known(u32),
    /// The stack pointer at entry and so many bytes.
    Stack(i32),
    /// The return address at entry.
    Return,
    /// Anything.
    Any,
}

/// The registers.
type Values = [Value; 32];

/// Why something has no bound.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Obstacle {
    /// The bits are no instruction of the core.
    NoInstruction,
    /// The stack pointer gets a value that is not followed.
    StackPointer,
    /// A call to an address that is not followed.
    Call,
    /// A jump to an address that is not followed, as through a table.
    Jump,
    /// The function calls itself, perhaps through others.
    Recursion,
    /// The function is too long to be followed.
    Length,
}

impl Obstacle {
    /// The obstacle in words.
    pub const fn words(self) -> &'static str {
        match self {
            Self::NoInstruction => "what runs there is no instruction of the board's core",
            Self::StackPointer => "the stack pointer gets a value that the code doesn't tell",
            Self::Call => "a call whose target the code doesn't tell",
            Self::Jump => "a jump whose target the code doesn't tell, as through a table",
            Self::Recursion => "a call that leads back to the function",
            Self::Length => "the function is too long to be followed",
        }
    }
}

/// A call, or a jump at the end of a function to another.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Call {
    /// The instruction.
    pub at: u32,
    /// The function.
    pub to: u32,
    /// The bytes that the caller's stack has there.
    pub depth: u32,
}

/// A function without what it calls.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Frame {
    /// The most bytes below the stack pointer at entry.
    pub deepest: u32,
    /// What it calls.
    pub calls: BTreeSet<Call>,
    /// What has no bound.
    pub obstacles: BTreeSet<(u32, Obstacle)>,
}

/// Follows the function whose code is between two addresses; the second is behind it.
pub fn frame(machine: &Machine, (begin, end): (u32, u32)) -> Frame {
    let mut values = [Value::Any; 32];
    values[0] = Value::Known(0);
    values[usize::from(LINK)] = Value::Return;
    values[usize::from(STACK)] = Value::Stack(0);
    let mut walk = Walk {
        machine,
        code: begin..end,
        states: BTreeMap::new(),
        waiting: Vec::new(),
        frame: Frame::default(),
    };
    walk.go(begin, &values);
    for _ in 0..LOOKS_MAX {
        let Some(address) = walk.waiting.pop() else { return walk.frame };
        walk.look(address);
    }
    walk.frame.obstacles.insert((begin, Obstacle::Length));
    walk.frame
}

struct Walk<'a> {
    machine: &'a Machine,
    code: std::ops::Range<u32>,
    states: BTreeMap<u32, Values>,
    waiting: Vec<u32>,
    frame: Frame,
}

impl Walk<'_> {
    /// Notes that an instruction runs with these values.
    fn go(&mut self, address: u32, values: &Values) {
        let Some(before) = self.states.get_mut(&address) else {
            self.states.insert(address, *values);
            self.waiting.push(address);
            return;
        };
        let mut changed = false;
        for (before, now) in before.iter_mut().zip(values) {
            if *before != *now && *before != Value::Any {
                *before = Value::Any;
                changed = true;
            }
        }
        if changed {
            self.waiting.push(address);
        }
    }

    fn look(&mut self, address: u32) {
        let Some(mut values) = self.states.get(&address).copied() else { return };
        let bits = self.machine.bits(address).unwrap_or(0);
        let length = decode::length(bits);
        let short = if length == 2 { bits & 0xffff } else { bits };
        let instruction = decode::decode(short, self.machine.hart.configuration().extensions);
        let flow = Core::flow(self.machine, address, bits);
        let (Some(instruction), Some(flow)) = (instruction, flow) else {
            self.frame.obstacles.insert((address, Obstacle::NoInstruction));
            return;
        };
        let depth = self.depth(address, &values);
        let next = address.wrapping_add(length);
        apply(&instruction, address, next, &mut values);
        self.depth(address, &values);
        match (instruction, flow.to) {
            (Instruction::Jump { rd: ALTERNATE_LINK, .. }, Target::Call(to)) => {
                values[usize::from(ALTERNATE_LINK)] = Value::Known(next);
                self.go(to, &values);
            }
            (_, Target::Next) => self.go(next, &values),
            (_, Target::NextOr(to)) => {
                self.go(next, &values);
                self.jump(address, to, depth, &values);
            }
            (_, Target::Always(to)) => self.jump(address, to, depth, &values),
            (_, Target::Call(to)) => self.call(address, Some(to), depth, next, values),
            (Instruction::JumpRegister { rd, rs1, offset }, _) => {
                let before =
                    self.states.get(&address).map_or(Value::Any, |one| one[usize::from(rs1)]);
                self.register_jump(address, (rd, before, offset), depth, next, values);
            }
            (Instruction::Pop { then: AfterPop::Return | AfterPop::ReturnZero, .. }, _) => {
                self.balanced(address, &values);
            }
            _ => {}
        }
    }

    /// A jump to an address in a register.
    fn register_jump(
        &mut self,
        address: u32,
        (rd, to, offset): (u8, Value, u32),
        depth: u32,
        next: u32,
        values: Values,
    ) {
        let known = match to {
            Value::Known(to) => Some(to.wrapping_add(offset) & !1),
            _ => None,
        };
        match (rd, to, known) {
            (0, Value::Return, _) => self.balanced(address, &values),
            (0, _, Some(to)) => self.jump(address, to, depth, &values),
            (0, ..) => {
                // What the stack gave back is a return address wherever the stack is as at entry.
                let is_return = self.machine.bits(address).is_some_and(is_return);
                if is_return {
                    self.balanced(address, &values);
                } else {
                    self.frame.obstacles.insert((address, Obstacle::Jump));
                }
            }
            (_, _, known) => self.call(address, known, depth, next, values),
        }
    }

    fn call(&mut self, at: u32, to: Option<u32>, depth: u32, next: u32, mut values: Values) {
        match to {
            Some(to) => {
                self.frame.calls.insert(Call { at, to, depth });
            }
            None => {
                self.frame.obstacles.insert((at, Obstacle::Call));
            }
        }
        for (register, value) in values.iter_mut().enumerate().skip(1) {
            if PRESERVED >> register & 1 == 0 {
                *value = Value::Any;
            }
        }
        // A call at the end of a function doesn't come back.
        if self.code.contains(&next) || !self.code.contains(&at) {
            self.go(next, &values);
        }
    }

    /// A jump, within the function or to another one.
    fn jump(&mut self, at: u32, to: u32, depth: u32, values: &Values) {
        // A save or restore routine is outside of the function, and stays there.
        if self.code.contains(&to) || !self.code.contains(&at) {
            return self.go(to, values);
        }
        // A restore routine gives the caller's stack pointer back by itself.
        if values[usize::from(STACK)] != Value::Stack(0) {
            return self.go(to, values);
        }
        self.frame.calls.insert(Call { at, to, depth });
    }

    /// Notes how deep the stack is.
    fn depth(&mut self, address: u32, values: &Values) -> u32 {
        let Value::Stack(offset) = values[usize::from(STACK)] else {
            self.frame.obstacles.insert((address, Obstacle::StackPointer));
            return 0;
        };
        let depth = offset.checked_neg().map_or(0, |depth| u32::try_from(depth).unwrap_or(0));
        self.frame.deepest = self.frame.deepest.max(depth);
        depth
    }

    /// At a return, the stack pointer must be what it was at entry.
    fn balanced(&mut self, address: u32, values: &Values) {
        if values[usize::from(STACK)] != Value::Stack(0) {
            self.frame.obstacles.insert((address, Obstacle::StackPointer));
        }
    }
}

/// Returns `true` for a jump to the return address, `ret`.
fn is_return(bits: u32) -> bool {
    bits == 0x0000_8067 || bits & 0xffff == 0x8082
}

/// What an instruction makes of the registers.
fn apply(instruction: &Instruction, address: u32, next: u32, values: &mut Values) {
    let of = |register: u8| values[usize::from(register)];
    let (rd, value) = match *instruction {
        Instruction::LoadUpper { rd, value } => (rd, Value::Known(value)),
        Instruction::AddUpperToPc { rd, value } => (rd, Value::Known(address.wrapping_add(value))),
        Instruction::Immediate { operation: Operation::Add, rd, rs1, value } => {
            (rd, sum(of(rs1), Value::Known(value)))
        }
        Instruction::Registers { operation: Operation::Add, rd, rs1, rs2 } => {
            (rd, sum(of(rs1), of(rs2)))
        }
        Instruction::Registers { operation: Operation::Subtract, rd, rs1, rs2 } => {
            let negative = match of(rs2) {
                Value::Known(value) => Value::Known(value.wrapping_neg()),
                _ => Value::Any,
            };
            (rd, sum(of(rs1), negative))
        }
        Instruction::Push { bytes, .. } => {
            (STACK, sum(of(STACK), Value::Known(u32::from(bytes).wrapping_neg())))
        }
        Instruction::Pop { bytes, .. } => {
            forget_saved(values);
            values[usize::from(LINK)] = Value::Any;
            let stack = values[usize::from(STACK)];
            (STACK, sum(stack, Value::Known(bytes.into())))
        }
        Instruction::Jump { rd, .. } | Instruction::JumpRegister { rd, .. } => {
            (rd, Value::Known(next))
        }
        Instruction::MoveFromArguments { r1, r2 } => {
            values[usize::from(r1 & 31)] = Value::Any;
            (r2, Value::Any)
        }
        Instruction::MoveToArguments { .. } => {
            values[10] = Value::Any;
            (11, Value::Any)
        }
        Instruction::Load { rd, .. }
        | Instruction::Immediate { rd, .. }
        | Instruction::Registers { rd, .. }
        | Instruction::Unary { rd, .. }
        | Instruction::Csr { rd, .. }
        | Instruction::LoadReserved { rd, .. }
        | Instruction::StoreConditional { rd, .. }
        | Instruction::Atomic { rd, .. } => (rd, Value::Any),
        _ => return,
    };
    if rd != 0 {
        values[usize::from(rd & 31)] = value;
    }
}

/// What the stack gives back is not followed.
fn forget_saved(values: &mut Values) {
    for register in (8..=9).chain(18..=27) {
        values[register] = Value::Any;
    }
}

fn sum(left: Value, right: Value) -> Value {
    match (left, right) {
        (Value::Known(left), Value::Known(right)) => Value::Known(left.wrapping_add(right)),
        (Value::Stack(offset), Value::Known(more)) | (Value::Known(more), Value::Stack(offset)) => {
            Value::Stack(offset.wrapping_add(more as i32))
        }
        (Value::Return, Value::Known(0)) | (Value::Known(0), Value::Return) => Value::Return,
        _ => Value::Any,
    }
}
