//! ARMv8-M: limits of stacks, and exceptions without the Security Extension.

use super::*;
use crate::processor::system::scb::cfsr;

/// `PUSH {R0-R3}`, `SUB SP, #16`, `POP {R0-R3}`.
const PUSH: u16 = 0xb40f;
const SUBTRACT: u16 = 0xb084;
const POP: u16 = 0xbc0f;
/// `STR R0, [SP, #-16]!` and `MSR MSPLIM, R1`.
const PRE_INDEXED: [u16; 2] = [0xf84d, 0x0d10];
const SET_LIMIT: [u16; 2] = [0xf381, 0x880a];

/// A Cortex-M33 whose main stack may not go below [`STACK`] - `room`.
fn limited(room: u32, program: &[u16]) -> Core {
    let configuration = Configuration {
        architecture: Architecture::V8M,
        cpuid: 0x410f_d210,
        ..Configuration::default()
    };
    let program: Vec<u16> = SET_LIMIT.iter().chain(program).copied().collect();
    let mut core = firmware_on(configuration, &program);
    core.poke(SHCSR, ALL_FAULTS);
    core.registers.r[1] = STACK - room;
    assert_eq!(core.step(), None);
    core
}

#[test]
fn what_would_go_below_the_limit_does_not_happen() {
    for code in [&[PUSH][..], &[SUBTRACT], &PRE_INDEXED] {
        let mut core = limited(8, code);
        core.registers.r[0] = 5;
        core.run_to(handler(6));
        assert_eq!(core.peek(CFSR), cfsr::STKOF, "{code:x?}");
        // There is no room for a frame either; the limit has no three low bits.
        assert_eq!(core.registers.main_stack_pointer(), STACK - 8, "{code:x?}");
        assert_eq!(core.bus.word(STACK - 16), 0, "{code:x?}");
    }
}

#[test]
fn up_to_the_limit_all_goes() {
    for code in [&[PUSH, POP][..], &[SUBTRACT, NOP], &[PRE_INDEXED[0], PRE_INDEXED[1], NOP]] {
        let mut core = limited(16, code);
        for _ in 0..2 {
            assert_eq!(core.step(), None);
        }
        assert_eq!(core.peek(CFSR), 0, "{code:x?}");
        assert!(core.registers.r[13] >= STACK - 16);
    }
}

#[test]
fn a_frame_that_does_not_fit_is_an_overflow_of_the_stack() {
    let mut core = limited(24, &[NOP, NOP, NOP]);
    core.poke(ICSR, 1 << 28);
    core.run_to(handler(6));
    assert_eq!(core.peek(CFSR), cfsr::STKOF);
    assert_eq!(core.registers.r[13], STACK - 24);
    assert_eq!(core.bus.word(STACK - 32), 0);
}

#[test]
fn the_limit_is_read_back_and_nothing_is_one_on_other_cores() {
    // MRS R2, MSPLIM
    let mut core = limited(16, &[0xf3ef, 0x820a]);
    assert_eq!(core.step(), None);
    assert_eq!(core.registers.r[2], STACK - 16);
    let mut other = firmware(&[SET_LIMIT[0], SET_LIMIT[1], PUSH]);
    other.registers.r[1] = STACK;
    for _ in 0..2 {
        assert_eq!(other.step(), None);
    }
    assert_eq!(other.registers.r[13], STACK - 16);
}

#[test]
fn exc_return_says_not_secure_and_a_return_takes_either() {
    for given in [None, Some(0xffff_fff9)] {
        let mut core = limited(64, &[SVC, NOP]);
        core.run_to(handler(11));
        assert_eq!(core.registers.r[14], 0xffff_ffb8);
        core.registers.r[14] = given.unwrap_or(core.registers.r[14]);
        core.run_to(MAIN + 6);
        assert_eq!(core.registers.r[13], STACK);
    }
}
