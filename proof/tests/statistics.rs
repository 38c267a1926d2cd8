//! Statistics are exact: what firmware counts is what an observer of the scheduler counts, however
//! interrupts come.
//!
//! The firmware in `firmware/statistics` switches in every way that there is. The simulator looks
//! at who runs after each instruction; the firmware doesn't know.

mod support;

use std::collections::BTreeMap;

use quintet_sim::board::Board;
use quintet_sim::machine::{Machine, Stop, Until};

/// The exceptions of its interrupts: at the kernel's ceiling, and below.
const LINES: [u16; 2] = [16, 17];
/// Threads, and idle.
const REPORTED: u32 = 7;
/// A switch is counted within so many cycles of the change of who runs.
const NEAR: u64 = 40;
/// The second interrupt comes within so many instructions of the first.
const DISTANCE: u64 = 300;
/// Of the pairs, one in so many is made.
const PAIRS_LEFT: u64 = 400;

/// How often somebody began to run, and how long that was.
type Seen = BTreeMap<u32, (u32, u64)>;

struct Program {
    machine: Machine,
    scheduler: u32,
    begin: u32,
    end: u32,
    reported: u32,
    report: u32,
    running: u32,
    seen: Seen,
}

impl Program {
    fn load() -> Self {
        let programs = support::build("statistics", support::TARGET, &[]);
        let image = support::image(&programs.join("every_switch"));
        let machine = support::machine(&Board::named(support::BOARD).expect("built in"), &image);
        let address = |name| support::address(&image, name);
        Self {
            machine,
            scheduler: support::scheduler(&image),
            begin: address("begin"),
            end: address("end"),
            reported: address("reported"),
            report: address("REPORT"),
            running: 0,
            seen: Seen::new(),
        }
    }

    /// Executes an instruction, and notes who runs.
    fn step(&mut self) -> Option<Stop> {
        let before = self.machine.cycle();
        let stop = self.machine.step();
        if let Some((_, cycles)) = self.seen.get_mut(&self.running) {
            *cycles += self.machine.cycle() - before;
        }
        let running =
            self.machine.read_word(self.scheduler + support::RUNNING).expect("it is in RAM");
        if running != self.running {
            // Idle is made the running one before there are threads: that is no switch.
            let is_switch = u32::from(self.running != 0);
            self.running = running;
            self.seen.entry(running).or_default().0 += is_switch;
        }
        stop
    }

    /// Goes on to an address.
    fn run_to(&mut self, address: u32, how: &str) {
        while self.machine.pc() != address {
            let stop = self.step();
            if stop.is_some() {
                let printed = support::printed(&mut self.machine);
                panic!("{how}: {stop:?} after it wrote: {printed}");
            }
        }
    }

    /// Runs to the end, where what was counted must be what was seen. Then it goes back to where
    /// this was called.
    fn judge(&mut self, how: &str) {
        let (snapshot, running, seen) = (self.machine.snapshot(), self.running, self.seen.clone());
        self.run_to(self.reported, how);
        self.compare(how);
        self.machine.restore(&snapshot);
        (self.running, self.seen) = (running, seen);
    }

    fn compare(&self, how: &str) {
        let word = |place| self.machine.read_word(self.report + 4 * place).expect("in RAM");
        let mut seen = self.seen.clone();
        for line in 0..REPORTED {
            let (control, counted) = (word(2 * line), word(2 * line + 1));
            let control = if control == 0 { self.running } else { control };
            let (switches, _) = seen.remove(&control).unwrap_or_default();
            assert_eq!(counted, switches, "{how}: thread {line}");
        }
        assert!(seen.is_empty(), "{how}: {seen:?}");
    }
}

#[test]
fn zeros_on_a_stack_are_known_to_have_been_written() {
    let programs = support::build("statistics", support::TARGET, &[]);
    let image = support::image(&programs.join("stack_of_zeros"));
    let mut machine = support::machine(&Board::named(support::BOARD).expect("built in"), &image);
    let stop = machine.run(&Until { max_cycles: Some(1_000_000), ..Until::default() });
    let used = "started true, joined true, used: true\n";
    assert_eq!(support::printed(&mut machine), format!("before: 0\n{used}{used}"));
    assert_eq!(stop, Stop::Exit { code: 0 });
}

#[test]
fn switches_and_times_are_those_of_an_observer() {
    let mut program = Program::load();
    program.run_to(program.reported, "undisturbed");
    program.compare("undisturbed");
    let word = |place| program.machine.read_word(program.report + 4 * place).expect("in RAM");
    let controls: Vec<u32> = (0..REPORTED).map(|line| word(2 * line)).collect();
    let idle = program.running;
    let seen = program.seen.clone();
    let stop = program.machine.run(&Until { max_cycles: Some(1_000_000), ..Until::default() });
    assert_eq!(stop, Stop::Exit { code: 0 });
    let printed = support::printed(&mut program.machine);
    println!("{printed}");
    let mut sum = 0;
    for (line, control) in printed.lines().zip(controls) {
        let control = if control == 0 { idle } else { control };
        let cycles: u64 = line.rsplit(' ').next().and_then(|last| last.parse().ok()).expect(line);
        let (switches, observed) = seen[&control];
        assert!(switches > 0, "{line}");
        // Idle's is read before the end.
        let near = if control == idle { 1_000 } else { u64::from(2 * switches + 1) * NEAR };
        assert!(cycles.abs_diff(observed) <= near, "{line}: {observed} were seen");
        sum += cycles;
    }
    assert_eq!(printed.lines().last(), Some(format!("all {sum}").as_str()), "nothing is missing");
}

#[test]
fn counts_are_exact_before_whichever_instruction_interrupts_come() {
    let mut program = Program::load();
    program.run_to(program.begin, "at first");
    let (mut instructions, mut pairs, mut left) = (0_u64, 0_u64, 0);
    while program.machine.pc() != program.end {
        for line in LINES {
            let before = (program.machine.snapshot(), program.running, program.seen.clone());
            program.machine.pend(line);
            let how = format!("line {line} before instruction {instructions}");
            program.judge(&how);
            for distance in 0..DISTANCE {
                if program.machine.pc() == program.end {
                    break;
                }
                program.step();
                left += 1;
                if left % PAIRS_LEFT == 0 {
                    let second = LINES[usize::from(left % (2 * PAIRS_LEFT) == 0)];
                    let between = program.machine.snapshot();
                    program.machine.pend(second);
                    program.judge(&format!("{how}, then line {second} after {distance} more"));
                    program.machine.restore(&between);
                    pairs += 1;
                }
            }
            program.machine.restore(&before.0);
            (program.running, program.seen) = (before.1, before.2);
        }
        instructions += 1;
        program.step();
    }
    println!("{instructions} instructions, {pairs} pairs");
    assert!(instructions > 1_000 && pairs > 1_000, "{instructions} instructions, {pairs} pairs");
}
