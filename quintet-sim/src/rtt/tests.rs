//! A control block in RAM: stores and loads of a program, and their effects.

use super::*;
use crate::board::Board;
use crate::image::{Symbol, SymbolKind};
use crate::machine::{Machine, Output, Stop, Until};

const BLOCK: u32 = 0x2000_0100;
const UP: u32 = BLOCK + 24;
const DOWN: u32 = UP + 24;
const UP_BUFFER: u32 = 0x2000_0200;
const DOWN_BUFFER: u32 = 0x2000_0300;
const NAME: u32 = 0x2000_0400;
/// Memory that means nothing.
const ELSEWHERE: u32 = 0x2000_0800;

/// `str r1, [r3]`, `ldr r2, [r0]`, and back to the first.
const PROGRAM: [u16; 3] = [0x6019, 0x6802, 0xe7fc];

fn image(symbol: Option<&str>) -> Image {
    let mut bytes = vec![0_u8; 0x200];
    bytes[..8].copy_from_slice(&[0x00, 0x10, 0x00, 0x20, 0x01, 0x01, 0, 0]);
    for (index, halfword) in PROGRAM.iter().enumerate() {
        bytes[0x100 + 2 * index..][..2].copy_from_slice(&halfword.to_le_bytes());
    }
    let mut image = Image::raw(&bytes, 0).expect("an image");
    image.symbols.extend(symbol.map(|name| Symbol {
        name: name.into(),
        address: BLOCK,
        size: 72,
        kind: SymbolKind::Data,
        absolute: false,
    }));
    image
}

fn machine(symbol: Option<&str>) -> Machine {
    let mut machine = Machine::new(&Board::named("lm3s6965").expect("built in"));
    machine.load(&image(symbol)).expect("it fits");
    machine.reset();
    machine
}

/// Lets the program store a word, and load one.
fn act(machine: &mut Machine, store: (u32, u32), load: u32) -> u32 {
    machine.processor.registers.r[3] = store.0;
    machine.processor.registers.r[1] = store.1;
    machine.processor.registers.r[0] = load;
    for _ in PROGRAM {
        assert_eq!(machine.step(), None);
    }
    machine.processor.registers.r[2]
}

fn store(machine: &mut Machine, address: u32, value: u32) {
    act(machine, (address, value), ELSEWHERE);
}

fn load(machine: &mut Machine, address: u32) -> u32 {
    act(machine, (ELSEWHERE, 0), address)
}

/// Sets the block up with stores in rising order, as start-up code does: an up-channel of 8 bytes
/// and a down-channel of 4.
fn set_up(machine: &mut Machine) {
    machine.write_memory(NAME, b"Terminal\0").expect("RAM");
    let mut words: Vec<u32> =
        ID.chunks(4).map(|word| u32::from_le_bytes(word.try_into().expect("four"))).collect();
    words.extend([1, 1]);
    words.extend([NAME, UP_BUFFER, 8, 0, 0, 2]);
    words.extend([0, DOWN_BUFFER, 4, 0, 0, 0]);
    for (word, at) in words.into_iter().zip((BLOCK..).step_by(4)) {
        store(machine, at, word);
    }
}

/// Prints as a program does: first the bytes, then the offset.
fn print(machine: &mut Machine, bytes: &[u8]) {
    for byte in bytes {
        let write = machine.read_word(UP + field::WRITE).expect("RAM");
        machine.write_memory(UP_BUFFER + write, &[*byte]).expect("RAM");
        store(machine, UP + field::WRITE, (write + 1) % 8);
    }
}

fn output(machine: &mut Machine) -> String {
    let pieces = machine.take_output().into_iter();
    let rtt = pieces.map(|Output { channel, bytes }| {
        assert_eq!(channel, "rtt0");
        String::from_utf8(bytes).expect("text")
    });
    rtt.collect()
}

#[test]
fn what_is_written_comes_at_once_and_the_buffer_is_free_again() {
    let mut machine = machine(Some(SYMBOL));
    set_up(&mut machine);
    print(&mut machine, b"hel");
    assert_eq!(output(&mut machine), "hel");
    assert_eq!(machine.read_word(UP + field::READ), Some(3));
    print(&mut machine, b"lo, world: longer than the buffer");
    assert_eq!(output(&mut machine), "lo, world: longer than the buffer");
    assert_eq!(machine.rtt_name(0).as_deref(), Some("Terminal"));
    assert_eq!(machine.rtt_damages(), []);
}

#[test]
fn a_store_that_wraps_the_offset_brings_both_pieces() {
    let mut machine = machine(Some(SYMBOL));
    set_up(&mut machine);
    print(&mut machine, b"012345");
    machine.write_memory(UP_BUFFER + 6, b"67").expect("RAM");
    machine.write_memory(UP_BUFFER, b"89").expect("RAM");
    store(&mut machine, UP + field::WRITE, 2);
    assert_eq!(output(&mut machine), "0123456789");
}

#[test]
fn it_costs_no_cycle() {
    let mut cycles = [Some(SYMBOL), Some("other")].map(|symbol| {
        let mut machine = machine(symbol);
        set_up(&mut machine);
        print(&mut machine, b"hello, world");
        (machine.cycle(), output(&mut machine))
    });
    assert_eq!(cycles[0].1, "hello, world");
    assert_eq!(std::mem::take(&mut cycles[1].1), "", "no symbol, no RTT");
    assert_eq!(cycles[0].0, cycles[1].0);
}

#[test]
fn a_reset_brings_no_old_bytes() {
    let mut machine = machine(Some(SYMBOL));
    set_up(&mut machine);
    print(&mut machine, b"abc");
    machine.reset();
    set_up(&mut machine);
    print(&mut machine, b"def");
    assert_eq!(output(&mut machine), "abcdef");
    // Firmware whose block stays goes on with the block.
    machine.reset();
    print(&mut machine, b"ghi");
    assert_eq!(output(&mut machine), "ghi");
}

#[test]
fn input_arrives_in_the_first_down_channel() {
    let mut machine = machine(Some(SYMBOL));
    machine.set_input(b"seven..");
    set_up(&mut machine);
    let mut received = Vec::new();
    for _ in 0..20 {
        let write = load(&mut machine, DOWN + field::WRITE);
        let read = machine.read_word(DOWN + field::READ).expect("RAM");
        if write != read {
            let mut byte = [0];
            machine.read_memory(DOWN_BUFFER + read, &mut byte).expect("RAM");
            received.extend(byte);
            store(&mut machine, DOWN + field::READ, (read + 1) % 4);
        }
    }
    assert_eq!(received, b"seven..");
}

#[test]
fn damage_is_named_once_and_read_nothing() {
    let mut machine = machine(Some(SYMBOL));
    set_up(&mut machine);
    for _ in 0..2 {
        store(&mut machine, UP + field::WRITE, 70_000);
    }
    store(&mut machine, UP + 8, u32::MAX);
    store(&mut machine, UP + field::WRITE, 1);
    store(&mut machine, UP + 4, 0x4000_c000);
    store(&mut machine, UP + field::WRITE, 1);
    store(&mut machine, BLOCK + 16, 1_000_000);
    let words: Vec<_> = machine.rtt_damages().iter().map(ToString::to_string).collect();
    assert_eq!(words.len(), 4, "{words:?}");
    assert!(words[0].starts_with(
        "the up-channel 0 of RTT has a buffer of 8 bytes, but its write offset is 70000 and its \
         read offset 0; what passes there is lost until both lie inside: look for what overwrites \
         _SEGGER_RTT (the block at 0x20000100)"
    ));
    assert!(
        words[1].contains("at 0x20000200 with 4294967295 bytes, which isn't RAM of this board")
    );
    assert!(words[2].contains("at 0x4000c000 with 4294967295 bytes, which isn't RAM"));
    assert!(words[3].contains("says that it has 1000000 up-channels and 1 down-channels"));
    assert!(words[3].ends_with("look for what overwrites _SEGGER_RTT"));
    assert_eq!(output(&mut machine), "");
}

#[test]
fn an_image_without_symbols_is_searched_however_the_run_is_cut() {
    let run = |slice: u64| {
        let mut machine = machine(None);
        set_up(&mut machine);
        print(&mut machine, b"abc");
        // The program goes on storing where nothing is.
        machine.processor.registers.r[3] = ELSEWHERE;
        while machine.cycle() < 20_000 {
            let max_cycles = Some(20_000.min(machine.cycle() + slice));
            let until = Until { max_cycles, ..Until::default() };
            assert_eq!(machine.run(&until), Stop::CycleLimit);
        }
        let found = machine.read_word(UP + field::READ);
        print(&mut machine, b"def");
        (found, output(&mut machine), machine.cycle())
    };
    assert_eq!(run(20_000).0, Some(3));
    assert_eq!(run(20_000).1, "abcdef");
    assert_eq!(run(20_000), run(777));
    assert_eq!(run(20_000), run(1));
}

#[test]
fn a_snapshot_has_the_state_of_the_host() {
    let mut machine = machine(None);
    let before = machine.snapshot();
    set_up(&mut machine);
    machine.rtt.next_search = Some(0);
    print(&mut machine, b"abc");
    let found = machine.snapshot();
    print(&mut machine, b"def");
    assert_eq!(output(&mut machine), "abcdef");
    machine.restore(&found);
    print(&mut machine, b"xyz");
    assert_eq!(output(&mut machine), "abcxyz");
    machine.restore(&before);
    assert_eq!((machine.rtt.block, machine.rtt_name(0)), (None, None));
    set_up(&mut machine);
    print(&mut machine, b"abc");
    assert_eq!(output(&mut machine), "", "not found yet");
}
