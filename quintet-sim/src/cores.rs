//! What a tool asks of any core.
//!
//! A RISC-V hart stands behind this trait. A Cortex-M does not yet: its tools name its registers
//! and exceptions directly (`docs/decisions/0055-draw-the-seam-between-cores.md`).

/// A core, as tools see it.
pub trait Core {
    /// Returns the names of the registers that a program computes with, by number. The program
    /// counter is not among them.
    fn register_names(&self) -> &'static [&'static str];

    /// Returns a register. `None` if there is none with this number.
    fn register(&self, number: usize) -> Option<u32>;

    /// Sets a register, and returns `false` if there is none with this number.
    fn set_register(&mut self, number: usize, value: u32) -> bool;

    /// Returns the address of the next instruction.
    fn pc(&self) -> u32;

    /// Returns `true` if the program runs with all rights.
    fn is_privileged(&self) -> bool;

    /// Returns `true` if no ordinary interrupt would be taken now.
    fn is_masked(&self) -> bool;

    /// Returns the cycle since power-on.
    fn cycle(&self) -> u64;

    /// Returns how many instructions have been executed since power-on.
    fn instructions(&self) -> u64;

    /// Returns where the instruction at `address` may lead. `bits` are its bytes, the first lowest;
    /// `None` if they are no instruction of this core.
    fn flow(&self, address: u32, bits: u32) -> Option<Flow>;
}

/// Where an instruction leads, and how long it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Flow {
    /// The bytes of the instruction.
    pub length: u32,
    /// Where it leads.
    pub to: Target,
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
    /// To an address in a register.
    Unknown,
    /// To the code that a trap or exception interrupted.
    ReturnFromTrap,
}
