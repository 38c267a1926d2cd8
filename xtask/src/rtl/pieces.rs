//! The pieces of a random program: a few instructions that stand for themselves, so that any of
//! them can be taken away.

use proof::random::Random;
use quintet_sim::riscv::timing::Model;

use super::code::Code;
use super::places::{
    BASES, BY_CACHE, CACHE_BYTES, DATA, DATA_BYTES, ECALL, FENCE, FENCE_I, IGNORED, ILLEGAL,
    INTERRUPTS, LINK, MCAUSE, MCYCLE, MEPC, MRET, MSCRATCH, MSTATUS, ONE, PAGE, PMPADDR0, PMPCFG0,
    PRIVILEGE, TURNS, VALUE, WFI,
};
use super::simulated;

/// What a piece is made from.
pub struct Maker<'a> {
    /// Whence it is drawn.
    pub random: &'a mut Random,
    /// The core.
    pub model: Model,
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
                let rd = if csr == MSCRATCH { self.any() } else { IGNORED };
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

    /// Sleeps with interrupts off, until the timer's line that is there already.
    fn sleep(&mut self, code: &mut Code) {
        code.csr(7, 0, INTERRUPTS, MSTATUS);
        code.store(2, PAGE, ONE, 8);
        code.0.extend(self.some(2).0);
        code.word(WFI);
        code.store(2, PAGE, 0, 8);
        code.csr(6, 0, INTERRUPTS, MSTATUS);
    }

    /// Goes to user mode for some instructions.
    fn user(&mut self, code: &mut Code) {
        code.set(VALUE, PRIVILEGE);
        code.csr(3, 0, VALUE, MSTATUS);
        code.word(LINK << 7 | 0x17);
        code.immediate(0x13, 0, LINK, LINK, 16);
        code.csr(1, 0, LINK, MEPC);
        code.word(MRET);
        for _ in 0..1 + self.random.below(4) {
            match self.random.below(8) {
                0 => code.word(self.random.pick(&[ILLEGAL, FENCE_I, FENCE])),
                1 => code.store(2, PAGE, ONE, 8),
                2 => {
                    let inner = self.some(3);
                    let function = self.random.pick(&[0, 1, 4, 5, 6, 7]);
                    code.branch(function, self.any(), self.any(), 4 + inner.0.len() as i32);
                    code.0.extend(inner.0);
                }
                _ => code.0.extend(self.some(4).0),
            }
        }
        code.word(ECALL);
    }

    /// Changes the protection of data.
    fn protect(&mut self, code: &mut Code) {
        let region = self.random.below(8);
        if self.random.one_in(2) {
            let size = 8u32 << self.random.below(7);
            let base = simulated::base(self.model) + DATA as u32 + self.random.pick(&[0, 0x1000]);
            let at = (base + self.random.below(DATA_BYTES as u32)) & !(size - 1);
            code.set(VALUE, at >> 2 | (size - 1) >> 3);
            code.csr(1, 0, VALUE, PMPADDR0 + region);
            return;
        }
        let mut options = 0;
        for _ in 0..4 {
            let kinds: &[u32] = if self.model.is_vexriscv() { &[0, 3] } else { &[0, 1, 2, 3] };
            // A region that ends somewhere may have the code within.
            let option = self.random.pick(kinds) << 3 | 4 | self.random.pick(&[0, 1, 3]);
            let is_locked = option >> 3 == 3 && self.random.one_in(16);
            options = options << 8 | option | if is_locked { 0x80 } else { 0 };
        }
        code.set(VALUE, options);
        // Clearing bits would take the code of a region away.
        let function = self.random.pick(&[1, 1, 2, 2]);
        code.csr(function, 0, VALUE, PMPCFG0 + region / 4);
    }

    /// A piece.
    pub fn piece(&mut self) -> Vec<u8> {
        let mut code = Code::default();
        match self.random.below(34) {
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
                code.immediate(
                    0x67,
                    0,
                    self.random.pick(&[0, VALUE]),
                    LINK,
                    8 + inner.0.len() as i32,
                );
                code.0.extend(inner.0);
            }
            9 => code.word(ECALL),
            10 => code.word(ILLEGAL),
            11 => code.word(self.random.pick(&[FENCE, FENCE_I, FENCE])),
            12 => code.store(2, PAGE, ONE, 8),
            // Any lines.
            13 => code.store(2, PAGE, self.any(), 8),
            14 => self.sleep(&mut code),
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
            17..=18 if simulated::has_user_mode(self.model) => self.user(&mut code),
            19 if simulated::has_protection(self.model) => self.protect(&mut code),
            20 if self.random.one_in(2) => code.word(WFI),
            _ => {
                self.simple(&mut code);
                code.0.extend(self.some(3).0);
            }
        }
        code.0
    }
}
