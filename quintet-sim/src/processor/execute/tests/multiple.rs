//! Load and store multiple, and their interruption.

use super::{fault, run, with};
use crate::processor::Processor;
use crate::processor::faults::Fault;
use crate::processor::testing::{self, DATA, TestBus};

#[test]
fn push_and_pop() {
    let mut processor = with(&[(0, 10), (7, 17), (13, DATA + 0x100), (14, 0x501)]);
    run(&mut processor, "push {r0, r7, lr}", &[0xB581]);
    assert_eq!(processor.registers.r[13], DATA + 0xF4);
    let stored: Vec<_> = (0..3).map(|n| processor.bus.word(DATA + 0xF4 + 4 * n)).collect();
    assert_eq!(stored, [10, 17, 0x501]);
    run(&mut processor, "pop {r1, r2, pc}", &[0xBD06]);
    assert_eq!(processor.registers.r[1..3], [10, 17]);
    assert_eq!((processor.registers.r[13], processor.registers.r[15]), (DATA + 0x100, 0x500));
}

#[test]
fn increment_and_decrement() {
    let mut processor = with(&[(1, DATA + 0x10), (2, 22), (3, 33)]);
    run(&mut processor, "stmdb r1, {r2, r3}", &[0xE901, 0x000C]);
    assert_eq!((processor.bus.word(DATA + 8), processor.bus.word(DATA + 12)), (22, 33));
    assert_eq!(processor.registers.r[1], DATA + 0x10);
    run(&mut processor, "stmia r1!, {r2, r3}", &[0xC10C]);
    assert_eq!((processor.bus.word(DATA + 16), processor.bus.word(DATA + 20)), (22, 33));
    assert_eq!(processor.registers.r[1], DATA + 0x18);
    run(&mut processor, "ldmdb r1!, {r4, r5}", &[0xE931, 0x0030]);
    assert_eq!(processor.registers.r[4..6], [22, 33]);
    assert_eq!(processor.registers.r[1], DATA + 0x10);
    run(&mut processor, "ldmia.w r1, {r6, r7}", &[0xE891, 0x00C0]);
    assert_eq!(processor.registers.r[6..8], [22, 33]);
    assert_eq!(processor.registers.r[1], DATA + 0x10);
}

#[test]
fn a_base_in_the_list_is_loaded_or_stored_as_it_was() {
    let mut processor = with(&[(1, DATA)]);
    processor.bus.put_words(DATA, &[100, 101, 102]);
    run(&mut processor, "ldmia r1, {r0, r1, r2}", &[0xC907]);
    assert_eq!(processor.registers.r[0..3], [100, 101, 102]);
    let mut processor = with(&[(0, 9), (1, DATA)]);
    run(&mut processor, "stmia r1!, {r0, r1}", &[0xC103]);
    assert_eq!((processor.bus.word(DATA + 4), processor.registers.r[1]), (DATA, DATA + 8));
}

#[test]
fn a_fault_leaves_the_base() {
    let end = DATA + 0x1000;
    let mut processor = with(&[(1, end - 4)]);
    assert_eq!(
        fault(&mut processor, "ldmia r1!, {r2, r3}", &[0xC90C]),
        Fault::DataBus { address: end }
    );
    let mut processor = with(&[(1, end - 4)]);
    let result = testing::execute(&mut processor, &[0xC906]); // ldm r1, {r1, r2}
    assert_eq!(result, Err(Fault::DataBus { address: end }));
    assert_eq!(processor.registers.r[1], end - 4);
}

/// An interrupt is due from the start, so that each multiple stops behind its first transfer.
fn interrupted(text: &str, code: &[u16], itstate: u8) -> Processor<TestBus> {
    let mut processor = with(&[(1, DATA + 0x100), (2, 22), (3, 33), (4, 44)]);
    processor.bus.put_words(DATA + 0x100, &[200, 300, 400]);
    processor.registers.itstate = itstate;
    processor.pend(2);
    let before = processor.registers.r[1];
    run(&mut processor, text, code);
    assert_eq!(processor.registers.r[15], 0x100, "{text}");
    assert_eq!(processor.registers.r[1], before, "{text}");
    assert_eq!(processor.registers.itstate, itstate, "{text}");
    assert_eq!(processor.bus.accesses.len(), 1, "{text}");
    processor
}

#[test]
fn an_interrupted_load_goes_on_where_it_stopped() {
    let (text, code) = ("ldmia r1!, {r2, r3, r4}", &[0xC91C]);
    let processor = interrupted(text, code, 0);
    assert_eq!(processor.registers.ici, 3);
    assert_eq!(processor.registers.r[2..5], [200, 33, 44]);
    // The handler has run; the registers already loaded are not loaded again.
    let mut resumed = with(&[(1, DATA + 0x100), (2, 1)]);
    resumed.bus.put_words(DATA + 0x100, &[200, 300, 400]);
    resumed.registers.ici = processor.registers.ici;
    run(&mut resumed, text, code);
    assert_eq!(resumed.registers.r[1..5], [DATA + 0x10C, 1, 300, 400]);
    assert_eq!(resumed.registers.ici, 0);
}

#[test]
fn an_interrupted_store_goes_on_where_it_stopped() {
    let (text, code) = ("stmia r1!, {r2, r3, r4}", &[0xC11C]);
    let processor = interrupted(text, code, 0);
    assert_eq!(processor.registers.ici, 3);
    let mut resumed = with(&[(1, DATA), (2, 1), (3, 2), (4, 3)]);
    resumed.registers.ici = 4;
    run(&mut resumed, text, code);
    assert_eq!(resumed.bus.word(DATA + 8), 3);
    assert_eq!(resumed.bus.accesses.len(), 1);
    assert_eq!(resumed.registers.r[1], DATA + 12);
}

#[test]
fn where_going_on_would_be_wrong_it_starts_again() {
    let cases: [(&str, &[u16], u8); 3] = [
        ("ldmia r1!, {r2, r3, r4}", &[0xC91C], 0xE8),
        ("ldmia.w r1, {r1, r3, r4}", &[0xE891, 0x001A], 0),
        ("push {r2, r3, r4}", &[0xB41C], 0),
    ];
    for (text, code, itstate) in cases {
        let processor = interrupted(text, code, itstate);
        assert_eq!(processor.registers.ici, 0, "{text}");
    }
}

#[test]
fn going_on_with_another_instruction_is_an_invalid_state() {
    let mut processor = with(&[(1, DATA)]);
    processor.registers.ici = 3;
    assert_eq!(fault(&mut processor, "adds r0, r1, r1", &[0x1848]), Fault::InvalidState);
}
