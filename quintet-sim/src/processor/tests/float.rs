//! The floating-point context on exceptions: the permission to use the unit, and the registers that
//! are saved, and when.

use super::*;
use crate::processor::instruction::float::FloatUnit;
use crate::processor::system::scb::{cfsr, hfsr};
use crate::processor::testing::cortex_m4f;

const CPACR: u32 = 0xe000_ed88;
const FPCCR: u32 = 0xe000_ef34;
const FPCAR: u32 = 0xe000_ef38;
const FPDSCR: u32 = 0xe000_ef3c;
const FULL_ACCESS: u32 = 0xf << 20;
const LSPACT: u32 = 1;
const LAZY: u32 = 3 << 30;
const AT_ONCE: u32 = 1 << 31;
/// A frame with the context.
const EXTENDED: u32 = 104;
/// VADD.F32 S0, S1, S2.
const VADD: [u16; 2] = [0xee30, 0x0a81];
const ONE: u32 = 0x3f80_0000;

/// A Cortex-M4F whose code may use the unit, with S0 to S31 numbered, and interrupt 0 enabled.
fn with_unit(program: &[u16], control: u32) -> Core {
    let mut core = firmware_on(cortex_m4f(), program);
    core.poke(CPACR, FULL_ACCESS);
    core.poke(FPCCR, control);
    core.enable(16, 0x80);
    core.registers.float.s = std::array::from_fn(|index| index as u32 + 0x100);
    core
}

/// In the handler of interrupt 0, entered from the code behind one VADD.
fn in_handler(control: u32, its_code: &[u16]) -> Core {
    let mut core = with_unit(&[&VADD[..], &[NOP, NOP]].concat(), control);
    core.bus.put(handler(16), its_code);
    core.registers.float.s[1] = ONE;
    core.registers.float.s[2] = ONE;
    core.steps(1);
    core.registers.float.fpscr = 0xa000_0010;
    core.pend(16);
    core.bus.accesses.clear();
    core.steps(1);
    assert_eq!(core.registers.ipsr, 16);
    core
}

fn saved(core: &mut Core) -> [u32; 17] {
    let frame = STACK - EXTENDED + 32;
    std::array::from_fn(|index| core.bus.word(frame + 4 * index as u32))
}

#[test]
fn the_unit_is_off_until_cpacr_allows_it() {
    let mut core = firmware_on(cortex_m4f(), &VADD);
    core.poke(SHCSR, ALL_FAULTS);
    core.steps(2);
    assert_eq!((core.registers.ipsr, core.peek(CFSR)), (6, cfsr::NOCP));
    assert_eq!(core.peek(0xe000_ef40), 0x1011_0021);
    let mut core = with_unit(&VADD, LAZY);
    core.poke(CPACR, 0x5 << 20);
    core.registers.unprivileged_thread = true;
    core.steps(2);
    assert_eq!(core.peek(CFSR), cfsr::NOCP, "for privileged code only");
}

#[test]
fn without_a_unit_there_is_nothing_to_allow() {
    let configuration = Configuration { floating_point: FloatUnit::None, ..cortex_m4f() };
    for configuration in [configuration, Configuration::default()] {
        let mut core = firmware_on(configuration, &VADD);
        for register in [CPACR, FPCCR, FPCAR, FPDSCR] {
            core.poke(register, u32::MAX);
            assert_eq!(core.peek(register), 0, "{register:#x}");
        }
        assert_eq!(core.peek(0xe000_ef40), 0);
        core.poke(SHCSR, ALL_FAULTS);
        core.steps(2);
        assert_eq!(core.peek(CFSR), cfsr::NOCP);
    }
}

#[test]
fn a_cortex_m3_lacks_the_dsp_instructions_and_their_flags() {
    for (configuration, ipsr) in [(Configuration::default(), 3), (cortex_m4f(), 0)] {
        // MSR APSR_nzcvqg, R0; SADD16 R0, R1, R2
        let mut core = firmware_on(configuration, &[0xf380, 0x8c00, 0xfa91, 0xf002, NOP]);
        core.registers.r[0] = u32::MAX;
        core.steps(1);
        assert_eq!(core.registers.apsr, configuration.flags_mask());
        core.steps(2);
        assert_eq!(core.registers.ipsr, ipsr);
    }
}

#[test]
fn the_first_use_begins_a_context_with_the_default_modes() {
    let mut core = with_unit(&[&VADD[..], &VADD].concat(), LAZY);
    core.poke(FPDSCR, u32::MAX);
    assert_eq!(core.peek(FPDSCR), 0x07c0_0000);
    core.registers.float.fpscr = 0x2000_0000;
    core.steps(1);
    assert_eq!(core.registers.float.fpscr & 0x27c0_0000, 0x27c0_0000);
    assert_eq!(core.registers.control(), 4);
    core.registers.float.fpscr = 0;
    core.steps(1);
    assert_eq!(core.registers.float.fpscr & 0x07c0_0000, 0, "the context is there already");
    let mut core = with_unit(&VADD, 0);
    core.steps(1);
    assert_eq!(core.registers.control(), 0, "ASPEN is clear");
}

#[test]
fn saving_is_put_off_and_never_done_when_the_handler_does_not_use_the_unit() {
    let mut core = in_handler(LAZY, &[NOP, BX_LR]);
    assert_eq!(core.registers.r[14], 0xffff_ffe9);
    assert_eq!((core.registers.r[13], core.registers.control()), (STACK - EXTENDED, 0));
    assert_eq!(core.bus.accesses.len(), 9, "eight words and the vector");
    assert_eq!(core.peek(FPCAR), STACK - EXTENDED + 32);
    // Thread mode, and every fault could have been taken but those that are not enabled.
    assert_eq!(core.peek(FPCCR), LAZY | 1 << 4 | 1 << 3 | LSPACT);
    core.run_to(MAIN + 4);
    assert_eq!(core.peek(FPCCR) & LSPACT, 0);
    assert_eq!((core.registers.r[13], core.registers.control()), (STACK, 4));
    assert_eq!(core.registers.float.s[0], 0x4000_0000);
    assert_eq!(core.registers.float.fpscr, 0xa000_0010);
    assert_eq!(saved(&mut core), [0; 17], "nothing was ever written");
}

#[test]
fn the_first_use_in_the_handler_saves_and_the_return_restores() {
    // VADD S0, S1, S2; VSUB.F32 S1, S1, S1; BX LR
    let mut core = in_handler(LAZY, &[VADD[0], VADD[1], 0xee70, 0x0ae0, BX_LR]);
    core.registers.float.s[2] = 0x4000_0000;
    core.steps(2);
    let memory = saved(&mut core);
    assert_eq!((memory[0], memory[3], memory[15]), (0x4000_0000, 0x103, 0x10f));
    assert_eq!(memory[16], 0xa000_0010);
    assert_eq!(core.peek(FPCCR) & LSPACT, 0);
    assert_eq!(core.registers.control(), 4, "the handler has a context of its own");
    assert_eq!(core.registers.float.s[..2], [0x4040_0000, 0]);
    core.run_to(MAIN + 4);
    assert_eq!(core.registers.float.s[..2], [0x4000_0000, ONE]);
    assert_eq!(core.registers.float.fpscr, 0xa000_0010);
    assert_eq!(core.registers.float.s[16], 0x110, "the upper half is the program's to save");
}

#[test]
fn without_lspen_all_is_saved_at_once() {
    let mut core = in_handler(AT_ONCE, &[NOP, BX_LR]);
    assert_eq!(core.bus.accesses.len(), 8 + 17 + 1);
    assert_eq!(core.peek(FPCCR), AT_ONCE);
    let memory = saved(&mut core);
    assert_eq!((memory[0], memory[15], memory[16]), (0x4000_0000, 0x10f, 0xa000_0010));
    core.registers.float.s = [0; 32];
    core.run_to(MAIN + 4);
    assert_eq!(core.registers.float.s[..2], [0x4000_0000, ONE]);
    assert_eq!(core.registers.r[13], STACK);
}

#[test]
fn entry_takes_17_cycles_more_when_all_is_saved_at_once() {
    let entry = |control| {
        let mut core = with_unit(&[VADD[0], VADD[1], NOP, NOP], control);
        core.steps(2);
        core.pend(16);
        let before = core.pipeline.now();
        core.steps(1);
        core.pipeline.now() - before
    };
    assert_eq!(entry(AT_ONCE) - entry(LAZY), 17);
}

#[test]
fn a_frame_with_the_context_is_always_aligned() {
    let configuration = Configuration { stack_alignment: false, ..cortex_m4f() };
    let mut core = firmware_on(configuration, &[VADD[0], VADD[1], NOP, NOP]);
    core.poke(CPACR, FULL_ACCESS);
    core.enable(16, 0);
    core.registers.r[13] = STACK - 4;
    core.steps(1);
    core.pend(16);
    core.steps(1);
    assert_eq!(core.registers.r[13], STACK - 8 - EXTENDED);
    assert_eq!(core.frame()[7] >> 9 & 1, 1);
    core.run_to(MAIN + 4);
    assert_eq!(core.registers.r[13], STACK - 4);
}

#[test]
fn an_interrupt_between_keeps_what_is_put_off() {
    let mut core = in_handler(LAZY, &[NOP, NOP, BX_LR]);
    core.enable(17, 0);
    core.bus.put(handler(17), &[VADD[0], VADD[1], BX_LR]);
    core.pend(17);
    core.steps(1);
    assert_eq!(core.registers.r[14], 0xffff_fff1, "the first handler has no context");
    assert_eq!(core.peek(FPCCR) & LSPACT, LSPACT);
    core.steps(1);
    assert_eq!(saved(&mut core)[3], 0x103, "it goes to the frame that it belongs to");
    core.registers.float.s = [0; 32];
    core.run_to(MAIN + 4);
    assert_eq!(core.registers.float.s[3], 0x103);
}

#[test]
fn a_fault_on_late_saving_is_taken_as_it_would_have_been_at_the_entry() {
    let mut core = with_unit(&[VADD[0], VADD[1], NOP], LAZY);
    core.poke(SHCSR, ALL_FAULTS);
    core.bus.put(handler(16), &[VADD[0], VADD[1], BX_LR]);
    core.steps(1);
    core.pend(16);
    core.steps(1);
    core.poke(FPCAR, 0x2100_0000);
    core.steps(2);
    assert_eq!((core.registers.ipsr, core.peek(CFSR)), (5, cfsr::LSPERR));
    assert_eq!(core.frame()[6], handler(16), "the instruction starts over behind it");
    assert_eq!(core.peek(FPCCR) & LSPACT, LSPACT);
    core.poke(FPCAR, STACK - EXTENDED + 32);
    core.run_to(MAIN + 4);
    assert_eq!(core.registers.ipsr, 0);
}

#[test]
fn an_interrupt_in_the_middle_of_late_saving_comes_first_and_saving_starts_over() {
    let mut core = in_handler(LAZY, &[VADD[0], VADD[1], BX_LR]);
    core.enable(17, 0);
    core.bus.put(handler(17), &[VADD[0], VADD[1], BX_LR]);
    core.bus.accesses.clear();
    core.bus.schedule = vec![(core.pipeline.now() + 6, lines(&[1]))];
    core.plan_next_event();
    core.run_to(handler(17));
    let frame = STACK - EXTENDED + 32;
    let written = |core: &Core, word: u32| {
        core.bus.accesses.iter().filter(|access| access.0 == frame + 4 * word).count()
    };
    assert_eq!((written(&core, 0), written(&core, 16)), (1, 0), "it was under way");
    assert_eq!(core.peek(FPCCR) & LSPACT, LSPACT, "and is still to be done");
    assert_eq!(core.frame()[6], handler(16), "by the instruction that has not been executed");
    core.bus.lines = lines(&[]);
    core.advance_devices(core.pipeline.now());
    core.steps(1);
    assert_eq!(core.peek(FPCCR) & LSPACT, 0, "the other handler does it");
    assert_eq!((written(&core, 0), written(&core, 16)), (2, 1));
    assert_eq!((saved(&mut core)[3], saved(&mut core)[16]), (0x103, 0xa000_0010));
    core.registers.float.s = [0; 32];
    core.run_to(MAIN + 4);
    assert_eq!((core.registers.float.s[3], core.registers.float.fpscr), (0x103, 0xa000_0010));
}

#[test]
fn late_saving_refused_by_the_protection_unit_is_told_as_such() {
    let mut core = in_handler(LAZY, &[VADD[0], VADD[1], BX_LR]);
    core.poke(SHCSR, ALL_FAULTS);
    core.poke(FPCCR, LAZY | 1 << 5 | 1 << 4 | LSPACT);
    // Region 0: the frame, for nobody; the default map for all else.
    let base = (STACK - EXTENDED + 32) & !127;
    core.poke(0xe000_ed98, 0);
    core.poke(0xe000_ed9c, base);
    core.poke(0xe000_eda0, 1 << 17 | 6 << 1 | 1);
    core.poke(0xe000_ed94, 5);
    core.steps(1);
    assert_eq!(core.peek(CFSR), cfsr::MLSPERR);
    assert_eq!(core.peek(FPCCR) & LSPACT, LSPACT);
}

#[test]
fn who_may_not_use_the_unit_does_not_save_what_was_put_off() {
    let mut core = in_handler(LAZY, &[VADD[0], VADD[1], BX_LR]);
    core.poke(SHCSR, ALL_FAULTS);
    core.poke(CPACR, 0);
    core.steps(2);
    assert_eq!((core.registers.ipsr, core.peek(CFSR)), (6, cfsr::NOCP));
    assert_eq!((core.peek(FPCCR) & LSPACT, saved(&mut core)), (LSPACT, [0; 17]));
    core.poke(CPACR, FULL_ACCESS);
    core.run_to(MAIN + 4);
    assert_eq!(core.registers.float.s[3], 0x103);
}

#[test]
fn what_could_have_been_taken_is_noted_with_whose_state_it_is() {
    const OF_UNPRIVILEGED: u32 = 1 << 1;
    const OF_THREAD: u32 = 1 << 3;
    const READY: u32 = 7 << 4;
    let noted = |prepare: fn(&mut Core)| {
        let mut core = with_unit(&[VADD[0], VADD[1], NOP, NOP], LAZY);
        core.poke(SHCSR, ALL_FAULTS);
        core.enable(16, 0);
        core.steps(1);
        prepare(&mut core);
        core.steps(1);
        core.peek(FPCCR) & !LAZY
    };
    assert_eq!(noted(|core| core.pend(16)), OF_THREAD | READY | LSPACT);
    let unprivileged = |core: &mut Core| {
        core.pend(16);
        core.registers.unprivileged_thread = true;
    };
    assert_eq!(noted(unprivileged), OF_UNPRIVILEGED | OF_THREAD | READY | LSPACT);
    // MemManage is at priority 0x80, and BASEPRI holds it off.
    let masked = |core: &mut Core| {
        core.poke(0xe000_ed18, 0x80);
        core.registers.basepri = 0x40;
        core.pend(16);
    };
    assert_eq!(noted(masked), OF_THREAD | READY & !(1 << 5) | LSPACT);
    // Only the NMI comes under PRIMASK and FAULTMASK; a HardFault under the former.
    let primask = |core: &mut Core| {
        core.registers.primask = true;
        core.pend(2);
    };
    assert_eq!(noted(primask), OF_THREAD | 1 << 4 | LSPACT);
}

/// With interrupt 0 due at any cycle of the instruction, it has its effect once, and the base is
/// written once.
#[test]
fn transfers_of_singles_start_over_wherever_they_are_interrupted() {
    const BYTES: u32 = 64;
    const BACK: u32 = BYTES.wrapping_neg();
    const BASE: u32 = DATA + 0x100;
    // The first halfword, the base before it, and by how much it changes.
    for (first, base, change) in [
        (0xecb0, BASE, BYTES),          // VLDMIA R0!, {S0-S15}
        (0xed30, BASE, BACK),           // VLDMDB R0!, {S0-S15}
        (0xeca0, BASE, BYTES),          // VSTMIA R0!, {S0-S15}
        (0xec80, BASE, 0),              // VSTMIA R0, {S0-S15}
        (0xed2d, STACK, BACK),          // VPUSH {S0-S15}
        (0xecbd, STACK - BYTES, BYTES), // VPOP {S0-S15}
    ] {
        let register = usize::from(first & 15);
        let mut starts_over = 0;
        for delay in 1..40 {
            // VMRS R3, FPSCR; the instruction; B .
            let mut core = with_unit(&[0xeef1, 0x3a10, first, 0x0a10, 0xe7fe], LAZY);
            core.bus.put(handler(16), &[VADD[0], VADD[1], BX_LR]);
            core.registers.r[register] = base;
            let low = if change == BACK { base - BYTES } else { base };
            core.bus.put_words(low, &[7; 16]);
            core.steps(1);
            core.bus.schedule = vec![(core.pipeline.now() + delay, lines(&[0]))];
            core.plan_next_event();
            core.run_to(handler(16));
            starts_over += u32::from(core.frame()[6] == MAIN + 4);
            core.bus.lines = lines(&[]);
            core.advance_devices(core.pipeline.now());
            core.run_to(MAIN + 8);
            let context = format!("{first:#x} interrupted {delay} cycles on");
            assert_eq!(core.registers.r[register], base.wrapping_add(change), "{context}");
            let loads = first >> 4 & 1 == 1;
            for index in 0..16 {
                let single = core.registers.float.s[index as usize];
                assert_eq!(single, if loads { 7 } else { 0x100 + index }, "{context}");
                // Behind a VPOP, the frame may have taken the place of what was loaded.
                if first != 0xecbd {
                    assert_eq!(core.bus.word(low + 4 * index), single, "{context}");
                }
            }
        }
        assert!(starts_over > 5, "{first:#x}: {starts_over}");
    }
}

#[test]
fn saving_is_put_off_also_where_the_rest_of_the_frame_cannot_be_written() {
    const NOWHERE: u32 = 0x1000_0000;
    let mut core = with_unit(&[&VADD[..], &[NOP, NOP]].concat(), LAZY);
    core.poke(SHCSR, ALL_FAULTS);
    core.steps(1);
    core.registers.set_process_stack_pointer(NOWHERE);
    core.registers.select_stack(true);
    core.pend(16);
    core.steps(1);
    assert_eq!((core.registers.ipsr, core.peek(CFSR)), (5, cfsr::STKERR));
    assert_eq!(core.peek(FPCCR) & LSPACT, LSPACT);
    assert_eq!(core.peek(FPCAR), NOWHERE - EXTENDED + 32);
}

#[test]
fn a_fault_on_late_saving_escalates_or_locks_up() {
    for ready in [1 << 4, 0] {
        let mut core = in_handler(LAZY, &[VADD[0], VADD[1], BX_LR]);
        core.poke(FPCCR, LAZY | ready | LSPACT);
        core.poke(FPCAR, 0x2100_0000);
        core.steps(1);
        assert_eq!(core.peek(CFSR), cfsr::LSPERR);
        if ready == 0 {
            assert_eq!(core.step(), Some(Halt::Lockup));
        } else {
            core.steps(1);
            assert_eq!(core.registers.ipsr, 3);
            assert_eq!(core.peek(HFSR), hfsr::FORCED);
        }
    }
}

#[test]
fn a_context_that_may_not_be_saved_is_a_usage_fault() {
    let mut core = with_unit(&[VADD[0], VADD[1], NOP], AT_ONCE);
    core.poke(SHCSR, ALL_FAULTS);
    core.steps(1);
    core.poke(CPACR, 0);
    core.pend(16);
    core.steps(1);
    assert_eq!((core.registers.ipsr, core.peek(CFSR)), (6, cfsr::NOCP));
    assert!(core.system.exceptions.is_pending(16));
}

#[test]
fn a_return_to_a_context_needs_a_unit() {
    for (configuration, ipsr) in [(Configuration::default(), 3), (cortex_m4f(), 0)] {
        let mut core = firmware_on(configuration, &[NOP, NOP]);
        if ipsr == 0 {
            core.poke(CPACR, FULL_ACCESS);
        }
        core.enable(16, 0);
        core.registers.r[13] = STACK - EXTENDED;
        core.pend(16);
        core.steps(1);
        core.registers.r[14] &= !(1 << 4);
        core.steps(2);
        assert_eq!(core.registers.ipsr, ipsr);
    }
}

#[test]
fn an_interrupted_load_of_singles_starts_over() {
    let mut core = with_unit(&[0xecb0, 0x0a10, NOP], LAZY); // VLDMIA R0!, {S0-S15}
    core.bus.put_words(DATA, &[7; 16]);
    core.registers.r[0] = DATA;
    core.bus.schedule = vec![(core.pipeline.now() + 5, lines(&[0]))];
    core.plan_next_event();
    core.run_to(handler(16));
    assert_eq!(core.frame()[6], MAIN);
    assert_eq!(core.registers.r[0], DATA, "the base is written last");
    core.bus.lines = lines(&[]);
    core.advance_devices(core.pipeline.now());
    core.bus.accesses.clear();
    core.run_to(MAIN + 4);
    assert!(core.bus.accesses.iter().any(|access| access.0 == DATA), "from the first word on");
    assert_eq!(
        (core.registers.r[0], core.registers.float.s[..16].to_vec()),
        (DATA + 64, vec![7; 16])
    );
}

#[test]
fn a_copy_has_the_unit_too() {
    let core = in_handler(LAZY, &[VADD[0], VADD[1], BX_LR]);
    let mut copy = core.clone();
    assert_eq!(copy.registers.float, core.registers.float);
    copy.run_to(MAIN + 4);
    let mut again = in_handler(AT_ONCE, &[NOP, BX_LR]);
    again.clone_from(&core);
    again.run_to(MAIN + 4);
    assert_eq!(again.registers.float, copy.registers.float);
    assert_eq!(again.pipeline.now(), copy.pipeline.now());
}
