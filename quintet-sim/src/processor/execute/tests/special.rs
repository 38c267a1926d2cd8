//! MRS, MSR, CPS and the hints.

use super::{apsr, run, with};
use crate::processor::Processor;
use crate::processor::testing::TestBus;

fn read(processor: &mut Processor<TestBus>, special: u16) -> u32 {
    run(processor, "mrs r0, <special>", &[0xF3EF, 0x8000 | special]);
    processor.registers.r[0]
}

fn write(processor: &mut Processor<TestBus>, special: u16, value: u32) {
    processor.registers.r[0] = value;
    run(processor, "msr <special>, r0", &[0xF380, 0x8800 | special]);
}

#[test]
fn the_parts_of_xpsr() {
    let mut processor = with(&[]);
    processor.registers.apsr = apsr("NCQ");
    processor.registers.ipsr = 45;
    assert_eq!(read(&mut processor, 0), 0xA800_0000, "APSR");
    assert_eq!(read(&mut processor, 1), 0xA800_002D, "IAPSR");
    assert_eq!(read(&mut processor, 3), 0xA800_002D, "XPSR without EPSR");
    assert_eq!(read(&mut processor, 5), 45, "IPSR");
    assert_eq!(read(&mut processor, 6), 0, "EPSR");
}

#[test]
fn writing_apsr() {
    let mut processor = with(&[]);
    write(&mut processor, 0, 0xFFFF_FFFF);
    assert_eq!(processor.registers.apsr, apsr("NZCVQ"));
    write(&mut processor, 3, 0);
    assert_eq!(processor.registers.apsr, 0);
    assert!(processor.registers.thumb, "EPSR cannot be written");
    processor.registers.r[0] = 0xFFFF_FFFF;
    run(&mut processor, "msr apsr_g, r0", &[0xF380, 0x8400]);
    assert_eq!(processor.registers.apsr, 0, "the mask selects nothing that there is");
    write(&mut processor, 5, 0xFFFF_FFFF);
    assert_eq!((processor.registers.ipsr, processor.registers.apsr), (0, 0));
}

#[test]
fn stack_pointers() {
    let mut processor = with(&[(13, 0x2000_0800)]);
    write(&mut processor, 9, 0x2000_0407);
    assert_eq!(read(&mut processor, 8), 0x2000_0800);
    assert_eq!(read(&mut processor, 9), 0x2000_0404);
    write(&mut processor, 20, 2);
    assert_eq!(processor.registers.r[13], 0x2000_0404);
    write(&mut processor, 8, 0x2000_0700);
    assert_eq!((processor.registers.r[13], read(&mut processor, 8)), (0x2000_0404, 0x2000_0700));
}

#[test]
fn base_priority_and_its_raising_alias() {
    let mut processor = with(&[]);
    write(&mut processor, 17, 0x40);
    assert_eq!(read(&mut processor, 17), 0x40);
    for (value, after) in [(0x60, 0x40), (0x20, 0x20), (0, 0x20)] {
        write(&mut processor, 18, value);
        assert_eq!(read(&mut processor, 18), after);
    }
    write(&mut processor, 17, 0);
    write(&mut processor, 18, 0xC0);
    assert_eq!(read(&mut processor, 17), 0xC0);
}

#[test]
fn masks() {
    let mut processor = with(&[]);
    write(&mut processor, 16, 0xFFFF_FFFF);
    assert_eq!((read(&mut processor, 16), processor.registers.primask), (1, true));
    run(&mut processor, "cpsie i", &[0xB662]);
    assert!(!processor.registers.primask);
    run(&mut processor, "cpsid if", &[0xB673]);
    assert!(processor.registers.primask && processor.registers.faultmask);
    assert_eq!(read(&mut processor, 19), 1);
    write(&mut processor, 19, 0);
    assert!(!processor.registers.faultmask);
}

#[test]
fn fault_mask_cannot_be_set_in_hard_fault_or_nmi() {
    for (exception, settable) in [(2, false), (3, false), (4, true), (16, true)] {
        let mut processor = with(&[]);
        processor.registers.ipsr = exception;
        run(&mut processor, "cpsid f", &[0xB671]);
        assert_eq!(processor.registers.faultmask, settable, "{exception}");
        write(&mut processor, 19, 1);
        assert_eq!(processor.registers.faultmask, settable, "{exception}");
        write(&mut processor, 19, 0);
        assert!(!processor.registers.faultmask);
    }
}

#[test]
fn unprivileged_code_reads_zeros_and_writes_nothing() {
    let mut processor = with(&[(13, 0x2000_0800)]);
    write(&mut processor, 17, 0x40);
    write(&mut processor, 20, 1);
    for special in [5, 8, 9, 16, 17, 18, 19] {
        assert_eq!(read(&mut processor, special), 0, "{special}");
    }
    assert_eq!(read(&mut processor, 20), 1, "CONTROL is readable");
    for special in [8, 9, 16, 17, 18, 19, 20] {
        write(&mut processor, special, 0xFFFF_FF00);
    }
    run(&mut processor, "cpsid if", &[0xB673]);
    let registers = &processor.registers;
    assert_eq!((registers.r[13], registers.other_sp), (0x2000_0800, 0));
    assert_eq!((registers.primask, registers.faultmask, registers.basepri), (false, false, 0x40));
    assert!(registers.unprivileged_thread);
    write(&mut processor, 0, 0xF000_0000);
    assert_eq!(processor.registers.apsr, apsr("NZCV"));
}

#[test]
fn hints_and_barriers_only_pass() {
    let passing: [(&str, &[u16]); 8] = [
        ("nop", &[0xBF00]),
        ("yield", &[0xBF10]),
        ("sev", &[0xBF40]),
        ("nop.w", &[0xF3AF, 0x8000]),
        ("dbg #3", &[0xF3AF, 0x80F3]),
        ("dsb sy", &[0xF3BF, 0x8F4F]),
        ("dmb sy", &[0xF3BF, 0x8F5F]),
        ("isb sy", &[0xF3BF, 0x8F6F]),
    ];
    for (text, code) in passing {
        let mut processor = with(&[(0, 5)]);
        let before = processor.registers.clone();
        run(&mut processor, text, code);
        assert_eq!(processor.registers.r[..15], before.r[..15], "{text}");
        assert_eq!(processor.registers.r[15], 0x100 + 2 * code.len() as u32, "{text}");
    }
}
