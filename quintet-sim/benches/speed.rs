//! How fast the simulator is: instructions a second with timing on, and snapshots.
//!
//! `cargo bench -p quintet-sim --bench speed` prints both beside their targets (20 million
//! instructions a second, 10 microseconds for a snapshot and its restore of a 64 KiB machine). A
//! word behind `--` chooses the lines that have it. Where the kernel tells the time for which this
//! thread has run, that counts, so that other work on the computer matters less. `cargo test` runs
//! it briefly, to see that it still works.

#[path = "firmware/mod.rs"]
mod firmware;

use std::hint::black_box;
use std::time::{Duration, Instant};

use quintet_sim::board::Board;
use quintet_sim::machine::{Machine, Stop, Until};

fn main() {
    // Cargo passes `--bench` only when it benchmarks.
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let measuring = arguments.iter().any(|argument| argument == "--bench");
    let words: Vec<&String> = arguments.iter().filter(|word| !word.starts_with('-')).collect();
    let is_wanted = |line: &str| words.is_empty() || words.iter().any(|word| line.contains(*word));
    let (repetitions, cycles) = if measuring { (5, 50_000_000) } else { (1, 100_000) };
    let board = Board::named("lm3s6965").expect("it is built in");
    let mut machine = Machine::new(&board);
    machine.load(&firmware::work()).expect("it was linked for this board");
    machine.reset();
    let mut stepped = machine.clone();
    stepped.remember_states(false);
    let mut observed = machine.clone();
    observed.observe(true);
    let run: Way = |machine, until| machine.run(until);
    for (what, machine, way) in [
        ("no observer", &machine, run),
        ("one step at a time", &machine, step),
        ("each through the pipeline", &stepped, run),
        ("events recorded", &observed, run),
    ] {
        if is_wanted(what) {
            instructions(machine, repetitions, cycles, what, way);
        }
    }
    if is_wanted("snapshot") {
        machine.run(&Until { max_cycles: Some(100_000), ..Until::default() });
        snapshots(&mut machine, repetitions * 2_000);
    }
}

/// A way to run a machine.
type Way = fn(&mut Machine, &Until) -> Stop;

/// As tools do that look at each instruction.
fn step(machine: &mut Machine, until: &Until) -> Stop {
    let end = until.max_cycles.unwrap_or(u64::MAX);
    while machine.cycle() < end {
        if let Some(stop) = machine.step_within(end) {
            return stop;
        }
    }
    Stop::CycleLimit
}

/// The seconds for which this thread has run, or some clock.
fn seconds(start: Instant) -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanoseconds = text.split(' ').next().and_then(|first| first.parse::<f64>().ok());
    nanoseconds.map_or_else(|| start.elapsed().as_secs_f64(), |time| time / 1e9)
}

/// The best of some runs, since everything else on the computer only slows them down.
fn instructions(machine: &Machine, repetitions: u32, cycles: u64, what: &str, way: Way) {
    let mut best = 0.0_f64;
    let start = Instant::now();
    for _ in 0..repetitions {
        let mut machine = machine.clone();
        let began = seconds(start);
        let stop = way(&mut machine, &Until { max_cycles: Some(cycles), ..Until::default() });
        let seconds = seconds(start) - began;
        assert_eq!(stop, Stop::CycleLimit);
        best = best.max(machine.instructions() as f64 / seconds / 1e6);
    }
    println!("instructions, {what}: {best:.1} million a second (target 20)");
}

/// Snapshot, a stretch of program, restore; only the first and last are timed.
fn snapshots(machine: &mut Machine, repetitions: u32) {
    let mut spent = Duration::ZERO;
    for round in 0..repetitions {
        let start = Instant::now();
        let snapshot = black_box(machine.snapshot());
        spent += start.elapsed();
        let until = Until { max_cycles: Some(machine.cycle() + 300), ..Until::default() };
        machine.run(&until);
        let start = Instant::now();
        machine.restore(&snapshot);
        spent += start.elapsed();
        // Go on a little, so that every snapshot has something new.
        for _ in 0..round % 8 {
            machine.step();
        }
    }
    let microseconds = spent.as_secs_f64() * 1e6 / f64::from(repetitions);
    println!("snapshot and restore, 64 KiB of RAM: {microseconds:.2} microseconds (target 10)");
}
