//! Property: an application with tasks, async tasks, threads and tasks that threads host, with
//! resources and queues between all of them, misses no deadline and loses no message in an hour.
//!
//! The firmware in `firmware/mixed` runs in the simulator. An interrupt comes at random moments,
//! sometimes in bursts. The tests run half a minute of it; the hour by
//! `cargo test --release --package quintet --test mixed -- --ignored --nocapture`.

mod support;

use quintet_sim::board::Board;
use quintet_sim::machine::{Machine, Stop, Until};

const CLOCK_HZ: u64 = 12_000_000;
/// The exception of the interrupt GPIOA.
const ARRIVAL: u16 = 16;
/// The first set-pending register of the NVIC: its lowest bit is that interrupt's.
const PENDING: u32 = 0xe000_e200;

fn run(machine: &mut Machine, cycle: u64) {
    let stop = machine.run(&Until { max_cycles: Some(cycle), ..Until::default() });
    assert_eq!(stop, Stop::CycleLimit, "{}", support::printed(machine));
}

/// Runs it for so many seconds, and looks at what it reports.
fn check(seconds: u64) {
    let programs = support::build("mixed", support::TARGET, &[]);
    let image = support::image(&programs.join("mixed"));
    let mut machine = support::machine(&Board::named(support::BOARD).expect("built in"), &image);
    let end = seconds * CLOCK_HZ;
    let mut random = support::Random(0x1234_5678_9abc_def1);
    let (mut next, mut arrivals) = (CLOCK_HZ / 100, 0);
    while next < end {
        run(&mut machine, next);
        // One that is still pending, behind the clock's interrupt, and one more are one.
        let pending = machine.read_word(PENDING).expect("it has the register");
        arrivals += u32::from(pending & 1 == 0);
        machine.pend(ARRIVAL);
        // Sometimes while the last message is still on its way.
        let most = if random.next().is_multiple_of(4) { 4_000 } else { CLOCK_HZ / 15 };
        next = machine.cycle() + 600 + random.next() % most;
    }
    // What is on its way arrives, in the second that is added.
    run(&mut machine, end + CLOCK_HZ);
    let address = support::address(&image, "REPORT");
    let report: [u32; 14] =
        std::array::from_fn(|word| machine.read_word(address + 4 * word as u32).expect("in RAM"));
    let [sent, filtered, stored, reported, back, lost, rest @ ..] = report;
    let [ticks, controls, slow_ticks, missed, latest @ .., torn] = rest;
    println!("{sent} messages, {ticks} + {controls} + {slow_ticks} beats, latest {latest:?} us");
    assert_eq!((lost, missed, torn), (0, 0, 0), "latest {latest:?} us");
    assert_eq!([sent, filtered, stored, reported, back], [arrivals; 5]);
    let beats = [ticks, controls, slow_ticks].map(u64::from);
    let expected = [100, 40, 25].map(|beats_a_second| beats_a_second * (seconds + 1));
    for (beats, expected) in beats.iter().zip(expected) {
        assert!(
            beats.abs_diff(expected) <= 1 + expected / 1000,
            "{beats} beats, {expected} expected"
        );
    }
}

#[test]
fn half_a_minute_passes_without_a_missed_deadline_or_a_lost_message() {
    check(30);
}

#[test]
#[ignore = "takes minutes: for the release profile"]
fn an_hour_passes_without_a_missed_deadline_or_a_lost_message() {
    check(3600);
}
