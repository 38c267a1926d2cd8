//! Single, dual and exclusive loads and stores.

use super::{fault, run, with};
use crate::processor::faults::Fault;
use crate::processor::instruction::Size;
use crate::processor::testing::DATA;

#[test]
fn sizes_and_signs() {
    let loads: [(&str, &[u16], u32); 5] = [
        ("ldr r0, [r1]", &[0x6808], 0x8182_8384),
        ("ldrh r0, [r1]", &[0x8808], 0x8384),
        ("ldrsh.w r0, [r1]", &[0xF9B1, 0x0000], 0xFFFF_8384),
        ("ldrb r0, [r1]", &[0x7808], 0x84),
        ("ldrsb.w r0, [r1]", &[0xF991, 0x0000], 0xFFFF_FF84),
    ];
    for (text, code, expected) in loads {
        let mut processor = with(&[(1, DATA)]);
        processor.bus.put_words(DATA, &[0x8182_8384]);
        run(&mut processor, text, code);
        assert_eq!(processor.registers.r[0], expected, "{text}");
    }
    let stores: [(&str, &[u16], u32); 3] = [
        ("str r0, [r1]", &[0x6008], 0x8182_8384),
        ("strh r0, [r1]", &[0x8008], 0x8384),
        ("strb r0, [r1]", &[0x7008], 0x84),
    ];
    for (text, code, expected) in stores {
        let mut processor = with(&[(0, 0x8182_8384), (1, DATA)]);
        run(&mut processor, text, code);
        assert_eq!(processor.bus.word(DATA), expected, "{text}");
    }
}

#[test]
fn addressing() {
    let base = DATA + 0x100;
    let rows: [(&str, &[u16], u32, u32); 6] = [
        ("ldr.w r0, [r1, #0x80]", &[0xF8D1, 0x0080], base + 0x80, base),
        ("ldr r0, [r1, #-4]", &[0xF851, 0x0C04], base - 4, base),
        ("ldr r0, [r1, #4]!", &[0xF851, 0x0F04], base + 4, base + 4),
        ("ldr r0, [r1], #-8", &[0xF851, 0x0908], base, base - 8),
        ("ldr r0, [r1, r2]", &[0x5888], base + 8, base),
        ("ldr.w r0, [r1, r2, lsl #2]", &[0xF851, 0x0022], base + 32, base),
    ];
    for (text, code, address, after) in rows {
        let mut processor = with(&[(1, base), (2, 8)]);
        run(&mut processor, text, code);
        assert_eq!(processor.bus.accesses, [(address, Size::Word, None)], "{text}");
        assert_eq!(processor.registers.r[1], after, "{text}");
    }
}

#[test]
fn literals_are_relative_to_the_aligned_pc() {
    let mut processor = with(&[(15, 0x102)]);
    processor.bus.put_words(0x10C, &[77, 88]);
    run(&mut processor, "ldr r0, [pc, #8]", &[0x4802]);
    assert_eq!(processor.registers.r[0], 77);
    run(&mut processor, "ldr.w r0, [pc, #8]", &[0xF8DF, 0x0008]);
    assert_eq!(processor.registers.r[0], 88);
    processor.bus.put_words(0x104, &[99]);
    run(&mut processor, "ldr.w r0, [pc, #-8]", &[0xF85F, 0x0008]);
    assert_eq!(processor.registers.r[0], 99);
}

#[test]
fn a_loaded_base_wins_over_its_write_back() {
    let mut processor = with(&[(1, DATA)]);
    processor.bus.put_words(DATA, &[5]);
    run(&mut processor, "ldr r1, [r1], #4", &[0xF851, 0x1B04]);
    assert_eq!(processor.registers.r[1], 5);
    let mut processor = with(&[(1, DATA)]);
    run(&mut processor, "str r1, [r1, #4]!", &[0xF841, 0x1F04]);
    assert_eq!(processor.registers.r[1], DATA + 4);
    assert_eq!(processor.bus.word(DATA + 4), DATA);
}

#[test]
fn a_faulting_load_changes_nothing() {
    let nowhere = DATA + 0x10_0000;
    let mut processor = with(&[(1, nowhere)]);
    let expected = Fault::DataBus { address: nowhere };
    assert_eq!(fault(&mut processor, "ldr r0, [r1], #4", &[0xF851, 0x0B04]), expected);
    assert_eq!(fault(&mut processor, "ldrd r0, r2, [r1], #8", &[0xE8F1, 0x0202]), expected);
    assert_eq!(fault(&mut processor, "ldrex r0, [r1]", &[0xE851, 0x0F00]), expected);
    let expected = Fault::DataBus { address: nowhere + 4 };
    assert_eq!(fault(&mut processor, "ldr r0, [r1, #4]!", &[0xF851, 0x0F04]), expected);
}

#[test]
fn dual() {
    let mut processor = with(&[(1, DATA + 8)]);
    processor.bus.put_words(DATA, &[10, 11, 12, 13]);
    run(&mut processor, "ldrd r2, r3, [r1, #-8]", &[0xE951, 0x2302]);
    assert_eq!(processor.registers.r[1..4], [DATA + 8, 10, 11]);
    run(&mut processor, "strd r3, r2, [r1, #8]!", &[0xE9E1, 0x3202]);
    assert_eq!(processor.registers.r[1], DATA + 16);
    assert_eq!((processor.bus.word(DATA + 16), processor.bus.word(DATA + 20)), (11, 10));
    run(&mut processor, "ldrd r4, r1, [r1, #-8]", &[0xE951, 0x4102]);
    assert_eq!((processor.registers.r[4], processor.registers.r[1]), (12, 13));
}

#[test]
fn single_accesses_may_be_unaligned_and_the_others_not() {
    let mut processor = with(&[(1, DATA + 1)]);
    processor.bus.put_words(DATA, &[0x4433_2211, 0x8877_6655]);
    run(&mut processor, "ldr r0, [r1]", &[0x6808]);
    assert_eq!(processor.registers.r[0], 0x5544_3322);
    run(&mut processor, "ldrh.w r0, [r1, #2]", &[0xF8B1, 0x0002]);
    assert_eq!(processor.registers.r[0], 0x5544);
    run(&mut processor, "str r0, [r1]", &[0x6008]);
    assert_eq!(processor.bus.word(DATA), 0x0055_4411);
    let refused: [(&str, &[u16]); 6] = [
        ("ldrd r2, r3, [r1]", &[0xE9D1, 0x2300]),
        ("strd r2, r3, [r1]", &[0xE9C1, 0x2300]),
        ("ldmia r1!, {r2, r3}", &[0xC90C]),
        ("stmia r1!, {r2, r3}", &[0xC10C]),
        ("ldrex r2, [r1]", &[0xE851, 0x2F00]),
        ("strex r2, r3, [r1]", &[0xE841, 0x3200]),
    ];
    for (text, code) in refused {
        assert_eq!(fault(&mut processor, text, code), Fault::Unaligned, "{text}");
    }
}

#[test]
fn a_store_exclusive_needs_a_reservation() {
    let mut processor = with(&[(1, DATA), (3, 7)]);
    run(&mut processor, "strex r2, r3, [r1]", &[0xE841, 0x3200]);
    assert_eq!((processor.registers.r[2], processor.bus.word(DATA)), (1, 0));
    assert_eq!(processor.bus.accesses, []);
    run(&mut processor, "ldrex r0, [r1]", &[0xE851, 0x0F00]);
    run(&mut processor, "strex r2, r3, [r1]", &[0xE841, 0x3200]);
    assert_eq!((processor.registers.r[2], processor.bus.word(DATA)), (0, 7));
    run(&mut processor, "strex r2, r3, [r1]", &[0xE841, 0x3200]);
    assert_eq!(processor.registers.r[2], 1, "used up");
    run(&mut processor, "ldrexb r0, [r1]", &[0xE8D1, 0x0F4F]);
    assert_eq!(processor.registers.r[0], 7);
    run(&mut processor, "clrex", &[0xF3BF, 0x8F2F]);
    run(&mut processor, "strexb r2, r3, [r1]", &[0xE8C1, 0x3F42]);
    assert_eq!(processor.registers.r[2], 1, "cleared");
    run(&mut processor, "ldrexh r0, [r1]", &[0xE8D1, 0x0F5F]);
    run(&mut processor, "strexh r2, r3, [r1]", &[0xE8C1, 0x3F52]);
    assert_eq!(processor.registers.r[2], 0);
}

#[test]
fn a_preload_accesses_nothing() {
    let mut processor = with(&[(1, 0xF000_0000)]);
    run(&mut processor, "pld [r1, #8]", &[0xF891, 0xF008]);
    assert_eq!(processor.bus.accesses, []);
}
