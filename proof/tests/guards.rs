//! With the feature `guard-every-stack` one guard is always at the stack that is in use, however
//! many threads there are and however they are switched.

mod support;

use quintet_sim::board::Board;
use quintet_sim::image::Image;
use quintet_sim::machine::{Machine, Stop, Until};
use quintet_sim::processor::registers::Mode;

/// What builds any firmware with the feature.
const FEATURE: [&str; 2] = ["--features", "quintet/guard-every-stack"];
/// The size of a guard.
const GUARD: u32 = 32;
/// In what is known of a thread: its stack, and the size of that.
const STACK: u32 = 8;
const STACK_SIZE: u32 = 12;
/// The programs end long before.
const INSTRUCTIONS_MAX: u64 = 2_000_000;
/// An interrupt comes before one instruction in so many, until the program has seen as many.
const BETWEEN_INTERRUPTS: u64 = 97;
const INTERRUPTS: u64 = 400;
/// The exceptions of the interrupts of `every_switch`.
const LINES: [u16; 2] = [16, 17];

struct Program {
    machine: Machine,
    scheduler: u32,
    about: u32,
}

impl Program {
    fn load(image: &Image) -> Self {
        let machine = support::machine(&Board::named(support::BOARD).expect("built in"), image);
        Self {
            machine,
            scheduler: support::scheduler(image),
            about: image.symbol("__quintet_thread_about").expect("the lab reads it").address,
        }
    }

    fn word(&self, address: u32) -> u32 {
        self.machine.read_word(address).expect("it is memory")
    }

    /// The lowest address of the stack that thread mode uses, and what is behind its end; none
    /// while that is the main one, or the switch is between two.
    fn stack_in_use(&self) -> Option<(u32, u32)> {
        let registers = &self.machine.processor.registers;
        let on_main_stack = registers.control() & 2 == 0;
        if registers.mode() == Mode::Handler || on_main_stack || registers.basepri != 0 {
            return None;
        }
        let about = self.word(self.word(self.scheduler + support::RUNNING) + self.about);
        let stack = self.word(about + STACK);
        (stack != 0).then(|| (stack, stack + self.word(about + STACK_SIZE)))
    }

    /// Whether the stack that is in use has a guard, and is in use. True where none is.
    fn is_guarded(&self) -> bool {
        let unit = &self.machine.processor.system.mpu;
        self.stack_in_use().is_none_or(|(stack, end)| {
            let pointer = self.machine.processor.registers.process_stack_pointer();
            let is_inside = stack + GUARD <= pointer && pointer <= end;
            let is_covered = unit.is_enabled() && unit.covers(stack);
            is_inside && is_covered && !unit.covers(stack + GUARD)
        })
    }

    /// Runs to the end, with a look behind each instruction, and interrupts on `lines`. How often
    /// another stack was in use than before.
    fn walk(&mut self, how: &str, lines: &[u16]) -> (Stop, u32) {
        let (mut last, mut switches) = (None, 0);
        for instruction in 0..INSTRUCTIONS_MAX {
            let interrupt = instruction / BETWEEN_INTERRUPTS;
            let is_time = instruction % BETWEEN_INTERRUPTS == 0 && interrupt < INTERRUPTS;
            if is_time
                && last.is_some()
                && let Some(line) = lines.get(interrupt as usize % 3)
            {
                self.machine.pend(*line);
            }
            if let Some(stop) = self.machine.step() {
                return (stop, switches);
            }
            let pc = self.machine.pc();
            assert!(self.is_guarded(), "{how}: before {pc:#010x}, instruction {instruction}");
            let stack = self.stack_in_use();
            if stack.is_some() && stack != last {
                (last, switches) = (stack, switches + 1);
            }
        }
        panic!("{how}: it doesn't end");
    }
}

#[test]
fn the_guard_is_at_the_stack_in_use_behind_each_instruction() {
    let programs = support::build("guards", support::TARGET, &[]);
    let mut twelfth = Program::load(&support::image(&programs.join("twelfth")));
    let (stop, switches) = twelfth.walk("twelfth", &[]);
    let expected = "all have ended\n\
                    DEEP has used less than its stack: true\n\
                    DEEP, panics: the stack of the thread `DEEP` overflowed: its 512 bytes don't \
                    suffice; enlarge `stack`, or `host_stack` of a host\n";
    assert_eq!(support::printed(&mut twelfth.machine), expected);
    assert_eq!(stop, Stop::Exit { code: 0 });
    assert!(switches > 30, "{switches}");
}

#[test]
fn it_is_there_in_each_kind_of_switch_whenever_interrupts_come() {
    let programs = support::build("statistics", support::TARGET, &FEATURE);
    let mut every = Program::load(&support::image(&programs.join("every_switch")));
    let (stop, switches) = every.walk("every_switch", &LINES);
    assert_eq!(stop, Stop::Exit { code: 0 });
    assert!(switches > 30, "{switches}");
}

#[test]
fn programs_print_what_they_print_without_it() {
    let names = ["overflow", "overflow_in_switch", "threads_take_turns", "mutex_inheritance"];
    let bins = names.iter().flat_map(|name| ["--bin", name]);
    let arguments: Vec<&str> = FEATURE.into_iter().chain(bins).collect();
    let programs = support::build("behaviours", support::TARGET, &arguments);
    for name in names {
        let image = support::image(&programs.join(name));
        let mut machine =
            support::machine(&Board::named(support::BOARD).expect("built in"), &image);
        let stop = machine.run(&Until { max_cycles: Some(50_000_000), ..Until::default() });
        let out = format!("{}/firmware/behaviours/src/bin/{name}.out", env!("CARGO_MANIFEST_DIR"));
        let expected = std::fs::read_to_string(out).expect("it is beside the program");
        assert_eq!(support::printed(&mut machine), expected, "{name}");
        assert_eq!(stop, Stop::Exit { code: 0 }, "{name}");
    }
}

#[test]
fn a_program_that_wants_the_unit_for_itself_is_refused() {
    let refusal = support::try_build("guards", support::TARGET, &["--features", "unguarded"]);
    let message = refusal.expect_err("the switch writes to the unit");
    let said = "error: `stack_guard = false` leaves the memory protection unit to the program, but \
                with the feature `guard-every-stack` of quintet each switch writes to its region \
                0: leave out one of the two";
    assert!(message.contains(said), "{message}");
}
