//! What tools ask of any core: the seam between the simulator's cores and the lab.
//!
//! A [machine](crate::machine::Machine) with a Cortex-M and a
//! [machine](crate::riscv::machine::Machine) with a RISC-V hart stand behind [`Core`]. A tool is
//! generic over it, so that the loop over steps is compiled once for each core and has no dynamic
//! call. `docs/decisions/0062-observe-either-core-through-one-trait.md` has the drawing, and what
//! is not behind the interface yet.

use crate::image::{Image, ImageError};
use crate::machine::{MemoryError, Output, Stop, Until};

/// The commands that firmware for RISC-V can be given to, for messages of the others.
pub const TOOLS_FOR_RISC_V: &str = "\
quintet run, test, measure, profile, coverage, size, stack, bounds, masks, trace, threads, map, \
report, inject, bench, dap and new";

/// The families of cores.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Family {
    /// Arm's microcontrollers.
    #[default]
    CortexM,
    /// RISC-V of 32 bits.
    RiscV,
}

/// A machine with its core, as tools see it. A clone of it is a snapshot.
///
/// A handler is that of an exception or of an interrupt, and has a number, which is the core's own:
/// the exception number of a Cortex-M, and [`crate::riscv::trap::handler_number`] of a trap. 0 is
/// the program itself.
pub trait Core: Clone {
    /// The family of the core.
    const FAMILY: Family;

    /// Returns the names of the registers that a program computes with, by number. On RISC-V, the
    /// program counter is not among them.
    fn register_names(&self) -> &'static [&'static str];

    /// Returns a register. `None` if there is none with this number.
    fn register(&self, number: usize) -> Option<u32>;

    /// Sets a register, and returns `false` if there is none with this number.
    fn set_register(&mut self, number: usize, value: u32) -> bool;

    /// Returns how DWARF's rules for unwinding name the registers.
    fn unwinding(&self) -> Unwinding;

    /// Returns the address of the next instruction.
    fn pc(&self) -> u32;

    /// Returns the stack pointer.
    fn stack_pointer(&self) -> u32;

    /// Returns the stack pointer of the program, or of the thread that it runs: also while a
    /// handler has interrupted it.
    fn thread_pointer(&self) -> u32;

    /// Returns `true` if the program runs with all rights.
    fn is_privileged(&self) -> bool;

    /// Returns `true` if no ordinary interrupt would be taken now.
    fn is_masked(&self) -> bool;

    /// Returns the number of the handler that runs; 0 for none.
    fn handler(&self) -> u16;

    /// Returns the name of a handler by its number.
    fn handler_name(number: u16) -> String;

    /// Returns `true` if a handler is that of an interrupt's line, and not of a fault or a call.
    fn is_interrupt(number: u16) -> bool;

    /// Returns `true` if a handler is one by which kernels switch threads.
    fn is_switch(number: u16) -> bool;

    /// Returns the cycle since power-on.
    fn cycle(&self) -> u64;

    /// Returns how many instructions have been executed since power-on.
    fn instructions(&self) -> u64;

    /// Returns how many of these did nothing, because a condition in front of them failed.
    fn skipped(&self) -> u64;

    /// Returns where the instruction at `address` may lead. `bits` are its bytes, the first lowest;
    /// `None` if they are no instruction of this core.
    fn flow(&self, address: u32, bits: u32) -> Option<Flow>;

    /// Returns the instruction at `address` in words, as far as the simulator has any.
    fn kind(&self, address: u32, bits: u32) -> String;

    /// Returns the bytes of what begins with `bits`, whether or not that is an instruction.
    fn length(bits: u32) -> u32;

    /// Executes one instruction, or enters a handler, or sleeps until `end` at most.
    fn step_within(&mut self, end: u64) -> Option<Stop>;

    /// Runs until a limit or an address of `until` is reached, or the program ends.
    fn run(&mut self, until: &Until) -> Stop;

    /// Starts or stops recording the entries and exits of handlers. A start forgets earlier ones.
    fn observe(&mut self, on: bool);

    /// Takes the recorded entries and exits.
    fn take_passages(&mut self) -> Vec<Passage>;

    /// Loads an image into memory.
    ///
    /// # Errors
    /// The board has no memory there, or the image isn't for its core.
    fn load(&mut self, image: &Image) -> Result<(), ImageError>;

    /// Reads as a debugger does: without side effects or time.
    ///
    /// # Errors
    /// Nothing is there.
    fn read_memory(&self, address: u32, buffer: &mut [u8]) -> Result<(), MemoryError>;

    /// Writes as a debugger does, without time.
    ///
    /// # Errors
    /// Nothing is there.
    fn write_memory(&mut self, address: u32, data: &[u8]) -> Result<(), MemoryError>;

    /// Takes the program's output since the last call.
    fn take_output(&mut self) -> Vec<Output>;

    /// Returns the limit of output if the program has printed more.
    fn output_cut(&self) -> Option<u64>;

    /// Reads a word as a debugger does.
    fn read_word(&self, address: u32) -> Option<u32> {
        let mut buffer = [0; 4];
        self.read_memory(address, &mut buffer).ok()?;
        Some(u32::from_le_bytes(buffer))
    }

    /// Reads a halfword as a debugger does.
    fn read_halfword(&self, address: u32) -> Option<u16> {
        let mut buffer = [0; 2];
        self.read_memory(address, &mut buffer).ok()?;
        Some(u16::from_le_bytes(buffer))
    }

    /// Returns the instruction at an address, with what stands behind it if that is short.
    fn bits(&self, address: u32) -> Option<u32> {
        self.read_word(address).or_else(|| {
            let mut buffer = [0; 2];
            self.read_memory(address, &mut buffer).ok()?;
            Some(u16::from_le_bytes(buffer).into())
        })
    }
}

/// The meaning of DWARF's register numbers, which are those of [`Core::register`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Unwinding {
    /// How many registers there are, the program counter's number not counted.
    pub registers: u16,
    /// The stack pointer.
    pub stack: u16,
    /// The register that holds the return address of a function that calls nothing.
    pub link: u16,
    /// Those that a function gives back as it got them: a bit for each.
    pub preserved: u32,
}

/// The entry or the exit of a handler.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Passage {
    /// The cycle: the one in which the entry began, or in which the handler returned.
    pub cycle: u64,
    /// The handler.
    pub handler: u16,
    /// Whether it is the entry.
    pub is_entry: bool,
    /// Whether it was entered from another handler's return, without leaving the first.
    pub is_chained: bool,
}

/// Where an instruction leads, and how long it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Flow {
    /// The bytes of the instruction.
    pub length: u32,
    /// Where it leads.
    pub to: Target,
    /// Whether it is a condition for the instructions behind it, and does nothing else.
    pub is_condition: bool,
}

/// Where an instruction leads, as far as its bits tell.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Target {
    /// To the instruction behind it.
    Next,
    /// To the instruction behind it, or to this address.
    NextOr(u32),
    /// To this address.
    Always(u32),
    /// To this address, from which a return leads behind it.
    Call(u32),
    /// To an address in a register; a return leads behind it.
    CallUnknown,
    /// To where the caller is.
    Return,
    /// To an address in a register or in memory.
    Unknown,
    /// To the code that a trap or exception interrupted.
    ReturnFromTrap,
}

impl Target {
    /// Returns `true` for a call.
    pub fn is_call(self) -> bool {
        matches!(self, Self::Call(_) | Self::CallUnknown)
    }
}
