//! IT blocks.

use super::{apsr, fault, flags, run, with};
use crate::processor::Processor;
use crate::processor::faults::Fault;
use crate::processor::testing::TestBus;

#[test]
fn the_state_goes_through_the_block() {
    let mut processor = with(&[(1, 1)]);
    processor.registers.apsr = apsr("Z");
    let mut states = vec![];
    let block: [(&str, &[u16]); 5] = [
        ("ittee eq", &[0xBF07]),
        ("adds r2, r1, r1", &[0x184A]),
        ("add.w r3, r1, r1", &[0xEB01, 0x0301]),
        ("adds r4, r1, r1", &[0x184C]),
        ("add.w r5, r1, r1", &[0xEB01, 0x0501]),
    ];
    for (text, code) in block {
        run(&mut processor, text, code);
        states.push(processor.registers.itstate);
    }
    assert_eq!(states, [0x07, 0x0E, 0x1C, 0x18, 0]);
    assert_eq!((processor.instructions(), processor.skipped()), (5, 2));
    assert_eq!(processor.registers.r[2..6], [2, 2, 0, 0]);
    assert_eq!(processor.registers.r[15], 0x100 + 2 + 2 + 4 + 2 + 4);
}

/// `it eq` with Z set.
fn in_block() -> Processor<TestBus> {
    let mut processor = with(&[(1, 0x8000_0000)]);
    processor.registers.apsr = apsr("Z");
    run(&mut processor, "it eq", &[0xBF08]);
    processor
}

#[test]
fn narrow_instructions_keep_the_flags_except_comparisons() {
    let narrow: [(&str, &[u16]); 6] = [
        ("adds r0, r1, r1", &[0x1848]),
        ("movs r0, r1", &[0x0008]),
        ("lsls r0, r1, #1", &[0x0048]),
        ("muls r0, r1, r0", &[0x4348]),
        ("mvns r0, r1", &[0x43C8]),
        ("ands r0, r1", &[0x4008]),
    ];
    for (text, code) in narrow {
        let mut processor = in_block();
        run(&mut processor, text, code);
        assert_eq!(flags(&processor), "nZcv", "{text}");
    }
    let setting: [(&str, &[u16]); 4] = [
        ("cmp r1, r0", &[0x4281]),
        ("cmn r1, r0", &[0x42C1]),
        ("adds.w r0, r1, #1", &[0xF111, 0x0001]),
        ("tst r1, r1", &[0x4209]),
    ];
    for (text, code) in setting {
        let mut processor = in_block();
        run(&mut processor, text, code);
        assert!(flags(&processor).starts_with("Nz"), "{text}");
    }
}

#[test]
fn a_failed_condition_skips_even_a_fault() {
    let mut processor = in_block();
    processor.registers.apsr = 0;
    run(&mut processor, "udf #0", &[0xDE00]);
    assert_eq!((processor.registers.r[15], processor.registers.itstate), (0x104, 0));
    assert_eq!((processor.instructions(), processor.skipped()), (2, 1));
}

#[test]
fn a_fault_keeps_the_state() {
    let mut processor = in_block();
    assert_eq!(fault(&mut processor, "udf #0", &[0xDE00]), Fault::Undefined);
    assert_eq!(processor.registers.itstate, 0x08);
    assert_eq!(fault(&mut processor, "beq.n .", &[0xD0FE]), Fault::Undefined);
}

#[test]
fn the_last_instruction_may_branch() {
    let mut processor = in_block();
    run(&mut processor, "b.n .+4+8", &[0xE004]);
    assert_eq!((processor.registers.r[15], processor.registers.itstate), (0x102 + 12, 0));
}

#[test]
fn bkpt_ignores_the_condition_and_stays() {
    for flags in ["Z", ""] {
        let mut processor = in_block();
        processor.registers.apsr = apsr(flags);
        processor.attach_debugger(true);
        run(&mut processor, "bkpt 1", &[0xBE01]);
        assert_eq!((processor.registers.r[15], processor.registers.itstate), (0x102, 0x08));
        processor.skip_breakpoint();
        assert_eq!((processor.registers.r[15], processor.registers.itstate), (0x104, 0));
    }
}
