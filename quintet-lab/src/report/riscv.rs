//! The post-mortem of firmware on a RISC-V core: what, where, by which trap, and what to do.

use quintet_sim::riscv::csr::number;
use quintet_sim::riscv::history::Trap;
use quintet_sim::riscv::machine::Machine;
use quintet_sim::riscv::trap::{cause, handler_name, handler_number, is_interrupt};
use serde::Serialize;

use super::death::Cause;
use super::table::grouped;
use super::trace::{backtrace_of, place};
use crate::debug::Place;
use crate::debug::backtrace::{Frame, places};
use crate::debug::walk;
use crate::exit::Outcome;
use crate::firmware::Firmware;

/// Everything known about the end.
#[derive(Clone, Debug, Serialize)]
pub struct PostMortem {
    /// What happened, one line.
    pub what: String,
    /// The traps that were open, the innermost first.
    pub traps: Vec<TrapReport>,
    /// What to do about it.
    pub advice: Vec<String>,
    /// The cycle since reset.
    pub cycle: u64,
    /// The instructions executed.
    pub instructions: u64,
    /// Whether user mode ran.
    pub user_mode: bool,
    /// The address of the next instruction.
    pub pc: u32,
    /// x0 to x31.
    pub registers: [u32; 32],
    /// The registers of the machine by their names.
    pub csr: Vec<(&'static str, u32)>,
    /// The call stack.
    pub backtrace: Vec<Frame>,
}

/// A trap that had not been left.
#[derive(Clone, Debug, Serialize)]
pub struct TrapReport {
    /// `mcause`.
    pub mcause: u32,
    /// What has raised it.
    pub name: String,
    /// `mtval`.
    pub mtval: u32,
    /// The instruction.
    pub mepc: u32,
    /// The cycle of the entry.
    pub cycle: u64,
    /// The function and the line.
    pub places: Vec<Place>,
}

const CSRS: [(&str, u16); 7] = [
    ("mstatus", number::MSTATUS),
    ("mie", number::MIE),
    ("mip", number::MIP),
    ("mtvec", number::MTVEC),
    ("mepc", number::MEPC),
    ("mcause", number::MCAUSE),
    ("mtval", number::MTVAL),
];

/// Returns `true` if a cause is that of a fault, and not of an interrupt or a call.
pub fn is_fault(cause: u32) -> bool {
    let calls = [cause::CALL_FROM_USER, cause::CALL_FROM_MACHINE];
    !is_interrupt(handler_number(cause)) && !calls.contains(&cause)
}

impl TrapReport {
    fn of(firmware: &Firmware, trap: &Trap) -> Self {
        Self {
            mcause: trap.cause,
            name: handler_name(handler_number(trap.cause)),
            mtval: trap.value,
            mepc: trap.from,
            cycle: trap.cycle,
            places: places(firmware, trap.from),
        }
    }

    fn is_fault(&self) -> bool {
        is_fault(self.mcause)
    }

    fn text(&self) -> String {
        let place = Place::at(self.mepc, &self.places);
        let value = if self.mtval == 0 {
            String::new()
        } else {
            let what = match self.mcause {
                cause::ILLEGAL_INSTRUCTION => "the instruction",
                _ => "the address",
            };
            format!(", {what} {:#010x}", self.mtval)
        };
        format!("{}{value}, at {place} (mcause {:#x})", self.name, self.mcause)
    }

    fn advice(&self) -> Option<&'static str> {
        Some(match self.mcause {
            cause::LOAD_FAULT | cause::STORE_FAULT if self.mtval < 0x1000 => {
                "the address is near 0: look for a null pointer"
            }
            cause::LOAD_FAULT | cause::STORE_FAULT => {
                "nothing is at that address on this board, or physical memory protection refuses \
                 the access: look at the pointer, and at pmpcfg"
            }
            cause::LOAD_MISALIGNED | cause::STORE_MISALIGNED => {
                "the core of this board traps on a load or store that is not aligned: look for a \
                 cast of a byte pointer, and for a packed structure"
            }
            cause::ILLEGAL_INSTRUCTION => {
                "the core of this board has no such instruction or register: build for its \
                 extensions, or look for a jump into data"
            }
            cause::FETCH_FAULT | cause::FETCH_MISALIGNED => {
                "a jump went wrong: look at the function pointer, or at the return address that \
                 was overwritten on the stack"
            }
            cause::BREAKPOINT => {
                "an EBREAK asks for a debugger: attach one with `quintet run --gdb`, or remove it"
            }
            _ => return None,
        })
    }
}

impl PostMortem {
    /// Examines the machine as it stands.
    pub fn of(firmware: &Firmware, machine: &Machine, end: &Cause) -> Self {
        let hart = &machine.hart;
        let traps = hart.open_traps().iter().rev();
        let traps: Vec<_> = traps.map(|trap| TrapReport::of(firmware, trap)).collect();
        let csr = CSRS.map(|(name, number)| (name, hart.peek_csr(number).unwrap_or(0)));
        let mut report = Self {
            what: String::new(),
            advice: Vec::new(),
            traps,
            cycle: hart.cycle(),
            instructions: hart.instructions(),
            user_mode: !hart.is_privileged(),
            pc: hart.pc,
            registers: hart.registers,
            csr: csr.to_vec(),
            backtrace: walk::backtrace(firmware, machine),
        };
        report.what = report.what(end);
        report.advice = report.advice(end);
        report
    }

    /// The fault that is being handled, if there is one: the first that came.
    fn fault(&self) -> Option<&TrapReport> {
        self.traps.iter().rev().find(|trap| trap.is_fault())
    }

    fn what(&self, end: &Cause) -> String {
        let here = self.backtrace.first().map(place).unwrap_or_default();
        let ended = match end {
            Cause::Lockup => {
                format!("the first instruction of the trap handler can't be executed, {here}")
            }
            Cause::FaultLoop { .. } => {
                format!("its handler does nothing but loop, {here}")
            }
            Cause::FaultHandler { .. } => format!("its handler was halted by a debugger, {here}"),
            Cause::MaskedLoop => format!("an endless loop with all interrupts masked, {here}"),
            Cause::Breakpoint { .. } => format!("an EBREAK without a debugger, {here}"),
            Cause::CycleLimit(limit) => {
                format!("the limit of {} cycles was reached, {here}", grouped(*limit))
            }
            Cause::InstructionLimit(limit) => {
                format!("the limit of {} instructions was reached, {here}", grouped(*limit))
            }
            Cause::Asleep => format!("the hart sleeps and nothing will ever wake it, {here}"),
            Cause::Interrupted => format!("interrupted, {here}"),
        };
        match self.fault() {
            Some(fault) => format!("a fault: {}; {ended}", fault.text()),
            None => ended,
        }
    }

    fn advice(&self, end: &Cause) -> Vec<String> {
        let of_fault = self.fault().and_then(TrapReport::advice).map(str::to_owned);
        let general = match end {
            _ if of_fault.is_some() => None,
            Cause::CycleLimit(_) => Some(
                "if it is meant to run longer, raise the limit with --max-cycles N (0 for none); \
                 else the backtrace shows where it loops",
            ),
            Cause::InstructionLimit(_) => {
                Some("if it is meant to run longer, raise --max-instructions N (0 for none)")
            }
            Cause::Asleep => Some(
                "no interrupt that could wake it is enabled in mie and pending or to come: enable \
                 one, or start the timer",
            ),
            Cause::Interrupted => None,
            _ if end.outcome() == Outcome::Died => {
                Some("the backtrace leads to the code that faulted; the words above say why")
            }
            _ => None,
        };
        of_fault.into_iter().chain(general.map(str::to_owned)).collect()
    }

    /// The report for people.
    pub fn text(&self) -> String {
        let mut text = format!("{}\n", self.what);
        let mode = if self.user_mode { "user" } else { "machine" };
        text.push_str(&format!(
            "  after {} cycles, {} instructions, in {mode} mode\n",
            grouped(self.cycle),
            grouped(self.instructions),
        ));
        if self.traps.len() > 1 || self.fault().is_none() {
            for trap in &self.traps {
                text.push_str(&format!("  in the handler of: {}\n", trap.text()));
            }
        }
        text.push_str(&format!("\nRegisters:\n{}", self.register_text()));
        text.push_str(&format!(
            "\nBacktrace:\n{}",
            backtrace_of(&self.backtrace, "trap", "the program")
        ));
        if !self.advice.is_empty() {
            text.push_str("\nWhat to do:\n");
        }
        for advice in &self.advice {
            text.push_str(&format!("  - {advice}\n"));
        }
        text
    }

    fn register_text(&self) -> String {
        let names = quintet_sim::riscv::text::REGISTERS;
        let mut text = String::new();
        let mut all: Vec<_> = names.into_iter().zip(self.registers).collect();
        // The first is always 0; the program counter has its place.
        all[0] = ("pc", self.pc);
        for row in all.chunks(4) {
            for (name, value) in row {
                text.push_str(&format!("  {name:>4} {value:08x}"));
            }
            text.push('\n');
        }
        for row in self.csr.chunks(4) {
            for (name, value) in row {
                text.push_str(&format!("  {name} {value:08x}"));
            }
            text.push('\n');
        }
        text
    }
}
