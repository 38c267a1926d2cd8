//! Divisions and long multiplications give way to exceptions, and start over behind the handler.
//! An instruction that has not been fetched yet gives way too.

use super::*;
use crate::processor::bus::{Port, RegionTiming};
use crate::timing::Timing;

const UDIV: [u16; 2] = [0xfbb1, 0xf0f2]; // UDIV R0, R1, R2
const UMLAL: [u16; 2] = [0xfbe1, 0x3402]; // UMLAL R3, R4, R1, R2

/// A firmware whose instruction behind two NOPs takes long. An interrupt comes `delay` cycles after
/// its start.
fn interrupted(code: [u16; 2], delay: u64) -> (Core, u64) {
    let mut core = firmware(&[NOP, NOP, code[0], code[1], NOP]);
    core.enable(16, 0);
    core.registers.r[1] = u32::MAX;
    core.registers.r[2] = 1;
    core.steps(2);
    let start = core.pipeline.now();
    core.bus.schedule = vec![(start + delay, lines(&[0])), (start + delay + 1, lines(&[]))];
    core.plan_next_event();
    core.run_to(handler(16));
    (core, start)
}

#[test]
fn a_division_is_abandoned_and_done_again() {
    for delay in 1..10 {
        let (mut core, start) = interrupted(UDIV, delay);
        assert_eq!(core.frame()[6], MAIN + 4, "it has not been executed, {delay} cycles in");
        assert_eq!(core.registers.r[0], 0, "nothing is written");
        assert_eq!(core.instructions(), 2);
        let entered = core.pipeline.now() - start;
        assert_eq!(entered, delay + 10, "the latency does not depend on the division");
        core.run_to(MAIN + 8);
        assert_eq!(core.registers.r[0], u32::MAX);
    }
}

#[test]
fn a_division_that_has_ended_is_kept() {
    let (core, _) = interrupted(UDIV, 12);
    assert_eq!(core.registers.r[0], u32::MAX);
}

#[test]
fn a_long_multiplication_is_abandoned_too() {
    let (mut core, _) = interrupted(UMLAL, 1);
    assert_eq!(core.frame()[6], MAIN + 4);
    core.run_to(MAIN + 8);
    assert_eq!((core.registers.r[3], core.registers.r[4]), (u32::MAX, 0));
}

#[test]
fn an_instruction_that_waits_for_its_fetch_is_not_waited_for() {
    const SLOW: [RegionTiming; 1] = [RegionTiming {
        start: 0,
        end: DATA - 1,
        port: Port::CodeShared,
        read_wait_states: 6,
        write_wait_states: 0,
        front: 0,
    }];
    const ADD: u16 = 0x3101; // ADDS R1, #1
    let mut interrupted = 0;
    for delay in 0..40 {
        let mut core = firmware(&[ADD; 32]);
        core.pipeline = Timing::new(&SLOW, &[], core.configuration.holds_addresses(), None);
        core.reset();
        core.enable(16, 0);
        core.steps(4);
        let event = core.pipeline.now() + delay;
        core.bus.schedule = vec![(event, lines(&[0])), (event + 12, lines(&[]))];
        core.plan_next_event();
        core.take_events();
        core.run_to(handler(16));
        let began = core.take_events().into_iter().find_map(|event| match event.kind {
            EventKind::Enter { began, .. } => Some(began),
            _ => None,
        });
        assert_eq!(began, Some(event + 1), "{delay} cycles on");
        let address = core.frame()[6];
        assert_eq!(core.registers.r[1], (address - MAIN) / 2, "all before it has been executed");
        interrupted += u32::from(address & 2 == 0);
        core.run_to(MAIN + 64);
        assert_eq!((core.registers.r[1], core.instructions()), (32, 34));
    }
    assert!(interrupted > 20, "most of the time goes by with waiting for a word");
}
