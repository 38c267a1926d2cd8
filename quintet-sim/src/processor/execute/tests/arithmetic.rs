//! Multiplication, division, saturation, bit fields, extension and reversal.

use super::{apsr, fault, flags, run, with};
use crate::processor::Processor;
use crate::processor::faults::Fault;
use crate::processor::instruction::Size;
use crate::processor::testing::TestBus;

/// The instruction; R1 and R2; R0 after it, from 0xCCCC_CCCC.
type Row = (&'static str, &'static [u16], [u32; 2], u32);

fn check(rows: &[Row]) {
    for (text, code, [r1, r2], r0) in rows {
        let mut processor = with(&[(0, 0xCCCC_CCCC), (1, *r1), (2, *r2), (3, 1000)]);
        processor.registers.apsr = apsr("NzCV");
        run(&mut processor, text, code);
        assert_eq!(processor.registers.r[0], *r0, "{text} of {r1:#x}, {r2:#x}");
        assert_eq!(flags(&processor), "NzCV", "{text}");
    }
}

#[test]
fn products_of_32_bits() {
    check(&[
        ("mul r0, r1, r2", &[0xFB01, 0xF002], [0x1_0001, 0x1_0001], 0x0002_0001),
        ("mla r0, r1, r2, r3", &[0xFB01, 0x3002], [10, 20], 1200),
        ("mls r0, r1, r2, r3", &[0xFB01, 0x3012], [10, 20], 800),
        ("mls r0, r1, r2, r3", &[0xFB01, 0x3012], [1001, 1], 0xFFFF_FFFF),
    ]);
}

#[test]
fn muls_sets_n_and_z_only() {
    let mut processor = with(&[(0, 0), (1, 5)]);
    processor.registers.apsr = apsr("NzCV");
    run(&mut processor, "muls r0, r1, r0", &[0x4348]);
    assert_eq!(flags(&processor), "nZCV");
}

#[test]
fn products_of_64_bits() {
    let long = |text: &str, code: &[u16], x: u32, y: u32| {
        let mut processor = with(&[(0, 0xFFFF_FFFF), (1, 2), (2, x), (3, y)]);
        run(&mut processor, text, code);
        (processor.registers.r[1], processor.registers.r[0])
    };
    let minus_two = 0xFFFF_FFFE;
    assert_eq!(long("umull r0, r1, r2, r3", &[0xFBA2, 0x0103], minus_two, 3), (2, 0xFFFF_FFFA));
    assert_eq!(
        long("smull r0, r1, r2, r3", &[0xFB82, 0x0103], minus_two, 3),
        (0xFFFF_FFFF, 0xFFFF_FFFA)
    );
    assert_eq!(long("umlal r0, r1, r2, r3", &[0xFBE2, 0x0103], 1, 1), (3, 0));
    assert_eq!(long("smlal r0, r1, r2, r3", &[0xFBC2, 0x0103], minus_two, 1), (2, 0xFFFF_FFFD));
}

#[test]
fn quotients_round_towards_zero() {
    check(&[
        ("udiv r0, r1, r2", &[0xFBB1, 0xF0F2], [0xFFFF_FFFF, 2], 0x7FFF_FFFF),
        ("sdiv r0, r1, r2", &[0xFB91, 0xF0F2], [-7i32 as u32, 2], -3i32 as u32),
        ("sdiv r0, r1, r2", &[0xFB91, 0xF0F2], [7, -2i32 as u32], -3i32 as u32),
        ("sdiv r0, r1, r2", &[0xFB91, 0xF0F2], [0x8000_0000, 0xFFFF_FFFF], 0x8000_0000),
        ("udiv r0, r1, r2", &[0xFBB1, 0xF0F2], [5, 0], 0),
        ("sdiv r0, r1, r2", &[0xFB91, 0xF0F2], [5, 0], 0),
    ]);
}

#[test]
fn a_division_by_zero_traps_when_asked_to() {
    let mut processor = with(&[(0, 9), (1, 5)]);
    let configuration_and_control = 0xE000_ED14;
    let trap = 1 << 4;
    assert_eq!(processor.write_data(configuration_and_control, Size::Word, trap, true), Ok(()));
    assert_eq!(fault(&mut processor, "udiv r0, r1, r2", &[0xFBB1, 0xF0F2]), Fault::DivideByZero);
    assert_eq!(fault(&mut processor, "sdiv r0, r1, r2", &[0xFB91, 0xF0F2]), Fault::DivideByZero);
}

#[test]
fn bit_fields() {
    check(&[
        ("ubfx r0, r1, #4, #8", &[0xF3C1, 0x1007], [0xABCD_EF12, 0], 0xF1),
        ("sbfx r0, r1, #4, #8", &[0xF341, 0x1007], [0xABCD_EF12, 0], 0xFFFF_FFF1),
        ("sbfx r0, r1, #0, #32", &[0xF341, 0x001F], [0xABCD_EF12, 0], 0xABCD_EF12),
        ("ubfx r0, r1, #31, #1", &[0xF3C1, 0x70C0], [0x8000_0000, 0], 1),
        ("bfi r0, r1, #8, #12", &[0xF361, 0x2013], [0xFFFF_F123, 0], 0xCCC1_23CC),
        ("bfi r0, r1, #0, #32", &[0xF361, 0x001F], [0x1234_5678, 0], 0x1234_5678),
        ("bfc r0, #4, #28", &[0xF36F, 0x101F], [0, 0], 0xC),
    ]);
}

#[test]
fn extensions_rotate_first() {
    check(&[
        ("sxtb r0, r1", &[0xB248], [0x1280, 0], 0xFFFF_FF80),
        ("sxth r0, r1", &[0xB208], [0x1_8000, 0], 0xFFFF_8000),
        ("uxtb r0, r1", &[0xB2C8], [0x1280, 0], 0x80),
        ("uxth r0, r1", &[0xB288], [0x1_8000, 0], 0x8000),
        ("sxtb.w r0, r1, ror #24", &[0xFA4F, 0xF0B1], [0x9000_0000, 0], 0xFFFF_FF90),
        ("uxth.w r0, r1, ror #24", &[0xFA1F, 0xF0B1], [0x9000_0012, 0], 0x1290),
    ]);
}

#[test]
fn reversals_and_leading_zeros() {
    check(&[
        ("rev r0, r1", &[0xBA08], [0x1234_5678, 0], 0x7856_3412),
        ("rev16 r0, r1", &[0xBA48], [0x1234_5678, 0], 0x3412_7856),
        ("revsh r0, r1", &[0xBAC8], [0x1234_5680, 0], 0xFFFF_8056),
        ("rbit r0, r1", &[0xFA91, 0xF0A1], [0x8000_0002, 0], 0x4000_0001),
        ("clz r0, r1", &[0xFAB1, 0xF081], [0, 0], 32),
        ("clz r0, r1", &[0xFAB1, 0xF081], [0x0001_0000, 0], 15),
    ]);
}

fn saturate(text: &str, code: &[u16], value: i32) -> (u32, bool) {
    let mut processor: Processor<TestBus> = with(&[(1, value as u32)]);
    run(&mut processor, text, code);
    (processor.registers.r[0], processor.registers.apsr == apsr("Q"))
}

#[test]
fn saturation_sets_q_when_it_changes_the_value() {
    assert_eq!(saturate("ssat r0, #8, r1", &[0xF301, 0x0007], 127), (127, false));
    assert_eq!(saturate("ssat r0, #8, r1", &[0xF301, 0x0007], 128), (127, true));
    assert_eq!(saturate("ssat r0, #8, r1", &[0xF301, 0x0007], -129), (0xFFFF_FF80, true));
    assert_eq!(saturate("ssat r0, #32, r1", &[0xF301, 0x001F], i32::MIN), (0x8000_0000, false));
    assert_eq!(saturate("ssat r0, #8, r1, asr #4", &[0xF321, 0x1007], 0x7F0), (0x7F, false));
    assert_eq!(saturate("ssat r0, #8, r1, lsl #4", &[0xF301, 0x1007], 8), (127, true));
    assert_eq!(saturate("usat r0, #8, r1", &[0xF381, 0x0008], 255), (255, false));
    assert_eq!(saturate("usat r0, #8, r1", &[0xF381, 0x0008], 256), (255, true));
    assert_eq!(saturate("usat r0, #8, r1", &[0xF381, 0x0008], -1), (0, true));
    assert_eq!(saturate("usat r0, #0, r1", &[0xF381, 0x0000], 1), (0, true));
    assert_eq!(saturate("usat r0, #31, r1", &[0xF381, 0x001F], i32::MAX), (0x7FFF_FFFF, false));
}

#[test]
fn q_is_sticky() {
    let mut processor = with(&[(1, 1)]);
    processor.registers.apsr = apsr("Q");
    run(&mut processor, "ssat r0, #8, r1", &[0xF301, 0x0007]);
    run(&mut processor, "adds r0, r1, r1", &[0x1848]);
    assert_eq!(processor.registers.apsr, apsr("Q"));
}
