//! Data processing: results and flags.

use super::{apsr, flags, run, with};

/// The instruction; R1, R2 and R3 and the flags before it; R0 and the flags after it.
type Row = (&'static str, &'static [u16], [u32; 3], &'static str, u32, &'static str);

const MAX: u32 = 0x7FFF_FFFF;
const MIN: u32 = 0x8000_0000;
const ALL: u32 = 0xFFFF_FFFF;

fn check(rows: &[Row]) {
    for (text, code, [r1, r2, r3], before, r0, after) in rows {
        let mut processor = with(&[(1, *r1), (2, *r2), (3, *r3)]);
        processor.registers.apsr = apsr(before);
        run(&mut processor, text, code);
        let got = (processor.registers.r[0], flags(&processor));
        assert_eq!(got, (*r0, (*after).to_string()), "{text} of {r1:#x}, {r2:#x}, {r3:#x}");
        assert_eq!(processor.registers.r[1..4], [*r1, *r2, *r3], "{text}: sources");
    }
}

#[test]
fn additions() {
    check(&[
        ("adds r0, r1, r2", &[0x1888], [1, 2, 0], "NZCV", 3, "nzcv"),
        ("adds r0, r1, r2", &[0x1888], [MAX, 1, 0], "nzcv", MIN, "NzcV"),
        ("adds r0, r1, r2", &[0x1888], [MIN, MIN, 0], "nzcv", 0, "nZCV"),
        ("adds r0, r1, r2", &[0x1888], [ALL, 1, 0], "nzcv", 0, "nZCv"),
        ("add.w r0, r1, r2", &[0xEB01, 0x0002], [ALL, 1, 0], "NzcV", 0, "NzcV"),
        ("adcs.w r0, r1, r2", &[0xEB51, 0x0002], [ALL, 0, 0], "nzCv", 0, "nZCv"),
        ("adcs.w r0, r1, r2", &[0xEB51, 0x0002], [ALL, 0, 0], "nzcv", ALL, "Nzcv"),
        ("adcs.w r0, r1, r2", &[0xEB51, 0x0002], [MAX, 0, 0], "nzCv", MIN, "NzcV"),
        ("adcs.w r0, r1, r2", &[0xEB51, 0x0002], [ALL, ALL, 0], "nzCv", ALL, "NzCv"),
        ("addw r0, r1, #4095", &[0xF601, 0x70FF], [1, 0, 0], "nZcv", 4096, "nZcv"),
        ("adds.w r0, r1, r2, lsl #4", &[0xEB11, 0x1002], [1, 0x1000_0001, 0], "nzcv", 17, "nzcv"),
    ]);
}

#[test]
fn subtractions_have_carry_as_not_borrow() {
    check(&[
        ("subs r0, r1, r2", &[0x1A88], [3, 2, 0], "nzcv", 1, "nzCv"),
        ("subs r0, r1, r2", &[0x1A88], [2, 2, 0], "nzcv", 0, "nZCv"),
        ("subs r0, r1, r2", &[0x1A88], [2, 3, 0], "nzCv", ALL, "Nzcv"),
        ("subs r0, r1, r2", &[0x1A88], [MIN, 1, 0], "nzcv", MAX, "nzCV"),
        ("subs r0, r1, r2", &[0x1A88], [MAX, ALL, 0], "nzcv", MIN, "NzcV"),
        ("sbcs.w r0, r1, r2", &[0xEB71, 0x0002], [5, 3, 0], "nzCv", 2, "nzCv"),
        ("sbcs.w r0, r1, r2", &[0xEB71, 0x0002], [5, 3, 0], "nzcv", 1, "nzCv"),
        ("sbcs.w r0, r1, r2", &[0xEB71, 0x0002], [3, 3, 0], "nzcv", ALL, "Nzcv"),
        ("sbcs.w r0, r1, r2", &[0xEB71, 0x0002], [0, ALL, 0], "nzcv", 0, "nZcv"),
        ("rsbs r0, r1, #0", &[0x4248], [5, 0, 0], "nzcv", 0xFFFF_FFFB, "Nzcv"),
        ("rsbs r0, r1, #0", &[0x4248], [MIN, 0, 0], "nzcv", MIN, "NzcV"),
        ("rsbs r0, r1, #0", &[0x4248], [0, 0, 0], "nzcv", 0, "nZCv"),
        ("subw r0, r1, #1", &[0xF2A1, 0x0001], [0, 0, 0], "nzCV", ALL, "nzCV"),
    ]);
}

#[test]
fn logic_takes_the_carry_of_the_shifter_and_keeps_overflow() {
    check(&[
        ("ands.w r0, r1, r2", &[0xEA11, 0x0002], [0xFF00, 0x0FF0, 0], "nzCV", 0x0F00, "nzCV"),
        ("ands.w r0, r1, r2, lsl #1", &[0xEA11, 0x0042], [ALL, MIN, 0], "nzcV", 0, "nZCV"),
        ("bics.w r0, r1, r2", &[0xEA31, 0x0002], [ALL, 0xFF, 0], "nzcv", 0xFFFF_FF00, "Nzcv"),
        ("orrs.w r0, r1, r2, lsr #1", &[0xEA51, 0x0052], [0, 1, 0], "nzcv", 0, "nZCv"),
        ("orns r0, r1, r2", &[0xEA71, 0x0002], [0, ALL, 0], "nzCv", 0, "nZCv"),
        ("eors.w r0, r1, r2", &[0xEA91, 0x0002], [0xF0F0, 0xFFFF, 0], "nzcv", 0x0F0F, "nzcv"),
        ("eors r0, r1, #0x80000000", &[0xF091, 0x4000], [1, 0, 0], "nzcv", 0x8000_0001, "NzCv"),
        ("ands r0, r1, #0x7f00", &[0xF411, 0x40FE], [ALL, 0, 0], "nzCv", 0x7F00, "nzcv"),
        ("ands r0, r1, #0x00ff00ff", &[0xF011, 0x10FF], [ALL, 0, 0], "nzCv", 0x00FF_00FF, "nzCv"),
        ("mvns.w r0, r1", &[0xEA7F, 0x0001], [0, 0, 0], "nzcV", ALL, "NzcV"),
        ("mvn r0, #0xff", &[0xF06F, 0x00FF], [0, 0, 0], "nZcv", 0xFFFF_FF00, "nZcv"),
        ("movs r0, #0", &[0x2000], [0, 0, 0], "NzCV", 0, "nZCV"),
        ("movw r0, #0xfedc", &[0xF64F, 0x60DC], [0, 0, 0], "NzCV", 0xFEDC, "NzCV"),
    ]);
}

#[test]
fn shifts_by_a_constant() {
    check(&[
        ("lsls r0, r1, #1", &[0x0048], [MIN, 0, 0], "nzcv", 0, "nZCv"),
        ("lsls r0, r1, #31", &[0x07C8], [3, 0, 0], "nzcv", MIN, "NzCv"),
        ("lsrs r0, r1, #32", &[0x0808], [MIN, 0, 0], "nzcv", 0, "nZCv"),
        ("lsrs r0, r1, #4", &[0x0908], [0xF7, 0, 0], "nzCv", 0xF, "nzcv"),
        ("asrs r0, r1, #32", &[0x1008], [MIN, 0, 0], "nzcv", ALL, "NzCv"),
        ("asrs r0, r1, #4", &[0x1108], [0x8000_0008, 0, 0], "nzcv", 0xF800_0000, "NzCv"),
        ("rors.w r0, r1, #8", &[0xEA5F, 0x2031], [0x0000_00FF, 0, 0], "nzcv", 0xFF00_0000, "NzCv"),
        ("rrxs r0, r1", &[0xEA5F, 0x0031], [2, 0, 0], "nzCv", 0x8000_0001, "Nzcv"),
        ("rrxs r0, r1", &[0xEA5F, 0x0031], [3, 0, 0], "nzcv", 1, "nzCv"),
        ("movs r0, r1", &[0x0008], [MIN, 0, 0], "nzCV", MIN, "NzCV"),
    ]);
}

#[test]
fn shifts_by_a_register_use_its_low_byte() {
    check(&[
        ("lsls.w r0, r1, r2", &[0xFA11, 0xF002], [1, 0x100, 0], "nzCv", 1, "nzCv"),
        ("lsls.w r0, r1, r2", &[0xFA11, 0xF002], [1, 32, 0], "nzcv", 0, "nZCv"),
        ("lsls.w r0, r1, r2", &[0xFA11, 0xF002], [ALL, 33, 0], "nzCv", 0, "nZcv"),
        ("lsls.w r0, r1, r2", &[0xFA11, 0xF002], [ALL, 255, 0], "nzCv", 0, "nZcv"),
        ("lsrs.w r0, r1, r2", &[0xFA31, 0xF002], [MIN, 32, 0], "nzcv", 0, "nZCv"),
        ("lsrs.w r0, r1, r2", &[0xFA31, 0xF002], [ALL, 64, 0], "nzCv", 0, "nZcv"),
        ("asrs.w r0, r1, r2", &[0xFA51, 0xF002], [MIN, 200, 0], "nzcv", ALL, "NzCv"),
        ("asrs.w r0, r1, r2", &[0xFA51, 0xF002], [MAX, 33, 0], "nzCv", 0, "nZcv"),
        ("rors.w r0, r1, r2", &[0xFA71, 0xF002], [0x8000_0001, 32, 0], "nzcv", 0x8000_0001, "NzCv"),
        ("rors.w r0, r1, r2", &[0xFA71, 0xF002], [0x8000_0001, 0, 0], "nzCv", 0x8000_0001, "NzCv"),
        ("rors.w r0, r1, r2", &[0xFA71, 0xF002], [0x1, 33, 0], "nzcv", MIN, "NzCv"),
    ]);
}

#[test]
fn comparisons_write_flags_only() {
    check(&[
        ("cmp r1, r2", &[0x4291], [1, 1, 0], "nzcv", 0, "nZCv"),
        ("cmp.w r1, r2", &[0xEBB1, 0x0F02], [MIN, 1, 0], "nzcv", 0, "nzCV"),
        ("cmn r1, r2", &[0x42D1], [ALL, 1, 0], "nzcv", 0, "nZCv"),
        ("tst r1, r2", &[0x4211], [0xF0, 0x0F, 0], "NzCV", 0, "nZCV"),
        ("tst.w r1, #0x80000000", &[0xF011, 0x4F00], [ALL, 0, 0], "nzcV", 0, "NzCV"),
        ("teq r1, r2", &[0xEA91, 0x0F02], [5, 5, 0], "nzCv", 0, "nZCv"),
    ]);
}

#[test]
fn movt_keeps_the_low_half() {
    let mut processor = with(&[(0, 0x1111_2222)]);
    run(&mut processor, "movt r0, #0xabcd", &[0xF6CA, 0x30CD]);
    assert_eq!(processor.registers.r[0], 0xABCD_2222);
}

#[test]
fn pc_reads_four_ahead_and_word_aligned_for_addresses() {
    let mut processor = with(&[(15, 0x102)]);
    run(&mut processor, "adr r0, .+4+8", &[0xA002]);
    assert_eq!(processor.registers.r[0], 0x104 + 8);
    assert_eq!(processor.registers.r[15], 0x104);
    run(&mut processor, "subw r0, pc, #16", &[0xF2AF, 0x0010]);
    assert_eq!(processor.registers.r[0], 0x108 - 16);
    run(&mut processor, "mov r1, pc", &[0x4679]);
    assert_eq!(processor.registers.r[1], 0x10C);
}

#[test]
fn the_stack_pointer_stays_word_aligned() {
    let mut processor = with(&[(1, 0x2000_0007), (13, 0x2000_0100)]);
    run(&mut processor, "mov sp, r1", &[0x468D]);
    assert_eq!(processor.registers.r[13], 0x2000_0004);
    run(&mut processor, "add.w sp, sp, #6", &[0xF10D, 0x0D06]);
    assert_eq!(processor.registers.r[13], 0x2000_0008);
    run(&mut processor, "sub sp, #8", &[0xB082]);
    assert_eq!(processor.registers.r[13], 0x2000_0000);
}
