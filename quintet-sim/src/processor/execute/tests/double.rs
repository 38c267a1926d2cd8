//! What FPv5 has beyond FPv4-SP: double precision, choices, and rounding to whole numbers.

use crate::processor::faults::Fault;
use crate::processor::instruction::Size;
use crate::processor::instruction::float::FloatUnit;
use crate::processor::testing::{self, TestBus, cortex_m4f, cortex_m7, processor_of};
use crate::processor::{Configuration, Processor};

fn unit(configuration: Configuration) -> Processor<TestBus> {
    let mut processor = processor_of(configuration);
    assert_eq!(processor.write_data(0xe000_ed88, Size::Word, 0xf << 20, true), Ok(()));
    processor
}

fn double(core: &Processor<TestBus>, number: usize) -> f64 {
    let words = &core.registers.float.s[2 * number..][..2];
    f64::from_bits(u64::from(words[0]) | u64::from(words[1]) << 32)
}

fn set_double(core: &mut Processor<TestBus>, number: usize, value: f64) {
    let bits = value.to_bits();
    core.registers.float.s[2 * number] = bits as u32;
    core.registers.float.s[2 * number + 1] = (bits >> 32) as u32;
}

/// A Cortex-M7 that has executed the instruction on D0 = 7.25, D1 = -1.5 and D2 = 10.
fn after(code: [u16; 2]) -> Processor<TestBus> {
    let mut core = unit(cortex_m7());
    for (number, value) in [(0, 7.25), (1, -1.5), (2, 10.0)] {
        set_double(&mut core, number, value);
    }
    assert_eq!(testing::execute(&mut core, &code), Ok(()), "{code:04x?}");
    core
}

#[test]
fn doubles_are_computed() {
    let rows = [
        ("vadd.f64 d2, d0, d1", [0xee30, 0x2b01], 5.75),
        ("vmul.f64 d2, d0, d1", [0xee20, 0x2b01], -10.875),
        ("vdiv.f64 d2, d0, d1", [0xee80, 0x2b01], 7.25 / -1.5),
        ("vfma.f64 d2, d0, d1", [0xeea0, 0x2b01], -0.875),
        ("vnmls.f64 d2, d0, d1", [0xee10, 0x2b01], -20.875),
        ("vsqrt.f64 d2, d0", [0xeeb1, 0x2bc0], 7.25f64.sqrt()),
        ("vneg.f64 d2, d0", [0xeeb1, 0x2b40], -7.25),
        ("vmov.f64 d2, #-1.5", [0xeebf, 0x2b08], -1.5),
        ("vmov.f64 d2, d1", [0xeeb0, 0x2b41], -1.5),
        ("vrintz.f64 d2, d1", [0xeeb6, 0x2bc1], -1.0),
        ("vrintp.f64 d2, d0", [0xfeba, 0x2b40], 8.0),
        ("vmaxnm.f64 d2, d0, d1", [0xfe80, 0x2b01], 7.25),
        ("vselgt.f64 d2, d0, d1", [0xfe30, 0x2b01], 7.25),
        ("vseleq.f64 d2, d0, d1", [0xfe00, 0x2b01], -1.5),
    ];
    for (text, code, expected) in rows {
        assert_eq!(double(&after(code), 2), expected, "{text}");
    }
}

#[test]
fn doubles_are_converted_and_compared() {
    let single = |code| after(code).registers.float.s[4];
    assert_eq!(single([0xeeb7, 0x2bc0]), 7.25f32.to_bits(), "vcvt.f32.f64 s4, d0");
    assert_eq!(single([0xeebd, 0x2bc1]), -1i32 as u32, "vcvt.s32.f64 s4, d1");
    assert_eq!(single([0xeebd, 0x2b41]), -2i32 as u32, "vcvtr.s32.f64 s4, d1: to nearest, even");
    assert_eq!(single([0xfebc, 0x2bc1]), -2i32 as u32, "vcvta.s32.f64 s4, d1");
    assert_eq!(single([0xeeb3, 0x2b41]) & 0xffff, 0xbe00, "vcvtb.f16.f64 s4, d1");
    let mut core = unit(cortex_m7());
    core.registers.float.s[0] = 1.25f32.to_bits();
    assert_eq!(testing::execute(&mut core, &[0xeeb7, 0x2ac0]), Ok(()), "vcvt.f64.f32 d2, s0");
    assert_eq!(double(&core, 2), 1.25);
    core.registers.float.s[0] = u32::MAX;
    assert_eq!(testing::execute(&mut core, &[0xeeb8, 0x2b40]), Ok(()), "vcvt.f64.u32 d2, s0");
    assert_eq!(double(&core, 2), f64::from(u32::MAX));
    core.registers.float.s[4] = -3i32 as u32;
    assert_eq!(testing::execute(&mut core, &[0xeeba, 0x2bc8]), Ok(()), "vcvt.f64.s32 d2, d2, #16");
    assert_eq!(double(&core, 2), -3.0 / 65536.0);
    assert_eq!(after([0xeeb4, 0x0b41]).registers.float.fpscr >> 28, 0b0010, "vcmp.f64 d0, d1");
    assert_eq!(after([0xeeb5, 0x1bc0]).registers.float.fpscr >> 28, 0b1000, "vcmpe.f64 d1, #0.0");
}

#[test]
fn each_unit_lacks_what_came_later() {
    let single_v5 = Configuration { floating_point: FloatUnit::Fpv5Single, ..cortex_m7() };
    let cases = [
        ([0xee30, 0x2b01], [false, false, true]), // VADD.F64
        ([0xeeb7, 0x2ac0], [false, false, true]), // VCVT.F64.F32
        ([0xfe80, 0x2a41], [false, true, true]),  // VMINNM.F32
        ([0xeeb7, 0x2a40], [false, true, true]),  // VRINTX.F32
        ([0xfebf, 0x2a40], [false, true, true]),  // VCVTM.U32.F32
        ([0xee30, 0x2a01], [true, true, true]),   // VADD.F32
    ];
    for (code, has) in cases {
        for (configuration, has) in [cortex_m4f(), single_v5, cortex_m7()].into_iter().zip(has) {
            let expected = if has { Ok(()) } else { Err(Fault::Undefined) };
            assert_eq!(testing::execute(&mut unit(configuration), &code), expected, "{code:04x?}");
        }
    }
}

#[test]
fn the_caches_take_commands_and_tell_their_sizes() {
    let mut core = processor_of(cortex_m7());
    let mut read = |address| core.read_data(address, Size::Word, true);
    assert_eq!(read(0xe000_ed78), Ok(0x0900_0003), "CLIDR");
    assert_eq!(read(0xe000_ed80), Ok(0xf00f_e019), "CCSIDR of the data cache");
    let mut core = processor_of(cortex_m7());
    for (address, value) in [(0xe000_ed84, 1), (0xe000_ef50, 0), (0xe000_ed14, 3 << 16)] {
        assert_eq!(core.write_data(address, Size::Word, value, true), Ok(()), "{address:#x}");
    }
    assert_eq!(core.read_data(0xe000_ed80, Size::Word, true), Ok(0xf01f_e009));
    assert_eq!(core.read_data(0xe000_ed14, Size::Word, true), Ok(0x7_0200), "CCR: both are on");
    let mut core = processor_of(cortex_m4f());
    assert_eq!(core.read_data(0xe000_ed78, Size::Word, true), Ok(0));
}
