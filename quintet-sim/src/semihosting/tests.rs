//! Each service, called as a program does.

use super::*;
use crate::board::Board;
use crate::bus::SystemBus;
use crate::processor::Processor;

/// Where the tests put blocks and text.
const BLOCK: u32 = 0x2000_0000;
const TEXT: u32 = 0x2000_0100;

struct Caller {
    host: Host,
    processor: Processor<SystemBus>,
}

impl Caller {
    fn new() -> Self {
        let board = Board::named("lm3s6965").expect("built in");
        let processor = Processor::new(board.configuration(), SystemBus::new(&board));
        Self { host: Host::new(board.clock_hz), processor }
    }

    fn put(&mut self, address: u32, data: &[u8]) {
        self.processor.bus.poke(address, data).expect("memory");
    }

    fn get(&self, address: u32, length: u32) -> Vec<u8> {
        bytes(&self.processor, address, length).expect("memory")
    }

    fn raw(&mut self, operation: u32, argument: u32) -> (Served, u32) {
        self.processor.registers.r[0] = operation;
        self.processor.registers.r[1] = argument;
        let served = self.host.serve(&mut self.processor);
        (served, self.processor.registers.r[0])
    }

    /// Calls with a block of words.
    fn call(&mut self, operation: u32, block: &[u32]) -> u32 {
        for (index, word) in block.iter().enumerate() {
            self.put(BLOCK + 4 * index as u32, &word.to_le_bytes());
        }
        let (served, result) = self.raw(operation, BLOCK);
        assert_eq!(served, Served::Continue);
        result
    }

    fn open(&mut self, name: &[u8], mode: u32) -> u32 {
        self.put(TEXT, name);
        self.call(0x01, &[TEXT, mode, name.len() as u32])
    }
}

#[test]
fn the_console_opens_as_three_files() {
    let mut program = Caller::new();
    let output = program.open(b":tt", 4);
    let error = program.open(b":tt", 8);
    assert!(output != error && output > 0);
    program.put(TEXT, b"hello");
    assert_eq!(program.call(0x05, &[output, TEXT, 5]), 0);
    assert_eq!(program.call(0x05, &[output, TEXT, 2]), 0);
    assert_eq!(program.call(0x05, &[error, TEXT, 1]), 0);
    let expected = [(Channel::Output, b"hellohe".to_vec()), (Channel::Error, b"h".to_vec())];
    assert_eq!(program.host.take_output(), expected);
    assert_eq!(program.call(0x09, &[output]), 1);
    assert_eq!(program.call(0x0c, &[output]), 0);
    assert_eq!(program.call(0x02, &[output]), 0);
    assert_eq!(program.call(0x02, &[output]), FAILED);
    assert_eq!(program.call(0x13, &[]), error::BAD_HANDLE);
}

#[test]
fn single_bytes_and_strings_are_printed() {
    let mut program = Caller::new();
    program.put(TEXT, b"!ab\0");
    program.raw(0x03, TEXT);
    program.raw(0x04, TEXT + 1);
    assert_eq!(program.host.take_output(), [(Channel::Output, b"!ab".to_vec())]);
}

#[test]
fn no_other_file_exists() {
    let mut program = Caller::new();
    assert_eq!(program.open(b"/etc/passwd", 0), FAILED);
    assert_eq!(program.call(0x13, &[]), error::NO_ENTRY);
    assert_eq!(program.open(b":tt", 99), FAILED);
    for _ in 0..FILES_MAX {
        assert_ne!(program.open(b":tt", 4), FAILED);
    }
    assert_eq!(program.open(b":tt", 4), FAILED);
}

#[test]
fn features_tell_of_the_extended_exit() {
    let mut program = Caller::new();
    let file = program.open(b":semihosting-features", 1);
    assert_eq!(program.call(0x0c, &[file]), 5);
    assert_eq!(program.call(0x09, &[file]), 0);
    assert_eq!(program.call(0x06, &[file, TEXT, 8]), 3);
    assert_eq!(program.get(TEXT, 5), b"SHFB\x03");
    assert_eq!(program.call(0x0a, &[file, 4]), 0);
    assert_eq!(program.call(0x06, &[file, TEXT, 1]), 0);
    assert_eq!(program.get(TEXT, 1), [3]);
}

#[test]
fn input_ends() {
    let mut program = Caller::new();
    program.host.set_input(b"xyz");
    let file = program.open(b":tt", 0);
    assert_eq!(program.call(0x06, &[file, TEXT, 2]), 0);
    assert_eq!(program.get(TEXT, 2), b"xy");
    assert_eq!(program.raw(0x07, 0).1, u32::from(b'z'));
    assert_eq!(program.raw(0x07, 0).1, FAILED);
    assert_eq!(program.call(0x06, &[file, TEXT, 2]), 2);
}

#[test]
fn exits_have_their_codes() {
    let mut program = Caller::new();
    assert_eq!(program.raw(0x18, APPLICATION_EXIT).0, Served::Exit { code: 0 });
    assert_eq!(program.raw(0x18, 0x2_0023).0, Served::Exit { code: 1 });
    program.put(BLOCK, &APPLICATION_EXIT.to_le_bytes());
    program.put(BLOCK + 4, &42_u32.to_le_bytes());
    assert_eq!(program.raw(0x20, BLOCK).0, Served::Exit { code: 42 });
    program.put(BLOCK, &0x2_0023_u32.to_le_bytes());
    assert_eq!(program.raw(0x20, BLOCK).0, Served::Exit { code: 1 });
    assert_eq!(program.raw(0x20, 0x9000_0000).0, Served::Exit { code: 1 });
}

#[test]
fn the_command_line_fits_or_is_refused() {
    let mut program = Caller::new();
    program.host.set_command_line("run test");
    assert_eq!(program.call(0x15, &[TEXT, 9]), 0);
    assert_eq!(program.get(TEXT, 9), b"run test\0");
    assert_eq!(program.get(BLOCK + 4, 4), 8_u32.to_le_bytes());
    assert_eq!(program.call(0x15, &[TEXT, 8]), FAILED);
}

#[test]
fn the_clock_follows_the_cycle() {
    let mut program = Caller::new();
    program.processor.pipeline.sleep_until(36_000_000);
    let now = program.processor.pipeline.now();
    assert_eq!(program.raw(0x10, 0).1, 300);
    assert_eq!(program.raw(0x11, 0).1, 3);
    assert_eq!(program.raw(0x30, BLOCK).1, 0);
    assert_eq!(program.get(BLOCK, 8), now.to_le_bytes());
    assert_eq!(program.raw(0x31, 0).1, 12_000_000);
}

#[test]
fn the_stack_is_the_vector_tables_and_the_heap_is_left_to_the_program() {
    const STACK: u32 = 0x2000_8000;
    const TABLE: u32 = 0x2000_0200;
    let mut program = Caller::new();
    program.processor.system.scb.vector_table = TABLE;
    program.put(TABLE, &STACK.to_le_bytes());
    program.put(TEXT, &[0xff; 16]);
    assert_eq!(program.call(0x16, &[TEXT]), 0);
    let fields = [0, 0, STACK, 0].map(u32::to_le_bytes);
    assert_eq!(program.get(TEXT, 16), fields.concat());
}

#[test]
fn bad_arguments_fail_without_harm() {
    let mut program = Caller::new();
    for operation in 0..0x40 {
        if operation != 0x18 && operation != 0x20 {
            for argument in [0x9000_0000, u32::MAX, 0] {
                let (served, _) = program.raw(operation, argument);
                assert_eq!(served, Served::Continue);
            }
        }
    }
    assert_eq!(program.raw(0x99, 0).1, FAILED);
    assert_eq!(program.call(0x13, &[]), error::NOT_IMPLEMENTED);
    let file = program.open(b":tt", 4);
    assert_eq!(program.call(0x05, &[file, TEXT, u32::MAX]), FAILED);
    // A buffer in flash cannot be filled.
    program.host.set_input(b"x");
    let file = program.open(b":tt", 0);
    assert_eq!(program.call(0x06, &[file, 0x100, 1]), FAILED);
}

#[test]
fn a_handle_is_checked_before_bytes_are_read() {
    let mut program = Caller::new();
    assert_eq!(program.call(0x05, &[7, 0x9000_0000, 4]), FAILED);
    assert_eq!(program.call(0x13, &[]), error::BAD_HANDLE);
    let input = program.open(b":tt", 0);
    assert_eq!(program.call(0x05, &[input, 0x9000_0000, u32::MAX]), u32::MAX, "none is written");
    let output = program.open(b":tt", 4);
    assert_eq!(program.call(0x05, &[output, 0x9000_0000, 4]), FAILED);
    assert_eq!(program.call(0x13, &[]), error::BAD_ADDRESS);
    assert_eq!(program.call(0x01, &[0x9000_0000, 4, u32::MAX]), FAILED);
    assert_eq!(program.call(0x13, &[]), error::NO_ENTRY, "no name is so long");
    assert!(program.host.take_output().is_empty());
}

#[test]
fn bytes_beyond_the_free_ones_take_a_cycle_each() {
    let mut program = Caller::new();
    let output = program.open(b":tt", 4);
    program.put(TEXT, &[b'a'; 0x3000]);
    let took = |program: &mut Caller, operation, block: &[u32]| {
        let before = program.processor.pipeline.now();
        program.call(operation, block);
        program.processor.pipeline.now() - before
    };
    assert_eq!(took(&mut program, 0x05, &[output, TEXT, FREE_BYTES]), 0);
    assert_eq!(took(&mut program, 0x05, &[output, TEXT, FREE_BYTES + 1000]), 1000);
    let before = program.processor.pipeline.now();
    program.raw(0x04, TEXT);
    assert_eq!(program.processor.pipeline.now() - before, 0x3000 - u64::from(FREE_BYTES));
    program.host.set_input(&[b'b'; 0x2000]);
    let input = program.open(b":tt", 0);
    assert_eq!(took(&mut program, 0x06, &[input, TEXT, 0x1800]), 0x800);
    let printed: usize = program.host.take_output().iter().map(|(_, bytes)| bytes.len()).sum();
    assert_eq!(printed, 2 * FREE_BYTES as usize + 1000 + 0x3000);
}

#[test]
fn strings_end_at_their_zero_wherever_they_lie() {
    let mut program = Caller::new();
    for (address, length) in [(0x2000_00ff, 1), (0x2000_0001, 700), (0x2000_ff00, 0xff)] {
        program.put(address, &vec![b'x'; length]);
        program.put(address + length as u32, &[0]);
        program.raw(0x04, address);
        let expected = (Channel::Output, vec![b'x'; length]);
        assert_eq!(program.host.take_output(), [expected], "{address:#x}");
    }
    // A string that reaches the end of memory has no end.
    program.put(0x2000_fffe, b"yy");
    assert_eq!(program.raw(0x04, 0x2000_fffe).1, FAILED);
    assert_eq!(program.call(0x13, &[]), error::BAD_ADDRESS);
}

#[test]
fn output_is_kept_up_to_its_limit() {
    let mut program = Caller::new();
    let output = program.open(b":tt", 4);
    program.host.set_output_limit(Some(6));
    program.put(TEXT, b"hello");
    assert_eq!(program.call(0x05, &[output, TEXT, 5]), 0);
    assert_eq!(program.host.output_cut(), None);
    assert_eq!(program.call(0x05, &[output, TEXT, 5]), 0, "the program doesn't see it");
    assert_eq!(program.host.output_cut(), Some(6));
    assert_eq!(program.host.take_output(), [(Channel::Output, b"helloh".to_vec())]);
    program.call(0x05, &[output, TEXT, 5]);
    assert!(program.host.take_output().is_empty());
    program.host.set_output_limit(None);
    program.call(0x05, &[output, TEXT, 5]);
    assert_eq!(program.host.take_output(), [(Channel::Output, b"hello".to_vec())]);
}

#[test]
fn tests_are_told_where_they_are_expected() {
    let mut program = Caller::new();
    program.put(TEXT, b"{}");
    assert_eq!(program.call(0x100, &[TEXT, 2]), FAILED);
    assert_eq!(program.host.take_tests(), None);
    program.host.expect_tests();
    assert_eq!(program.call(0x100, &[TEXT, 2]), 0);
    assert_eq!(program.host.take_tests().as_deref(), Some(&b"{}"[..]));
    assert_eq!(program.call(0x100, &[TEXT, u32::MAX]), FAILED);
}
