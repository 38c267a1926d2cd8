//! Property: a machine that remembers states of its pipeline does the same, in the same cycles, as
//! one that steps each instruction through it.
//!
//! The firmware sorts, checksums and prints under SysTick, a timer and a button. After each step
//! both machines are compared; the events must be equal too.

#[path = "../benches/firmware/mod.rs"]
mod firmware;

use quintet_sim::board::Board;
use quintet_sim::machine::{Machine, Stop, Until};
use quintet_sim::script::Script;

const END: u64 = 400_000;

const SCRIPT: &str = "
[[at]]
ms = 1
pin = 'PA0'
press_ms = 3
[[at]]
cycle = 123_456
pend = 19
[[at]]
ms = 2
uart = 'uart0'
send = 'a few bytes'
";

fn compare(board: &Board, script: Option<&str>) -> u64 {
    let mut remembers = Machine::new(board);
    remembers.load(&firmware::work()).expect("linked for this board");
    if let Some(script) = script {
        remembers.set_script(Script::parse(script, board).expect("valid"));
    }
    remembers.reset();
    remembers.observe(true);
    let mut steps = remembers.clone();
    steps.remember_states(false);
    while steps.cycle() < END {
        assert_eq!(remembers.step_within(END), steps.step_within(END));
        assert_eq!(remembers.cycle(), steps.cycle(), "at {:#x}", steps.pc());
        assert_eq!(remembers.pc(), steps.pc());
    }
    assert_eq!(
        format!("{:?}", remembers.processor.registers),
        format!("{:?}", steps.processor.registers)
    );
    assert_eq!(remembers.take_events(), steps.take_events());
    assert_eq!(remembers.take_output(), steps.take_output());
    steps.instructions()
}

#[test]
fn firmware_takes_the_same_cycles() {
    let board = Board::named("lm3s6965").expect("built in");
    assert!(compare(&board, Some(SCRIPT)) > 200_000);
}

/// Wait states make other states of the pipeline than the board's own memories.
#[test]
fn slow_memories_take_the_same_cycles() {
    for wait_states in [1, 3] {
        let mut board = Board::named("lm3s6965").expect("built in");
        for memory in &mut board.memories {
            memory.read_wait_states = wait_states;
        }
        assert!(compare(&board, None) > 50_000, "{wait_states}");
    }
}

/// A run goes through many instructions at once; a step is one.
#[test]
fn a_run_does_the_same_as_steps() {
    let board = Board::named("lm3s6965").expect("built in");
    let mut runs = Machine::new(&board);
    runs.load(&firmware::work()).expect("linked for this board");
    runs.set_script(Script::parse(SCRIPT, &board).expect("valid"));
    runs.reset();
    runs.observe(true);
    let mut steps = runs.clone();
    steps.remember_states(false);
    for end in (1..400).map(|part| part * 1000) {
        let until = Until { max_cycles: Some(end), ..Until::default() };
        assert_eq!(runs.run(&until), Stop::CycleLimit);
        while steps.cycle() < end {
            assert_eq!(steps.step_within(end), None);
        }
        assert_eq!((runs.cycle(), runs.pc()), (steps.cycle(), steps.pc()));
        assert_eq!(runs.instructions(), steps.instructions());
        let registers = |machine: &Machine| format!("{:?}", machine.processor.registers);
        assert_eq!(registers(&runs), registers(&steps));
    }
    assert_eq!(runs.take_events(), steps.take_events());
    assert_eq!(runs.take_output(), steps.take_output());
    assert_eq!(runs.stack_high_water(), steps.stack_high_water());
    assert_eq!(runs.masked_time(), steps.masked_time());
}
