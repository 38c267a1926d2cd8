//! A state without its past goes on in the same way as the state with its past.

use super::{Direction, Facts, Kind, NOW, Pipeline, Timing};
use crate::processor::Architecture;
use crate::processor::bus::{Port, RegionTiming};
use crate::processor::decode::decode;

pub(super) const CODE: u32 = 0x100;
const SRAM: u32 = 0x2000_0000;
const DEVICE: u32 = 0x4000_0000;
const PRIVATE: u32 = 0xe000_e100;

/// One of each way to use the pipeline.
const CODES: [[u16; 2]; 33] = [
    [0x3701, 0],      // ADDS R7, #1
    [0xf107, 0x0701], // ADD.W R7, R7, #1
    [0x2f00, 0],      // CMP R7, #0
    [0xbf00, 0],      // NOP
    [0xbf08, 0],      // IT EQ
    [0xf8d6, 0x7000], // LDR.W R7, [R6]
    [0x6837, 0],      // LDR R7, [R6]
    [0x683e, 0],      // LDR R6, [R7]
    [0x5977, 0],      // LDR R7, [R6, R5]
    [0xf856, 0x6b04], // LDR R6, [R6], #4
    [0x6035, 0],      // STR R5, [R6]
    [0x5177, 0],      // STR R7, [R6, R5]
    [0xce0f, 0],      // LDMIA R6!, {R0-R3}
    [0xb510, 0],      // PUSH {R4, LR}
    [0xbd10, 0],      // POP {R4, PC}
    [0xe846, 0x7500], // STREX
    [0x4377, 0],      // MULS
    [0xfbb7, 0xf7f6], // UDIV
    [0xfba7, 0x0106], // UMULL
    [0xfbe7, 0x0106], // UMLAL
    [0xfb07, 0x7106], // MLA R1, R7, R6, R7
    [0xe7fe, 0],      // B
    [0xd0fe, 0],      // BEQ
    [0xb107, 0],      // CBZ R7
    [0x4770, 0],      // BX LR
    [0x4798, 0],      // BLX R3
    [0xf000, 0xf800], // BL
    [0xe8df, 0xf007], // TBB [PC, R7]
    [0xf3ef, 0x8011], // MRS
    [0xf380, 0x8811], // MSR
    [0xb672, 0],      // CPSID I
    [0xf3bf, 0x8f4f], // DSB
    [0xf3bf, 0x8f6f], // ISB
];

/// Numbers that are the same in each run.
pub(super) struct Random(pub u64);

impl Random {
    pub fn below(&mut self, limit: u32) -> u32 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as u32 % limit
    }
}

/// An instruction with all its choices.
#[derive(Clone, Copy)]
pub(super) struct Step {
    pub facts: Facts,
    pub code: u32,
    pub address: u32,
    passed: bool,
    conditional: bool,
    taken: bool,
    data: u32,
    target: u32,
    operand: u32,
}

/// What is told about a step.
pub(super) trait Told {
    fn issue(&mut self, step: &Step);
    fn data(&mut self, address: u32, direction: Direction);
    fn divide(&mut self, dividend: u32);
    fn multiply_long(&mut self, operand: u32);
    fn set_mask(&mut self);
    fn redirect(&mut self, target: u32);
    fn retire(&mut self);
}

/// The same calls of the pipeline, and of one with a memory.
macro_rules! told {
    ($timing:ty, $data:ident, $issue:expr) => {
        impl Told for $timing {
            fn issue(&mut self, step: &Step) {
                $issue(self, step);
            }

            fn data(&mut self, address: u32, direction: Direction) {
                self.$data(address, direction);
            }

            fn divide(&mut self, dividend: u32) {
                self.divide(false, dividend, 1);
            }

            fn multiply_long(&mut self, operand: u32) {
                self.multiply_long(false, true, operand, operand);
            }

            fn set_mask(&mut self) {
                self.set_mask();
            }

            fn redirect(&mut self, target: u32) {
                self.redirect(target);
            }

            fn retire(&mut self) {
                self.retire();
            }
        }
    };
}

told!(Pipeline, data, |pipeline: &mut Pipeline, step: &Step| {
    pipeline.issue(step.address, &step.facts, step.passed, step.conditional);
});
told!(Timing, data_in_memory, |timing: &mut Timing, step: &Step| {
    timing.issue(step.address, step.code, &step.facts, [step.passed, step.conditional]);
});

impl Step {
    pub fn random(random: &mut Random, address: u32, conditional: bool) -> Self {
        let [first, second] = CODES[random.below(CODES.len() as u32) as usize];
        let facts = Facts::of(&decode(first, second, Architecture::V7M));
        let data = [CODE + 0x1000, SRAM + 0x40, DEVICE, PRIVATE][random.below(4) as usize];
        // Near ones are where words are that were fetched already.
        let far = CODE + 2 * random.below(0x100);
        let target = if random.below(2) == 0 { address + 2 * random.below(12) } else { far };
        Self {
            facts,
            code: u32::from(second) << 16 | u32::from(first),
            address,
            passed: !conditional || random.below(2) == 0,
            conditional,
            taken: random.below(2) == 0,
            data,
            target,
            operand: 1 << random.below(32),
        }
    }

    /// The same instruction with other choices. Its data is seldom outside of memory.
    pub fn again(&self, random: &mut Random, conditional: bool) -> Self {
        let other = Self::random(random, self.address, conditional);
        let data = if random.below(50) == 0 { other.data } else { self.data & SRAM | 0x40 };
        Self { facts: self.facts, code: self.code, data, ..other }
    }

    /// Tells the pipeline about the step, and returns the next address.
    pub fn apply(&self, pipeline: &mut impl Told) -> u32 {
        let behind = self.address + u32::from(self.facts.length);
        pipeline.issue(self);
        let goes = self.passed && self.perform(pipeline);
        if goes {
            pipeline.redirect(self.target);
        }
        pipeline.retire();
        if goes { self.target } else { behind }
    }

    /// Returns `true` if execution goes on elsewhere.
    fn perform(&self, pipeline: &mut impl Told) -> bool {
        match self.facts.kind {
            Kind::Load | Kind::TableBranch => pipeline.data(self.data, Direction::Read),
            Kind::Store | Kind::StoreExclusive => pipeline.data(self.data, Direction::Write),
            Kind::LoadMultiple => (0..3).for_each(|word| {
                pipeline.data(self.data + 4 * word, Direction::Read);
            }),
            Kind::StoreMultiple => (0..3).for_each(|word| {
                pipeline.data(self.data + 4 * word, Direction::Write);
            }),
            Kind::Divide => pipeline.divide(self.operand),
            Kind::MultiplyLong => pipeline.multiply_long(self.operand),
            Kind::ChangeState if self.taken => pipeline.set_mask(),
            Kind::Branch | Kind::RegisterBranch | Kind::LinkBranch => return true,
            Kind::ConditionalBranch | Kind::CompareBranch => return self.taken,
            _ => {}
        }
        self.facts.loads_pc()
    }
}

/// Memories of several speeds, with code in front of each port.
pub(super) fn memories() -> Vec<Vec<RegionTiming>> {
    let region = |start, end, port, wait| RegionTiming {
        start,
        end,
        port,
        read_wait_states: wait,
        write_wait_states: wait,
        front: 0,
    };
    let all = [
        (Port::CodeShared, 0),
        (Port::CodeShared, 2),
        (Port::CodeSeparate, 0),
        (Port::CodeSeparate, 5),
        (Port::System, 0),
        (Port::System, 1),
    ];
    let sram = region(SRAM, SRAM + 0xffff, Port::System, 0);
    all.iter().map(|&(port, wait)| vec![region(0, 0xffff, port, wait), sram]).collect()
}

#[test]
fn a_state_without_its_past_goes_on_as_before() {
    const ROUNDS: u32 = 4000;
    const AHEAD: u32 = 10;
    let mut random = Random(7);
    for regions in memories() {
        for holds in [false, true] {
            let mut pipeline = Pipeline::new(&regions, &[], holds);
            pipeline.resume(CODE);
            let (mut address, mut conditional) = (CODE, false);
            for _ in 0..ROUNDS {
                let mut copy = pipeline.clone();
                copy.forget_past();
                assert_eq!(copy.now(), NOW);
                let began = pipeline.now();
                for _ in 0..AHEAD {
                    let step = Step::random(&mut random, address & 0xfff | CODE, conditional);
                    let step = Step { address, ..step };
                    address = step.apply(&mut pipeline);
                    step.apply(&mut copy);
                    let (one, other) = (pipeline.now() - began, copy.now() - NOW);
                    assert_eq!(one, other, "{:?} {regions:?}", step.facts);
                    conditional = step.facts.kind == Kind::IfThen;
                }
                let mut later = pipeline.clone();
                later.forget_past();
                copy.forget_past();
                assert_eq!(later.key(), copy.key());
                if address > 0x8000 {
                    pipeline.redirect(CODE);
                    address = CODE;
                    pipeline.resume(CODE);
                    conditional = false;
                }
            }
        }
    }
}

#[test]
fn states_that_differ_have_different_keys() {
    let regions = &memories()[0];
    let mut random = Random(3);
    let mut keys = std::collections::BTreeSet::new();
    let mut pipeline = Pipeline::new(regions, &[], true);
    pipeline.resume(CODE);
    let mut address = CODE;
    for _ in 0..200 {
        let step = Step::random(&mut random, address, false);
        address = step.apply(&mut pipeline);
        let mut copy = pipeline.clone();
        copy.forget_past();
        keys.insert(copy.key());
    }
    assert!(keys.len() > 100, "{}", keys.len());
}
