//! Applications on RISC-V: levels on one software interrupt, and `async`.
//!
//! Two programs must print the same on the simulator's RISC-V, with and without atomic
//! instructions, and on a Cortex-M. Another one is interrupted before every instruction of its
//! locks, spawns and wakes, first once, and then a second time behind the first interrupt. It ends
//! with success only if nothing was lost or torn. One more is interrupted on its way to sleep.

mod support;

use std::path::Path;

use quintet_sim::board::Board as CortexBoard;
use quintet_sim::image::Image;
use quintet_sim::machine::{self, Output, Until};
use quintet_sim::riscv::board::Board;
use quintet_sim::riscv::machine::{Limits, Machine, Stop};

/// With atomic instructions, and without.
const TARGETS: [&str; 2] = ["riscv32imac-unknown-none-elf", "riscv32imc-unknown-none-elf"];
/// The board, which is QEMU's `virt`.
const BOARD: &str = include_str!("../../quintet-sim/boards/riscv/virt-rv32.toml");
/// The board's memory, and as much as the programs need: snapshots copy it.
const MEMORY: [&str; 2] = ["size = 0x0800_0000", "size = 0x0002_0000"];
/// The workspace of the programs.
const WORKSPACE: &str = "riscv";
/// A program that doesn't wait for a time takes a tenth of them.
const CYCLES_MAX: u64 = 200_000;
/// One that waits takes some of them.
const CYCLES_MAX_TIMED: u64 = 200_000_000;

/// The tasks that interrupt.
const LINES: std::ops::Range<u32> = 1..4;
/// The second interrupt comes within so many instructions of the first.
const DISTANCE: usize = 400;
/// Of the pairs, one in so many is made.
const PAIRS_LEFT: usize = 101;
/// The same of threads, whose program is longer.
const PAIRS_OF_THREADS_LEFT: usize = 2503;
/// Without atomic instructions, one in so many of a Cortex-M's programs is built.
const PROGRAMS_LEFT: usize = 4;
/// More cycles than the program arms the timer for.
const FAR: u64 = 1 << 21;

fn text(output: Vec<Output>) -> String {
    let bytes = output.into_iter().flat_map(|piece| piece.bytes).collect();
    String::from_utf8(bytes).expect("programs print text")
}

fn image(path: &Path) -> Image {
    let bytes = std::fs::read(path).expect("it was built");
    Image::parse_riscv_elf(&bytes).expect("it is for RISC-V")
}

/// The board with a program in it.
fn load(image: &Image) -> Machine {
    assert!(BOARD.contains(MEMORY[0]));
    let board = Board::parse(&BOARD.replace(MEMORY[0], MEMORY[1]), "virt").expect("it is a board");
    let mut machine = Machine::new(&board);
    machine.load(image).expect("it is linked for the board");
    machine.reset();
    machine
}

/// Runs a program to its end, which must be success; returns what it has printed.
#[track_caller]
fn finish(machine: &mut Machine, how: &str) -> String {
    let cycles = Some(machine.hart.cycle() + CYCLES_MAX_TIMED);
    let limits = Limits { cycles, instructions: None };
    let stop = machine.run(&limits);
    let printed = text(machine.take_output());
    assert_eq!(stop, Stop::Exit { code: 0 }, "{how}, {}: {printed}", machine.whereabouts());
    printed
}

/// Requires that a program prints this on a Cortex-M and on RISC-V.
#[track_caller]
fn prints(name: &str, expected: &str) {
    prints_with(name, &[], expected);
}

/// The same for a program that is built with some more arguments.
#[track_caller]
fn prints_with(name: &str, arguments: &[&str], expected: &str) {
    let arguments = [&["--bin", name], arguments].concat();
    let programs = support::build(WORKSPACE, support::TARGET, &arguments);
    let board = CortexBoard::named(support::BOARD).expect("built in");
    let mut cortex = support::machine(&board, &support::image(&programs.join(name)));
    let stop = cortex.run(&Until { max_cycles: Some(CYCLES_MAX_TIMED), ..Until::default() });
    assert_eq!(stop, machine::Stop::Exit { code: 0 }, "{name}");
    assert_eq!(support::printed(&mut cortex), expected, "{name}");
    for target in TARGETS {
        let programs = support::build(WORKSPACE, target, &arguments);
        let printed = finish(&mut load(&image(&programs.join(name))), target);
        assert_eq!(printed, expected, "{name}, {target}");
    }
}

#[test]
fn levels_print_the_same_as_on_a_cortex_m() {
    prints("levels", include_str!("../firmware/riscv/src/bin/levels.out"));
}

#[test]
fn levels_of_all_sizes_and_actors_do_the_same_as_on_a_cortex_m() {
    prints("sizes", include_str!("../firmware/riscv/src/bin/sizes.out"));
}

#[test]
fn the_platforms_timer_is_the_interrupt_of_a_task() {
    for target in TARGETS {
        let programs = support::build(WORKSPACE, target, &["--bin", "platform", "-F", "riscv"]);
        let printed = finish(&mut load(&image(&programs.join("platform"))), target);
        assert_eq!(printed, include_str!("../firmware/riscv/src/bin/platform.out"), "{target}");
    }
}

#[test]
fn the_platforms_controller_is_claimed_and_completed_by_a_task() {
    for target in TARGETS {
        let programs = support::build(WORKSPACE, target, &["--bin", "external", "-F", "riscv"]);
        let printed = finish(&mut load(&image(&programs.join("external"))), target);
        assert_eq!(printed, include_str!("../firmware/riscv/src/bin/external.out"), "{target}");
    }
}

#[test]
fn a_stack_without_room_for_an_interrupt_is_named() {
    for target in TARGETS {
        let arguments = ["--bin", "overflow_in_trap", "-F", "riscv"];
        let programs = support::build(WORKSPACE, target, &arguments);
        let mut machine = load(&image(&programs.join("overflow_in_trap")));
        let limits = Limits { cycles: Some(CYCLES_MAX), instructions: None };
        let stop = machine.run(&limits);
        let printed = text(machine.take_output());
        let says = "the stack of the thread `deep` overflowed: its 512 bytes don't suffice";
        assert!(printed.contains(says), "{target}: {printed}, {}", machine.whereabouts());
        assert_eq!(stop, Stop::Exit { code: 101 }, "{target}: {printed}");
    }
}

#[test]
fn waits_end_at_the_times_of_a_cortex_m() {
    for rate in ["tick-1m", "tick-10m"] {
        let expected = include_str!("../firmware/riscv/src/bin/times.out");
        prints_with("times", &["--features", rate], expected);
    }
}

#[test]
fn programs_of_a_cortex_m_print_the_same() {
    let manifest =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("firmware/riscv-behaviours/Cargo.toml");
    let manifest = std::fs::read_to_string(manifest).expect("it can be read");
    for target in TARGETS {
        let atomics = target.contains("imac");
        let programs = manifest.split("[[bin]]").skip(1);
        let programs: Vec<&str> = programs
            .filter(|program| atomics || !program.contains("required-features"))
            .filter_map(|program| program.split('"').nth(1))
            .collect();
        assert!(programs.len() > 40, "{programs:?}");
        let step = if atomics { 1 } else { PROGRAMS_LEFT };
        let programs: Vec<&str> = programs.into_iter().step_by(step).collect();
        let mut arguments = if atomics { vec!["--features", "atomics"] } else { vec![] };
        arguments.extend(programs.iter().flat_map(|name| ["--bin", name]));
        let built = support::build("riscv-behaviours", target, &arguments);
        for name in programs {
            let printed = finish(&mut load(&image(&built.join(name))), name);
            assert_eq!(printed, support::written(name), "{name}, {target}");
        }
    }
}

/// The program that is interrupted.
struct Program {
    machine: Machine,
    image: Image,
}

impl Program {
    /// Builds a program, and runs it up to the mark `begin`.
    fn start(name: &str, target: &str, features: &str) -> Self {
        let programs = support::build(WORKSPACE, target, &["--bin", name, "--features", features]);
        let image = image(&programs.join(name));
        let mut program = Self { machine: load(&image), image };
        let begin = program.address("begin");
        while program.machine.hart.pc != begin {
            let instructions = program.machine.hart.instructions();
            assert_eq!(program.machine.step(), None, "{}", program.machine.whereabouts());
            assert!(instructions < CYCLES_MAX, "{target}: it doesn't come to its work");
        }
        program
    }

    fn address(&self, symbol: &str) -> u32 {
        self.image.symbol(symbol).unwrap_or_else(|| panic!("there is no {symbol}")).address
    }

    /// Lets the timer's interrupt come, whose handler pends `line`.
    fn interrupt(&mut self, line: u32) {
        let pends = self.address("PENDS");
        let hart = &mut self.machine.hart;
        hart.bus.system.poke(pends + line, &[1]).expect("it is in RAM");
        hart.wait(FAR);
    }

    /// Runs to the end; returns how often each handler has run. (Each has run once before.)
    fn runs(&self, how: &str) -> Vec<u32> {
        let mut machine = self.machine.clone();
        finish(&mut machine, how);
        let runs = self.address("RUNS");
        let run = |line| {
            let mut word = [0; 4];
            machine.read_memory(runs + 4 * line, &mut word).expect("it is in RAM");
            u32::from_le_bytes(word) - 1
        };
        LINES.map(run).collect()
    }
}

/// How often each handler must have run after these interrupts, if none came while another of the
/// same line was pending.
fn expected(pended: &[u32]) -> Vec<u32> {
    LINES.map(|line| pended.iter().filter(|other| **other == line).count() as u32).collect()
}

#[test]
fn nothing_is_lost_before_whichever_instruction_interrupts_come() {
    for target in TARGETS {
        interrupt_everywhere("interrupted", target, PAIRS_LEFT);
    }
}

#[test]
fn no_thread_is_lost_before_whichever_instruction_interrupts_come() {
    for target in TARGETS {
        interrupt_everywhere("threads_interrupted", target, PAIRS_OF_THREADS_LEFT);
    }
}

/// Interrupts a program before each instruction between its marks, and a second time behind that.
fn interrupt_everywhere(name: &str, target: &str, pairs_left: usize) {
    let mut program = Program::start(name, target, "riscv");
    let end = program.address("end");
    let (mut instructions, mut pairs) = (0, 0);
    while program.machine.hart.pc != end {
        let before = program.machine.clone();
        for first in LINES {
            program.interrupt(first);
            let how = format!("{name}, {target}: line {first} before instruction {instructions}");
            assert_eq!(program.runs(&how), expected(&[first]), "{how}");
            pairs += interrupt_again(&mut program, first, instructions, pairs_left, &how);
            program.machine = before.clone();
        }
        instructions += 1;
        assert_eq!(program.machine.step(), None);
    }
    println!("{name}, {target}: {instructions} instructions, {pairs} pairs");
    assert!(instructions > 100 && pairs > 1000, "{instructions} instructions, {pairs} pairs");
}

#[test]
fn no_wake_up_is_lost_on_the_way_to_sleep() {
    for target in TARGETS {
        let mut program = Program::start("asleep", target, "riscv");
        let mut instructions = 0;
        loop {
            let mut machine = program.machine.clone();
            machine.hart.wait(FAR);
            finish(&mut machine, &format!("{target}: before instruction {instructions}"));
            let before = program.machine.hart.instructions();
            assert_eq!(program.machine.step(), None, "{target}");
            if program.machine.hart.instructions() == before {
                break;
            }
            instructions += 1;
        }
        println!("{target}: {instructions} instructions");
        assert!(instructions > 50, "{target}: {instructions} instructions");
    }
}

#[test]
fn no_time_is_lost_before_whichever_instruction_it_passes() {
    for (target, rate) in TARGETS.into_iter().zip(["tick-1m", "tick-10m"]) {
        let mut program = Program::start("delays_interrupted", target, rate);
        let end = program.address("end");
        let mut instructions = 0;
        while program.machine.hart.pc != end {
            let mut machine = program.machine.clone();
            machine.hart.wait(FAR);
            finish(&mut machine, &format!("{target}, {rate}: before {instructions}"));
            // While the hart sleeps, time passes and nothing else.
            let before = program.machine.hart.instructions();
            while program.machine.hart.instructions() == before {
                assert_eq!(program.machine.step(), None);
            }
            instructions += 1;
        }
        println!("{target}, {rate}: {instructions} instructions");
        assert!(instructions > 1000, "{target}, {rate}: {instructions} instructions");
    }
}

/// Takes a second interrupt behind the first one, at some of the instructions; returns how many.
fn interrupt_again(
    program: &mut Program,
    first: u32,
    number: usize,
    pairs_left: usize,
    how: &str,
) -> usize {
    let judge = program.address("judge");
    let mut count = 0;
    for distance in 0..DISTANCE {
        assert_eq!(program.machine.step(), None, "{how}");
        if program.machine.hart.pc == judge {
            break;
        }
        for second in LINES {
            // Of each line and distance some instructions, of each instruction some distances.
            let place = number * 7 + distance * LINES.len() + second as usize;
            if !place.is_multiple_of(pairs_left) {
                continue;
            }
            let between = program.machine.clone();
            program.interrupt(second);
            let how = format!("{how}, then line {second} after {distance} more");
            let runs = program.runs(&how);
            if second == first {
                // While it is pending, once more is no more.
                let run = runs[(first - LINES.start) as usize];
                assert!(run == 1 || run == 2, "{how}: {runs:?}");
            } else {
                assert_eq!(runs, expected(&[first, second]), "{how}");
            }
            program.machine = between;
            count += 1;
        }
    }
    count
}
