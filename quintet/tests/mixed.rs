//! Property: an application with tasks, async tasks, threads and tasks that threads host, with
//! resources and queues between all of them, misses no deadline and loses no message in an hour.
//!
//! The firmware in `mixed-firmware` runs in the simulator. An interrupt comes at random moments,
//! sometimes in bursts. The tests run half a minute of it; the hour by
//! `cargo test --release --package quintet --test mixed -- --ignored --nocapture`.

use std::path::Path;
use std::process::Command;

use quintet_sim::board::Board;
use quintet_sim::image::Image;
use quintet_sim::machine::{Machine, Stop, Until};

const CLOCK_HZ: u64 = 12_000_000;
/// The exception of the interrupt GPIOA.
const ARRIVAL: u16 = 16;

fn build() -> Image {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("mixed-firmware");
    let output = Command::new(env!("CARGO"))
        .args(["build", "--quiet", "--locked", "--release"])
        .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/mixed-firmware"))
        .env("CARGO_TARGET_DIR", &target)
        .env_remove("RUSTFLAGS")
        .env_remove("CARGO_ENCODED_RUSTFLAGS")
        .output()
        .expect("cargo starts");
    let message = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "the firmware does not build:\n{message}");
    let bytes = std::fs::read(target.join("thumbv7m-none-eabi/release/mixed")).expect("built");
    Image::parse_elf(&bytes).expect("valid")
}

/// A pseudo-random sequence (xorshift).
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit
    }
}

fn run(machine: &mut Machine, cycle: u64) {
    let stop = machine.run(&Until { max_cycles: Some(cycle), ..Until::default() });
    let printed: Vec<_> = machine.take_output().into_iter().flat_map(|part| part.bytes).collect();
    assert_eq!(stop, Stop::CycleLimit, "{}", String::from_utf8_lossy(&printed));
}

/// Runs it for so many seconds, and looks at what it reports.
fn check(seconds: u64) {
    let image = build();
    let mut machine = Machine::new(&Board::named("lm3s6965").expect("built in"));
    machine.load(&image).expect("linked for this board");
    machine.reset();
    let end = seconds * CLOCK_HZ;
    let mut random = Random(0x1234_5678_9abc_def1);
    let (mut next, mut arrivals) = (CLOCK_HZ / 100, 0);
    while next < end {
        run(&mut machine, next);
        machine.pend(ARRIVAL);
        arrivals += 1;
        // Sometimes while the last message is still on its way.
        let most = if random.below(4) == 0 { 4_000 } else { CLOCK_HZ / 15 };
        next = machine.cycle() + 600 + random.below(most);
    }
    // What is on its way arrives, in the second that is added.
    run(&mut machine, end + CLOCK_HZ);
    let address = image.symbol("REPORT").expect("in the firmware").address;
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
