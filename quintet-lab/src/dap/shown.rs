//! What the editor has been shown of a program that stands, by the numbers that it asks with.

use super::core::Special;
use crate::debug::backtrace::Frame;
use crate::debug::values::Value;
use crate::debugger::Halted;

/// A function on a stack: a frame, and which of the functions at its place.
#[derive(Clone, Debug)]
pub struct Function {
    /// The frame.
    pub frame: Frame,
    /// The number among the frame's functions, the innermost inlined one 0.
    pub place: usize,
    /// `true` if the registers of the frame are the processor's.
    pub is_current: bool,
}

/// What has variables.
#[derive(Clone, Debug)]
pub enum Node {
    /// The arguments and locals of a function, by its number.
    Locals(usize),
    /// The statics of the firmware.
    Statics,
    /// The registers of a frame that a program computes with, by the function's number.
    Registers(usize),
    /// The other registers.
    Special,
    /// The fields of a register.
    Fields(Special),
    /// The parts of a value. The number is of the function whose variable it is.
    Value(Value, Option<usize>),
}

/// All of it. Numbers count from 1, as 0 is none.
#[derive(Default, Debug)]
pub struct Shown {
    functions: Vec<Function>,
    nodes: Vec<Node>,
    /// A pause is to be told.
    pub pauses: bool,
    /// A way back is to be told.
    pub went_back: Option<Halted>,
}

impl Shown {
    /// Forgets all: the program goes on.
    pub fn clear(&mut self) {
        self.functions.clear();
        self.nodes.clear();
    }

    /// Notes a function. Returns its number.
    pub fn function(&mut self, function: Function) -> usize {
        self.functions.push(function);
        self.functions.len()
    }

    /// A function by its number.
    pub fn function_at(&self, number: usize) -> Result<&Function, String> {
        let none = || "there is no such stack frame any more: the program went on".to_owned();
        number.checked_sub(1).and_then(|at| self.functions.get(at)).ok_or_else(none)
    }

    /// Notes what has variables. Returns its number.
    pub fn node(&mut self, node: Node) -> usize {
        self.nodes.push(node);
        self.nodes.len()
    }

    /// What has variables, by its number.
    pub fn node_at(&self, number: usize) -> Result<Node, String> {
        let none = || "there are no such variables any more: the program went on".to_owned();
        number.checked_sub(1).and_then(|at| self.nodes.get(at)).cloned().ok_or_else(none)
    }
}
