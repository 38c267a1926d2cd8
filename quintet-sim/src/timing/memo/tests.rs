//! With a memory, each instruction takes the cycles that it takes without.

use super::*;
use crate::timing::state_tests::{CODE, Random, Step, memories};

/// The number of instructions of a program that goes round and round.
const PROGRAM: u32 = 24;

/// What comes between two instructions.
const EVENTS: u32 = 6;

/// A program with jumps, whose data and conditions differ from round to round.
struct Program {
    facts: Vec<Step>,
}

impl Program {
    fn random(random: &mut Random) -> Self {
        let mut address = CODE;
        let step = |_| {
            let step = Step::random(random, address, false);
            address += u32::from(step.facts.length);
            step
        };
        Self { facts: (0..PROGRAM).map(step).collect() }
    }

    /// The step at an address, with other choices than last time, or the first one.
    fn at(&self, address: u32, conditional: bool, random: &mut Random) -> Step {
        let known = self.facts.iter().find(|step| step.address == address);
        known.unwrap_or(&self.facts[0]).again(random, conditional)
    }
}

/// Something that isn't an instruction, told to both.
fn disturb(event: u32, timing: &mut Timing, pipeline: &mut Pipeline) {
    let now = pipeline.now();
    match event {
        0 => {
            timing.enter_exception(false);
            pipeline.enter_exception(false);
            for word in 0..8 {
                timing.data(0x2000_0000 + 4 * word, Direction::Write);
                pipeline.data(0x2000_0000 + 4 * word, Direction::Write);
            }
            assert_eq!(timing.vector(0x40), pipeline.vector(0x40));
            timing.entered(CODE);
            pipeline.entered(CODE);
        }
        1 => {
            timing.sleep_until(now + 50);
            pipeline.sleep_until(now + 50);
        }
        2 => {
            timing.wait_until(now + 3);
            pipeline.wait_until(now + 3);
        }
        3 => assert_eq!(timing.arrival(CODE, 2), pipeline.arrival(CODE, 2)),
        4 => {
            let copy = timing.clone();
            timing.clone_from(&copy);
        }
        _ => timing.hold(now + 40),
    }
}

#[test]
fn remembered_instructions_take_the_same_cycles() {
    let mut random = Random(11);
    let mut remembered = 0;
    for regions in memories() {
        for holds in [false, true] {
            for _ in 0..12 {
                let program = Program::random(&mut random);
                let mut timing = Timing::new(&regions, &[], holds, None);
                let mut pipeline = Pipeline::new(&regions, &[], holds);
                timing.resume(CODE);
                pipeline.resume(CODE);
                let (mut address, mut conditional) = (CODE, false);
                for round in 0..4000 {
                    let step = program.at(address, conditional, &mut random);
                    address = step.apply(&mut timing);
                    step.apply(&mut pipeline);
                    remembered += u32::from(timing.at != NOWHERE);
                    assert_eq!(timing.now(), pipeline.now(), "{round}: {:?}", step.facts);
                    conditional = step.facts.kind == Kind::IfThen;
                    if random.below(150) == 0 {
                        let event = random.below(EVENTS);
                        disturb(event, &mut timing, &mut pipeline);
                        timing.settle();
                        assert_eq!(timing.now(), pipeline.now(), "{round}: event {event}");
                        address = if event == 0 { CODE } else { address };
                    }
                }
            }
        }
    }
    assert!(remembered > 100_000, "{remembered}");
}

#[test]
fn an_instruction_that_is_stopped_halfway_took_what_it_had_begun() {
    let regions = &memories()[0];
    let mut random = Random(5);
    let program = Program::random(&mut random);
    let mut timing = Timing::new(regions, &[], true, None);
    let mut pipeline = Pipeline::new(regions, &[], true);
    timing.resume(CODE);
    pipeline.resume(CODE);
    let mut address = CODE;
    let mut stopped = 0;
    for _ in 0..20_000 {
        let step = program.at(address, false, &mut random);
        if timing.at != NOWHERE && random.below(30) == 0 {
            stopped += 1;
            timing.issue(step.address, step.code, &step.facts, [true, false]);
            pipeline.issue(step.address, &step.facts, true, false);
            timing.data_in_memory(0x2000_0000, Direction::Read);
            pipeline.data(0x2000_0000, Direction::Read);
            timing.settle();
            assert_eq!(timing.now(), pipeline.now());
            assert_eq!(timing.started(), pipeline.started());
            timing.redirect(CODE);
            pipeline.redirect(CODE);
            timing.retire();
            pipeline.retire();
            address = CODE;
            continue;
        }
        address = step.apply(&mut timing);
        step.apply(&mut pipeline);
        assert_eq!(timing.now(), pipeline.now());
    }
    assert!(stopped > 20, "{stopped}");
}

#[test]
fn a_full_table_is_emptied_and_filled_again() {
    let regions = &memories()[0];
    let mut timing = Timing::new(regions, &[], true, None);
    let mut pipeline = Pipeline::new(regions, &[], true);
    timing.resume(CODE);
    pipeline.resume(CODE);
    let mut address = CODE;
    for _ in 0..70_000 {
        timing.issue(address, 0xbf00, &Facts::NONE, [true, false]);
        timing.retire();
        pipeline.issue(address, &Facts::NONE, true, false);
        pipeline.retire();
        assert_eq!(timing.now(), pipeline.now());
        address += 2;
    }
}
