//! The commands behind GDB's `monitor`.

use std::fmt::Write;

use crate::debugger::Debugger;

const HELP: &str = "\
monitor cycles              cycles and instructions since reset
monitor reset               reset the board; the processor halts before its first instruction
monitor maskints [on|off]   whether steps (stepi, step, next) hold interrupts off, as at first
monitor help                this list
";

const MASKED: &str = "\
maskints on: a step holds PendSV, SysTick and the interrupts off; they come when the program runs
";
const NOT_MASKED: &str = "maskints off: a step may end in the handler of an interrupt\n";

/// Runs a command. The answer is for people.
pub fn command(debugger: &mut Debugger, command: &str) -> String {
    let mut answer = String::new();
    match command.split_whitespace().collect::<Vec<_>>().as_slice() {
        ["cycles"] => {
            let machine = debugger.machine();
            let (cycles, instructions) = (machine.cycle(), machine.instructions());
            // Writing to a string never fails.
            let _ = writeln!(answer, "{cycles} cycles, {instructions} instructions");
        }
        // Other servers need a word for the action after the reset. This one always halts.
        ["reset"] | ["reset", "halt" | "init"] => {
            debugger.reset();
            let _ = writeln!(answer, "reset, halted at {:#010x}", debugger.pc());
            answer.push_str("GDB shows old registers until `maintenance flush register-cache`\n");
        }
        ["maskints", rest @ ..] if matches!(rest, [] | ["on" | "off"]) => {
            if let [word] = rest {
                debugger.mask_steps(*word == "on");
            }
            answer.push_str(if debugger.masks_steps() { MASKED } else { NOT_MASKED });
        }
        ["help"] | [] => answer.push_str(HELP),
        _ => {
            let _ = write!(answer, "there is no `monitor {command}`\n{HELP}");
        }
    }
    answer
}
