//! Firmware whose code is damaged: whatever it does, nothing panics, and its end is explained.
//! Files whose tables are damaged: reading them ends in words, or in fewer answers.
//!
//! The damage is deterministic. A long run is
//! `cargo test --release -p quintet-lab --test damage -- --ignored`.

mod support;

use quintet_lab::debug::DebugInfo;
use quintet_lab::firmware::Firmware;
use quintet_lab::report::death::{Cause, examine};
use quintet_sim::board::Board;
use quintet_sim::image::Image;
use quintet_sim::machine::{Machine, Stop, Until};
use std::path::PathBuf;
use support::program;

/// A small deterministic generator (xorshift64).
struct Generator(u64);

impl Generator {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 20) as usize % limit
    }
}

/// Runs damaged copies of a program for a while each; returns how many faulted.
fn survive(name: &str, rounds: u64, seed: u64) -> usize {
    let path = program(name);
    let bytes = std::fs::read(&path).unwrap();
    let original = Image::parse_elf(&bytes).unwrap();
    let mut firmware = Firmware {
        path: PathBuf::from(path),
        image: original.clone(),
        debug: DebugInfo::load(&bytes),
        guests: Vec::new(),
        svd: None,
    };
    let board = Board::named("lm3s6965").unwrap();
    let mut random = Generator(seed);
    let mut faulted = 0;
    for _ in 0..rounds {
        firmware.image = original.clone();
        let segments = firmware.image.segments.len();
        for _ in 0..=random.below(12) {
            let bytes = &mut firmware.image.segments[random.below(segments)].bytes;
            if !bytes.is_empty() {
                let at = random.below(bytes.len());
                bytes[at] = random.below(256) as u8;
            }
        }
        let mut machine = Machine::new(&board);
        // A damaged vector table may be refused, in words.
        if let Err(error) = machine.load(&firmware.image) {
            assert!(!error.to_string().is_empty());
            continue;
        }
        machine.reset();
        let until = Until { max_cycles: Some(30_000), ..Until::default() };
        let cause = match machine.run(&until) {
            Stop::Exit { .. } => continue,
            Stop::Lockup => Cause::Lockup,
            Stop::Asleep => Cause::Asleep,
            _ => Cause::CycleLimit(30_000),
        };
        let report = examine(&firmware, &machine, &cause);
        assert!(!report.what.is_empty() && !report.backtrace.is_empty());
        assert!(report.text().contains("What to do:"));
        faulted += usize::from(report.fault.any());
    }
    faulted
}

#[test]
fn damaged_firmware_never_panics_the_tool() {
    let faulted = survive("hello", 150, 0x5EED) + survive("stacks", 150, 0xFEED);
    assert!(faulted > 0, "the damage is too light to show anything");
}

/// Reads damaged copies of a file, all of it; returns how many were refused.
fn read(name: &str, rounds: u64, seed: u64) -> usize {
    let original = std::fs::read(program(name)).unwrap();
    let mut random = Generator(seed);
    let mut refused = 0;
    for _ in 0..rounds {
        let mut bytes = original.clone();
        if random.below(8) == 0 {
            bytes.truncate(random.below(bytes.len()));
        }
        for _ in 0..=random.below(40) {
            // What tables say is mostly in a few bytes, here and there large numbers.
            let at = random.below(bytes.len().max(1));
            let value = [0, 0xff, 1, random.below(256) as u8][random.below(4)];
            bytes.iter_mut().skip(at).take(1 + random.below(4)).for_each(|byte| *byte = value);
        }
        let debug = DebugInfo::load(&bytes);
        for address in (0x100..0x1000).step_by(0x90) {
            let _ = debug.locate(address);
            let _ = debug.types().part(0x2000_0000 + address, 4);
        }
        let types = debug.types();
        for place in types.find(|shape| shape.size > 0) {
            let _ = types.active((place.address, place.kind), &|_, _| Some(1));
            let _ = types.watched(place.address, 4);
        }
        match Image::parse_elf(&bytes) {
            Ok(image) => drop(image.function_at(0x200)),
            Err(error) => {
                assert!(!error.to_string().is_empty());
                refused += 1;
            }
        }
    }
    refused
}

#[test]
fn damaged_files_never_panic_the_tool() {
    assert!(read("hello", 30, 0xF11E) < 30, "the damage is too heavy to come far");
}

#[test]
#[ignore = "a long run; by name"]
fn damaged_files_never_panic_the_tool_for_long() {
    for seed in 1..=50 {
        for name in ["hello", "stacks", "hard_fault"] {
            read(name, 100, seed);
        }
    }
}

#[test]
#[ignore = "a long run; by name"]
fn damaged_firmware_never_panics_the_tool_for_long() {
    for seed in 1..=50 {
        for name in ["hello", "stacks", "measured", "hard_fault", "arguments"] {
            survive(name, 200, seed);
        }
    }
}
