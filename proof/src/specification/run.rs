//! A run of a schedule in the simulator: interrupts before instructions, until everything sleeps.

use quintet_sim::machine::{Machine, Stop, Until};

/// A schedule that has not ended behind so many cycles never does.
pub const CYCLES_MAX: u64 = 2_000_000;

/// Runs until everything sleeps. Each exception is pended after a number of instructions, in their
/// order, and then the `last` one. Returns the cause of the end if it is not sleep, and the
/// instructions before the last exception.
pub fn until_asleep(
    machine: &mut Machine,
    exceptions: impl Iterator<Item = (u64, u16)>,
    last: u16,
) -> (Option<String>, u64) {
    let began = machine.instructions();
    let until = Until { max_cycles: Some(machine.cycle() + CYCLES_MAX), ..Until::default() };
    let mut stop = Stop::Asleep;
    for (at, exception) in exceptions {
        let until = Until { max_instructions: Some(began + at), ..until.clone() };
        if machine.instructions() < began + at {
            stop = machine.run(&until);
        }
        machine.pend(exception);
    }
    if matches!(stop, Stop::Asleep | Stop::InstructionLimit) {
        stop = machine.run(&until);
    }
    let instructions = machine.instructions() - began;
    if stop == Stop::Asleep {
        machine.pend(last);
        stop = machine.run(&until);
    }
    ((stop != Stop::Asleep).then(|| failure(machine, stop)), instructions)
}

/// Returns why a run that should end in sleep did not.
fn failure(machine: &mut Machine, stop: Stop) -> String {
    let output = machine.take_output();
    let text: Vec<_> = output.iter().map(|piece| String::from_utf8_lossy(&piece.bytes)).collect();
    let exception = machine.processor.registers.ipsr;
    let text = text.concat();
    format!("{stop:?} in exception {exception} at {:#x} {}", machine.pc(), text.trim())
}
