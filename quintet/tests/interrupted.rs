//! A program for an ARMv6-M, interrupted before every instruction of its locks, spawns and wakes.
//!
//! Cores without BASEPRI and LDREX have code of their own for all three. Each interrupt is taken
//! before each instruction; then a second one before each of the following instructions, in the
//! handler of the first and behind it. The program ends with success only if nothing was lost or
//! torn, and every handler must have run.

use std::path::Path;
use std::process::Command;

use quintet_sim::board::Board;
use quintet_sim::image::Image;
use quintet_sim::machine::{Machine, Stop, Until};

/// The lines of the tasks that interrupt.
const LINES: std::ops::Range<u16> = 1..4;
/// The exception of line 0.
const LINE_0: u16 = 16;
/// The second interrupt comes within so many instructions of the first.
const DISTANCE: usize = 120;
/// The program takes a tenth of them.
const CYCLES_MAX: u64 = 50_000;

/// The program, on a board.
struct Program {
    machine: Machine,
    image: Image,
}

impl Program {
    /// Builds it, and runs it up to the mark `begin`.
    fn start() -> Self {
        let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/shapes");
        let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("shapes");
        let target = "thumbv6m-none-eabi";
        let output = Command::new(env!("CARGO"))
            .args(["build", "--quiet", "--release", "--locked", "--target", target])
            .current_dir(tests)
            .env("CARGO_TARGET_DIR", &directory)
            .env_remove("RUSTFLAGS")
            .env_remove("CARGO_ENCODED_RUSTFLAGS")
            .output()
            .expect("cargo starts");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let bytes = std::fs::read(directory.join(target).join("release/interrupted"))
            .expect("it was built");
        let image = Image::parse_elf(&bytes).expect("it is an ELF file");
        let board =
            Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/microbit/microbit.toml");
        let mut machine = Machine::new(&Board::from_file(&board).expect("it is a board"));
        machine.load(&image).expect("it is linked for the board");
        machine.reset();
        let mut program = Self { machine, image };
        let begin = program.address("begin");
        let stop = program.machine.run(&Until {
            addresses: vec![begin],
            max_cycles: Some(CYCLES_MAX),
            ..Until::default()
        });
        assert_eq!(stop, Stop::Address(begin));
        program
    }

    fn address(&self, symbol: &str) -> u32 {
        self.image.symbol(symbol).unwrap_or_else(|| panic!("there is no {symbol}")).address
    }

    /// Runs to the end, which must be success; returns how often each handler has run. (Each has
    /// run once before.)
    fn finish(&mut self, how: &str) -> Vec<u32> {
        let until = Until { max_cycles: Some(CYCLES_MAX), ..Until::default() };
        let stop = self.machine.run(&until);
        let printed: Vec<u8> =
            self.machine.take_output().into_iter().flat_map(|output| output.bytes).collect();
        let printed = String::from_utf8_lossy(&printed);
        assert_eq!(stop, Stop::Exit { code: 0 }, "{how}: {printed}");
        let runs = self.address("RUNS");
        let run = |line| self.machine.read_word(runs + 4 * u32::from(line)).expect("it is in RAM");
        LINES.map(|line| run(line) - 1).collect()
    }
}

/// How often each handler must have run after these interrupts, if none came while another of the
/// same line was pending.
fn expected(pended: &[u16]) -> Vec<u32> {
    LINES.map(|line| pended.iter().filter(|other| **other == line).count() as u32).collect()
}

#[test]
fn nothing_is_lost_before_whichever_instruction_interrupts_come() {
    let mut program = Program::start();
    let end = program.address("end");
    let (mut instructions, mut pairs) = (0, 0);
    while program.machine.pc() != end {
        let before = program.machine.snapshot();
        for first in LINES {
            program.machine.pend(LINE_0 + first);
            let how = format!("line {first} before instruction {instructions}");
            let pended = program.machine.snapshot();
            assert_eq!(program.finish(&how), expected(&[first]), "{how}");
            program.machine.restore(&pended);
            pairs += interrupt_again(&mut program, first, &how);
            program.machine.restore(&before);
        }
        instructions += 1;
        assert_eq!(program.machine.step(), None);
    }
    println!("{instructions} instructions, {pairs} pairs");
    assert!(instructions > 100 && pairs > 1000, "{instructions} instructions, {pairs} pairs");
}

/// Takes a second interrupt behind the first one, wherever that is; returns how many.
fn interrupt_again(program: &mut Program, first: u16, how: &str) -> usize {
    let judge = program.address("judge");
    let mut count = 0;
    for distance in 0..DISTANCE {
        assert_eq!(program.machine.step(), None, "{how}");
        if program.machine.pc() == judge {
            break;
        }
        let between = program.machine.snapshot();
        for second in LINES {
            program.machine.pend(LINE_0 + second);
            let how = format!("{how}, then line {second} after {distance} more");
            let runs = program.finish(&how);
            if second == first {
                // While it is pending, once more is no more.
                let run = runs[usize::from(first - LINES.start)];
                assert!(run == 1 || run == 2, "{how}: {runs:?}");
            } else {
                assert_eq!(runs, expected(&[first, second]), "{how}");
            }
            program.machine.restore(&between);
            count += 1;
        }
    }
    count
}
