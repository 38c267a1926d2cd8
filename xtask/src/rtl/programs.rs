//! Random programs: pieces that stand for themselves, and lines of interrupts that rise at any
//! cycle.
//!
//! ```text
//!  +0x0000  32 jumps to the handler
//!  +0x0080  sets registers and protection, then all pieces twice, then the end
//!           the handler: goes behind an exception, takes the lines of interrupts away
//!  +0x6000  data; x26 points there, x23 to what has the same place in a cache, and x24 to data
//!           that passes by the cache
//! ```
//! x5 to x19 are what the pieces compute with; x27 points to the registers of the memory around the
//! core, and x30 is 1. A call from user mode comes back in machine mode.

use proof::random::Random;
use quintet_sim::riscv::extensions::Extensions;
use quintet_sim::riscv::timing::Model;

use super::code::Code;
use super::pieces::Maker;
use super::places::{
    BASES, BESIDE, BY_CACHE, CACHE_BYTES, CALL_FROM_USER, CODE_MAX, COUNTER, DATA, DATA_BYTES,
    EXTERNAL_MASK, HANDLER, INTERRUPTS, MCAUSE, MEPC, MIE, MRET, MSTATUS, MTVEC, ONE, PAGE,
    PMPADDR0, PMPCFG0, PRIVILEGE,
};
use super::simulated::{self, ENTRY, Rise, Trace};

/// The pieces of a program, at most.
const PIECES_MAX: u32 = 40;
/// The cycles of a program, at most.
const CYCLES_MAX: u64 = 100_000;
/// The last cycles of a program that does not end, which are not compared.
const LAST_CYCLES: u64 = 100;
/// The lines that rise in a program, at most.
const RISES_MAX: u32 = 12;

/// A program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Program {
    /// The core for which it is.
    pub model: Model,
    /// Those of the memory.
    pub wait_states: u8,
    /// The number in the stream.
    pub number: u64,
    /// Instructions that stand for themselves.
    pub pieces: Vec<Vec<u8>>,
    /// When devices ask for interrupts.
    pub rises: Vec<Rise>,
    registers: Vec<u32>,
    data: Vec<u8>,
}

impl Program {
    /// The program of a number in the stream of a seed.
    pub fn random(model: Model, seed: u64, number: u64) -> Self {
        let mut random = Random::of_item(seed, number);
        let wait_states = random.below(4) as u8;
        let registers = (0..15).map(|_| random.value()).collect();
        let data = (0..DATA_BYTES).map(|_| random.word() as u8).collect();
        let count = 1 + random.below(PIECES_MAX);
        let mut maker = Maker { random: &mut random, model };
        let pieces = (0..count).map(|_| maker.piece()).collect::<Vec<_>>();
        // Not more than what fits before the end of the code.
        let mut room = CODE_MAX - 0x400;
        let fits = |piece: &Vec<u8>| {
            let left = room.checked_sub(piece.len());
            room = left.unwrap_or(room);
            left.is_some()
        };
        let pieces = pieces.into_iter().filter(fits).collect();
        let rises = rises(&mut random, 200 + 40 * count * (1 + u32::from(wait_states)));
        Self { model, wait_states, number, pieces, rises, registers, data }
    }

    /// Returns the extensions of the core.
    pub fn extensions(&self) -> Extensions {
        simulated::extensions(self.model)
    }

    /// Sets the registers of the protection: the program may do all to its code and data.
    fn protect(&self, code: &mut Code) {
        let base = simulated::base(self.model);
        // A VexRiscv takes the lower quarter of a region.
        let regions: &[(u32, u32, u32)] = if self.model.is_vexriscv() {
            &[(15, 0, 0x1_0000), (14, 0x4000, 0x4000), (13, 0x6000, 0x2000), (12, 0x7000, 0x1000)]
        } else {
            &[(15, 0, 0)]
        };
        let mut options = 0;
        for (region, offset, size) in regions {
            let place = if *size == 0 { u32::MAX } else { (base + offset) >> 2 | (size - 1) >> 3 };
            code.set(5, place);
            code.csr(1, 0, 5, PMPADDR0 + region);
            options |= 0x1f << (8 * (region % 4));
        }
        code.set(5, options);
        code.csr(1, 0, 5, PMPCFG0 + 3);
    }

    /// Returns the code from the entry on, and where in it the end is.
    fn code(&self) -> (Vec<u8>, usize) {
        let base = simulated::base(self.model);
        let mut code = Code::default();
        let data = base + DATA as u32;
        let beside = (base + BESIDE as u32) ^ (1 << 31);
        let places = [(BASES[0], data), (BASES[1], data + CACHE_BYTES as u32), (BY_CACHE, beside)];
        for (register, place) in places {
            code.set(register, place);
        }
        code.set(PAGE, simulated::PAGE);
        code.set(ONE, 1);
        code.set(5, base);
        code.csr(1, 0, 5, MTVEC);
        if simulated::has_protection(self.model) {
            self.protect(&mut code);
        }
        if self.model.is_vexriscv() {
            code.set(5, u32::MAX);
            code.csr(1, 0, 5, EXTERNAL_MASK);
        }
        code.set(5, 1 << 3 | 1 << 7 | 1 << 11);
        code.csr(1, 0, 5, MIE);
        code.csr(6, 0, INTERRUPTS, MSTATUS);
        for (register, value) in (5..).zip(&self.registers) {
            code.set(register, *value);
        }
        code.immediate(0x13, 0, COUNTER, 0, 2);
        let start = code.0.len();
        for piece in &self.pieces {
            code.0.extend(piece);
        }
        code.immediate(0x13, 0, COUNTER, COUNTER, -1);
        code.branch(0, COUNTER, 0, 8);
        code.jump(0, start as i32 - code.0.len() as i32);
        let end = code.0.len();
        code.store(2, PAGE, 0, 4);
        code.jump(0, 0);
        (code.0, end)
    }

    /// Returns the bytes of memory.
    pub fn image(&self) -> Vec<u8> {
        let (body, _) = self.code();
        let handler = ENTRY as usize + body.len();
        let mut code = Code::default();
        while code.0.len() < ENTRY as usize {
            code.jump(0, handler as i32 - code.0.len() as i32);
        }
        code.0.extend(body);
        code.0.extend(handler_code());
        code.0.resize(DATA, 0);
        code.0.extend(&self.data);
        code.0
    }

    /// Returns the line that a model reads.
    pub fn line(&self) -> String {
        let hex: String = self.image().iter().map(|byte| format!("{byte:02x}")).collect();
        let mut text = format!("{} {CYCLES_MAX} {hex} {}", self.wait_states, self.rises.len());
        for Rise { cycle, lines } in &self.rises {
            text += &format!(" {cycle} {lines}");
        }
        text
    }

    /// Runs the program on the simulator.
    pub fn simulate(&self) -> Trace {
        let rises = &self.rises;
        let trace = simulated::run(self.model, self.wait_states, CYCLES_MAX, &self.image(), rises);
        self.comparable(trace)
    }

    /// Returns the part of a trace that both sides have: up to the end, with cycles since the first
    /// instruction.
    pub fn comparable(&self, mut trace: Trace) -> Trace {
        let end = simulated::base(self.model) + ENTRY + self.code().1 as u32;
        if let Some(last) = trace.retired.iter().position(|(address, _)| *address == end) {
            // The store that ends an Ibex's program is on the bus before it retires.
            trace.retired.truncate(last + usize::from(self.model.is_vexriscv()));
        }
        if !trace.stopped {
            // The last cycle is not the same one on both sides.
            trace.retired.retain(|(_, cycle)| *cycle < CYCLES_MAX - LAST_CYCLES);
        }
        let first = trace.retired.first().map_or(0, |first| first.1);
        for (_, cycle) in &mut trace.retired {
            *cycle -= first;
        }
        trace
    }
}

/// The handler of all traps.
fn handler_code() -> Vec<u8> {
    let [pc, cause] = HANDLER;
    let mut behind = Code::default();
    behind.csr(2, pc, 0, MEPC);
    behind.immediate(0x13, 0, pc, pc, 4);
    behind.csr(1, 0, pc, MEPC);
    behind.immediate(0x13, 0, cause, cause, -CALL_FROM_USER);
    behind.branch(1, cause, 0, 16);
    behind.set(cause, PRIVILEGE);
    behind.csr(2, 0, cause, MSTATUS);
    behind.word(MRET);
    let mut code = Code::default();
    code.csr(2, cause, 0, MCAUSE);
    code.branch(4, cause, 0, 4 + behind.0.len() as i32);
    code.0.extend(behind.0);
    code.store(2, PAGE, 0, 8);
    code.word(MRET);
    code.0
}

/// Lines that rise before a cycle, and every so often behind it, so that a sleep ends.
fn rises(random: &mut Random, until: u32) -> Vec<Rise> {
    let count = random.below(RISES_MAX + 1);
    let mut rises: Vec<_> = (0..count)
        .map(|_| Rise { cycle: u64::from(random.below(until)), lines: 1 + random.below(7) })
        .collect();
    let every = u64::from(1000 + random.below(1000));
    rises.extend(
        (1..)
            .map(|turn| turn * every)
            .take_while(|cycle| *cycle < CYCLES_MAX)
            .map(|cycle| Rise { cycle, lines: 1 }),
    );
    rises.sort_by_key(|rise| rise.cycle);
    rises
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_come_to_their_end() {
        for (name, model) in crate::rtl::CORES {
            for number in 0..50 {
                let trace = Program::random(model, 7, number).simulate();
                assert!(trace.stopped, "{name} {number}");
                assert!(trace.retired.len() > 40, "{name} {number}");
            }
        }
    }
}
