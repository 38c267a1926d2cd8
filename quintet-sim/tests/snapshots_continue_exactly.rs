//! Property: a run that is snapshotted and restored anywhere continues exactly as the undisturbed
//! one.
//!
//! The firmware works under SysTick, a timer and a button, and prints on a UART. The disturbed run
//! is cut at random places. At each one it takes a snapshot, runs into a future that is then thrown
//! away (with other interrupts and writes to memory in it), and goes back. In the end everything
//! must be equal: registers, memory, cycle, instructions, events, output, devices.

#[path = "../benches/firmware/mod.rs"]
mod firmware;

use quintet_sim::board::Board;
use quintet_sim::machine::{Machine, Output, Stop, Until};
use quintet_sim::processor::events::Event;
use quintet_sim::script::Script;

const END: u64 = 400_000;

const SCRIPT: &str = "
[[at]]
ms = 1
pin = 'PA0'
press_ms = 3
[[at]]
ms = 9
pin = 'PA0'
press_us = 2500
[[at]]
cycle = 123_456
pend = 19
[[at]]
ms = 2
uart = 'uart0'
send = 'a few bytes'
";

fn machine() -> Machine {
    let board = Board::named("lm3s6965").expect("built in");
    let mut machine = Machine::new(&board);
    machine.load(&firmware::work()).expect("linked for this board");
    machine.set_script(Script::parse(SCRIPT, &board).expect("valid"));
    machine.reset();
    // So near that what is pushed goes below.
    machine.set_main_stack_end(machine.processor.registers.main_stack_pointer() - 64);
    machine.observe(true);
    machine
}

fn run_to(machine: &mut Machine, cycle: u64) {
    let until = Until { max_cycles: Some(cycle), ..Until::default() };
    assert_eq!(machine.run(&until), Stop::CycleLimit);
}

#[derive(PartialEq, Debug)]
struct Outcome {
    registers: String,
    cycle: u64,
    instructions: u64,
    memory: Vec<u8>,
    flash: Vec<u8>,
    devices: Vec<u32>,
    private: Vec<u32>,
    events: Vec<Event>,
    output: Vec<Output>,
    stacks: String,
    masked: String,
    faults: String,
    overflows: String,
}

fn outcome(machine: &mut Machine) -> Outcome {
    let bytes = |machine: &Machine, start, length| {
        let mut buffer = vec![0; length];
        machine.read_memory(start, &mut buffer).expect("memory");
        buffer
    };
    let words = |machine: &Machine, list: &[u32]| {
        list.iter().map(|address| machine.read_word(*address).expect("a register")).collect()
    };
    let devices = [0x4000_4414, 0x4000_43fc, 0x4000_c018, 0x4003_0048, 0x4003_001c];
    let private = [0xe000_e018, 0xe000_e100, 0xe000_e200, 0xe000_ed04, 0xe000_ed24];
    Outcome {
        registers: format!("{:?}", machine.processor.registers),
        cycle: machine.cycle(),
        instructions: machine.instructions(),
        memory: bytes(machine, 0x2000_0000, 0x1_0000),
        flash: bytes(machine, 0, 0x1000),
        devices: words(machine, &devices),
        private: words(machine, &private),
        events: machine.take_events(),
        output: machine.take_output(),
        stacks: format!("{:?}", machine.stack_high_water()),
        masked: format!("{:?}", machine.masked_time()),
        faults: format!("{:?}", machine.processor.fault_history()),
        overflows: format!("{:?}", machine.main_stack_overflows()),
    }
}

struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % bound
    }
}

/// A future that never happened.
fn disturb(machine: &mut Machine, random: &mut Random) {
    machine.pend([14, 15, 16, 35][random.below(4) as usize]);
    let address = 0x2000_0000 + random.below(0xff00) as u32;
    machine.write_memory(address, &[0xa5; 200]).expect("RAM");
    machine.write_memory(0x100 + random.below(0x100) as u32, &[0; 4]).expect("flash");
    machine.write_memory(0x4003_0028, &random.below(5_000).to_le_bytes()[..4]).expect("the timer");
    for _ in 0..random.below(300) {
        if machine.step().is_some() {
            return;
        }
    }
}

#[test]
fn a_restored_run_is_the_undisturbed_run() {
    let start = machine();
    let mut undisturbed = start.clone();
    run_to(&mut undisturbed, END);
    let expected = outcome(&mut undisturbed);
    assert!(expected.events.len() > 300, "interrupts did happen");
    assert!(!expected.output.is_empty());
    assert_eq!(expected.faults, "None");
    assert_ne!(expected.overflows, "[]", "handlers did go below the end");
    for seed in 1..=5_u64 {
        let mut random = Random(0x9e37_79b9_7f4a_7c15_u64.wrapping_mul(seed));
        let mut machine = start.clone();
        let mut kept = vec![machine.snapshot()];
        let mut rewinds = 3;
        loop {
            let next = machine.cycle() + random.below(9_000);
            if next >= END {
                break;
            }
            run_to(&mut machine, next);
            for _ in 0..random.below(20) {
                assert_eq!(machine.step(), None);
            }
            let snapshot = machine.snapshot();
            for _ in 0..=random.below(2) {
                disturb(&mut machine, &mut random);
                machine.restore(&snapshot);
            }
            kept.push(snapshot);
            if rewinds > 0 && random.below(20) == 0 {
                rewinds -= 1;
                let index = random.below(kept.len() as u64) as usize;
                kept.truncate(index + 1);
                machine.restore(&kept[index]);
            }
        }
        run_to(&mut machine, END);
        assert_eq!(outcome(&mut machine), expected, "seed {seed}");
    }
}

#[test]
fn a_snapshot_fits_a_clone_too() {
    let mut first = machine();
    run_to(&mut first, 50_000);
    let snapshot = first.snapshot();
    let mut second = machine();
    second.restore(&snapshot);
    run_to(&mut first, 90_000);
    run_to(&mut second, 90_000);
    assert_eq!(outcome(&mut first), outcome(&mut second));
}
