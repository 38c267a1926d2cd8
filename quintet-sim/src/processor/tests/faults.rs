//! Faults: their status registers, escalation, lockup.

use super::*;
use crate::processor::system::scb::{cfsr, hfsr};

/// Runs `program` until a handler is entered, and returns the exception and CFSR.
fn fault(program: &[u16], prepare: impl FnOnce(&mut Core)) -> (Core, u16, u32) {
    let mut core = firmware(program);
    core.poke(SHCSR, ALL_FAULTS);
    prepare(&mut core);
    for _ in 0..10 {
        if core.registers.ipsr != 0 {
            break;
        }
        core.steps(1);
    }
    let (exception, status) = (core.registers.ipsr, core.peek(CFSR));
    (core, exception, status)
}

#[test]
fn an_undefined_instruction() {
    let (mut core, exception, status) = fault(&[NOP, UDF], |_| ());
    assert_eq!((exception, status), (6, cfsr::UNDEFINSTR));
    assert_eq!(core.frame()[6], MAIN + 2, "the return address is the instruction itself");
    assert_eq!(core.peek(HFSR), 0);
}

#[test]
fn a_coprocessor_instruction() {
    let (_, exception, status) = fault(&[0xee00, 0x0a10], |_| ());
    assert_eq!((exception, status), (6, cfsr::NOCP));
}

#[test]
fn a_branch_without_the_thumb_bit() {
    let (mut core, exception, status) = fault(&[BX_LR], |core| core.registers.r[14] = 0x200);
    assert_eq!((exception, status), (6, cfsr::INVSTATE));
    assert_eq!((core.frame()[6], core.frame()[7] >> 24 & 1), (0x200, 0));
}

#[test]
fn a_division_by_zero_only_when_it_is_trapped() {
    let divide = [0xfb91, 0xf0f2]; // SDIV R0, R1, R2
    let (_, exception, status) = fault(&divide, |core| core.poke(CCR, 0x210));
    assert_eq!((exception, status), (6, cfsr::DIVBYZERO));
    let mut core = firmware(&divide);
    core.steps(1);
    assert_eq!((core.registers.r[15], core.peek(CFSR)), (MAIN + 4, 0));
}

#[test]
fn an_unaligned_access_only_when_it_is_trapped() {
    for (trap, expected) in [(0x208, cfsr::UNALIGNED), (0x200, 0)] {
        let mut core = firmware(&[LOAD, NOP]);
        core.poke(SHCSR, ALL_FAULTS);
        core.poke(CCR, trap);
        core.registers.r[0] = DATA + 1;
        core.bus.put_words(DATA, &[0x4433_2211, 0x8877_6655]);
        core.steps(1);
        assert_eq!(core.peek(CFSR), expected);
        assert_eq!(core.registers.r[1], if expected == 0 { 0x5544_3322 } else { 0 });
    }
}

#[test]
fn load_multiple_and_armv6m_always_need_alignment() {
    let (_, exception, status) = fault(&[0xc806], |core| core.registers.r[0] = DATA + 2);
    assert_eq!((exception, status), (6, cfsr::UNALIGNED));
    let mut core = firmware_on(armv6m(), &[LOAD]);
    core.registers.r[0] = DATA + 2;
    core.steps(2);
    assert_eq!(core.registers.ipsr, 3);
}

#[test]
fn a_load_from_nowhere_is_precise() {
    let (mut core, exception, status) =
        fault(&[LOAD, NOP], |core| core.registers.r[0] = 0x6000_0000);
    assert_eq!((exception, status), (5, cfsr::PRECISERR | cfsr::BFARVALID));
    assert_eq!(core.peek(0xe000_ed38), 0x6000_0000);
    assert_eq!(core.frame()[6], MAIN);
}

#[test]
fn a_store_to_nowhere_is_imprecise() {
    let (mut core, exception, status) =
        fault(&[STORE, NOP, NOP], |core| core.registers.r[0] = 0x6000_0000);
    assert_eq!((exception, status), (5, cfsr::IMPRECISERR));
    assert_eq!(core.frame()[6], MAIN + 4, "the next instruction has been executed");
}

#[test]
fn it_is_precise_without_the_write_buffer() {
    let (mut core, exception, status) = fault(&[STORE, NOP], |core| {
        core.poke(0xe000_e008, 2);
        core.registers.r[0] = 0x6000_0000;
    });
    assert_eq!((exception, status), (5, cfsr::PRECISERR | cfsr::BFARVALID));
    assert_eq!(core.frame()[6], MAIN);
}

#[test]
fn a_store_of_armv6m_is_precise() {
    let mut core = firmware_on(armv6m(), &[STORE, NOP]);
    core.registers.r[0] = 0x6000_0000;
    core.steps(2);
    assert_eq!((core.registers.ipsr, core.frame()[6]), (3, MAIN));
}

#[test]
fn an_imprecise_fault_waits_for_its_priority() {
    let mut core = firmware(&[STORE, NOP, NOP]);
    core.poke(SHCSR, ALL_FAULTS);
    core.registers.r[0] = 0x6000_0000;
    core.registers.primask = true;
    core.priority_changed();
    core.steps(3);
    assert_eq!(core.registers.ipsr, 0, "it does not escalate");
    assert!(core.system.exceptions.is_pending(5));
}

#[test]
fn execution_from_nowhere_and_from_devices() {
    let jump = |target| move |core: &mut Core| core.registers.r[14] = target;
    let (mut core, exception, status) = fault(&[BX_LR], jump(0x1000_0001));
    assert_eq!((exception, status), (5, cfsr::IBUSERR));
    assert_eq!(core.frame()[6], 0x1000_0000);
    let (_, exception, status) = fault(&[BX_LR], jump(0x4000_0001));
    assert_eq!((exception, status), (4, cfsr::IACCVIOL));
    let (_, exception, status) = fault(&[BX_LR], jump(0xe000_0001));
    assert_eq!((exception, status), (4, cfsr::IACCVIOL));
}

#[test]
fn a_fault_whose_handler_is_disabled_or_masked_escalates() {
    for masked in [false, true] {
        let mut core = firmware(&[UDF]);
        if masked {
            core.poke(SHCSR, ALL_FAULTS);
            core.registers.primask = true;
            core.priority_changed();
        }
        core.steps(2);
        assert_eq!(core.registers.ipsr, 3);
        assert_eq!((core.peek(CFSR), core.peek(HFSR)), (cfsr::UNDEFINSTR, hfsr::FORCED));
        assert_eq!(core.frame()[6], MAIN);
    }
}

#[test]
fn a_fault_of_the_same_priority_as_the_handler_escalates() {
    let mut core = firmware(&[NOP]);
    core.poke(SHCSR, ALL_FAULTS);
    core.enable(16, 0);
    core.bus.put(handler(16), &[UDF]);
    core.pend(16);
    core.steps(3);
    assert_eq!((core.registers.ipsr, core.peek(HFSR)), (3, hfsr::FORCED));
}

#[test]
fn an_svc_that_cannot_be_taken_escalates() {
    let mut core = firmware(&[CPSID_I, SVC]);
    core.steps(3);
    assert_eq!((core.registers.ipsr, core.peek(HFSR)), (3, hfsr::FORCED));
    assert_eq!(core.frame()[6], MAIN + 4, "behind the SVC, as on chips");
    core.run_to(MAIN + 4);
    assert_eq!(core.registers.ipsr, 0, "a handler that only returns goes on");
}

#[test]
fn an_svc_that_escalates_in_an_it_block_stacks_the_rest_of_the_block() {
    let mut core = firmware(&[CPSID_I, 0xbf04, SVC, NOP, NOP]); // ITT EQ
    core.registers.apsr = 1 << 30;
    core.steps(4);
    let [.., address, xpsr] = core.frame();
    assert_eq!((core.registers.ipsr, address), (3, MAIN + 6));
    assert_eq!(xpsr >> 8 & 0xfc | xpsr >> 25 & 3, 0x08, "ITSTATE of the last one");
}

#[test]
fn what_acquires_and_releases_must_be_aligned() {
    let armv8 = || Configuration { architecture: Architecture::V8M, ..Configuration::default() };
    // LDA R1, [R2]; STL R1, [R2]; LDAH R1, [R2]; LDAB R1, [R2].
    let cases = [(0xe8d2, 0x1faf, 2), (0xe8c2, 0x1faf, 1), (0xe8d2, 0x1f9f, 1)];
    for (first, second, off) in cases {
        let mut core = firmware_on(armv8(), &[first, second]);
        core.registers.r[2] = DATA + off;
        core.steps(2);
        assert_eq!((core.registers.ipsr, core.peek(CFSR)), (3, cfsr::UNALIGNED), "{second:#x}");
    }
    let mut core = firmware_on(armv8(), &[0xe8c2, 0x1faf, 0xe8d2, 0x3faf, 0xe8d2, 0x4f8f]);
    (core.registers.r[1], core.registers.r[2]) = (0x1234_5678, DATA);
    core.steps(3);
    assert_eq!((core.registers.r[3], core.registers.r[4]), (0x1234_5678, 0x78));
}

#[test]
fn a_fault_in_hard_fault_locks_up_until_nmi() {
    let mut core = firmware(&[UDF]);
    core.bus.put(handler(3), &[UDF]);
    assert_eq!(core.run_to_halt(), Halt::Lockup);
    assert!(core.is_locked_up());
    assert_eq!(core.registers.r[15], handler(3), "where it happened");
    assert_eq!(core.step(), Some(Halt::Lockup));
    core.pend(2);
    core.steps(1);
    assert_eq!((core.registers.ipsr, core.frame()[6]), (2, 0xffff_fffe));
}

#[test]
fn a_fault_in_nmi_and_under_faultmask_locks_up() {
    let mut core = firmware(&[NOP]);
    core.bus.put(handler(2), &[SVC]);
    core.pend(2);
    assert_eq!(core.run_to_halt(), Halt::Lockup);
    let mut core = firmware(&[CPSID_F, UDF]);
    assert_eq!(core.run_to_halt(), Halt::Lockup);
}

#[test]
fn bfhfnmign_lets_a_hard_fault_handler_probe_memory() {
    for ignored in [true, false] {
        let mut core = firmware(&[UDF]);
        core.bus.put(handler(3), &[LOAD, NOP, NOP]);
        core.poke(CCR, if ignored { 0x300 } else { 0x200 });
        core.registers.r[0] = 0x6000_0000;
        core.registers.r[1] = 5;
        core.steps(3);
        assert_eq!(core.is_locked_up(), !ignored);
        assert_eq!(core.peek(CFSR) & cfsr::PRECISERR, cfsr::PRECISERR);
        assert_eq!(core.registers.r[1], if ignored { 0 } else { 5 });
    }
}

#[test]
fn the_status_registers_are_cleared_by_writing_ones() {
    let mut core = firmware(&[UDF]);
    core.steps(2);
    core.poke(CFSR, cfsr::INVPC);
    assert_eq!(core.peek(CFSR), cfsr::UNDEFINSTR);
    assert_eq!(core.poke_private(CFSR + 2, Size::Half, 1), Some(Ok(())));
    assert_eq!(core.peek(CFSR), 0);
    core.poke(HFSR, hfsr::FORCED);
    assert_eq!(core.peek(HFSR), 0);
}

#[test]
fn a_program_that_cannot_start_locks_up() {
    let mut core = Processor::new(Configuration::default(), TestBus::new());
    core.configuration.vector_table = 0;
    core.reset();
    core.steps(1);
    assert_eq!(core.run_to_halt(), Halt::Lockup, "no vector has the Thumb bit");
    let configuration = Configuration { vector_table: 0x1000_0000, ..Configuration::default() };
    let mut core = Processor::new(configuration, TestBus::new());
    core.reset();
    assert_eq!(core.step(), Some(Halt::Lockup));
    assert_eq!(core.fault_status().hard, hfsr::VECTTBL);
}

#[test]
fn shcsr_shows_and_changes_what_is_active_and_pending() {
    let mut core = firmware(&[SVC]);
    core.steps(2);
    assert_eq!(core.peek(SHCSR), 1 << 7);
    core.poke(SHCSR, ALL_FAULTS | 1 << 7 | 1 << 11);
    assert!(core.system.exceptions.is_active(15));
    core.poke(SHCSR, ALL_FAULTS | 1 << 14);
    core.steps(2);
    assert_eq!(core.registers.ipsr, 5, "a pending bit that was set is taken");
}
