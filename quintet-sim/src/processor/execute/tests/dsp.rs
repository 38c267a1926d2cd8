//! The DSP extension.

use super::{apsr, run};
use crate::processor::testing::{cortex_m4f, processor_of};

/// The instruction; R1, R2 and R3; R0 after it, and APSR.
type Row = (&'static str, [u16; 2], [u32; 3], u32, u32);

/// GE, as bits of APSR.
const fn ge(bits: u32) -> u32 {
    bits << 16
}

fn check(rows: &[Row]) {
    for (text, code, registers, r0, flags) in rows {
        let mut processor = processor_of(cortex_m4f());
        processor.registers.r[1..4].copy_from_slice(registers);
        run(&mut processor, text, code);
        let after = (processor.registers.r[0], processor.registers.apsr);
        assert_eq!(after, (*r0, *flags), "{text} of {registers:08x?}: {after:08x?}");
    }
}

#[test]
fn sums_saturate() {
    let q = apsr("Q");
    check(&[
        ("qadd r0, r1, r2", [0xfa82, 0xf081], [0x7fff_ffff, 1, 0], 0x7fff_ffff, q),
        ("qadd r0, r1, r2", [0xfa82, 0xf081], [5, 0xffff_fffe, 0], 3, 0),
        ("qdsub r0, r1, r2", [0xfa82, 0xf0b1], [0, 0x4000_0000, 0], 0x8000_0001, q),
        ("ssat16 r0, #8, r1", [0xf321, 0x0007], [0x0080_ff80, 0, 0], 0x007f_ff80, q),
        ("usat16 r0, #7, r1", [0xf3a1, 0x0007], [0xffff_0081, 0, 0], 0x0000_007f, q),
        ("qsub8 r0, r1, r2", [0xfac1, 0xf012], [0x8070_0010, 0x01f0_0020, 0], 0x807f_00f0, 0),
        ("uqadd8 r0, r1, r2", [0xfa81, 0xf052], [0xff10_8000, 0x0120_8000, 0], 0xff30_ff00, 0),
    ]);
}

#[test]
fn lanes_are_independent_and_set_ge() {
    check(&[
        ("sadd16 r0, r1, r2", [0xfa91, 0xf002], [0xffff_8000, 0x0001_ffff, 0], 0x0000_7fff, ge(12)),
        ("uasx r0, r1, r2", [0xfaa1, 0xf042], [0xffff_0001, 0x0002_0001, 0], 0x0000_ffff, ge(12)),
        ("uhsax r0, r1, r2", [0xfae1, 0xf062], [0x0000_ffff, 0xffff_0002, 0], 0xffff_ffff, 0),
    ]);
    let mut processor = processor_of(cortex_m4f());
    processor.registers.apsr = ge(5);
    processor.registers.r[1..3].copy_from_slice(&[0x1122_3344, 0xaabb_ccdd]);
    run(&mut processor, "sel r0, r1, r2", &[0xfaa1, 0xf082]);
    assert_eq!(processor.registers.r[0], 0xaa22_cc44);
}

#[test]
fn extensions_add_and_halves_are_packed() {
    check(&[
        (
            "sxtab16 r0, r1, r2, ror #8",
            [0xfa21, 0xf092],
            [0x0001_0001, 0x80ff_7f00, 0],
            0xff81_0080,
            0,
        ),
        ("uxtb16 r0, r1", [0xfa3f, 0xf081], [0x11ff_22fe, 0, 0], 0x00ff_00fe, 0),
        ("uxtah r0, r1, r2", [0xfa11, 0xf082], [2, 0x1234_ffff, 0], 0x0001_0001, 0),
        (
            "pkhbt r0, r1, r2, lsl #4",
            [0xeac1, 0x1002],
            [0x1111_2222, 0x0333_4444, 0],
            0x3334_2222,
            0,
        ),
        (
            "pkhtb r0, r1, r2, asr #32",
            [0xeac1, 0x0022],
            [0x1111_2222, 0x8000_0000, 0],
            0x1111_ffff,
            0,
        ),
        ("usad8 r0, r1, r2", [0xfb71, 0xf002], [0x00ff_1020, 0xff00_2010, 0], 0x21e, 0),
        ("usada8 r0, r1, r2, r3", [0xfb71, 0x3002], [1, 3, u32::MAX], 1, 0),
    ]);
}

#[test]
fn products_of_halves_accumulate() {
    let q = apsr("Q");
    let least = 0x8000_8000;
    check(&[
        ("smulbt r0, r1, r2", [0xfb11, 0xf012], [0xffff, 0x0003_0000, 0], 0xffff_fffd, 0),
        ("smlabb r0, r1, r2, r3", [0xfb11, 0x3002], [2, 3, 0x7fff_ffff], 0x8000_0005, q),
        ("smlawt r0, r1, r2, r3", [0xfb31, 0x3012], [0x0001_8000, 0x0002_0000, 1], 4, 0),
        ("smuadx r0, r1, r2", [0xfb21, 0xf012], [least, least, 0], 0x8000_0000, q),
        ("smlsd r0, r1, r2, r3", [0xfb41, 0x3002], [0x0002_0005, 0x0003_0004, 1], 15, 0),
        ("smmlar r0, r1, r2, r3", [0xfb51, 0x3012], [0x8000_0000, 1, 7], 7, 0),
        ("smmls r0, r1, r2, r3", [0xfb61, 0x3002], [1, 1, 7], 6, 0),
    ]);
}

#[test]
fn products_accumulate_in_two_words() {
    let long = |text: &str, code: [u16; 2], low: u32, registers: [u32; 3]| {
        let mut processor = processor_of(cortex_m4f());
        processor.registers.r[0] = low;
        processor.registers.r[1..4].copy_from_slice(&registers);
        run(&mut processor, text, &code);
        (processor.registers.r[1], processor.registers.r[0])
    };
    let minus = 0xffff_ffff;
    assert_eq!(
        long("smlalbt r0, r1, r2, r3", [0xfbc2, 0x0193], 1, [0, 2, 0xffff_0000]),
        (minus, minus)
    );
    assert_eq!(
        long("smlaldx r0, r1, r2, r3", [0xfbc2, 0x01d3], minus, [0, 1, 0x0001_0000]),
        (1, 0)
    );
    assert_eq!(long("umaal r0, r1, r2, r3", [0xfbe2, 0x0163], minus, [minus; 3]), (minus, minus));
}
