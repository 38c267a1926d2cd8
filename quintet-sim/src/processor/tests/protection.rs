//! The MPU in front of loads, stores, fetches and stacking.

use super::*;
use crate::processor::system::scb::cfsr;

const MPU_CTRL: u32 = 0xe000_ed94;
const MPU_RBAR: u32 = 0xe000_ed9c;
const MPU_RASR: u32 = 0xe000_eda0;
const MMFAR: u32 = 0xe000_ed34;

/// The code readable and executable by all, the data memory with `access`, its upper half open to
/// all.
fn protected(program: &[u16], access: u32, control: u32) -> Core {
    let mut core = firmware(program);
    core.poke(SHCSR, ALL_FAULTS);
    let regions = [(0, 11, 6), (DATA, 11, access), (DATA + 0x800, 10, 3)];
    for (index, (base, size, access)) in regions.into_iter().enumerate() {
        core.poke(MPU_RBAR, base | 0x10 | index as u32);
        core.poke(MPU_RASR, access << 24 | size << 1 | 1);
    }
    core.poke(MPU_CTRL, control);
    core.registers.r[0] = DATA;
    core
}

#[test]
fn an_unprivileged_load_is_refused_with_its_address() {
    let mut core = protected(&[NOP, LOAD, NOP], 1, 1);
    core.registers.unprivileged_thread = true;
    core.run_to(handler(4));
    assert_eq!(core.peek(CFSR), cfsr::DACCVIOL | cfsr::MMARVALID);
    assert_eq!(core.peek(MMFAR), DATA);
    assert_eq!(core.frame()[6], MAIN + 2);
}

#[test]
fn unprivileged_instructions_are_checked_as_such_in_privileged_code() {
    let mut core = protected(&[LOAD, 0xf850, 0x1e00, NOP], 1, 1); // LDRT R1, [R0]
    core.run_to(handler(4));
    assert_eq!(core.frame()[6], MAIN + 2);
}

#[test]
fn a_store_to_read_only_memory_is_refused_before_it_happens() {
    let mut core = protected(&[STORE, NOP], 6, 1);
    core.registers.r[1] = 5;
    core.run_to(handler(4));
    assert_eq!((core.bus.word(DATA), core.peek(MMFAR)), (0, DATA));
}

#[test]
fn execution_is_refused_where_it_is_never_allowed() {
    let mut core = protected(&[NOP, NOP], 3, 1);
    core.poke(MPU_RBAR, MAIN | 0x17);
    core.poke(MPU_RASR, 1 << 28 | 3 << 24 | 4 << 1 | 1);
    core.run_to(handler(4));
    assert_eq!((core.peek(CFSR), core.frame()[6]), (cfsr::IACCVIOL, MAIN));
}

#[test]
fn a_region_can_make_device_space_executable_but_not_the_system_space() {
    for (target, expected) in [(0x4000_0000, cfsr::IBUSERR), (0xe010_0000, cfsr::IACCVIOL)] {
        let mut core = protected(&[BX_LR], 3, 5);
        core.poke(MPU_RBAR, target | 0x17);
        core.poke(MPU_RASR, 3 << 24 | 9 << 1 | 1);
        core.registers.r[14] = target | 1;
        core.steps(2);
        assert_eq!(core.peek(CFSR), expected, "nothing answers at {target:#x}");
    }
    let mut core = protected(&[BX_LR], 3, 5);
    core.registers.r[14] = 0x4000_0001;
    core.steps(2);
    assert_eq!(core.peek(CFSR), cfsr::IACCVIOL, "the background map has not changed");
}

#[test]
fn a_wide_instruction_must_be_allowed_with_both_halves() {
    let mut program = [NOP; 17];
    program[15] = 0xf04f; // MOV.W R0, #1, across a block of 32 bytes
    program[16] = 0x0001;
    let mut core = protected(&program, 3, 1);
    core.poke(MPU_RBAR, (MAIN + 32) | 0x17);
    core.poke(MPU_RASR, 1 << 28 | 3 << 24 | 4 << 1 | 1);
    core.run_to(handler(4));
    assert_eq!(core.frame()[6], MAIN + 30);
}

#[test]
fn the_background_map_serves_privileged_code_only() {
    for (control, unprivileged, refused) in [(1, false, true), (5, false, false), (5, true, true)] {
        let mut core = protected(&[NOP, LOAD, NOP], 3, control);
        core.registers.r[0] = DATA + 0x40;
        core.poke(MPU_RBAR, DATA | 0x11);
        core.poke(MPU_RASR, 0);
        core.registers.unprivileged_thread = unprivileged;
        core.steps(2);
        assert_eq!(core.peek(CFSR) != 0, refused);
    }
}

#[test]
fn hard_fault_and_nmi_are_exempt_unless_hfnmiena() {
    for (control, locked_up) in [(1, false), (3, true)] {
        let mut core = protected(&[UDF], 0, control);
        core.poke(SHCSR, 0);
        core.bus.put(handler(3), &[LOAD, NOP]);
        core.steps(3);
        assert_eq!(core.is_locked_up(), locked_up);
    }
}

#[test]
fn the_private_peripheral_bus_is_not_protected() {
    let mut core = protected(&[LOAD, NOP], 0, 1);
    core.registers.r[0] = 0xe000_ed00;
    core.steps(1);
    assert_eq!(core.registers.r[1], 0x412f_c230);
}

#[test]
fn a_stack_that_is_not_writable_is_a_stacking_fault() {
    let mut core = protected(&[NOP, NOP], 1, 1);
    core.enable(16, 0x80);
    core.registers.set_process_stack_pointer(DATA + 0x100);
    core.registers.select_stack(true);
    core.registers.unprivileged_thread = true;
    core.pend(16);
    core.steps(1);
    assert_eq!((core.registers.ipsr, core.peek(CFSR)), (4, cfsr::MSTKERR));
    assert_eq!(core.registers.process_stack_pointer(), DATA + 0x100 - 32);
    assert_eq!(core.registers.r[14], 0xffff_fffd);
}

#[test]
fn a_stack_that_is_not_readable_is_an_unstacking_fault() {
    let mut core = protected(&[NOP, NOP], 1, 1);
    core.enable(16, 0x80);
    core.pend(16);
    core.run_to(handler(16) + 2);
    core.registers.set_process_stack_pointer(DATA + 0x100);
    core.registers.unprivileged_thread = true;
    core.registers.r[14] = 0xffff_fffd;
    core.steps(1);
    assert_eq!((core.registers.ipsr, core.peek(CFSR)), (4, cfsr::MUNSTKERR));
    assert_eq!(core.registers.process_stack_pointer(), DATA + 0x100);
}

#[test]
fn region_attributes_can_be_written_by_halves() {
    let mut core = firmware(&[NOP]);
    core.poke(0xe000_ed98, 2);
    core.poke(MPU_RASR, 3 << 24 | 7 << 1 | 1);
    assert_eq!(core.poke_private(MPU_RASR, Size::Half, 9 << 1), Some(Ok(())));
    assert_eq!(core.peek(MPU_RASR), 3 << 24 | 9 << 1, "size and enable alone");
    assert_eq!(core.poke_private(MPU_RASR + 2, Size::Half, 0x1600), Some(Ok(())));
    assert_eq!(core.peek(MPU_RASR), 0x1600_0000 | 9 << 1, "the attributes alone");
}
