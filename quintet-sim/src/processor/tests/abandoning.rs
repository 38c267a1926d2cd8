//! Divisions and long multiplications give way to exceptions, and start over behind the handler.

use super::*;

const UDIV: [u16; 2] = [0xfbb1, 0xf0f2]; // UDIV R0, R1, R2
const UMLAL: [u16; 2] = [0xfbe1, 0x3402]; // UMLAL R3, R4, R1, R2

/// A firmware whose instruction behind two NOPs takes long; an interrupt comes `delay` cycles
/// behind its start.
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
