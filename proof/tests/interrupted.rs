//! A program for an ARMv6-M, interrupted before every instruction of its locks, spawns and wakes.
//!
//! Cores without BASEPRI and LDREX have code of their own for all three. Each interrupt is taken
//! before each instruction; then a second one before each of the following instructions, in the
//! handler of the first and behind it. The program ends with success only if nothing was lost or
//! torn, and every handler must have run.

mod support;

use std::path::Path;

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
        let programs = support::build("shapes", "thumbv6m-none-eabi", &[]);
        let image = support::image(&programs.join("interrupted"));
        let board =
            Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/microbit/microbit.toml");
        let board = Board::from_file(&board).expect("it is a board");
        let machine = support::machine(&board, &image);
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
        support::address(&self.image, symbol)
    }

    /// Runs to the end, which must be success; returns how often each handler has run. (Each has
    /// run once before.)
    fn finish(&mut self, how: &str) -> Vec<u32> {
        let until = Until { max_cycles: Some(CYCLES_MAX), ..Until::default() };
        let stop = self.machine.run(&until);
        let printed = support::printed(&mut self.machine);
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
