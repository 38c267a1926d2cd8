//! Exception entry: the stacked words, their place and order, and the handler that runs.

use super::*;
use crate::processor::system::scb::{cfsr, hfsr};

#[test]
fn the_frame_is_r0_to_r3_r12_lr_pc_xpsr() {
    let mut core = firmware(&[NOP, NOP]);
    core.enable(16, 0);
    for register in [0, 1, 2, 3, 12, 14] {
        core.registers.r[register] = 0x1000 + register as u32;
    }
    core.registers.apsr = 0xa000_0000;
    core.steps(1);
    core.pend(16);
    core.steps(1);
    assert_eq!(core.registers.r[13], STACK - 32);
    let expected = [0x1000, 0x1001, 0x1002, 0x1003, 0x100c, 0x100e, MAIN + 2, 0xa100_0000];
    assert_eq!(core.frame(), expected);
    assert_eq!(core.registers.r[15], handler(16));
    assert_eq!(core.registers.r[14], 0xffff_fff9);
    assert_eq!(core.registers.ipsr, 16);
    assert!(!core.system.exceptions.is_pending(16) && core.system.exceptions.is_active(16));
}

#[test]
fn pc_and_xpsr_are_stacked_first_and_the_vector_is_read_last() {
    let mut core = firmware(&[NOP]);
    core.enable(16, 0);
    core.pend(16);
    core.bus.accesses.clear();
    core.steps(1);
    let addresses: Vec<u32> = core.bus.accesses.iter().map(|access| access.0).collect();
    let frame = STACK - 32;
    let expected = [24, 28, 0, 4, 8, 12, 16, 20].map(|offset| frame + offset);
    assert_eq!(addresses[..8], expected);
    assert_eq!(addresses[8..], [4 * 16]);
}

#[test]
fn stkalign_pads_the_frame_to_eight_bytes() {
    for (aligned, stack, bit) in [(true, STACK - 4 - 36, 1), (false, STACK - 4 - 32, 0)] {
        let configuration = Configuration { stack_alignment: aligned, ..Configuration::default() };
        let mut core = firmware_on(configuration, &[NOP, NOP]);
        assert_eq!(core.peek(CCR) >> 9 & 1, u32::from(aligned));
        core.enable(16, 0);
        core.registers.r[13] = STACK - 4;
        core.pend(16);
        core.steps(1);
        assert_eq!(core.registers.r[13], stack);
        assert_eq!(core.frame()[7] >> 9 & 1, bit);
        core.run_to(MAIN);
        assert_eq!(core.registers.r[13], STACK - 4, "the return undoes it");
    }
}

#[test]
fn a_thread_on_the_process_stack_is_stacked_there() {
    let mut core = firmware(&[NOP, NOP]);
    core.enable(16, 0);
    core.registers.set_process_stack_pointer(DATA + 0x800);
    core.registers.select_stack(true);
    core.pend(16);
    core.steps(1);
    assert_eq!(core.registers.r[14], 0xffff_fffd);
    assert_eq!(core.registers.r[13], STACK);
    assert_eq!(core.registers.process_stack_pointer(), DATA + 0x800 - 32);
    assert_eq!(core.registers.control(), 0, "a handler is on the main stack");
    core.run_to(MAIN);
    assert_eq!(core.registers.r[13], DATA + 0x800);
    assert_eq!(core.registers.control(), 2);
}

#[test]
fn exactly_one_instruction_completes_behind_a_pending_store() {
    let mut core = firmware(&[STORE, 0x3201, 0x3201, 0x3201]); // ADDS R2, #1
    core.enable(16, 0);
    (core.registers.r[0], core.registers.r[1]) = (ISPR, 1);
    core.run_to(handler(16));
    assert_eq!(core.registers.r[2], 1);
    assert_eq!(core.frame()[6], MAIN + 4);
}

#[test]
fn back_to_back_pending_stores_do_not_put_the_exception_off() {
    let mut core = firmware(&[STORE, STORE, STORE, STORE]);
    core.enable(16, 0);
    (core.registers.r[0], core.registers.r[1]) = (ISPR, 1);
    core.run_to(handler(16));
    assert_eq!(core.frame()[6], MAIN + 4);
}

#[test]
fn the_exception_behind_a_pending_store_comes_before_a_breakpoint_halts() {
    let mut core = firmware(&[STORE, BKPT]);
    core.attach_debugger(true);
    core.enable(16, 0);
    (core.registers.r[0], core.registers.r[1]) = (ISPR, 1);
    core.run_to(handler(16));
    assert_eq!(core.frame()[6], MAIN + 2);
    assert_eq!(core.run_to_halt(), Halt::Breakpoint { immediate: 7 });
    assert_eq!(core.registers.r[15], MAIN + 2);
}

#[test]
fn a_wfi_behind_a_pending_store_completes_first() {
    let mut core = firmware(&[STORE, WFI, NOP]);
    core.enable(16, 0);
    (core.registers.r[0], core.registers.r[1]) = (ISPR, 1);
    core.run_to(handler(16));
    assert_eq!(core.frame()[6], MAIN + 4);
}

#[test]
fn a_more_urgent_exception_that_arrives_while_stacking_takes_over() {
    let mut core = firmware(&[NOP, NOP, NOP]);
    core.enable(16, 0x80);
    core.enable(17, 0x40);
    core.pend(16);
    core.bus.schedule = vec![(core.pipeline.now() + 4, lines(&[1]))];
    core.plan_next_event();
    core.steps(1);
    assert_eq!(core.registers.ipsr, 17);
    assert_eq!(core.registers.r[13], STACK - 32, "there is only one frame");
    let kinds = core.event_kinds();
    let over = |kind: &EventKind| match *kind {
        EventKind::Enter { late_arrival_over, .. } => late_arrival_over,
        _ => None,
    };
    assert_eq!(kinds.iter().find_map(over), Some(16));
    core.bus.lines = lines(&[]);
    core.advance_devices(core.pipeline.now());
    core.run_to(MAIN);
    assert_eq!(core.entries(), [(16, true)]);
}

#[test]
fn a_less_urgent_one_that_arrives_while_stacking_waits() {
    let mut core = firmware(&[NOP, NOP, NOP]);
    core.enable(16, 0x40);
    core.enable(17, 0x80);
    core.pend(16);
    core.bus.schedule = vec![(core.pipeline.now() + 4, lines(&[1]))];
    core.plan_next_event();
    core.steps(1);
    assert_eq!(core.registers.ipsr, 16);
    assert!(core.system.exceptions.is_pending(17));
}

#[test]
fn an_it_block_goes_on_behind_the_handler() {
    // MOVS R0, #0; ITTE EQ; MOVEQ R1, #1; MOVEQ R2, #2; MOVNE R3, #3
    let mut core = firmware(&[0x2000, 0xbf06, 0x2101, 0x2202, 0x2303, NOP]);
    core.enable(16, 0);
    core.steps(3);
    core.pend(16);
    core.steps(1);
    let stacked = core.frame()[7];
    assert_ne!(stacked & 0x0600_fc00, 0, "ITSTATE is in the frame");
    assert_eq!(core.registers.itstate, 0, "the handler is not in the block");
    core.run_to(MAIN + 10);
    assert_eq!(core.registers.r[1..4], [1, 2, 0]);
}

#[test]
fn an_interrupted_load_multiple_goes_on_where_it_stopped() {
    let mut core = firmware(&[0xc8fe, NOP]); // LDMIA R0!, {R1-R7}
    core.enable(16, 0);
    core.registers.r[0] = DATA;
    core.bus.put_words(DATA, &[11, 12, 13, 14, 15, 16, 17]);
    core.bus.schedule = vec![(core.pipeline.now() + 3, lines(&[0]))];
    core.plan_next_event();
    core.steps(1);
    assert_eq!(core.registers.r[15], MAIN);
    let register = core.registers.ici;
    assert!((2..=7).contains(&register), "stopped at R{register}");
    core.steps(1);
    assert_eq!(core.frame()[7] >> 12 & 15, u32::from(register));
    assert_eq!(core.frame()[6], MAIN);
    core.bus.lines = lines(&[]);
    core.advance_devices(core.pipeline.now());
    core.bus.accesses.clear();
    core.run_to(MAIN + 2);
    assert_eq!(core.registers.r[1..8], [11, 12, 13, 14, 15, 16, 17]);
    assert_eq!(core.registers.r[0], DATA + 28);
    let first_again = core.bus.accesses.iter().any(|access| access.0 == DATA);
    assert!(!first_again, "what was loaded is not loaded again");
}

#[test]
fn armv6m_starts_an_interrupted_load_multiple_over() {
    let mut core = firmware_on(armv6m(), &[0xc8fe, NOP]);
    core.enable(16, 0);
    core.registers.r[0] = DATA;
    core.bus.schedule = vec![(core.pipeline.now() + 3, lines(&[0]))];
    core.plan_next_event();
    core.steps(1);
    assert_eq!((core.registers.r[15], core.registers.ici), (MAIN, 0));
    core.steps(1);
    assert_eq!(core.frame()[7], 0x0100_0000);
}

#[test]
fn stacking_into_nothing_is_a_bus_fault_with_stkerr() {
    let mut core = firmware(&[NOP]);
    core.poke(SHCSR, ALL_FAULTS);
    core.enable(16, 0x80);
    core.registers.r[13] = 0x2100_0020;
    core.pend(16);
    core.steps(1);
    assert_eq!(core.registers.ipsr, 5, "the more urgent of the two comes first");
    assert_eq!(core.peek(CFSR), cfsr::STKERR);
    assert!(core.system.exceptions.is_pending(16));
    assert_eq!(core.registers.r[13], 0x2100_0000, "the stack pointer has moved all the same");
}

#[test]
fn the_original_comes_first_when_it_is_more_urgent_than_its_stacking_fault() {
    let mut core = firmware(&[NOP]);
    core.poke(SHCSR, ALL_FAULTS);
    core.poke(SHPR, 0x0000_c000);
    core.enable(16, 0x40);
    core.registers.r[13] = 0x2100_0020;
    core.pend(16);
    core.steps(1);
    assert_eq!(core.registers.ipsr, 16);
    assert!(core.system.exceptions.is_pending(5));
}

#[test]
fn a_stacking_fault_without_its_handler_escalates() {
    let mut core = firmware(&[NOP]);
    core.enable(16, 0);
    core.registers.r[13] = 0x2100_0020;
    core.pend(16);
    core.steps(1);
    assert_eq!(core.registers.ipsr, 3);
    assert_eq!(core.peek(HFSR), hfsr::FORCED);
    assert_eq!(core.peek(CFSR), cfsr::STKERR);
}

#[test]
fn a_vector_that_cannot_be_read_is_a_hard_fault() {
    let mut core = firmware(&[NOP]);
    core.enable(16, 0);
    core.system.scb.vector_table = 0x1000_0000;
    core.pend(16);
    core.steps(1);
    assert_eq!(core.peek(HFSR), hfsr::VECTTBL);
    assert!(core.is_locked_up(), "the vector of HardFault cannot be read either");
    assert_eq!(core.step(), Some(Halt::Lockup));
}

#[test]
fn a_vector_without_the_thumb_bit_faults_in_the_handler() {
    let mut core = firmware(&[NOP]);
    core.enable(16, 0x80);
    core.poke(SHCSR, ALL_FAULTS);
    core.bus.put_words(4 * 16, &[handler(16)]);
    core.pend(16);
    core.steps(3);
    assert_eq!(core.registers.ipsr, 6);
    assert_eq!(core.peek(CFSR), cfsr::INVSTATE);
    assert_eq!(core.frame()[6], handler(16));
    assert_eq!(core.frame()[7] & 0x0100_01ff, 16);
}

#[test]
fn the_vector_table_can_be_moved() {
    let mut core = firmware(&[NOP]);
    core.enable(16, 0);
    core.poke(0xe000_ed08, DATA + 0x285);
    assert_eq!(core.peek(0xe000_ed08), DATA + 0x280);
    core.bus.put_words(DATA + 0x280 + 64, &[handler(20) | 1]);
    core.pend(16);
    core.steps(1);
    assert_eq!((core.registers.r[15], core.registers.ipsr), (handler(20), 16));
}

#[test]
fn entry_and_return_clear_the_exclusive_monitor() {
    for boundary in [0, 1] {
        let mut core = firmware(&[0xe850, 0x1f00, 0xe840, 0x1200, NOP]); // LDREX, STREX
        core.enable(16, 0);
        core.registers.r[0] = DATA;
        core.steps(1);
        if boundary == 0 {
            core.pend(16);
        }
        core.run_to(MAIN + 8);
        assert_eq!(core.registers.r[2], 1 - boundary, "1 is failure");
    }
}
