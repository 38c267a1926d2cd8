//! Branches, and loads into the program counter.

use super::{apsr, fault, run, with};
use crate::processor::faults::Fault;
use crate::processor::instruction::Condition;
use crate::processor::testing::DATA;

/// UFSR.INVPC in CFSR.
const INVALID_PC: u32 = 1 << 18;

#[test]
fn conditions() {
    let holding: [(u8, &[&str], &[&str]); 14] = [
        (0, &["Z"], &["NCV"]),
        (1, &["NCV"], &["Z"]),
        (2, &["C"], &["NZV"]),
        (3, &["NZV"], &["C"]),
        (4, &["N"], &["ZCV"]),
        (5, &["ZCV"], &["N"]),
        (6, &["V"], &["NZC"]),
        (7, &["NZC"], &["V"]),
        (8, &["C", "CV"], &["", "ZC", "Z"]),
        (9, &["", "ZC", "Z"], &["C", "NCV"]),
        (10, &["", "NV", "NZV"], &["N", "V"]),
        (11, &["N", "V"], &["", "NV"]),
        (12, &["", "NV"], &["N", "V", "Z", "NZV"]),
        (13, &["N", "V", "Z", "NZV"], &["", "NV"]),
    ];
    for (condition, yes, no) in holding {
        for (words, expected) in [(yes, true), (no, false)] {
            for word in words {
                let mut processor = with(&[]);
                processor.registers.apsr = apsr(word);
                assert_eq!(processor.holds(Condition(condition)), expected, "{condition} {word}");
                // B with an offset of -4: a branch to itself.
                run(&mut processor, "b<c> .", &[0xD0FE | u16::from(condition) << 8]);
                let next = if expected { 0x100 } else { 0x102 };
                assert_eq!(processor.registers.r[15], next, "{condition} {word}");
            }
        }
    }
}

#[test]
fn relative_branches() {
    let target = |text: &str, code: &[u16]| {
        let mut processor = with(&[]);
        run(&mut processor, text, code);
        (processor.registers.r[15], processor.registers.r[14])
    };
    assert_eq!(target("b.n .+4+100", &[0xE032]), (0x104 + 100, 0));
    assert_eq!(target("b.n .+4-256", &[0xE780]), (4, 0));
    assert_eq!(target("b.w .+4+0x10000", &[0xF010, 0xB800]), (0x10104, 0));
    assert_eq!(target("bl .+4-0x80", &[0xF7FF, 0xFFC0]), (0x84, 0x105));
}

#[test]
fn compare_and_branch() {
    for (value, to_zero) in [(0, 0x100 + 4 + 6), (1, 0x102)] {
        let mut processor = with(&[(3, value)]);
        run(&mut processor, "cbz r3, .+4+6", &[0xB11B]);
        assert_eq!(processor.registers.r[15], to_zero);
        let mut processor = with(&[(3, 1 - value)]);
        run(&mut processor, "cbnz r3, .+4+6", &[0xB91B]);
        assert_eq!(processor.registers.r[15], to_zero);
    }
}

#[test]
fn interworking_branches_take_the_state_from_bit_0() {
    let mut processor = with(&[(3, 0x201)]);
    run(&mut processor, "bx r3", &[0x4718]);
    assert_eq!((processor.registers.r[15], processor.registers.thumb), (0x200, true));
    let mut processor = with(&[(3, 0x200)]);
    run(&mut processor, "blx r3", &[0x4798]);
    assert_eq!((processor.registers.r[15], processor.registers.thumb), (0x200, false));
    assert_eq!(processor.registers.r[14], 0x103);
    let mut processor = with(&[(14, 0x301)]);
    run(&mut processor, "blx lr", &[0x47F0]);
    assert_eq!((processor.registers.r[15], processor.registers.r[14]), (0x300, 0x103));
}

#[test]
fn mov_and_add_to_pc_keep_the_state() {
    let mut processor = with(&[(3, 0x200)]);
    run(&mut processor, "mov pc, r3", &[0x469F]);
    assert_eq!((processor.registers.r[15], processor.registers.thumb), (0x200, true));
    let mut processor = with(&[(3, 0x11)]);
    run(&mut processor, "add pc, r3", &[0x449F]);
    assert_eq!((processor.registers.r[15], processor.registers.thumb), (0x114, true));
}

#[test]
fn loads_to_pc_interwork() {
    let mut processor = with(&[(1, DATA)]);
    processor.bus.put_words(DATA, &[0x401, 0x500]);
    run(&mut processor, "ldr.w pc, [r1], #4", &[0xF851, 0xFB04]);
    assert_eq!((processor.registers.r[15], processor.registers.thumb), (0x400, true));
    assert_eq!(processor.registers.r[1], DATA + 4);
    run(&mut processor, "ldr.w pc, [r1]", &[0xF8D1, 0xF000]);
    assert_eq!((processor.registers.r[15], processor.registers.thumb), (0x500, false));
}

#[test]
fn in_thread_mode_exception_return_values_are_addresses() {
    let mut processor = with(&[(3, 0xFFFF_FFF9)]);
    run(&mut processor, "bx r3", &[0x4718]);
    assert_eq!(processor.registers.r[15], 0xFFFF_FFF8);
}

#[test]
fn in_handler_mode_only_bx_and_loads_return() {
    // Not a valid EXC_RETURN value: the fault shows that the return was tried.
    let value = 0xFFFF_FFF0;
    let handler = || {
        let mut processor = with(&[(1, DATA), (3, value), (13, DATA)]);
        processor.registers.ipsr = 16;
        processor.bus.put_words(DATA, &[value]);
        processor
    };
    let returns: [(&str, &[u16]); 3] =
        [("bx r3", &[0x4718]), ("pop {pc}", &[0xBD00]), ("ldr.w pc, [r1]", &[0xF8D1, 0xF000])];
    for (text, code) in returns {
        let mut processor = handler();
        run(&mut processor, text, code);
        assert_ne!(processor.fault_status().configurable & INVALID_PC, 0, "{text}");
    }
    for (text, code) in [("blx r3", &[0x4798]), ("mov pc, r3", &[0x469F])] {
        let mut processor = handler();
        run(&mut processor, text, code);
        assert_eq!(processor.registers.r[15], value, "{text}");
        assert_eq!(processor.fault_status().configurable & INVALID_PC, 0, "{text}");
    }
}

#[test]
fn table_branches() {
    let mut processor = with(&[(1, DATA), (2, 3)]);
    processor.bus.put_words(DATA, &[0xFF00_0000, 0x0102_0000]);
    run(&mut processor, "tbb [r1, r2]", &[0xE8D1, 0xF002]);
    assert_eq!(processor.registers.r[15], 0x104 + 2 * 0xFF);
    processor.registers.r[15] = 0x100;
    run(&mut processor, "tbh [r1, r2, lsl #1]", &[0xE8D1, 0xF012]);
    assert_eq!(processor.registers.r[15], 0x104 + 2 * 0x102);
    let mut processor = with(&[(2, 1)]);
    processor.bus.put(0x104, &[0x0500]);
    run(&mut processor, "tbb [pc, r2]", &[0xE8DF, 0xF002]);
    assert_eq!(processor.registers.r[15], 0x104 + 10);
}

#[test]
fn what_does_not_exist_faults() {
    let mut processor = with(&[]);
    assert_eq!(fault(&mut processor, "udf #0", &[0xDE00]), Fault::Undefined);
    assert_eq!(fault(&mut processor, "udf.w #0", &[0xF7F0, 0xA000]), Fault::Undefined);
    assert_eq!(
        fault(&mut processor, "mrc p15, 0, r1, c0, c0, 0", &[0xEE10, 0x1F10]),
        Fault::NoCoprocessor
    );
}
