//! Breakpoints, halting, and BKPT without a debugger.

use super::*;
use crate::processor::system::scb::hfsr;

#[test]
fn a_bkpt_halts_under_a_debugger_and_can_be_skipped() {
    let mut core = firmware(&[NOP, BKPT, 0x2105]); // MOVS R1, #5
    core.attach_debugger(true);
    assert_eq!(core.run_to_halt(), Halt::Breakpoint { immediate: 7 });
    assert_eq!((core.registers.r[15], core.instructions()), (MAIN + 2, 1));
    assert_eq!(core.step(), Some(Halt::Breakpoint { immediate: 7 }), "it is still there");
    core.skip_breakpoint();
    core.steps(1);
    assert_eq!((core.registers.r[1], core.instructions()), (5, 2));
}

#[test]
fn without_a_debugger_it_is_a_hard_fault() {
    let mut core = firmware(&[BKPT]);
    core.steps(2);
    assert_eq!((core.registers.ipsr, core.peek(HFSR)), (3, hfsr::DEBUGEVT));
    assert_eq!(core.peek(0xe000_ed30), 2);
    assert_eq!(core.frame()[6], MAIN);
}

#[test]
fn the_debug_monitor_takes_it_when_enabled() {
    let mut core = firmware(&[BKPT]);
    core.poke(0xe000_edfc, 1 << 16);
    core.steps(2);
    assert_eq!((core.registers.ipsr, core.frame()[6]), (12, MAIN));
    assert_eq!((core.peek(HFSR), core.peek(0xe000_ed30)), (0, 2));
    let mut core = firmware(&[CPSID_I, BKPT]);
    core.poke(0xe000_edfc, 1 << 16);
    core.steps(3);
    assert_eq!(core.registers.ipsr, 3, "masked, it escalates");
}

#[test]
fn the_monitor_can_be_pended_through_demcr() {
    let mut core = firmware(&[CPSID_I, NOP]);
    core.steps(1);
    core.poke(0xe000_edfc, 1 << 17);
    assert_eq!(core.peek(0xe000_edfc), 1 << 17);
    core.poke(0xe000_edfc, 0);
    assert!(!core.system.exceptions.is_pending(12));
}

#[test]
fn semihosting_is_for_the_caller_even_without_a_debugger() {
    let mut core = firmware(&[0xbeab, NOP]);
    assert_eq!(core.step(), Some(Halt::Breakpoint { immediate: 0xab }));
    core.semihosting = false;
    core.steps(2);
    assert_eq!(core.registers.ipsr, 3);
}

#[test]
fn semihosting_of_unprivileged_code_can_be_refused() {
    let mut core = firmware(&[NOP, 0xbeab, NOP]);
    core.unprivileged_semihosting = false;
    core.steps(1);
    assert_eq!(core.step(), Some(Halt::Breakpoint { immediate: 0xab }), "privileged code may");
    core.registers.unprivileged_thread = true;
    core.steps(2);
    assert_eq!(core.registers.ipsr, 3);
}

#[test]
fn a_hardware_breakpoint_stops_before_its_instruction_once() {
    let mut core = firmware(&[NOP, 0x3101, 0xe7fc]); // ADDS R1, #1; B MAIN
    core.poke(0xe000_2008, MAIN | 2 << 30 | 1);
    core.poke(0xe000_2000, 3);
    core.steps(3);
    assert_eq!(core.registers.r[1], 1, "without a debugger nothing happens");
    core.attach_debugger(true);
    assert_eq!(core.run_to_halt(), Halt::DebugEvent);
    assert_eq!((core.registers.r[15], core.registers.r[1]), (MAIN + 2, 1));
    core.steps(2);
    assert_eq!(core.registers.r[1], 2);
    assert_eq!(core.run_to_halt(), Halt::DebugEvent, "the next time round it stops again");
}

#[test]
fn software_sees_whether_a_debugger_is_attached() {
    let mut core = firmware(&[NOP]);
    assert_eq!(core.peek(0xe000_edf0) & 1, 0);
    core.attach_debugger(true);
    assert_eq!(core.peek(0xe000_edf0) & 1, 1);
}

#[test]
fn looking_has_no_side_effects() {
    let mut core = firmware(&[NOP; 8]);
    core.poke(SYST_RVR, 2);
    core.poke(SYST_CSR, 5);
    core.steps(6);
    assert_eq!(core.peek(SYST_CSR), 0x1_0005);
    assert_eq!(core.peek(SYST_CSR), 0x1_0005);
}

const DFSR: u32 = 0xe000_ed30;
const DHCSR: u32 = 0xe000_edf0;
const DEMCR: u32 = 0xe000_edfc;
const TRCENA: u32 = 1 << 24;
const MON_EN: u32 = 1 << 16;
const MON_STEP: u32 = 1 << 18;

/// Sets DWT comparator 1 to a function, for 2^`mask` addresses from `address` on.
fn watch(core: &mut Core, address: u32, mask: u32, function: u32) {
    for (offset, value) in [(0, address), (4, mask), (8, function)] {
        core.poke(0xe000_1030 + offset, value);
    }
}

#[test]
fn a_watchpoint_enters_the_debug_monitor_behind_the_access() {
    // (FUNCTION, instructions that match) for LDR and STR: 5 loads, 6 stores, 7 both.
    for (function, code, matches) in [
        (5, LOAD, true),
        (5, STORE, false),
        (6, LOAD, false),
        (6, STORE, true),
        (7, LOAD, true),
        (7, STORE, true),
        (0, STORE, false),
        (6 | 1 << 8, STORE, false),
    ] {
        let mut core = firmware(&[NOP, code, NOP, NOP]);
        core.poke(DEMCR, TRCENA | MON_EN);
        watch(&mut core, DATA + 0x10, 4, function);
        (core.registers.r[0], core.registers.r[1]) = (DATA + 0x1c, 7);
        core.steps(3);
        let matched = core.system.read(0xe000_1038, Size::Word, 0, &core.registers) >> 24;
        assert_eq!(core.registers.ipsr, if matches { 12 } else { 0 }, "{function} {code:#x}");
        assert_eq!((core.peek(DFSR), matched), if matches { (4, 1) } else { (0, 0) });
        assert_eq!(core.peek(0xe000_1038) >> 24, 0, "MATCHED is cleared by reading");
        if matches {
            assert_eq!(core.frame()[6], MAIN + 4);
        }
        assert_eq!(core.bus.word(DATA + 0x1c), if code == STORE { 7 } else { 0 });
    }
}

#[test]
fn a_watchpoint_covers_no_more_than_its_mask_and_needs_trcena_and_mon_en() {
    for (address, control) in [
        (DATA + 0x0c, TRCENA | MON_EN),
        (DATA + 0x20, TRCENA | MON_EN),
        (DATA + 0x10, MON_EN),
        (DATA + 0x10, TRCENA),
    ] {
        let mut core = firmware(&[LOAD, NOP, NOP]);
        core.poke(DEMCR, control);
        watch(&mut core, DATA + 0x10, 4, 7);
        core.registers.r[0] = address;
        core.steps(3);
        assert_eq!((core.registers.ipsr, core.peek(DFSR)), (0, 0), "{address:#x} {control:#x}");
    }
}

#[test]
fn a_watchpoint_that_the_priority_masks_is_lost() {
    let mut core = firmware(&[CPSID_I, LOAD, CPSIE_I, NOP]);
    core.poke(DEMCR, TRCENA | MON_EN);
    watch(&mut core, 0, 8, 5);
    core.steps(4);
    assert_eq!((core.registers.ipsr, core.peek(DFSR), core.peek(HFSR)), (0, 0, 0));
}

#[test]
fn an_instruction_can_be_watched_and_is_executed_first() {
    let mut core = firmware(&[NOP, 0x3101, NOP]); // ADDS R1, #1
    core.poke(DEMCR, TRCENA | MON_EN);
    watch(&mut core, MAIN + 2, 0, 4);
    core.steps(3);
    assert_eq!((core.registers.ipsr, core.registers.r[1]), (12, 1));
    assert_eq!((core.frame()[6], core.peek(DFSR)), (MAIN + 4, 4));
}

#[test]
fn a_hardware_breakpoint_enters_the_debug_monitor_before_its_instruction() {
    let mut core = firmware(&[NOP, 0x3101]);
    core.poke(DEMCR, MON_EN);
    core.poke(0xe000_2008, MAIN | 2 << 30 | 1);
    core.poke(0xe000_2000, 3);
    core.steps(2);
    assert_eq!((core.registers.ipsr, core.registers.r[1]), (12, 0));
    assert_eq!((core.frame()[6], core.peek(DFSR)), (MAIN + 2, 2));
}

#[test]
fn mon_step_executes_one_instruction_between_two_monitor_entries() {
    let mut core = firmware(&[0x3101, 0x3101, 0x3101]);
    core.poke(DEMCR, MON_EN);
    core.pend(12);
    core.run_to(handler(12));
    core.poke(DEMCR, MON_EN | MON_STEP);
    for count in 1..3 {
        core.run_to(MAIN + 2 * (count - 1));
        core.run_to(handler(12));
        assert_eq!((core.registers.r[1], core.peek(DFSR)), (count, 1));
        assert_eq!(core.frame()[6], MAIN + 2 * count);
    }
    core.poke(DEMCR, MON_EN);
    core.run_to(MAIN + 6);
    assert_eq!(core.registers.r[1], 3);
}

#[test]
fn a_debugger_catches_vectors() {
    for (bit, caught) in [(10, true), (8, false)] {
        let mut core = firmware(&[UDF]);
        core.attach_debugger(true);
        core.poke(DEMCR, 1 << bit);
        core.steps(2);
        assert_eq!(core.step() == Some(Halt::DebugEvent), caught);
        assert_eq!(core.peek(DFSR), if caught { 8 } else { 0 });
        let offset = if caught { 0 } else { 2 };
        assert_eq!(core.registers.r[15], handler(3) + offset);
    }
    let mut core = firmware(&[NOP]);
    core.attach_debugger(true);
    core.poke(DEMCR, 1);
    core.reset();
    assert_eq!(core.step(), Some(Halt::DebugEvent), "VC_CORERESET outlasts the reset");
    assert_eq!((core.step(), core.registers.r[15]), (None, MAIN + 2));
}

#[test]
fn software_can_halt_under_a_debugger_only() {
    for (attached, value, halts) in
        [(true, 0xa05f_0003, true), (true, 3, false), (false, 0xa05f_0003, false)]
    {
        let mut core = firmware(&[STORE, NOP]);
        core.attach_debugger(attached);
        (core.registers.r[0], core.registers.r[1]) = (DHCSR, value);
        core.steps(1);
        assert_eq!(core.step() == Some(Halt::DebugEvent), halts);
        assert_eq!(core.registers.r[15], if halts { MAIN + 2 } else { MAIN + 4 });
        assert_eq!(core.peek(DHCSR) & 1, u32::from(attached), "C_DEBUGEN is not software's");
    }
}

#[test]
fn a_debugger_holds_interrupts_off_but_no_faults() {
    let mut core = firmware(&[NOP; 8]);
    core.attach_debugger(true);
    core.mask_interrupts(true);
    assert_eq!(core.peek(DHCSR) & 8, 8, "C_MASKINTS");
    core.pend(14);
    core.pend(15);
    core.steps(2);
    assert_eq!((core.registers.ipsr, core.registers.r[15]), (0, MAIN + 4));
    core.mask_interrupts(false);
    core.steps(1);
    assert_eq!(core.registers.ipsr, 14, "what became pending comes now");
    let mut core = firmware(&[UDF]);
    core.mask_interrupts(true);
    core.pend(15);
    core.steps(2);
    assert_eq!(core.registers.ipsr, 3);
}
