//! Random cases: sequences of instructions that are predictable.
//!
//! A case is a list of *units*. A unit is one instruction with its constants, an IT block, or a
//! small piece of control flow that ends at its beginning: a skip, a loop, a call, a table branch.
//! Units depend on one another only through register values. So a failing case can be cut anywhere,
//! or have units replaced by NOPs, and is still a case.

use super::data::{DSP, FLOAT, NARROW, SPECIAL, SPECIAL_WIDE, Template, WIDE};
use super::pattern::{encode, fill};
use super::{SANDBOX, SANDBOX_BYTES, Subset, flow, memory};
use crate::random::Random;

/// The bytes of a slot: the descriptor, the code and its SVC.
pub const SLOT: u32 = 512;
/// The address of slot 0.
pub const SLOTS: u32 = 0x4200;
/// The offset of the code in a slot, behind the descriptor.
pub const CODE: u32 = 88;
/// No unit is begun beyond this many halfwords; the longest unit still fits behind.
const FULL: usize = 150;

/// A part of a case that stands for itself.
#[derive(Clone, Debug)]
pub struct Unit {
    /// The unit's name, for reports.
    pub name: String,
    /// The index of the unit's first halfword in the case's code.
    pub start: usize,
    /// `true` if later units stay predictable when this one becomes NOPs. Then the unit does not
    /// move SP.
    pub removable: bool,
}

/// A sequence, with its initial state.
#[derive(Clone, Debug)]
pub struct Case {
    /// R0 to R12 and LR.
    pub registers: [u32; 14],
    /// SP.
    pub stack: u32,
    /// The flags, in bits 31 to 27, and on ARMv7E-M in bits 19 to 16.
    pub flags: u32,
    /// The pattern of the sandbox; never 0.
    pub pattern: u32,
    /// Thread mode without privileges.
    pub unprivileged: bool,
    /// CCR.
    pub configuration: u32,
    /// SHCSR: the faults that have their own exception.
    pub faults: u32,
    /// The code, without its final SVC.
    pub code: Vec<u16>,
    /// The case's units.
    pub units: Vec<Unit>,
}

/// The address of the code in `slot`.
pub fn code_address(slot: u32) -> u32 {
    SLOTS + slot * SLOT + CODE
}

/// Case `index` of `seed`, for `slot`.
pub fn case(seed: u64, index: u64, slot: u32, subset: Subset) -> Case {
    let mut random = Random::of_item(seed, index);
    let stack = SANDBOX + SANDBOX_BYTES / 2 + 4 * random.below(32);
    let unprivileged = subset.is_wide() && random.one_in(8);
    let mut registers = [0; 14];
    registers.fill_with(|| random.value());
    let (configuration, faults) = configuration(&mut random);
    let mut case = Case {
        registers,
        stack,
        flags: random.word() & 0xF80F_0000,
        pattern: random.word() | 1,
        unprivileged,
        configuration,
        faults,
        code: Vec::new(),
        units: Vec::new(),
    };
    if subset == Subset::V7EM {
        // QEMU doesn't align a frame with the floating-point context unless STKALIGN is set.
        case.configuration |= 1 << 9;
    }
    case.flags &= match subset {
        Subset::V6M => 0xF000_0000,
        Subset::V7M => 0xF800_0000,
        Subset::V7EM => 0xF80F_0000,
    };
    let mut builder =
        Builder { subset, random, address: code_address(slot), stack, unprivileged, case };
    let units = 4 + builder.random.below(24) as usize;
    while builder.case.units.len() < units && builder.case.code.len() < FULL {
        flow::unit(&mut builder);
    }
    builder.case
}

/// CCR and SHCSR: mostly as a program has them, sometimes with every trap on.
fn configuration(random: &mut Random) -> (u32, u32) {
    let alignment = 1 << 9;
    let traps = if random.one_in(8) { random.below(4) << 3 } else { 0 };
    let configuration = if random.one_in(8) { traps } else { alignment | traps };
    let faults = if random.one_in(4) { random.below(8) << 16 } else { 7 << 16 };
    (configuration, faults)
}

/// A piece of straight code, with the registers that it writes.
#[derive(Clone, Debug)]
pub struct Piece {
    /// The mnemonic.
    pub name: &'static str,
    /// Constants that are loaded first, outside an IT block.
    pub needs: Vec<(u8, u32)>,
    /// The instruction.
    pub code: Vec<u16>,
    /// The registers that the instruction writes.
    pub writes: u16,
}

impl Piece {
    /// Returns all written registers, including those of constants.
    pub fn all_writes(&self) -> u16 {
        self.needs.iter().fold(self.writes, |mask, (register, _)| mask | 1 << register)
    }
}

/// A case in the making.
pub struct Builder {
    /// The instructions that may be used.
    pub subset: Subset,
    /// The case's stream.
    pub random: Random,
    /// The address of the code.
    pub address: u32,
    /// SP at this point.
    pub stack: u32,
    /// `true` if the case runs without privileges from its start.
    pub unprivileged: bool,
    /// The case so far.
    pub case: Case,
}

impl Builder {
    /// The address of the next halfword.
    pub fn here(&self) -> u32 {
        self.address + 2 * self.case.code.len() as u32
    }

    /// Begins a unit.
    pub fn begin(&mut self, name: impl Into<String>, removable: bool) {
        let start = self.case.code.len();
        self.case.units.push(Unit { name: name.into(), start, removable });
    }

    /// Appends code to the unit.
    pub fn emit(&mut self, code: &[u16]) {
        self.case.code.extend_from_slice(code);
    }

    /// Appends code that loads a constant. No flag changes.
    pub fn constant(&mut self, register: u8, value: u32) {
        match self.subset {
            Subset::V7M | Subset::V7EM => {
                let both = [("0100", value & 0xFFFF), ("1100", value >> 16)];
                for (top, half) in both {
                    let pattern = format!("11110i10 {top}jjjj 0iiidddd iiiiiiii");
                    let mut fields = fill(&pattern, &mut self.random);
                    fields.set('d', u32::from(register));
                    fields.set('j', half >> 12);
                    fields.set('i', half & 0xFFF);
                    self.emit(&encode(&pattern, &fields));
                }
            }
            Subset::V6M => {
                // LDR Rd, [PC, #..]; B over the word; the word, aligned.
                let aligned = self.here().is_multiple_of(4);
                let d = u16::from(register) << 8;
                let distance = u16::from(!aligned);
                self.emit(&[0x4800 | d | distance, 0xE001 + distance]);
                if !aligned {
                    self.emit(&[0xBF00]);
                }
                self.emit(&[value as u16, (value >> 16) as u16]);
            }
        }
    }

    /// The constants of a piece, then its instruction.
    pub fn piece(&mut self, piece: &Piece) {
        for (register, value) in &piece.needs {
            self.constant(*register, *value);
        }
        self.emit(&piece.code);
    }

    /// A random instruction without control flow that leaves the registers in `keep` alone.
    pub fn draw(&mut self, keep: u16) -> Piece {
        loop {
            let extended = self.subset == Subset::V7EM && self.random.below(18) < 8;
            let piece = match self.random.below(10) {
                0..4 if extended => self.draw_data(DSP),
                _ if extended => self.draw_data(FLOAT),
                0..4 => self.draw_memory(),
                4 if self.random.one_in(3) => self.draw_data(SPECIAL),
                5 if self.random.one_in(3) && self.subset.is_wide() => self.draw_data(SPECIAL_WIDE),
                5..9 if self.subset.is_wide() => self.draw_data(WIDE),
                _ => self.draw_data(NARROW),
            };
            if piece.all_writes() & keep == 0 {
                return piece;
            }
        }
    }

    fn draw_memory(&mut self) -> Piece {
        let placed = memory::draw(self.subset, &mut self.random);
        Piece { name: placed.name, needs: placed.needs, code: placed.code, writes: placed.writes }
    }

    fn draw_data(&mut self, table: &[Template]) -> Piece {
        loop {
            let template = &table[self.random.below(table.len() as u32) as usize];
            let fields = fill(template.pattern, &mut self.random);
            if !(template.rule)(&fields) {
                continue;
            }
            let mut writes = ['d', 'h', 'l']
                .into_iter()
                .filter(|letter| template.pattern.contains(*letter))
                .fold(0, |mask, letter| mask | 1 << fields.get(letter));
            // The comparisons of this row write nothing, but this does not matter here.
            writes &= 0x7FFF;
            let code = encode(template.pattern, &fields);
            return Piece { name: template.name, needs: Vec::new(), code, writes };
        }
    }
}
