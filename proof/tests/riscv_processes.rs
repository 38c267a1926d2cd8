//! Processes on RISC-V: user mode behind PMP, with and without atomic instructions.
//!
//! The kernels and applications of `examples/processes` must print what they print on a Cortex-M.
//! A process that makes every kind of call is interrupted before each of its instructions and those
//! of its calls, by tasks that let a thread run, or a more urgent process. And a process does what
//! it must not: it is stopped with the right cause, or nothing happens, and nobody else notices.

mod support;

use std::path::Path;

use quintet_lab::process::build::{Crate, pack_all};
use quintet_lab::process::pack::Extras;
use quintet_lab::process::place::{self, Application};
use quintet_sim::image::Image;
use quintet_sim::riscv::board::Board;
use quintet_sim::riscv::machine::{Limits, Machine, Stop};

/// With atomic instructions, and without.
const TARGETS: [&str; 2] = ["riscv32imac-unknown-none-elf", "riscv32imc-unknown-none-elf"];
/// The board, which is QEMU's `virt`.
const BOARD: &str = include_str!("../../quintet-sim/boards/riscv/virt-rv32.toml");
/// The board's memory, and as much as the programs need: snapshots copy it.
const MEMORY: [&str; 2] = ["size = 0x0800_0000", "size = 0x0005_0000"];
/// A program takes some tenths of them.
const CYCLES_MAX: u64 = 20_000_000;
/// The tasks that interrupt.
const LINES: std::ops::Range<u32> = 1..4;
/// More cycles than a program arms the timer for.
const FAR: u64 = 1 << 21;
/// The causes of faults, in the words of the kernel.
const ACCESS: &str = "it accessed memory that isn't its own\nFaulted\n";
const EXECUTION: &str = "it jumped to where it may not execute\nFaulted\n";
const INSTRUCTION: &str = "it executed an instruction that can't be\nFaulted\n";
const BREAKPOINT: &str = "it came to a breakpoint\nFaulted\n";
const CALL: &str = "it made a system call that there isn't\nFaulted\n";
const NOTHING: &str = "Exited(0)\n";
/// What each attack of `riscv-apps` leads to, in the order of their numbers.
const ATTACKS: [&str; 30] = [
    ACCESS,
    ACCESS,
    ACCESS,
    EXECUTION,
    ACCESS,
    EXECUTION,
    ACCESS,
    ACCESS,
    ACCESS,
    INSTRUCTION,
    INSTRUCTION,
    INSTRUCTION,
    INSTRUCTION,
    INSTRUCTION,
    BREAKPOINT,
    INSTRUCTION,
    ACCESS,
    ACCESS,
    NOTHING,
    NOTHING,
    NOTHING,
    NOTHING,
    NOTHING,
    NOTHING,
    CALL,
    CALL,
    NOTHING,
    INSTRUCTION,
    EXECUTION,
    ACCESS,
];

/// A kernel with its applications, on the board.
#[derive(Clone)]
struct Program {
    machine: Machine,
    kernel: Image,
}

impl Program {
    /// Builds a kernel and programs of a crate, all of them if none is named.
    fn new(target: &str, kernel: &str, directory: &Path, bins: &[&str]) -> Self {
        Self::on(BOARD, target, kernel, directory, bins)
    }

    /// The same on another board.
    fn on(board: &str, target: &str, kernel: &str, directory: &Path, bins: &[&str]) -> Self {
        let kernels = support::build("riscv-processes", target, &["--bin", kernel]);
        let bytes = std::fs::read(kernels.join(kernel)).expect("it was built");
        let kernel = Image::parse_riscv_elf(&bytes).expect("it is for RISC-V");
        let wanted = Crate {
            directory: directory.to_owned(),
            bins: bins.iter().map(|&name| name.to_owned()).collect(),
            examples: Vec::new(),
            profile: "release".to_owned(),
            target_directory: kernels.ancestors().nth(2).map(Path::to_owned),
            target: target.to_owned(),
        };
        let built = wanted.build().expect("they build");
        let room = place::room(&kernel).expect("it has processes");
        let packed = pack_all(&built, &room, Extras::default()).expect("there is room");
        let all: Vec<_> = packed.iter().map(|(file, bytes)| Application { file, bytes }).collect();
        let flash = place::place(room.flash, &all).expect("they fit");
        assert!(board.contains(MEMORY[0]));
        let board = board.replace(MEMORY[0], MEMORY[1]);
        let mut machine = Machine::new(&Board::parse(&board, "virt").expect("it is a board"));
        machine.load(&kernel).expect("it is linked for the board");
        machine.load(&Image::raw(&flash, room.flash.0).expect("it is short")).expect("it fits");
        machine.reset();
        Self { machine, kernel }
    }

    /// Of the applications in `riscv-apps`.
    fn judged(target: &str, bin: &str) -> Self {
        let apps = Path::new(env!("CARGO_MANIFEST_DIR")).join("firmware/riscv-apps");
        Self::new(target, "judged", &apps, &[bin, "other"])
    }

    fn address(&self, symbol: &str) -> u32 {
        self.kernel.symbol(symbol).unwrap_or_else(|| panic!("there is no {symbol}")).address
    }

    fn poke(&mut self, address: u32, bytes: &[u8]) {
        self.machine.hart.bus.system.poke(address, bytes).expect("it is in RAM");
    }

    /// Runs to the mark at which the test begins to interrupt.
    fn go_to_begin(&mut self) {
        let begin = self.address("begin");
        while self.machine.hart.pc != begin {
            assert_eq!(self.machine.step(), None, "{}", self.machine.whereabouts());
            assert!(self.machine.hart.cycle() < CYCLES_MAX, "it doesn't come to its work");
        }
    }

    /// Lets the timer's interrupt come, whose handler pends `line`.
    fn interrupt(&mut self, line: u32) {
        let pends = self.address("PENDS");
        self.poke(pends + line, &[1]);
        self.machine.hart.wait(FAR);
    }

    /// Returns how often a task has run.
    fn runs(&self, line: u32) -> u32 {
        let mut word = [0; 4];
        self.machine.read_memory(self.address("RUNS") + 4 * line, &mut word).expect("in RAM");
        u32::from_le_bytes(word)
    }

    /// Runs to the end, which must be success, and returns what was printed.
    #[track_caller]
    fn finish(&mut self, how: &str) -> String {
        let cycles = Some(self.machine.hart.cycle() + CYCLES_MAX);
        let stop = self.machine.run(&Limits { cycles, instructions: None });
        let output = self.machine.take_output().into_iter().flat_map(|piece| piece.bytes);
        let printed = String::from_utf8(output.collect()).expect("programs print text");
        assert_eq!(
            stop,
            Stop::Exit { code: 0 },
            "{how}, {}: {printed}",
            self.machine.whereabouts()
        );
        printed
    }
}

/// Without the lines of a dump, and without the name of the fault's register.
fn without_registers(text: &str) -> String {
    let lines = text.lines().filter(|line| !line.starts_with(' '));
    lines.map(|line| line.split(" (").next().unwrap_or(line).to_owned() + "\n").collect()
}

#[test]
fn examples_print_the_same_as_on_a_cortex_m() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/processes");
    let names =
        ["one_process", "five_models", "shared_driver", "shared_memory", "crash_and_restart"];
    let all = TARGETS.into_iter().flat_map(|target| names.map(|name| (target, name)));
    // The kernel or an application of the others updates a word by an atomic instruction.
    let needs_none = |name: &str| matches!(name, "one_process" | "five_models");
    let has_all = |(target, name): &(&str, &str)| needs_none(name) || target.contains("imac");
    for (target, name) in all.filter(has_all) {
        let expected =
            std::fs::read_to_string(root.join(format!("{name}.out"))).expect("it is text");
        let mut program = Program::new(target, name, &root.join("apps").join(name), &[]);
        let printed = program.finish(name);
        if name == "crash_and_restart" {
            assert!(printed.contains("at 0x20000000 (mcause 7)\n  a0 0x"), "{printed}");
            assert_eq!(without_registers(&printed), without_registers(&expected), "{target}");
        } else {
            assert_eq!(printed, expected, "{name}, {target}");
        }
    }
}

#[test]
fn nothing_is_lost_before_whichever_instruction_of_a_call_interrupts_come() {
    for target in TARGETS {
        let mut program = Program::judged(target, "caller");
        program.go_to_begin();
        let end = program.address("end");
        let mut instructions = 0;
        while program.machine.hart.pc != end {
            for line in LINES {
                let mut other = program.clone();
                other.interrupt(line);
                let how = format!("{target}: line {line} before instruction {instructions}");
                assert_eq!(other.finish(&how), NOTHING, "{how}");
                assert_eq!(other.runs(line), 1, "{how}");
            }
            instructions += 1;
            assert_eq!(program.machine.step(), None);
        }
        println!("{target}: {instructions} instructions");
        assert!(instructions > 1000, "{target}: {instructions} instructions");
    }
}

#[test]
fn what_a_process_must_not_do_stops_it_alone() {
    for target in TARGETS {
        let begun = Program::judged(target, "attack");
        for (number, expected) in (0..).zip(ATTACKS) {
            let mut program = begun.clone();
            let place = program.address("NUMBER");
            program.poke(place, &u32::to_le_bytes(number));
            program.go_to_begin();
            let how = format!("{target}: attack {number}");
            assert_eq!(program.clone().finish(&how), expected, "{how}");
            let end = program.address("end");
            let mut instructions = 0;
            while program.machine.hart.pc != end {
                let line = LINES.start + instructions % LINES.len() as u32;
                let mut other = program.clone();
                other.interrupt(line);
                let how = format!("{how}, line {line} before instruction {instructions}");
                assert_eq!(other.finish(&how), expected, "{how}");
                assert_eq!(other.runs(line), 1, "{how}");
                instructions += 1;
                assert_eq!(program.machine.step(), None);
            }
            assert!(instructions > 50, "{how}: {instructions} instructions");
        }
    }
}

#[test]
fn a_hart_without_user_mode_or_protection_is_refused() {
    let apps = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/processes/apps/one_process");
    for part in ["user_mode", "protection"] {
        let (with, without) = (format!("{part} = true"), format!("{part} = false"));
        assert!(BOARD.contains(&with));
        let board = BOARD.replace(&with, &without);
        let mut program = Program::on(&board, TARGETS[0], "one_process", &apps, &[]);
        let limits = Limits { cycles: Some(CYCLES_MAX), instructions: None };
        let stop = program.machine.run(&limits);
        let output = program.machine.take_output().into_iter().flat_map(|piece| piece.bytes);
        let printed = String::from_utf8(output.collect()).expect("programs print text");
        assert_eq!(stop, Stop::Exit { code: 101 }, "{part}: {printed}");
        assert!(
            printed.contains("a memory protection unit with 6 regions, and this processor has 0"),
            "{part}: {printed}"
        );
    }
}
