//! Preemption: priorities, grouping, the masks.

use super::*;

/// Returns `true` if the second of two interrupts preempts the first. They are pended together, and
/// then one after the other.
fn preempts(core: &mut Core, second: u16) -> bool {
    let before = core.registers.ipsr;
    core.pend(second);
    core.steps(1);
    core.registers.ipsr == second && before != second
}

#[test]
fn a_lower_number_preempts_and_an_equal_one_does_not() {
    for (priority, expected) in [(0x40, true), (0x80, false), (0xc0, false)] {
        let mut core = firmware(&[NOP]);
        core.enable(16, 0x80);
        core.enable(17, priority);
        core.pend(16);
        core.steps(1);
        assert_eq!(preempts(&mut core, 17), expected, "{priority:#x}");
    }
}

#[test]
fn of_two_pending_the_more_urgent_then_the_lower_number_comes_first() {
    for (first, second, expected) in [(0x40, 0x40, 16), (0x80, 0x40, 17), (0x40, 0x80, 16)] {
        let mut core = firmware(&[NOP]);
        core.enable(16, first);
        core.enable(17, second);
        core.pend(17);
        core.pend(16);
        core.steps(1);
        assert_eq!(core.registers.ipsr, expected);
    }
}

#[test]
fn subpriorities_order_but_do_not_preempt() {
    let mut core = firmware(&[NOP]);
    core.poke(AIRCR, 0x05fa_0000 | 5 << 8);
    core.enable(16, 0x90);
    core.enable(17, 0x80);
    core.enable(18, 0x40);
    core.pend(16);
    core.steps(1);
    assert!(!preempts(&mut core, 17), "the same group");
    assert!(preempts(&mut core, 18));
    core.run_to(MAIN);
    let mut core = firmware(&[NOP]);
    core.poke(AIRCR, 0x05fa_0000 | 5 << 8);
    core.enable(16, 0x90);
    core.enable(17, 0x80);
    core.pend(16);
    core.pend(17);
    core.steps(1);
    assert_eq!(core.registers.ipsr, 17, "the subpriority decides between two that wait");
}

#[test]
fn aircr_needs_its_key() {
    let mut core = firmware(&[NOP]);
    core.poke(AIRCR, 0x1234_0500);
    assert_eq!(core.peek(AIRCR), 0xfa05_0000);
    core.poke(AIRCR, 0x05fa_0300);
    assert_eq!(core.peek(AIRCR), 0xfa05_0300);
}

#[test]
fn only_the_implemented_priority_bits_exist() {
    for (bits, expected) in [(3, 0xe0), (4, 0xf0), (8, 0xff)] {
        let configuration = Configuration { priority_bits: bits, ..Configuration::default() };
        let mut core = firmware_on(configuration, &[NOP]);
        core.poke(IPR, 0xffff_ffff);
        assert_eq!(core.peek(IPR), expected * 0x0101_0101);
    }
}

#[test]
fn primask_holds_off_everything_with_a_configurable_priority() {
    let mut core = firmware(&[CPSID_I, NOP, CPSIE_I, NOP]);
    core.enable(16, 0);
    core.steps(1);
    core.pend(16);
    core.steps(1);
    assert_eq!(core.registers.r[15], MAIN + 4);
    core.pend(2);
    core.steps(1);
    assert_eq!(core.registers.ipsr, 2);
    core.run_to(MAIN + 4);
    core.steps(2);
    assert_eq!((core.registers.ipsr, core.frame()[6]), (16, MAIN + 6));
}

#[test]
fn faultmask_holds_off_everything_but_nmi() {
    let mut core = firmware(&[CPSID_F, NOP, NOP]);
    core.enable(16, 0);
    core.steps(1);
    core.pend(16);
    core.pend(3);
    core.steps(1);
    assert_eq!(core.registers.r[15], MAIN + 4);
    core.pend(2);
    core.steps(1);
    assert_eq!(core.registers.ipsr, 2);
}

#[test]
fn basepri_holds_off_its_priority_and_less_urgent_ones() {
    for (priority, runs) in [(0x20, true), (0x40, false), (0x60, false)] {
        let mut core = firmware(&[NOP, NOP]);
        core.registers.basepri = 0x40;
        core.priority_changed();
        core.enable(16, priority);
        core.pend(16);
        core.steps(1);
        assert_eq!(core.registers.ipsr == 16, runs, "{priority:#x}");
    }
}

#[test]
fn disabling_an_interrupt_keeps_it_pending() {
    let mut core = firmware(&[NOP, NOP, NOP]);
    core.enable(16, 0);
    core.poke(ICER, 1);
    core.pend(16);
    core.steps(1);
    assert_eq!((core.registers.ipsr, core.peek(ISPR)), (0, 1));
    core.poke(ICPR, 1);
    core.poke(ISER, 1);
    core.steps(1);
    assert_eq!((core.registers.ipsr, core.peek(ISPR)), (0, 0));
}

#[test]
fn a_high_line_pends_again_after_each_return() {
    let mut core = firmware(&[NOP, NOP, NOP]);
    core.enable(16, 0);
    core.bus.schedule = vec![(0, lines(&[0]))];
    core.plan_next_event();
    core.run_to(handler(16));
    assert_eq!(core.peek(IABR), 1);
    assert_eq!(core.peek(ISPR), 0, "active: not pending again yet");
    core.run_to(handler(16) + 2);
    core.steps(1);
    assert_eq!(core.registers.r[15], handler(16), "tail-chained into itself");
    core.bus.lines = lines(&[]);
    core.advance_devices(core.pipeline.now());
    core.run_to(MAIN + 2);
    assert_eq!(core.peek(ISPR), 0);
}

#[test]
fn a_pulse_stays_pending_and_a_pulse_while_active_pends_again() {
    let mut core = firmware(&[NOP, NOP, NOP]);
    core.enable(16, 0);
    core.registers.primask = true;
    core.priority_changed();
    core.bus.schedule = vec![(1, lines(&[0])), (2, lines(&[]))];
    core.plan_next_event();
    core.steps(2);
    assert_eq!(core.peek(ISPR), 1);
    core.registers.primask = false;
    core.priority_changed();
    core.run_to(handler(16));
    let now = core.pipeline.now();
    core.system.exceptions.set_lines(lines(&[0]));
    core.system.exceptions.set_lines(lines(&[]));
    core.reconsider(now);
    assert_eq!(core.peek(ISPR), 1);
}

#[test]
fn the_pending_bit_of_a_high_line_cannot_be_cleared() {
    let mut core = firmware(&[NOP]);
    core.bus.lines = lines(&[3]);
    core.advance_devices(0);
    core.poke(ICPR, 8);
    assert_eq!(core.peek(ISPR), 8);
}

#[test]
fn svcall_is_taken_at_once_with_the_next_instruction_as_its_return_address() {
    let mut core = firmware(&[SVC, NOP]);
    core.steps(2);
    assert_eq!((core.registers.ipsr, core.frame()[6]), (11, MAIN + 2));
    core.run_to(MAIN + 2);
    assert_eq!(core.entries(), [(11, false)]);
}

/// In ICSR: no other exception is active.
const RETTOBASE: u32 = 1 << 11;

#[test]
fn pendsv_and_systick_are_pended_and_cleared_through_icsr() {
    let mut core = firmware(&[CPSID_I, NOP]);
    core.steps(1);
    core.poke(ICSR, 1 << 28 | 1 << 26);
    // Nothing is active, so RETTOBASE is 1.
    assert_eq!(core.peek(ICSR), 1 << 28 | 1 << 26 | 14 << 12 | RETTOBASE);
    core.poke(ICSR, 1 << 27);
    assert_eq!(core.peek(ICSR), 1 << 26 | 15 << 12 | RETTOBASE);
    core.poke(ICSR, 1 << 25);
    assert_eq!(core.peek(ICSR), RETTOBASE);
}

#[test]
fn nmi_is_pended_through_icsr_and_masked_by_nothing() {
    let mut core = firmware(&[STORE, NOP, NOP]);
    core.registers.faultmask = true;
    core.priority_changed();
    (core.registers.r[0], core.registers.r[1]) = (ICSR, 1 << 31);
    core.run_to(handler(2));
    assert_eq!((core.registers.ipsr, core.peek(ICSR) & 0x1ff), (2, 2));
}

#[test]
fn any_exception_can_be_pended_before_any_instruction() {
    for exception in [2, 3, 4, 5, 6, 11, 12, 14, 15, 16, 31] {
        for steps in 0..3 {
            let mut core = firmware(&[NOP, NOP, NOP]);
            core.poke(SHCSR, ALL_FAULTS);
            core.poke(ISER, u32::MAX);
            core.steps(steps);
            core.pend(exception);
            core.steps(1);
            assert_eq!(core.registers.ipsr, exception);
            assert_eq!(core.frame()[6], MAIN + 2 * steps as u32);
        }
    }
    let mut core = firmware(&[NOP, NOP]);
    for absent in [0, 1, 7, 13, 256, 500, u16::MAX] {
        core.pend(absent);
    }
    core.steps(2);
    assert_eq!(core.registers.ipsr, 0);
}

#[test]
fn icsr_tells_active_pending_and_whether_a_return_reaches_the_base_level() {
    let mut core = firmware(&[NOP]);
    core.enable(16, 0x80);
    core.enable(17, 0x40);
    core.enable(18, 0xc0);
    core.pend(16);
    core.pend(18);
    core.steps(1);
    assert_eq!(core.peek(ICSR), 1 << 22 | 18 << 12 | 1 << 11 | 16);
    core.pend(17);
    core.steps(1);
    assert_eq!(core.peek(ICSR), 1 << 22 | 18 << 12 | 17);
}

#[test]
fn the_software_trigger_pends_by_number() {
    let mut core = firmware(&[NOP]);
    core.poke(0xe000_ef00, 5);
    assert_eq!(core.peek(ISPR), 1 << 5);
}

#[test]
fn mask_changes_are_observed_with_their_place() {
    let mut core = firmware(&[CPSID_I, CPSID_I, CPSIE_I, NOP]);
    core.steps(3);
    let mask = crate::processor::events::Mask::Primask;
    let expected =
        [(1, MAIN), (0, MAIN + 4)].map(|(value, pc)| EventKind::MaskChange { mask, value, pc });
    assert_eq!(core.event_kinds(), expected);
}

#[test]
fn armv6m_has_two_priority_bits_and_no_configurable_faults() {
    let mut core = firmware_on(armv6m(), &[UDF]);
    core.poke(IPR, 0xffff_ffff);
    assert_eq!(core.peek(IPR), 0xc0c0_c0c0);
    core.poke(SHCSR, ALL_FAULTS);
    core.poke(AIRCR, 0x05fa_0700);
    assert_eq!((core.peek(SHCSR), core.peek(AIRCR)), (0, 0xfa05_0000));
    core.steps(2);
    assert_eq!(core.registers.ipsr, 3);
    assert_eq!((core.peek(CFSR), core.peek(HFSR)), (0, 0), "there are no such registers");
}

#[test]
fn a_cortex_m0_knows_no_unprivileged_code() {
    for (cpuid, control) in [(0x410c_c200, 2), (0x410c_c601, 3)] {
        // MSR CONTROL, R0
        let configuration = Configuration { cpuid, ..armv6m() };
        let mut core = firmware_on(configuration, &[0xf380, 0x8814]);
        core.registers.r[0] = 3;
        core.steps(1);
        assert_eq!(core.registers.control(), control);
    }
}
