//! A thread that is preempted again and again while a call resumes it takes one frame of the
//! hardware more for each time, and gives them back when it goes on, as decision record 0016 says.
//!
//! `__quintet_resume` unstacks by software what PendSV suspended, or asks the hardware to if the
//! frame is one that it aligned. The program is preempted before each instruction of it, so many
//! times in a row, and its deepest stack is compared with that of an undisturbed run.

mod support;

use quintet_sim::board::Board;
use quintet_sim::machine::{Machine, Stop, Until};

/// The exception of the interrupt that lets the more urgent thread run.
const PREEMPT: u16 = 16;
/// What a preemption stores: a frame of eight words.
const FRAME: u32 = 32;
/// The record: it is unstacked in so many instructions, of which the last is the jump, and a thread
/// that has so many cycles to itself goes on.
const INSTRUCTIONS: u32 = 10;
const CYCLES: u64 = 22;
/// Where the frame is one that the hardware aligned, by so many, of which the last is SVC.
const INSTRUCTIONS_ODD: u32 = 5;
/// In a frame: its xPSR, and whether the hardware aligned it.
const XPSR: u32 = 28;
const ALIGNED: u32 = 1 << 9;
/// No run is longer.
const CYCLES_MAX: u64 = 200_000;
/// How often in a row.
const TIMES: [u32; 4] = [1, 2, 5, 20];

struct Program {
    machine: Machine,
    resume: u32,
    judge: u32,
    high_water: u32,
}

impl Program {
    /// Loads it, and runs it to where the less urgent thread is first resumed, with a frame that
    /// the hardware aligned or not.
    fn load(odd: bool) -> Self {
        let name = "preempted_again";
        let programs = support::build("firmware", support::TARGET, &["--bin", name]);
        let image = support::image(&programs.join(name));
        let machine = support::machine(&Board::named(support::BOARD).expect("built in"), &image);
        let address = |name| support::address(&image, name);
        let preempt = address("preempt");
        let mut program = Self {
            machine,
            resume: address("__quintet_resume"),
            judge: address("judge"),
            high_water: address("HIGH_WATER"),
        };
        program.run_to(preempt);
        loop {
            program.run_to(program.resume);
            let place = program.stack_pointer() + XPSR;
            let flags = program.machine.read_word(place).expect("it is in RAM");
            if (flags & ALIGNED != 0) == odd {
                return program;
            }
        }
    }

    fn run_to(&mut self, address: u32) {
        let max_cycles = Some(self.machine.cycle() + CYCLES_MAX);
        let until = Until { addresses: vec![address], max_cycles, ..Until::default() };
        assert_eq!(self.machine.run(&until), Stop::Address(address));
    }

    fn stack_pointer(&self) -> u32 {
        self.machine.processor.registers.process_stack_pointer()
    }

    /// Executes the stub up to its instruction `before`.
    fn step(&mut self, before: u32) {
        for _ in 0..before {
            assert_eq!(self.machine.step(), None);
        }
    }

    /// Runs to where the thread looks how much of its stack it has used.
    fn finish(&mut self) -> u32 {
        self.run_to(self.judge);
        self.machine.read_word(self.high_water).expect("it is in RAM")
    }
}

/// Preempts it before each of so many instructions; returns how much deeper its stack was at most.
fn preempt(odd: bool, instructions: u32) -> u32 {
    let mut program = Program::load(odd);
    let begin = program.machine.snapshot();
    let undisturbed = program.finish();
    let mut most = 0;
    for before in 0..instructions {
        for times in TIMES {
            program.machine.restore(&begin);
            let first = program.stack_pointer();
            for time in 1..=times {
                program.step(before);
                let left = program.stack_pointer();
                program.machine.pend(PREEMPT);
                program.run_to(program.resume);
                let how = format!("{time} times before instruction {before}");
                assert_eq!(left - program.stack_pointer(), FRAME, "{how}: below what was left");
                assert!(first - program.stack_pointer() <= time * FRAME, "{how}: in all");
            }
            let more = program.finish() - undisturbed;
            assert!(more <= times * FRAME, "{times} times before instruction {before}: {more}");
            most = most.max(more);
        }
    }
    println!("{undisturbed} bytes undisturbed, {most} more at most");
    most
}

#[test]
fn each_preemption_while_it_is_resumed_takes_a_frame_and_no_more() {
    let most = TIMES.into_iter().max().expect("there is one") * FRAME;
    assert_eq!(preempt(false, INSTRUCTIONS), most, "the bound is reached");
    assert_eq!(preempt(true, INSTRUCTIONS_ODD), most, "the bound is reached");
}

#[test]
fn a_thread_that_is_left_alone_for_so_long_goes_on() {
    let mut program = Program::load(false);
    let (stack, cycle) = (program.stack_pointer(), program.machine.cycle());
    let begin = program.machine.snapshot();
    program.step(INSTRUCTIONS);
    let cycles = program.machine.cycle() - cycle;
    assert_eq!(program.stack_pointer() - stack, FRAME, "its frame is unstacked");
    program.machine.restore(&begin);
    program.machine.pend(PREEMPT);
    program.run_to(program.resume);
    let preemption = program.machine.cycle() - cycle;
    println!("{cycles} cycles; a preemption takes {preemption}");
    assert!(cycles <= CYCLES, "{cycles} cycles");
    assert!(preemption > 9 * cycles, "less than nine tenths of the load: {preemption} cycles");
}
