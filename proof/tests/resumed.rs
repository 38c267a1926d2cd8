//! A thread that is preempted again and again while a call resumes it takes no more of its stack
//! each time than the first, as decision record 0016 says.
//!
//! The call ends in a pop, and what that leads to, `__quintet_resume`, in an SVC: the hardware
//! unstacks what PendSV suspended, whether it aligned the frame or not. The program is preempted
//! before each of the two, so many times in a row, and its deepest stack is compared with that of
//! an undisturbed run.

mod support;

use quintet_sim::board::Board;
use quintet_sim::machine::{Machine, Stop, Until};

/// The exception of the interrupt that lets the more urgent thread run.
const PREEMPT: u16 = 16;
/// What a preemption stores: a frame of eight words, aligned to two, and nine words below it.
const STORED_MAX: u32 = 32 + 4 + 36;
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
        let programs = support::build("behaviours", support::TARGET, &["--bin", name]);
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

    /// Runs to where it is resumed next: before the last instruction of the stub, or of the call.
    fn run_to_resumption(&mut self, in_stub: bool) {
        if in_stub {
            return self.run_to(self.resume);
        }
        loop {
            let before = self.machine.snapshot();
            assert_eq!(self.machine.step(), None);
            if self.machine.pc() == self.resume {
                return self.machine.restore(&before);
            }
        }
    }

    /// Runs to where the thread looks how much of its stack it has used.
    fn finish(&mut self) -> u32 {
        self.run_to(self.judge);
        self.machine.read_word(self.high_water).expect("it is in RAM")
    }
}

/// Preempts it again and again where it is resumed.
fn preempt(odd: bool, in_stub: bool) {
    let mut program = Program::load(odd);
    let undisturbed = {
        let begin = program.machine.snapshot();
        let undisturbed = program.finish();
        program.machine.restore(&begin);
        undisturbed
    };
    program.machine.pend(PREEMPT);
    program.run_to_resumption(in_stub);
    let (begin, stack) = (program.machine.snapshot(), program.stack_pointer());
    for times in TIMES {
        program.machine.restore(&begin);
        for time in 1..=times {
            program.machine.pend(PREEMPT);
            program.run_to_resumption(in_stub);
            assert_eq!(program.stack_pointer(), stack, "odd {odd}, stub {in_stub}: {time} times");
        }
        let more = program.finish() - undisturbed;
        println!("odd {odd}, stub {in_stub}: {more} bytes more than {undisturbed}, {times} times");
        assert!(0 < more && more <= STORED_MAX, "{more}");
    }
}

#[test]
fn preemptions_while_it_is_resumed_take_no_more_than_one() {
    for odd in [false, true] {
        for in_stub in [false, true] {
            preempt(odd, in_stub);
        }
    }
}
