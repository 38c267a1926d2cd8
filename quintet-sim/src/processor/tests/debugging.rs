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
fn a_hardware_breakpoint_stops_before_its_instruction_once() {
    let mut core = firmware(&[NOP, 0x3101, 0xe7fc]); // ADDS R1, #1; B MAIN
    core.poke(0xe000_2008, MAIN | 2 << 30 | 1);
    core.poke(0xe000_2000, 3);
    core.steps(3);
    assert_eq!(core.registers.r[1], 1, "without a debugger nothing happens");
    core.attach_debugger(true);
    assert_eq!(core.run_to_halt(), Halt::HardwareBreakpoint);
    assert_eq!((core.registers.r[15], core.registers.r[1]), (MAIN + 2, 1));
    core.steps(2);
    assert_eq!(core.registers.r[1], 2);
    assert_eq!(core.run_to_halt(), Halt::HardwareBreakpoint, "the next time round it stops again");
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
