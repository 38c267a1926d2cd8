//! Random programs: pieces of a few instructions that stand for themselves, so that any of them can
//! be taken away.
//!
//! ```text
//!  +0x0000  32 jumps to the handler
//!  +0x0080  sets registers, then all pieces twice, then the end
//!           the handler: goes behind an exception, takes the timer's interrupt away
//!  +0x6000  data; x26 points there, x23 to what has the same place in a cache, and x24 passes by
//!           the cache
//! ```
//! x5 to x19 are what the pieces compute with; x27 points to the registers of the memory around the
//! core, and x30 is 1.

use quintet_sim::riscv::extensions::Extensions;
use quintet_sim::riscv::timing::Model;

use super::simulated::{self, ENTRY, Trace};
use proof::random::Random;

/// Where the data is, behind the first address of memory.
const DATA: usize = 0x6000;
/// The bytes of data.
const DATA_BYTES: usize = 0x400;
/// The bytes that make two addresses share a place in a cache.
const CACHE_BYTES: i32 = 0x1000;
/// The pieces of a program, at most.
const PIECES_MAX: u32 = 40;
/// The cycles of a program, at most.
const CYCLES_MAX: u64 = 100_000;

const COUNTER: u32 = 25;
const PAGE: u32 = 27;
const ONE: u32 = 30;
/// Registers that point to data.
const BASES: [u32; 2] = [26, 23];
const BY_CACHE: u32 = 24;
/// The counter of a loop, and what jumps compute with.
const TURNS: u32 = 20;
const LINK: u32 = 21;

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
    registers: Vec<u32>,
    data: Vec<u8>,
}

/// Instructions, one behind the other.
#[derive(Clone, Debug, Default)]
struct Code(Vec<u8>);

impl Code {
    fn word(&mut self, bits: u32) {
        self.0.extend(bits.to_le_bytes());
    }

    fn half(&mut self, bits: u32) {
        self.0.extend((bits as u16).to_le_bytes());
    }

    fn immediate(&mut self, opcode: u32, function: u32, rd: u32, rs1: u32, value: i32) {
        self.word((value as u32) << 20 | rs1 << 15 | function << 12 | rd << 7 | opcode);
    }

    fn registers(&mut self, upper: u32, function: u32, rd: u32, rs1: u32, rs2: u32) {
        self.word(upper << 25 | rs2 << 20 | rs1 << 15 | function << 12 | rd << 7 | 0x33);
    }

    fn store(&mut self, function: u32, rs1: u32, rs2: u32, offset: i32) {
        let offset = offset as u32;
        let (high, low) = (offset >> 5 & 0x7f, offset & 0x1f);
        self.word(high << 25 | rs2 << 20 | rs1 << 15 | function << 12 | low << 7 | 0x23);
    }

    fn branch(&mut self, function: u32, rs1: u32, rs2: u32, offset: i32) {
        let o = offset as u32;
        let high = (o >> 12 & 1) << 6 | o >> 5 & 0x3f;
        let low = (o >> 1 & 0xf) << 1 | o >> 11 & 1;
        self.word(high << 25 | rs2 << 20 | rs1 << 15 | function << 12 | low << 7 | 0x63);
    }

    fn jump(&mut self, rd: u32, offset: i32) {
        let o = offset as u32;
        let bits =
            (o >> 20 & 1) << 19 | (o >> 1 & 0x3ff) << 9 | (o >> 11 & 1) << 8 | o >> 12 & 0xff;
        self.word(bits << 12 | rd << 7 | 0x6f);
    }

    fn csr(&mut self, function: u32, rd: u32, source: u32, csr: u32) {
        self.word(csr << 20 | source << 15 | function << 12 | rd << 7 | 0x73);
    }

    fn set(&mut self, rd: u32, value: u32) {
        let low = (value << 20) as i32 >> 20;
        self.word(value.wrapping_sub(low as u32) & 0xffff_f000 | rd << 7 | 0x37);
        self.immediate(0x13, 0, rd, rd, low);
    }
}

const MSTATUS: u32 = 0x300;
const MIE: u32 = 0x304;
const MTVEC: u32 = 0x305;
const MSCRATCH: u32 = 0x340;
const MEPC: u32 = 0x341;
const MCAUSE: u32 = 0x342;
const MCYCLE: u32 = 0xb00;
/// The bit of interrupts in `mstatus`.
const INTERRUPTS: u32 = 8;
const FENCE: u32 = 0x0ff0_000f;
const FENCE_I: u32 = 0x0000_100f;
const ECALL: u32 = 0x0000_0073;
const MRET: u32 = 0x3020_0073;
const WFI: u32 = 0x1050_0073;
/// No core has it.
const ILLEGAL: u32 = 0x0000_000b;

/// What a piece is made from.
struct Maker<'a> {
    random: &'a mut Random,
    model: Model,
}

impl Maker<'_> {
    fn any(&mut self) -> u32 {
        5 + self.random.below(15)
    }

    /// One of those that compressed instructions reach.
    fn near(&mut self) -> u32 {
        self.random.below(8)
    }

    fn has_compressed(&self) -> bool {
        self.model != Model::VexRiscvSecure
    }

    /// An instruction without jumps.
    fn simple(&mut self, code: &mut Code) {
        match self.random.below(16) {
            0..=3 => {
                let upper = if self.random.one_in(4) { 0x20 } else { 0 };
                let functions: &[u32] =
                    if upper == 0 { &[0, 1, 2, 3, 4, 5, 6, 7] } else { &[0, 5] };
                let function = self.random.pick(functions);
                code.registers(upper, function, self.any(), self.any(), self.any());
            }
            4..=5 => {
                let function = self.random.pick(&[0, 2, 3, 4, 6, 7]);
                let value = self.random.below(4096) as i32 - 2048;
                code.immediate(0x13, function, self.any(), self.any(), value);
            }
            6 => {
                let (function, upper) = self.random.pick(&[(1, 0), (5, 0), (5, 0x400)]);
                let value = self.random.below(32) as i32 | upper;
                code.immediate(0x13, function, self.any(), self.any(), value);
            }
            7 => {
                let opcode = self.random.pick(&[0x37, 0x17]);
                code.word(self.random.word() & 0xffff_f000 | self.any() << 7 | opcode);
            }
            8 => {
                let functions = if self.random.one_in(3) { 8 } else { 4 };
                let function = self.random.below(functions);
                code.registers(1, function, self.any(), self.any(), self.any());
            }
            9..=11 if self.has_compressed() => self.compressed(code),
            9..=13 => self.access(code),
            14 => {
                let csr = self.random.pick(&[MSCRATCH, MCYCLE, MEPC, MCAUSE]);
                // The counter differs from model to model by what comes before the first cycle.
                let rd = if csr == MSCRATCH { self.any() } else { 31 };
                let function = if csr == MSCRATCH { self.random.pick(&[1, 2, 3, 5]) } else { 2 };
                let source = if csr == MSCRATCH { self.any() } else { 0 };
                code.csr(function, rd, source, csr);
            }
            _ => self.access(code),
        }
    }

    fn compressed(&mut self, code: &mut Code) {
        let (rd, value) = (self.any(), self.random.below(32));
        let [near, other] = [self.near(), self.near()];
        match self.random.below(7) {
            0 => code.half(0x0001 | rd << 7 | value << 2),
            1 => code.half(0x4001 | rd << 7 | value << 2),
            2 => code.half(0x8002 | rd << 7 | self.any() << 2),
            3 => code.half(0x9002 | rd << 7 | self.any() << 2),
            4 => code.half(0x0002 | rd << 7 | value << 2),
            5 => {
                let function = self.random.below(4);
                code.half(0x8c01 | near << 7 | function << 5 | other << 2);
            }
            _ => code.half(0x8801 | near << 7 | value << 2),
        }
    }

    /// A load or store.
    fn access(&mut self, code: &mut Code) {
        let base = match self.random.below(8) {
            0 if self.model.is_vexriscv() => BY_CACHE,
            1 | 2 => BASES[1],
            _ => BASES[0],
        };
        let width = self.random.below(3);
        let reach = if self.random.one_in(3) { 1000 } else { 64 };
        let mut offset = self.random.below(reach) as i32;
        if !self.random.one_in(24) {
            offset &= !((1 << width) - 1);
        }
        if self.random.one_in(2) {
            let is_unsigned = width < 2 && self.random.one_in(2);
            let function = width | if is_unsigned { 4 } else { 0 };
            code.immediate(0x03, function, self.any(), base, offset);
        } else {
            code.store(width, base, self.any(), offset);
        }
    }

    fn some(&mut self, most: u32) -> Code {
        let mut code = Code::default();
        for _ in 0..self.random.below(most + 1) {
            self.simple(&mut code);
        }
        code
    }

    fn piece(&mut self) -> Vec<u8> {
        let mut code = Code::default();
        match self.random.below(30) {
            0..=3 => {
                let inner = self.some(6);
                let function = self.random.pick(&[0, 1, 4, 5, 6, 7]);
                code.branch(function, self.any(), self.any(), 4 + inner.0.len() as i32);
                code.0.extend(inner.0);
            }
            4..=5 => {
                let inner = self.some(8);
                let turns = 1 + self.random.below(6) as i32;
                code.immediate(0x13, 0, TURNS, 0, turns);
                let length = inner.0.len() as i32;
                code.0.extend(inner.0);
                code.immediate(0x13, 0, TURNS, TURNS, -1);
                code.branch(1, TURNS, 0, -length - 4);
            }
            6..=7 => {
                let inner = self.some(4);
                code.jump(self.random.pick(&[0, LINK]), 4 + inner.0.len() as i32);
                code.0.extend(inner.0);
            }
            8 => {
                let inner = self.some(3);
                code.word(LINK << 7 | 0x17);
                code.immediate(0x67, 0, self.random.pick(&[0, 22]), LINK, 8 + inner.0.len() as i32);
                code.0.extend(inner.0);
            }
            9 => code.word(ECALL),
            10 => code.word(ILLEGAL),
            11 => code.word(self.random.pick(&[FENCE, FENCE_I, FENCE])),
            12..=13 => code.store(2, PAGE, ONE, 8),
            14 => {
                code.csr(7, 0, INTERRUPTS, MSTATUS);
                code.store(2, PAGE, ONE, 8);
                code.0.extend(self.some(2).0);
                code.word(WFI);
                code.store(2, PAGE, 0, 8);
                code.csr(6, 0, INTERRUPTS, MSTATUS);
            }
            15 if self.model == Model::VexRiscvImac => {
                let base = self.random.pick(&BASES);
                code.word(0x1000_202f | base << 15 | self.any() << 7);
                code.0.extend(self.some(2).0);
                let base = self.random.pick(&BASES);
                code.word(0x1800_202f | self.any() << 20 | base << 15 | self.any() << 7);
            }
            16 if self.random.one_in(4) => {
                // What is behind has the place in the cache that this has.
                code.jump(0, CACHE_BYTES);
                code.0.resize(CACHE_BYTES as usize, 0);
            }
            _ => {
                self.simple(&mut code);
                code.0.extend(self.some(3).0);
            }
        }
        code.0
    }
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
        // Not more than what fits before the data.
        let mut room = DATA - 0x400;
        let fits = |piece: &Vec<u8>| {
            let left = room.checked_sub(piece.len());
            room = left.unwrap_or(room);
            left.is_some()
        };
        let pieces = pieces.into_iter().filter(fits).collect();
        Self { model, wait_states, number, pieces, registers, data }
    }

    /// Returns the extensions of the core.
    pub fn extensions(&self) -> Extensions {
        simulated::extensions(self.model)
    }

    /// Returns the code from the entry on, and where in it the end is.
    fn code(&self) -> (Vec<u8>, usize) {
        let base = simulated::base(self.model);
        let mut code = Code::default();
        let data = base + DATA as u32;
        let places =
            [(BASES[0], data), (BASES[1], data + CACHE_BYTES as u32), (BY_CACHE, data ^ 1 << 31)];
        for (register, place) in places {
            code.set(register, place);
        }
        code.set(PAGE, simulated::PAGE);
        code.set(ONE, 1);
        code.set(5, base);
        code.csr(1, 0, 5, MTVEC);
        code.set(5, 1 << 7);
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
        code.csr(2, 29, 0, MCAUSE);
        code.branch(4, 29, 0, 20);
        code.csr(2, 28, 0, MEPC);
        code.immediate(0x13, 0, 28, 28, 4);
        code.csr(1, 0, 28, MEPC);
        code.word(MRET);
        code.store(2, PAGE, 0, 8);
        code.word(MRET);
        code.0.resize(DATA, 0);
        code.0.extend(&self.data);
        code.0
    }

    /// Returns the line that a model reads.
    pub fn line(&self) -> String {
        let hex: String = self.image().iter().map(|byte| format!("{byte:02x}")).collect();
        format!("{} {CYCLES_MAX} {hex}", self.wait_states)
    }

    /// Runs the program on the simulator.
    pub fn simulate(&self) -> Trace {
        let trace = simulated::run(self.model, self.wait_states, CYCLES_MAX, &self.image());
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
        let first = trace.retired.first().map_or(0, |first| first.1);
        for (_, cycle) in &mut trace.retired {
            *cycle -= first;
        }
        trace
    }
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
