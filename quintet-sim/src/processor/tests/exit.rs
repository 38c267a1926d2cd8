//! Exception return: checks, tail-chaining, unstacking.

use super::*;
use crate::processor::system::scb::{cfsr, hfsr};

/// In the handler of interrupt 0, about to `BX LR`.
fn in_handler() -> Core {
    let mut core = firmware(&[NOP, NOP]);
    core.poke(SHCSR, ALL_FAULTS);
    core.enable(16, 0x80);
    core.pend(16);
    core.run_to(handler(16) + 2);
    core
}

#[test]
fn a_return_restores_what_was_stacked() {
    let mut core = in_handler();
    for register in [0, 1, 2, 3, 12] {
        core.registers.r[register] = 0xdead;
    }
    core.registers.apsr = 0xf800_0000;
    core.steps(1);
    assert_eq!(core.registers.r[15], MAIN);
    assert_eq!(core.registers.r[..4], [0; 4]);
    assert_eq!((core.registers.apsr, core.registers.ipsr), (0, 0));
    assert_eq!(core.registers.r[14], u32::MAX);
    assert_eq!(core.registers.r[13], STACK);
    assert_eq!(core.system.exceptions.active_count(), 0);
}

#[test]
fn a_pending_exception_is_entered_without_unstacking() {
    let mut core = in_handler();
    core.enable(17, 0x80);
    core.pend(17);
    core.bus.accesses.clear();
    core.take_events();
    core.steps(1);
    assert_eq!(core.registers.ipsr, 17);
    assert_eq!(core.registers.r[14], 0xffff_fff9);
    assert_eq!(core.registers.r[13], STACK - 32);
    assert_eq!(core.bus.accesses.len(), 1, "only the vector is read");
    assert_eq!(core.entries(), [(17, true)]);
    core.run_to(MAIN);
    assert_eq!(core.registers.r[13], STACK);
}

#[test]
fn one_that_becomes_due_while_unstacking_tail_chains_too() {
    let mut core = in_handler();
    core.enable(17, 0);
    core.bus.schedule = vec![(core.pipeline.now() + 5, lines(&[1]))];
    core.plan_next_event();
    core.steps(1);
    assert_eq!(core.registers.ipsr, 17);
    assert_eq!(core.registers.r[13], STACK - 32, "the frame is where it was");
}

#[test]
fn handlers_nest_and_return_to_each_other() {
    let mut core = in_handler();
    core.enable(17, 0x40);
    core.pend(17);
    core.steps(1);
    assert_eq!(core.registers.ipsr, 17);
    assert_eq!(core.registers.r[14], 0xffff_fff1);
    assert_eq!(core.system.exceptions.active_count(), 2);
    core.run_to(handler(16) + 2);
    assert_eq!((core.registers.ipsr, core.registers.r[13]), (16, STACK - 32));
}

#[test]
fn invalid_exc_return_values_are_refused() {
    for value in [0xffff_fff0, 0xffff_fff5, 0xffff_ffff, 0xf000_0009, 0xffff_ffe9] {
        let mut core = in_handler();
        core.registers.r[14] = value;
        core.bus.accesses.clear();
        core.steps(1);
        assert_eq!(core.registers.ipsr, 6, "{value:#x}");
        assert_eq!(core.peek(CFSR), cfsr::INVPC);
        assert_eq!(core.registers.r[14], value, "the handler is told the value");
        assert_eq!(core.registers.r[13], STACK - 32);
        assert!(!core.system.exceptions.is_active(16), "the handler has ended all the same");
    }
}

#[test]
fn a_return_of_an_exception_that_is_not_active_is_refused() {
    let mut core = in_handler();
    core.registers.ipsr = 20;
    core.steps(1);
    assert_eq!(core.peek(CFSR), cfsr::INVPC);
}

#[test]
fn a_return_to_thread_mode_needs_the_base_level_unless_ccr_says_otherwise() {
    for permitted in [false, true] {
        let mut core = in_handler();
        core.enable(17, 0x40);
        core.pend(17);
        core.run_to(handler(17) + 2);
        if permitted {
            core.poke(CCR, core.peek(CCR) | 1);
        }
        core.registers.r[14] = 0xffff_fff9;
        let stack = core.registers.r[13];
        core.bus.put_words(stack + 28, &[0x0100_0000]);
        core.steps(1);
        if permitted {
            assert_eq!(core.registers.ipsr, 0);
            assert!(core.system.exceptions.is_active(16));
        } else {
            assert_eq!(core.peek(CFSR), cfsr::INVPC);
        }
    }
}

#[test]
fn the_stacked_mode_must_be_the_one_returned_to() {
    let mut core = in_handler();
    core.bus.put_words(STACK - 4, &[0x0100_0011]);
    core.steps(1);
    assert_eq!((core.registers.ipsr, core.peek(CFSR)), (6, cfsr::INVPC));
    let mut core = in_handler();
    core.registers.r[14] = 0xffff_fff1;
    core.steps(1);
    assert_eq!((core.registers.ipsr, core.peek(CFSR)), (6, cfsr::INVPC));
}

#[test]
fn a_refused_return_escalates_and_then_locks_up() {
    let mut core = in_handler();
    core.poke(SHCSR, 0);
    core.registers.r[14] = 0xffff_fff0;
    core.steps(1);
    assert_eq!((core.registers.ipsr, core.peek(HFSR)), (3, hfsr::FORCED));
}

#[test]
fn unstacking_from_nothing_is_a_bus_fault_with_unstkerr() {
    let mut core = in_handler();
    core.registers.r[13] = 0x2100_0000;
    core.steps(1);
    assert_eq!((core.registers.ipsr, core.peek(CFSR)), (5, cfsr::UNSTKERR));
    assert_eq!(core.registers.r[13], 0x2100_0000);
    assert_eq!(core.registers.r[14], 0xffff_fff9);
}

#[test]
fn a_return_ends_faultmask_but_not_primask_and_basepri() {
    let mut core = in_handler();
    core.registers.faultmask = true;
    core.registers.primask = true;
    core.registers.basepri = 0x20;
    core.priority_changed();
    core.steps(1);
    assert!(!core.registers.faultmask && core.registers.primask);
    assert_eq!(core.registers.basepri, 0x20);
}

#[test]
fn nmi_leaves_faultmask_alone() {
    let mut core = firmware(&[NOP]);
    core.pend(2);
    core.run_to(handler(2) + 2);
    core.registers.faultmask = true;
    core.priority_changed();
    core.steps(1);
    assert_eq!(core.registers.r[15], MAIN);
    assert!(core.registers.faultmask);
}

#[test]
fn exc_return_values_are_ordinary_addresses_in_thread_mode() {
    let mut core = firmware(&[BX_LR]);
    core.poke(SHCSR, ALL_FAULTS);
    core.registers.r[14] = 0xffff_fff9;
    core.steps(3);
    assert_eq!((core.registers.ipsr, core.peek(CFSR)), (4, cfsr::IACCVIOL));
    assert_eq!(core.frame()[6], 0xffff_fff8);
}

#[test]
fn an_exception_number_that_cannot_exist_is_never_active() {
    let mut core = in_handler();
    core.registers.ipsr = 256 + 16;
    core.steps(1);
    assert_eq!((core.registers.ipsr, core.peek(CFSR)), (6, cfsr::INVPC));
    assert!(core.system.exceptions.is_active(16), "another exception's state is not its own");
}
