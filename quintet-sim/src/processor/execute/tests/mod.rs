//! The effects of the instructions, one behaviour a test. The bytes come from an assembler.

mod arithmetic;
mod branch;
mod data;
mod double;
mod dsp;
mod float;
mod it;
mod memory;
mod multiple;
mod special;

use crate::processor::Processor;
use crate::processor::faults::Fault;
use crate::processor::testing::{self, TestBus};

/// A processor with some registers set.
fn with(registers: &[(usize, u32)]) -> Processor<TestBus> {
    let mut processor = testing::processor();
    for (number, value) in registers {
        processor.registers.r[*number] = *value;
    }
    processor
}

/// Executes an instruction that must not fault.
#[track_caller]
fn run(processor: &mut Processor<TestBus>, text: &str, code: &[u16]) {
    let result = testing::execute(processor, code);
    assert_eq!(result, Ok(()), "{text}");
}

/// Executes an instruction that must fault, and checks that nothing has changed.
#[track_caller]
fn fault(processor: &mut Processor<TestBus>, text: &str, code: &[u16]) -> Fault {
    let before = processor.registers.clone();
    let result = testing::execute(processor, code);
    let after = &processor.registers;
    assert_eq!(after.r, before.r, "{text}");
    assert_eq!((after.apsr, after.itstate), (before.apsr, before.itstate), "{text}");
    result.expect_err(text)
}

/// APSR from a word like "nZCv", in which the capital letters are the flags that are set.
fn apsr(flags: &str) -> u32 {
    let set = |(flag, place)| u32::from(flags.contains(flag)) << place;
    "NZCVQ".chars().zip((27..32).rev()).map(set).sum()
}

/// The word that [`apsr`] reads, from the processor's flags.
fn flags(processor: &Processor<TestBus>) -> String {
    let apsr = processor.registers.apsr;
    let letter = |(flag, place): (char, u32)| {
        if apsr >> place & 1 != 0 { flag } else { flag.to_ascii_lowercase() }
    };
    "NZCV".chars().zip((28..32).rev()).map(letter).collect()
}
