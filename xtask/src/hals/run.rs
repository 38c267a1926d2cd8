//! Runs the image of a program until it has written the expected output.

use std::fmt;
use std::path::Path;

use anyhow::Result;
use quintet_lab::firmware::Firmware;
use quintet_sim::board::Board;
use quintet_sim::machine::{Machine, Until};

/// The simulated time within which a program must have written its lines, in microseconds.
const LIMIT_US: u64 = 500_000;

/// The simulated time between two checks of the output, in microseconds.
const STEP_US: u64 = 500;

/// The result of a program's run.
#[derive(Debug)]
pub enum Verdict {
    /// The program has written its lines.
    Runs {
        /// The cycle of the last line.
        cycles: u64,
    },
    /// Cargo has said why.
    NotBuilt,
    /// The program builds, but its run fails.
    Fails {
        /// The place at the end, and the cause of the end.
        at: String,
        /// The output.
        written: String,
    },
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Runs { cycles } => write!(f, "runs ({cycles} cycles to its last line)"),
            Self::NotBuilt => write!(f, "does not build: cargo says why above"),
            Self::Fails { at, written } => {
                write!(f, "builds, fails {at}; it has written {written:?}")
            }
        }
    }
}

/// Runs an image until its output has the lines.
pub fn run(image: &Path, board: &Board, expected: &[String]) -> Result<Verdict> {
    let firmware = Firmware::open(image, None)?;
    let mut machine = Machine::new(board);
    machine.load(&firmware.image)?;
    machine.reset();
    let mut written = String::new();
    let limit = board.cycles_of(LIMIT_US);
    loop {
        let next = machine.cycle() + board.cycles_of(STEP_US).max(1);
        let stop = machine.run(&Until { max_cycles: Some(next), ..Until::default() });
        for output in machine.take_output() {
            written.push_str(&String::from_utf8_lossy(&output.bytes));
        }
        let mut lines = written.lines().map(str::trim_end);
        if expected.iter().all(|line| lines.next() == Some(line)) {
            return Ok(Verdict::Runs { cycles: machine.cycle() });
        }
        let ended = !matches!(stop, quintet_sim::machine::Stop::CycleLimit);
        if ended || machine.processor.fault_history().is_some() || machine.cycle() >= limit {
            let at = format!("{}: {stop:?}", place(&firmware, &machine));
            return Ok(Verdict::Fails { at, written });
        }
    }
}

/// Returns the present place of a program, or the place of its first fault.
fn place(firmware: &Firmware, machine: &Machine) -> String {
    let Some(history) = machine.processor.fault_history() else {
        return format!("at {}", firmware.describe(machine.pc()));
    };
    let first = &history.first;
    let access = first
        .access
        .map_or(String::new(), |access| format!(", which accesses {:#010x}", access.address));
    format!("at {}{access} ({:?})", firmware.describe(first.registers.r[15]), first.cause)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_verdict_says_how_far_a_program_came() {
        let runs = Verdict::Runs { cycles: 700_000 };
        assert_eq!(runs.to_string(), "runs (700000 cycles to its last line)");
        assert_eq!(Verdict::NotBuilt.to_string(), "does not build: cargo says why above");
        let fails = Verdict::Fails { at: "at main: Asleep".into(), written: "turn 0\n".into() };
        let expected = "builds, fails at main: Asleep; it has written \"turn 0\\n\"";
        assert_eq!(fails.to_string(), expected);
    }
}
