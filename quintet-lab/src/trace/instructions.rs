//! A run, instruction by instruction: `quintet trace --instructions`.
//!
//! ```text
//!  cycle  pc        bits      instruction      registers
//!   8710  80020496  00000073  ecall
//!   8711  80001500  34011173  csrrw sp, ...    sp=0x80043800
//! ```
//! The form is that of the traces of register-transfer models: a line for each instruction that was
//! executed, with the cycle in which it began, its address, its bytes, what it is, and the
//! registers that it has changed. A line with a name comes before the first instruction of a
//! function, and one with the name of a handler where that is entered without an instruction.

use std::fmt::Write;

use quintet_sim::cores::Family;

use crate::firmware::Firmware;
use crate::output;
use crate::simulated::{Simulated, has_trapped};
use crate::simulation::Follow;
use crate::trace::store::Limits;

/// So many bytes are printed at once.
const PIECE: usize = 1 << 16;

/// The head of the columns.
const HEAD: &str = "     cycle  pc        bits      instruction              registers\n";

/// Prints a run as it goes.
pub struct Instructions<'a> {
    firmware: &'a Firmware,
    limits: Limits,
    text: String,
    lines: usize,
    /// The function of the last line.
    function: Option<String>,
    /// The instruction that is about to be executed.
    next: Next,
    error: Option<anyhow::Error>,
}

/// The state before a step.
#[derive(Clone, Default)]
struct Next {
    pc: u32,
    cycle: u64,
    executed: u64,
    handler: u16,
    registers: Vec<Option<u32>>,
}

impl Next {
    fn of<M: Simulated>(machine: &M) -> Self {
        let count = machine.register_names().len();
        Self {
            pc: machine.pc(),
            cycle: machine.cycle(),
            executed: machine.instructions(),
            handler: machine.handler(),
            registers: (0..count).map(|number| machine.register(number)).collect(),
        }
    }
}

impl<'a> Instructions<'a> {
    /// Begins before the machine's first step. Prints from the limits' cycle on.
    pub fn new<M: Simulated>(firmware: &'a Firmware, limits: Limits, machine: &M) -> Self {
        Self {
            firmware,
            limits,
            text: HEAD.to_owned(),
            lines: 0,
            function: None,
            next: Next::of(machine),
            error: None,
        }
    }

    /// Returns the first cycle of the window.
    pub const fn from(&self) -> u64 {
        self.limits.from
    }

    /// Prints the rest. Returns `true` if lines are missing at the end, as there were too many.
    pub fn finish(mut self) -> anyhow::Result<bool> {
        self.flush();
        match self.error {
            Some(error) => Err(error),
            None => Ok(self.lines >= self.limits.events),
        }
    }

    fn flush(&mut self) {
        let text = std::mem::take(&mut self.text);
        if self.error.is_none() {
            self.error = output::print(&text).err();
        }
    }

    /// Adds the lines of a step, which has led from `before` to now.
    fn add<M: Simulated>(&mut self, machine: &M, before: &Next) {
        let is_executed = self.next.executed != before.executed;
        if is_executed || has_trapped(machine, before.handler) {
            self.add_instruction(machine, before);
        }
        if !is_executed && self.next.handler != before.handler && self.next.handler != 0 {
            let name = M::handler_name(self.next.handler);
            let cycle = self.next.cycle;
            self.push(format_args!("{cycle:>10}  -> {name}\n"));
        }
    }

    /// Adds the line of an instruction.
    fn add_instruction<M: Simulated>(&mut self, machine: &M, before: &Next) {
        let function = self.firmware.describe(before.pc);
        let name = function.split_once('+').map_or(&*function, |(name, _)| name);
        if self.function.as_deref() != Some(name) {
            self.function = Some(name.to_owned());
            self.push(format_args!("{name}:\n"));
        }
        let bits = machine.bits(before.pc).unwrap_or(0);
        let shown = match (M::length(bits), M::FAMILY) {
            (2, _) => format!("{:04x}", bits & 0xffff),
            // The first halfword is the lower one.
            (_, Family::CortexM) => format!("{:08x}", bits.rotate_left(16)),
            (_, Family::RiscV) => format!("{bits:08x}"),
        };
        let names = machine.register_names().iter();
        let pairs = names.zip(before.registers.iter().zip(&self.next.registers));
        let changed = pairs.filter(|(_, (old, new))| old != new).filter_map(|(name, (_, new))| {
            let new = (*new)?;
            (*name != "pc").then(|| format!("{name}={new:#010x}"))
        });
        let changed = changed.collect::<Vec<_>>().join(" ");
        let kind = machine.kind(before.pc, bits);
        let line =
            format!("{:>10}  {:08x}  {shown:<8}  {kind:<23}  {changed}", before.cycle, before.pc);
        self.push(format_args!("{}\n", line.trim_end()));
    }

    fn push(&mut self, line: std::fmt::Arguments<'_>) {
        let _infallible = self.text.write_fmt(line);
        self.lines += 1;
    }
}

impl<M: Simulated> Follow<M> for Instructions<'_> {
    fn step(&mut self, machine: &mut M, _is_hit: bool) -> bool {
        let next = Next::of(machine);
        let before = std::mem::replace(&mut self.next, next);
        if before.cycle >= self.limits.from {
            self.add(machine, &before);
        }
        if self.text.len() >= PIECE {
            self.flush();
        }
        self.error.is_none() && self.lines < self.limits.events
    }

    fn printed(&mut self, _: u64, _: &str, _: &[u8]) {}
}
