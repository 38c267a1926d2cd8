//! The private peripherals behind loads and stores, and the paths around them.

use super::*;
use crate::processor::system::scb::cfsr;

#[test]
fn identification() {
    let core = firmware(&[NOP]);
    assert_eq!(core.peek(0xe000_ed00), 0x412f_c230);
    assert_eq!(core.peek(0xe000_e004), 7, "240 interrupts in 8 words");
    assert_eq!(core.peek(0xe000_ed90), 0x800);
    assert_eq!(core.peek(0xe00f_f000), 0xfff0_f003);
    assert_eq!(core.peek(0xe000_effc), 0xb1);
    assert_eq!(core.peek_private(0x2000_0000, Size::Word), None);
}

#[test]
fn enable_pend_and_active_registers_cover_every_interrupt_and_no_more() {
    let configuration = Configuration { interrupts: 43, ..Configuration::default() };
    let mut core = firmware_on(configuration, &[NOP]);
    for word in 0..8 {
        core.poke(ISER + 4 * word, u32::MAX);
        core.poke(ISPR + 4 * word, u32::MAX);
    }
    let expected = [u32::MAX, 0x7ff, 0, 0, 0, 0, 0, 0];
    assert_eq!([0, 1, 2, 3, 4, 5, 6, 7].map(|word| core.peek(ISER + 4 * word)), expected);
    assert_eq!([0, 1, 2, 3, 4, 5, 6, 7].map(|word| core.peek(ISPR + 4 * word)), expected);
    core.poke(ICER + 4, 0x400);
    core.poke(ICPR, 0x8000_0001);
    assert_eq!(core.peek(ICER + 4), 0x3ff);
    assert_eq!(core.peek(ICPR), 0x7fff_fffe);
    core.poke(0xe000_e4e8, u32::MAX);
    assert_eq!(core.peek(0xe000_e4e8), 0, "no priority without an interrupt");
}

#[test]
fn priorities_are_bytes_halfwords_or_words() {
    let mut core = firmware(&[NOP]);
    assert_eq!(core.poke_private(IPR + 1, Size::Byte, 0x55), Some(Ok(())));
    assert_eq!(core.poke_private(IPR + 2, Size::Half, 0x7766), Some(Ok(())));
    assert_eq!(core.poke_private(0xe000_e5ef, Size::Byte, 0x55), Some(Ok(())));
    assert_eq!(core.peek(0xe000_e5ec), 0, "no core has so many interrupts");
    assert_eq!(core.peek(IPR), 0x7766_5500);
    assert_eq!(core.peek_private(IPR + 3, Size::Byte), Some(0x77));
    assert_eq!(core.poke_private(SHPR + 7, Size::Byte, 0x40), Some(Ok(())));
    assert_eq!(core.peek(SHPR + 4), 0x4000_0000);
    assert_eq!(core.system.exceptions.priority_of(11), 0x40);
}

#[test]
fn other_registers_refuse_parts() {
    let mut core = firmware(&[0x8001, NOP]); // STRH R1, [R0]
    core.poke(SHCSR, ALL_FAULTS);
    core.registers.r[0] = AIRCR;
    core.steps(2);
    assert_eq!((core.registers.ipsr, core.peek(0xe000_ed38)), (5, AIRCR));
}

#[test]
fn unprivileged_code_gets_a_bus_fault_except_for_a_permitted_trigger() {
    for (permitted, exception) in [(false, 5), (true, 21)] {
        let mut core = firmware(&[STORE, NOP, NOP]);
        core.poke(SHCSR, ALL_FAULTS);
        core.poke(ISER, 1 << 5);
        core.poke(CCR, if permitted { 0x202 } else { 0x200 });
        core.registers.unprivileged_thread = true;
        (core.registers.r[0], core.registers.r[1]) = (0xe000_ef00, 5);
        core.run_to(handler(exception));
    }
    let mut core = firmware(&[LOAD]);
    core.poke(SHCSR, ALL_FAULTS);
    core.registers.unprivileged_thread = true;
    core.registers.r[0] = ICSR;
    core.steps(2);
    assert_eq!(core.peek(CFSR), cfsr::PRECISERR | cfsr::BFARVALID);
}

#[test]
fn bit_band_aliases_are_single_bits() {
    let mut core = firmware(&[LOAD, STORE, STORE, NOP]);
    core.bus.put_words(DATA + 0x40, &[0x0000_0210]);
    core.registers.r[0] = 0x2200_0000 + 0x41 * 32 + 4; // bit 1 of byte 0x41
    core.steps(1);
    assert_eq!(core.registers.r[1], 1);
    core.registers.r[1] = 0xfffe;
    core.steps(1);
    assert_eq!(core.bus.word(DATA + 0x40), 0x10);
    core.registers.r[1] = 0x0001;
    core.steps(1);
    assert_eq!(core.bus.word(DATA + 0x40), 0x210);
}

#[test]
fn bit_band_aliases_are_nothing_special_where_there_are_none() {
    let configuration = Configuration { bit_banding: false, ..Configuration::default() };
    let mut core = firmware_on(configuration, &[LOAD]);
    core.registers.r[0] = 0x2200_0000;
    core.steps(1);
    assert_eq!(core.peek(CFSR), cfsr::PRECISERR | cfsr::BFARVALID);
}

#[test]
fn an_unaligned_access_is_split_as_the_bus_needs_it() {
    use Size::{Byte, Half};
    for (offset, parts) in [
        (1, vec![(1, Byte), (2, Half), (4, Byte)]),
        (2, vec![(2, Half), (4, Half)]),
        (3, vec![(3, Byte), (4, Half), (6, Byte)]),
    ] {
        let mut core = firmware(&[STORE]);
        core.registers.r[0] = DATA + offset;
        core.registers.r[1] = 0x4433_2211;
        core.bus.accesses.clear();
        core.steps(1);
        let seen: Vec<_> =
            core.bus.accesses.iter().map(|&(address, size, _)| (address - DATA, size)).collect();
        assert_eq!(seen, parts);
        core.registers.r[15] = MAIN;
        assert_eq!(
            core.bus.word(DATA) >> (8 * offset),
            0x4433_2211 << (8 * offset) >> (8 * offset)
        );
    }
}

#[test]
fn systick_counts_while_instructions_run_and_countflag_clears_on_a_load() {
    let mut core = firmware(&[NOP, NOP, NOP, NOP, NOP, NOP, LOAD, LOAD, NOP]);
    core.poke(SYST_RVR, 2);
    core.poke(SYST_CSR, 5);
    core.registers.r[0] = SYST_CSR;
    core.steps(7);
    assert_eq!(core.registers.r[1], 0x1_0005);
    core.poke(SYST_RVR, 1000);
    core.poke(SYST_CSR + 8, 0);
    core.steps(1);
    assert_eq!(core.registers.r[1], 5);
}

#[test]
fn the_cycle_counter_is_read_at_the_cycle_of_the_access() {
    let mut core = firmware(&[LOAD, 0x6802, NOP]); // LDR R2, [R0]
    core.poke(0xe000_edfc, 1 << 24);
    core.poke(0xe000_1000, 1);
    core.registers.r[0] = 0xe000_1004;
    core.steps(1);
    let between = core.pipeline.now();
    core.steps(1);
    let elapsed = (core.pipeline.now() - between) as u32;
    assert_eq!(core.registers.r[2] - core.registers.r[1], elapsed);
}

#[test]
fn a_store_into_code_is_executed() {
    let mut core = firmware(&[NOP, STORE, 0x2005, 0xe7fb]); // MOVS R0, #5; B MAIN
    core.registers.r[0] = MAIN;
    core.steps(1);
    core.registers.r[1] = 0x6001_2207; // MOVS R2, #7; STR R1, [R0]
    core.steps(3);
    assert_eq!(core.registers.r[15], MAIN);
    core.steps(1);
    assert_eq!(core.registers.r[2], 7);
}

#[test]
fn vectclractive_and_vectreset_and_sysresetreq() {
    let mut core = firmware(&[NOP]);
    core.enable(16, 0);
    core.pend(16);
    core.steps(1);
    core.poke(AIRCR, 0x05fa_0002);
    assert_eq!(core.system.exceptions.active_count(), 0);
    core.poke(AIRCR, 0x05fa_0001);
    core.steps(1);
    assert_eq!((core.registers.r[15], core.registers.ipsr), (MAIN, 0));
    assert_eq!(core.peek(ISER), 0);
    core.poke(AIRCR, 0x05fa_0004);
    assert_eq!(core.step(), Some(Halt::ResetRequested));
}

#[test]
fn the_console_collects_what_is_written() {
    let mut core = firmware(&[STORE, 0x7001, NOP]); // STRB R1, [R0]
    core.poke(0xe000_0e80, 1);
    core.poke(0xe000_0e00, 1);
    core.registers.r[0] = 0xe000_0000;
    core.registers.r[1] = u32::from_le_bytes(*b"text");
    core.steps(2);
    let bytes: Vec<u8> = core.system.itm.take_output().into_iter().map(|(_, byte)| byte).collect();
    assert_eq!(bytes, b"textt");
}

#[test]
fn a_restored_snapshot_goes_on_exactly_alike() {
    let mut core = firmware(&[STORE, 0x3201, WFI, 0x3201, 0xe7fa]);
    core.enable(16, 0);
    (core.registers.r[0], core.registers.r[1]) = (ISPR, 1);
    core.steps(2);
    let snapshot = core.clone();
    let trace = |core: &mut Core| {
        let one = |core: &mut Core| {
            let halt = core.step();
            (halt, core.registers.r, core.registers.xpsr(), core.pipeline.now())
        };
        (0..60).map(|_| one(core)).collect::<Vec<_>>()
    };
    let undisturbed = trace(&mut core);
    let mut fresh = snapshot.clone();
    assert_eq!(trace(&mut fresh), undisturbed);
    core.bus.put(MAIN + 2, &[NOP]);
    core.flush_decoded();
    trace(&mut core);
    core.clone_from(&snapshot);
    assert_eq!(trace(&mut core), undisturbed);
}
