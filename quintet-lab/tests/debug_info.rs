//! The debug information of real firmware, whole and damaged.

mod support;

use quintet_lab::debug::DebugInfo;
use quintet_lab::debug::backtrace::{CoreState, Found, backtrace};
use quintet_lab::firmware::Firmware;
use quintet_lab::firmware::symbols::resolve;
use quintet_sim::image::Symbol;
use std::path::Path;
use support::program;

fn opened(name: &str) -> Firmware {
    Firmware::open(Path::new(&program(name)), None).unwrap()
}

#[test]
fn an_address_has_a_function_a_file_and_a_line() {
    let firmware = opened("hard_fault");
    let address = resolve(&firmware.image, "hard_fault::read_nothing").unwrap();
    let places = firmware.debug.locate(address);
    let last = places.last().unwrap();
    assert_eq!(last.function.as_deref(), Some("hard_fault::read_nothing"));
    assert!(last.file.as_ref().unwrap().ends_with("src/bin/hard_fault.rs"));
    assert!(last.line.unwrap() > 5);
    assert!(!last.inlined);
    assert!(firmware.debug.locate(0x6000_0000).is_empty());
}

/// The state at the first instruction of a function, called from the middle of `outer`.
fn entered(firmware: &Firmware) -> CoreState {
    let address = |name: &str| resolve(&firmware.image, name).unwrap();
    let mut registers = [0; 16];
    registers[13] = 0x2000_8000;
    // Behind the first BL of the caller: it pushes, then calls.
    registers[14] = (address("hard_fault::outer") + 4 + 4) | 1;
    registers[15] = address("hard_fault::read_nothing");
    let main_stack = 0x2000_8000;
    CoreState { registers, main_stack, process_stack: 0, process_top: None, exception: 0 }
}

#[test]
fn the_caller_is_found_by_debug_information() {
    let firmware = opened("hard_fault");
    let frames =
        backtrace(&firmware, &entered(&firmware), &|address| firmware.image.initial_word(address));
    let names: Vec<_> =
        frames.iter().map(|frame| frame.places.last().unwrap().function.clone().unwrap()).collect();
    assert_eq!(names[..2], ["hard_fault::read_nothing", "hard_fault::outer"]);
    assert_eq!((frames[0].found, frames[1].found), (Found::Current, Found::Caller));
}

#[test]
fn nobody_has_called_a_thread() {
    let mut firmware = opened("hard_fault");
    let mut state = entered(&firmware);
    // A jump to nowhere leaves what the function before it would have returned to.
    state.registers[15] = 0x6000_0000;
    let callers = |firmware: &Firmware| {
        backtrace(firmware, &state, &|address| firmware.image.initial_word(address)).len() - 1
    };
    assert!(callers(&firmware) > 0);
    // A call that never returns may be right before that, as it may be the end of a function.
    let name = "_ZN7quintet6thread13end_of_thread17h0123456789abcdefE".into();
    let address = state.registers[14] & !1;
    let end = Symbol { name, address, ..firmware.image.symbols[0].clone() };
    firmware.image.symbols.push(end);
    assert_eq!(callers(&firmware), 0);
}

#[test]
fn a_leaf_without_a_frame_has_a_caller_behind_an_exception_too() {
    let firmware = opened("hard_fault");
    let mut state = entered(&firmware);
    let address = |name: &str| resolve(&firmware.image, name).unwrap();
    let (leaf, caller) = (state.registers[15], state.registers[14]);
    state.registers[15] = address("HardFault_");
    state.registers[14] = 0xffff_fff9;
    state.exception = 3;
    let frames = backtrace(&firmware, &state, &|at| match at.checked_sub(0x2000_8000) {
        Some(20) => Some(caller),
        Some(24) => Some(leaf),
        Some(_) => Some(0x0100_0000),
        None => firmware.image.initial_word(at),
    });
    let found: Vec<_> = frames.iter().map(|frame| frame.found).take(3).collect();
    assert_eq!(found, [Found::Current, Found::Interrupted, Found::Caller]);
}

#[test]
fn a_walk_over_nonsense_ends() {
    let firmware = opened("hard_fault");
    let mut state = entered(&firmware);
    for seed in 0..2_000u32 {
        let noise = |n: u32| (seed ^ n).wrapping_mul(0x9e37_79b9).rotate_left(seed % 31);
        for (number, register) in (0u32..).zip(state.registers.iter_mut()) {
            *register = noise(number);
        }
        state.registers[15] = noise(77) % 0x2000;
        state.registers[14] = if seed % 3 == 0 { 0xffff_fff9 } else { noise(78) % 0x2000 };
        let read =
            |address: u32| firmware.image.initial_word(address).or(Some(noise(address) % 0x3000));
        assert!(backtrace(&firmware, &state, &read).len() <= 64);
    }
}

#[test]
fn damaged_debug_information_never_panics() {
    let original = std::fs::read(program("hard_fault")).unwrap();
    let mut random: u64 = 0x5EED;
    let mut next = move |limit: usize| {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        (random >> 20) as usize % limit
    };
    for _ in 0..40 {
        let mut bytes = original.clone();
        for _ in 0..200 {
            // Behind the code and before the symbols: the debug sections.
            let at = 0x14000.min(bytes.len() / 2) + next(bytes.len() / 2);
            bytes[at] = next(256) as u8;
        }
        let debug = DebugInfo::load(&bytes);
        for address in (0x400..0x2000).step_by(26) {
            debug.locate(address);
        }
    }
}
