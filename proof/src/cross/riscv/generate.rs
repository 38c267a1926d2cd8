//! Cases: registers, options, and a few instructions that end at an EBREAK.
//!
//! Every third sequence runs in user mode, behind random regions. Branches and jumps go forward,
//! and loads and stores go to the sandbox or to a place where nothing is, so that every case ends.

use std::fmt::Write;

use quintet_sim::riscv::decode::{self, decode};
use quintet_sim::riscv::extensions::Extensions;
use quintet_sim::riscv::instruction::Instruction;

use crate::random::Random;

/// The bytes of a case in the image.
pub const CASE_BYTES: usize = 320;
/// Where the registers are in it, and the code.
const REGISTERS: usize = 128;
const CODE: usize = 256;
/// The bytes of code.
const CODE_BYTES: usize = 64;
/// Where the code runs.
const SLOT: u32 = 0x8009_4000;
/// The memory that a case may touch.
const SANDBOX: u32 = 0x8008_0000;
/// Where nothing is.
const NOTHING: u32 = 0x9000_0000;
/// The numbers of LR.W and SC.W among the atomic operations.
const LOAD_RESERVED: u32 = 2;
const STORE_CONDITIONAL: u32 = 3;
/// C.EBREAK.
const END: u16 = 0x9002;

/// Registers that point into the sandbox and that no instruction but a wild one writes, and one
/// that points to nothing.
const BASES: [u32; 2] = [8, 9];
const WILD_BASE: u32 = 4;
/// The one whose words are aligned, for atomic operations: QEMU 7.2 raises other exceptions for
/// those that are not than the specification asks for.
const ALIGNED_BASE: u32 = 8;

/// The kinds of runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Random sequences.
    Random,
    /// Each compressed encoding alone, by the number of the case.
    Compressed,
}

/// A case.
#[derive(Clone, Debug, Default)]
pub struct Case {
    /// The seed of the sandbox.
    pub seed: u32,
    /// `mstatus` before MRET enters the case.
    pub status: u32,
    /// `pmpaddr0` to `pmpaddr3`, and `pmpcfg0`.
    pub protection: [u32; 5],
    /// x0 to x31.
    pub registers: [u32; 32],
    /// The halfwords.
    pub code: Vec<u16>,
}

impl Kind {
    /// Returns the case.
    pub fn case(self, seed: u64, index: u64) -> Case {
        let mut random = Random::of_item(seed, index);
        match self {
            Self::Random => sequence(&mut random),
            Self::Compressed => compressed(&mut random, index as u16),
        }
    }
}

impl Case {
    /// Returns the case as the harness reads it.
    pub fn bytes(&self) -> Vec<u8> {
        let mut bytes = vec![0; CASE_BYTES];
        let mut put = |at: usize, word: u32| {
            bytes[at..at + 4].copy_from_slice(&word.to_le_bytes());
        };
        put(0, self.seed);
        put(4, self.status);
        for (index, word) in self.protection.iter().enumerate() {
            put(8 + 4 * index, *word);
        }
        for (index, word) in self.registers.iter().enumerate() {
            put(REGISTERS + 4 * index, *word);
        }
        let halves = self.code.iter().copied().chain(std::iter::repeat(END));
        for (place, half) in bytes[CODE..CODE + CODE_BYTES].chunks_exact_mut(2).zip(halves) {
            place.copy_from_slice(&half.to_le_bytes());
        }
        bytes
    }

    /// Returns `true` if an operation that reads and writes memory is at `pc`.
    pub fn is_atomic(&self, pc: u32) -> bool {
        let at = (pc.wrapping_sub(SLOT) / 2) as usize;
        let Some([low, high]) = self.code.get(at..at + 2) else { return false };
        let bits = u32::from(*low) | u32::from(*high) << 16;
        matches!(decode(bits, board_extensions()), Some(Instruction::Atomic { .. }))
    }

    /// Returns `true` if a region begins or ends between the bytes of `address..=last`.
    pub fn has_border(&self, address: u32, last: u32) -> bool {
        let [addresses @ .., configuration] = &self.protection;
        let mut below = 0;
        addresses.iter().enumerate().any(|(region, word)| {
            let start = word << 2;
            let (first, end) = match configuration >> (8 * region + 3) & 3 {
                0 => (0, 0),
                1 => (below, start),
                2 => (start, start.wrapping_add(4)),
                _ => {
                    let size = 8 << word.trailing_ones();
                    let first = start & !(size - 1);
                    (first, first.wrapping_add(size))
                }
            };
            below = start;
            let inside = |border: u32| address < border && border <= last;
            inside(first) || inside(end)
        })
    }

    /// Returns the instructions as text.
    pub fn listing(&self) -> String {
        let mut text = String::new();
        let mut at = 0;
        while let Some(first) = self.code.get(at) {
            let length = decode::length(u32::from(*first));
            let second = self.code.get(at + 1).copied().unwrap_or(END);
            let bits = u32::from(*first) | if length == 4 { u32::from(second) << 16 } else { 0 };
            let pc = SLOT + 2 * at as u32;
            let name = decode(bits, Extensions::ALL)
                .map_or_else(|| "illegal".to_owned(), |instruction| instruction.text(pc));
            let _ = writeln!(text, "  {pc:#x}: {bits:08x}  {name}");
            at += length as usize / 2;
        }
        text
    }
}

/// Registers of which the bases point into the sandbox.
fn registers(random: &mut Random) -> [u32; 32] {
    let mut registers = std::array::from_fn(|_| random.value());
    registers[0] = 0;
    registers[WILD_BASE as usize] = NOTHING + 4 * random.below(0x400);
    for base in BASES {
        let alignment = if base == ALIGNED_BASE { 4 } else { random.pick(&[4, 4, 4, 1]) };
        registers[base as usize] = SANDBOX + 128 + random.below(256) / alignment * alignment;
    }
    registers
}

fn compressed(random: &mut Random, half: u16) -> Case {
    // All registers point into the sandbox, or those of a jump behind its code.
    let jumps = matches!(
        decode(u32::from(half), board_extensions()),
        Some(Instruction::JumpRegister { .. })
    );
    let registers = std::array::from_fn(|_| match jumps {
        true => SLOT + 2 * random.below(16),
        false => SANDBOX + 128 + 4 * random.below(16),
    });
    let code = if half & 3 == 3 { vec![END] } else { vec![half] };
    Case { seed: random.word(), status: 3 << 11, registers, code, ..Case::default() }
}

fn sequence(random: &mut Random) -> Case {
    let user = random.one_in(3);
    let mut case = Case {
        seed: random.word(),
        status: if user { 0 } else { 3 << 11 } | random.pick(&[0, 1 << 7]),
        registers: registers(random),
        ..Case::default()
    };
    if user {
        case.protection = protection(random);
    }
    let units = 1 + random.below(8);
    let mut reserved = false;
    for _ in 0..units {
        match random.below(16) {
            0 => case.code.extend(branch(random)),
            1..=4 => access(random, &mut case.code, &mut reserved),
            5 | 6 => wild(random, &mut case.code),
            7 => csr(random, &mut case.code),
            _ => operation(random, &mut case.code),
        }
    }
    case
}

/// Regions: the code may run, and parts of the sandbox may be used.
fn protection(random: &mut Random) -> [u32; 5] {
    let inside = |random: &mut Random| (SANDBOX + 4 * random.below(128)) >> 2;
    let mut addresses = [0; 5];
    let mut configuration = 0;
    for (region, address) in addresses.iter_mut().enumerate().take(3) {
        let permissions = random.pick(&[0, 1, 3, 3, 4, 5, 7]);
        let mode = random.below(4);
        let size = random.below(6);
        *address = match mode {
            3 => inside(random) & !((1 << (size + 1)) - 1) | ((1 << size) - 1),
            _ => inside(random),
        };
        configuration |= (permissions | mode << 3) << (8 * region);
    }
    // 0x8009_0000 and 0x8000 bytes: executable, or nothing at all.
    addresses[3] = 0x8009_0000 >> 2 | 0xfff;
    let mut code = random.pick(&[0x1c, 0x1c, 0x1c, 0x1c, 0x1d, 0x1f, 0x19, 0]);
    // Where all regions are off, user mode has nothing by the specification, and all under QEMU.
    if (configuration | code << 24) & 0x1818_1818 == 0 {
        code = 0x1c;
    }
    addresses[4] = configuration | code << 24;
    addresses
}

fn push(code: &mut Vec<u16>, bits: u32) {
    code.extend([bits as u16, (bits >> 16) as u16]);
}

/// A register that may change.
fn destination(random: &mut Random) -> u32 {
    loop {
        let register = random.below(32);
        if !BASES.contains(&register) && register != WILD_BASE {
            return register;
        }
    }
}

/// A branch or jump over one instruction.
fn branch(random: &mut Random) -> Vec<u16> {
    let mut code = Vec::new();
    let [rs1, rs2] = [random.below(32), random.below(32)];
    if random.one_in(4) {
        // jal rd, .+8
        push(&mut code, 8 << 20 | destination(random) << 7 | 0x6f);
    } else {
        let function = random.pick(&[0, 1, 4, 5, 6, 7]);
        push(&mut code, rs2 << 20 | rs1 << 15 | function << 12 | 8 << 7 | 0x63);
    }
    operation_wide(random, &mut code);
    code
}

/// A load, a store or an atomic operation. Between LR.W and SC.W there is no store: whether the
/// hart's own ends the reservation is left to it, and QEMU compares values.
fn access(random: &mut Random, code: &mut Vec<u16>, reserved: &mut bool) {
    let is_wild = random.one_in(16);
    let base = if is_wild { WILD_BASE } else { random.pick(&BASES) };
    // QEMU tells an aligned address of a misaligned access that finds nothing.
    let alignment = if is_wild { 4 } else { random.pick(&[4, 4, 2, 1]) };
    let offset = (random.below(256) / alignment * alignment).wrapping_sub(128) & 0xfff;
    let kind = random.below(3);
    match if *reserved && kind == 1 { 0 } else { kind } {
        0 => {
            let function = random.pick(&[0, 1, 2, 4, 5]);
            push(code, offset << 20 | base << 15 | function << 12 | destination(random) << 7 | 3);
        }
        1 => {
            let (high, low) = (offset >> 5, offset & 0x1f);
            let (rs2, function) = (random.below(32), random.below(3));
            push(code, high << 25 | rs2 << 20 | base << 15 | function << 12 | low << 7 | 0x23);
        }
        _ => {
            let operation = match *reserved {
                true => STORE_CONDITIONAL,
                false => random.pick(&[0, 1, 2, 3, 3, 4, 8, 12, 16, 20, 24, 28]),
            };
            *reserved = operation == LOAD_RESERVED;
            let rs2 = if operation == LOAD_RESERVED { 0 } else { random.below(32) };
            let rd = destination(random);
            let order = random.below(4);
            let upper = operation << 27 | order << 25 | rs2 << 20;
            push(code, upper | ALIGNED_BASE << 15 | 2 << 12 | rd << 7 | 0x2f);
        }
    }
}

fn operation(random: &mut Random, code: &mut Vec<u16>) {
    if random.one_in(3) {
        // One of the compressed ones that only compute.
        loop {
            let half = random.word() as u16;
            if half & 3 != 3 && is_harmless(u32::from(half)) {
                code.push(half);
                return;
            }
        }
    }
    operation_wide(random, code);
}

/// An operation of 32 bits: any that is legal.
fn operation_wide(random: &mut Random, code: &mut Vec<u16>) {
    let sevens = [0x00, 0x20, 0x01, 0x10, 0x05, 0x30, 0x24, 0x34, 0x14, 0x04];
    loop {
        let opcode = random.pick(&[0x13, 0x13, 0x33, 0x33, 0x33, 0x37, 0x17]);
        let mut bits = random.word() & !0xfff | destination(random) << 7 | opcode;
        if random.one_in(2) && opcode & 0x10 != 0 && opcode & 4 == 0 {
            bits = bits & 0x01ff_ffff | random.pick(&sevens) << 25;
        }
        if is_harmless(bits) {
            push(code, bits);
            return;
        }
    }
}

/// Returns `true` for a legal instruction that changes no more than a register, and no base.
fn is_harmless(bits: u32) -> bool {
    let keeps = |rd: u8| !BASES.contains(&u32::from(rd)) && u32::from(rd) != WILD_BASE;
    match decode(bits, board_extensions()) {
        Some(
            Instruction::Immediate { rd, .. }
            | Instruction::Registers { rd, .. }
            | Instruction::Unary { rd, .. }
            | Instruction::LoadUpper { rd, .. }
            | Instruction::AddUpperToPc { rd, .. },
        ) => keeps(rd),
        _ => false,
    }
}

/// Any bits, but none that go elsewhere or that touch other memory or registers for control.
fn wild(random: &mut Random, code: &mut Vec<u16>) {
    loop {
        let bits = random.word() & random.pick(&[u32::MAX, u32::MAX, 0xfe00_707f | 0x007f_ff80]);
        let is_short = bits & 3 != 3;
        // Code of floating point and of custom extensions is left to the decoders.
        match decode(bits, board_extensions()) {
            None | Some(Instruction::Fence { .. } | Instruction::FenceInstructions) => {}
            Some(Instruction::EnvironmentCall | Instruction::Breakpoint) => {}
            Some(_) if is_harmless(bits) => {}
            Some(_) => continue,
        }
        if is_short {
            code.push(bits as u16);
        } else {
            push(code, bits);
        }
        return;
    }
}

/// An access to a register for control and status that both sides have.
fn csr(random: &mut Random, code: &mut Vec<u16>) {
    const SAFE: [u32; 10] = [0x304, 0x305, 0x341, 0x342, 0x343, 0x301, 0xf14, 0x7c0, 0x3a1, 0x3b5];
    let csr = random.pick(&SAFE);
    let (function, rs1) = (random.pick(&[1, 2, 3, 5, 6, 7]), random.below(32));
    // What stays must not be changed: the handler's address and the interrupts. QEMU 7.2 keeps the
    // lowest bit of `mepc`, which by the specification is always 0.
    let is_read_only = matches!(csr, 0x304 | 0x305 | 0x301 | 0x341 | 0x3a1 | 0x3b5);
    let (function, rs1) = if is_read_only { (2, 0) } else { (function, rs1) };
    // Bits of a register that may be read only: by the specification it traps whatever they are,
    // under QEMU if one is set.
    let rs1 = if csr == 0xf14 && matches!(function, 2 | 3) { 0 } else { rs1 };
    push(code, csr << 20 | rs1 << 15 | function << 12 | destination(random) << 7 | 0x73);
}

/// The extensions of the board.
fn board_extensions() -> Extensions {
    let without = [
        Extensions::M,
        Extensions::A,
        Extensions::C,
        Extensions::ZIFENCEI,
        Extensions::ZBA,
        Extensions::ZBB,
        Extensions::ZBS,
    ];
    without.into_iter().fold(Extensions::default(), Extensions::with)
}
