//! How fast the simulator is: instructions a second with timing on, and snapshots.
//!
//! `cargo bench -p quintet-sim` prints both beside their targets (20 million instructions a second,
//! 10 microseconds for a snapshot and its restore of a 64 KiB machine). `cargo test` runs it
//! briefly, to see that it still works.

#[path = "firmware/mod.rs"]
mod firmware;

use std::hint::black_box;
use std::time::{Duration, Instant};

use quintet_sim::board::Board;
use quintet_sim::machine::{Machine, Stop, Until};

fn main() {
    // Cargo passes `--bench` only when it benchmarks.
    let measuring = std::env::args().any(|argument| argument == "--bench");
    let (repetitions, cycles) = if measuring { (5, 50_000_000) } else { (1, 100_000) };
    let board = Board::named("lm3s6965").expect("it is built in");
    let mut machine = Machine::new(&board);
    machine.load(&firmware::work()).expect("it was linked for this board");
    machine.reset();
    instructions(&machine, repetitions, cycles, "no observer");
    let mut stepped = machine.clone();
    stepped.remember_states(false);
    instructions(&stepped, repetitions, cycles, "each through the pipeline");
    let mut observed = machine.clone();
    observed.observe(true);
    instructions(&observed, repetitions, cycles, "events recorded");
    machine.run(&Until { max_cycles: Some(100_000), ..Until::default() });
    snapshots(&mut machine, repetitions * 2_000);
}

/// The best of some runs, since everything else on the computer only slows them down.
fn instructions(machine: &Machine, repetitions: u32, cycles: u64, what: &str) {
    let mut best = 0.0_f64;
    for _ in 0..repetitions {
        let mut machine = machine.clone();
        let start = Instant::now();
        let stop = machine.run(&Until { max_cycles: Some(cycles), ..Until::default() });
        let seconds = start.elapsed().as_secs_f64();
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
