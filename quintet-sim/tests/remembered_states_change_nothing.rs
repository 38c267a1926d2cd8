//! Property: a machine that remembers states of its pipeline does the same, in the same cycles, as
//! one that steps each instruction through it.
//!
//! The firmware sorts, checksums and prints under SysTick, a timer and a button. After each step
//! both machines are compared; the events must be equal too.

#[path = "../benches/firmware/mod.rs"]
mod firmware;

use quintet_sim::board::Board;
use quintet_sim::machine::Machine;
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
