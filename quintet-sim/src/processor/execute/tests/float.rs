//! The floating-point extension: moves, loads and stores, comparisons, conversions.

use crate::processor::Processor;
use crate::processor::faults::Fault;
use crate::processor::instruction::Size;
use crate::processor::testing::{self, DATA, TestBus, cortex_m4f, processor_of};

/// A Cortex-M4F that may use its unit.
fn unit() -> Processor<TestBus> {
    let mut processor = processor_of(cortex_m4f());
    assert_eq!(processor.write_data(0xe000_ed88, Size::Word, 0xf << 20, true), Ok(()));
    processor
}

#[track_caller]
fn run(processor: &mut Processor<TestBus>, text: &str, code: [u16; 2]) {
    assert_eq!(testing::execute(processor, &code), Ok(()), "{text}");
}

#[test]
fn words_move_between_the_registers() {
    let mut core = unit();
    core.registers.r[1..4].copy_from_slice(&[11, 12, 13]);
    run(&mut core, "vmov s5, r1", [0xee02, 0x1a90]);
    run(&mut core, "vmov d7, r1, r2", [0xec42, 0x1b17]);
    run(&mut core, "vmov.32 d2[1], r3", [0xee22, 0x3b10]);
    assert_eq!(core.registers.float.s[5], 13);
    assert_eq!(core.registers.float.s[14..16], [11, 12]);
    core.registers.float.s[6] = 14;
    run(&mut core, "vmov r1, r2, s5, s6", [0xec52, 0x1a32]);
    assert_eq!(core.registers.r[1..3], [13, 14]);
    run(&mut core, "vmov.f32 s3, #-1.5", [0xeeff, 0x1a08]);
    assert_eq!(core.registers.float.s[3], (-1.5f32).to_bits());
}

#[test]
fn loads_and_stores() {
    let mut core = unit();
    core.bus.put_words(DATA, &[21, 22, 23, 24]);
    core.bus.put_words(0x114, &[31, 32]);
    core.registers.r[2] = DATA + 8;
    run(&mut core, "vldr s1, [r2, #-8]", [0xed52, 0x0a02]);
    assert_eq!(core.registers.r[15], 0x104);
    core.registers.r[15] = 0x100;
    run(&mut core, "vldr d3, [pc, #16]", [0xed9f, 0x3b04]);
    assert_eq!(
        (core.registers.float.s[1], core.registers.float.s[6..8].to_vec()),
        (21, vec![31, 32])
    );
    core.registers.float.s = std::array::from_fn(|index| index as u32);
    run(&mut core, "vstr s31, [r2, #4]", [0xedc2, 0xfa01]);
    assert_eq!(core.bus.word(DATA + 12), 31);
    let stack = core.registers.r[13];
    run(&mut core, "vpush {s16-s31}", [0xed2d, 0x8a10]);
    assert_eq!(core.registers.r[13], stack - 64);
    assert_eq!((core.bus.word(stack - 64), core.bus.word(stack - 4)), (16, 31));
    core.registers.float.s = [0; 32];
    run(&mut core, "vpop {d8-d15}", [0xecbd, 0x8b10]);
    assert_eq!((core.registers.r[13], core.registers.float.s[31]), (stack, 31));
    core.registers.r[2] = DATA + 2;
    assert_eq!(testing::execute(&mut core, &[0xed52, 0x0a02]), Err(Fault::Unaligned));
}

#[test]
fn comparisons_reach_the_flags_through_fpscr() {
    let mut core = unit();
    core.registers.apsr = 1 << 27;
    core.registers.float.s[0] = 0x7fc0_0000;
    run(&mut core, "vcmpe.f32 s0, #0.0", [0xeeb5, 0x0ac0]);
    run(&mut core, "vmrs APSR_nzcv, fpscr", [0xeef1, 0xfa10]);
    assert_eq!(core.registers.apsr, 0x3800_0000, "Q stays");
    assert_eq!(core.registers.float.fpscr, 0x3000_0001);
    core.registers.r[3] = u32::MAX;
    run(&mut core, "vmsr fpscr, r3", [0xeee1, 0x3a10]);
    run(&mut core, "vmrs r3, fpscr", [0xeef1, 0x3a10]);
    assert_eq!(core.registers.r[3], 0xf7c0_009f, "the bits that exist");
}

#[test]
fn the_products_that_are_added_keep_their_signs() {
    let result = |code: [u16; 2]| {
        let mut core = unit();
        core.registers.float.s[..3].copy_from_slice(&[1.0f32, 2.0, 3.0].map(f32::to_bits));
        run(&mut core, "of s0, s1, s2", code);
        f32::from_bits(core.registers.float.s[0])
    };
    let rows = [
        ([0xee00, 0x0a81], 7.0),  // VMLA
        ([0xee00, 0x0ac1], -5.0), // VMLS
        ([0xee10, 0x0ac1], -7.0), // VNMLA
        ([0xee10, 0x0a81], 5.0),  // VNMLS
        ([0xee20, 0x0ac1], -6.0), // VNMUL
        ([0xeea0, 0x0a81], 7.0),  // VFMA
        ([0xeea0, 0x0ac1], -5.0), // VFMS
        ([0xee90, 0x0ac1], -7.0), // VFNMA
        ([0xee90, 0x0a81], 5.0),  // VFNMS
        ([0xee80, 0x0a81], 2.0 / 3.0),
    ];
    for (code, expected) in rows {
        assert_eq!(result(code), expected, "{code:04x?}");
    }
}

#[test]
fn conversions() {
    let result = |code: [u16; 2], s0: u32, s1: u32, s2: u32| {
        let mut core = unit();
        core.registers.float.s[..3].copy_from_slice(&[s0, s1, s2]);
        run(&mut core, "a conversion", code);
        core.registers.float.s
    };
    let float = f32::to_bits;
    assert_eq!(result([0xeeb8, 0x0ae0], 0, 0xffff_fffe, 0)[0], float(-2.0));
    assert_eq!(result([0xeebc, 0x0a60], 0, float(2.5), 0)[0], 2, "to nearest, even");
    assert_eq!(result([0xeebb, 0x1a46], 0, 0, 0xffff_0018)[2], float(384.0 / 256.0));
    assert_eq!(result([0xeebe, 0x1ae0], 0, 0, float(0.75))[2], 0x6000_0000);
    assert_eq!(result([0xeeb3, 0x0ae0], 0x1111_2222, float(1.0), 0)[0], 0x3c00_2222);
    assert_eq!(result([0xeeb2, 0x0a60], 0, 0x7c00_3c00, 0)[0], float(1.0));
}

#[test]
fn what_fpv4_sp_lacks_is_undefined_once_the_unit_is_on() {
    let double = [0xee30, 0x0b01]; // VADD.F64
    assert_eq!(testing::execute(&mut unit(), &double), Err(Fault::Undefined));
    assert!(!unit().registers.float.active);
    let mut off = processor_of(cortex_m4f());
    assert_eq!(testing::execute(&mut off, &double), Err(Fault::NoCoprocessor));
}
