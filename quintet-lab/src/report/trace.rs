//! The call stack of firmware that has ended, through exceptions too, and as text.

use quintet_sim::machine::Machine;
use quintet_sim::processor::registers::Registers;

use super::fault::{FaultStatus, STACKING};
use super::thread;
use crate::debug::Place;
use crate::debug::backtrace::{CoreState, Found, Frame, backtrace};
use crate::firmware::Firmware;

/// The call stack. Where it cannot be followed through a fault's exception frame (it could not be
/// written), it goes on with the registers that the fault found.
pub fn trace(firmware: &Firmware, machine: &Machine, is_fault: bool) -> Vec<Frame> {
    let read = |address: u32| machine.read_word(address);
    let process_top = thread::stack_top(&firmware.image, machine);
    let walk = |registers: &Registers| {
        backtrace(firmware, &CoreState { process_top, ..CoreState::of(registers) }, &read)
    };
    let mut frames = walk(&machine.processor.registers);
    let interrupted = frames.iter().position(|frame| frame.found == Found::Interrupted);
    let written = interrupted.filter(|_| FaultStatus::read(read).cfsr & STACKING == 0);
    if let (true, None, Some(scene)) = (is_fault, written, &machine.processor.last_fault) {
        frames.truncate(interrupted.unwrap_or(frames.len()));
        let mut before = walk(scene);
        if let Some(first) = before.first_mut() {
            first.found = Found::Interrupted;
        }
        frames.append(&mut before);
    }
    frames
}

/// Where a frame is: its address, function and line.
pub fn place(frame: &Frame) -> String {
    format!("at {}", Place::at(frame.address, &frame.places))
}

/// A backtrace, one line a function. Recursion is shown once, with how often.
pub fn backtrace_text(frames: &[Frame]) -> String {
    backtrace_of(frames, "exception", "thread mode")
}

/// The same on a core where what interrupts has another name, and what is interrupted.
pub fn backtrace_of(frames: &[Frame], exception: &str, program: &str) -> String {
    let mut text = String::new();
    let mut number = 0;
    while let Some(frame) = frames.get(number) {
        if frame.found == Found::Interrupted {
            let how = if frame.exception == 0 { program } else { "a handler" };
            text.push_str(&format!("      --- {exception}; it interrupted {how}: ---\n"));
        }
        for place in &frame.places {
            text.push_str(&place_text(number, frame, place));
        }
        let same = |other: &&Frame| other.address == frame.address && other.found == frame.found;
        let repeated = frames[number + 1..].iter().take_while(same).count();
        if repeated > 0 {
            text.push_str(&format!("      --- and {repeated} more times ---\n"));
        }
        number += 1 + repeated;
    }
    text
}

fn place_text(number: usize, frame: &Frame, place: &Place) -> String {
    let function = place.function.as_deref().unwrap_or("?");
    let inlined = if place.inlined { " [inlined]" } else { "" };
    let guess = if frame.found == Found::Guess { " [guess: found on the stack]" } else { "" };
    let address = frame.address;
    let mut text = format!("  {number:>2}: {address:#010x} {function}{inlined}{guess}\n");
    if let Some(file) = &place.file {
        text.push_str(&format!("        {file}{}\n", line(place.line)));
    }
    text
}

fn line(line: Option<u32>) -> String {
    line.map(|line| format!(":{line}")).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recursion_is_shown_once() {
        let frame = |address, found| Frame {
            address,
            stack_pointer: None,
            found,
            exception: 0,
            places: vec![Place { function: Some("f".into()), ..Place::default() }],
            registers: Vec::new(),
        };
        let frames = [
            frame(0x10, Found::Current),
            frame(0x20, Found::Caller),
            frame(0x20, Found::Caller),
            frame(0x20, Found::Caller),
            frame(0x30, Found::Interrupted),
        ];
        let text = backtrace_text(&frames);
        assert!(text.contains("and 2 more times"), "{text}");
        assert_eq!(text.matches("0x00000020").count(), 1);
        assert!(text.contains("   4: 0x00000030"), "{text}");
        assert!(text.contains("it interrupted thread mode"));
    }
}
