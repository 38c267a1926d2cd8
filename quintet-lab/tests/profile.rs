//! `quintet profile`: where the cycles go.

mod support;

use std::path::Path;
use std::process::Command;

use serde_json::Value;
use support::{program, quintet, temporary};

fn sum(rows: &Value, field: &str) -> u64 {
    rows.as_array().unwrap().iter().map(|row| row[field].as_u64().unwrap()).sum()
}

fn named<'a>(rows: &'a Value, end: &str) -> &'a Value {
    let mut rows = rows.as_array().unwrap().iter();
    rows.find(|row| row["name"].as_str().unwrap().ends_with(end))
        .unwrap_or_else(|| panic!("there is no {end}"))
}

#[test]
fn every_cycle_is_counted_once() {
    let file = program("threads");
    let report = quintet(&["profile", &file, "--json"]).json();
    let cycles = quintet(&["threads", &file, "--json"]).json()["cycles"].as_u64();
    assert_eq!(report["cycles"].as_u64(), cycles);
    assert_eq!(Some(sum(&report["contexts"], "cycles")), cycles);
    let asleep = report["contexts"].as_array().unwrap().iter();
    let asleep = asleep.filter(|context| context["name"] == "(asleep)");
    let asleep: u64 = asleep.map(|context| context["cycles"].as_u64().unwrap()).sum();
    assert_eq!(Some(sum(&report["functions"], "own_cycles") + asleep), cycles);
}

/// The program of the simulator's benchmark, which never sleeps and has two interrupts, of which
/// one comes at times just when the other one returns.
fn work() -> String {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../quintet-sim/benches/firmware");
    let file = temporary("work.elf", b"");
    let built = Command::new("rustc")
        .args(["--edition", "2024", "--target", "thumbv7m-none-eabi", "--crate-type", "bin"])
        .args(["-C", "opt-level=3", "-C", "panic=abort", "-C", "strip=none", "-A", "warnings"])
        .args(["-C", &format!("link-arg=-T{}", directory.join("link.ld").display())])
        .args(["-o", &file, &directory.join("work.rs").display().to_string()])
        .status();
    assert!(built.unwrap().success(), "the program of the benchmark does not compile");
    file
}

#[test]
fn firmware_that_never_sleeps_has_no_cycles_asleep() {
    let report = quintet(&["profile", &work(), "--max-cycles", "1000000", "--json"]).json();
    let contexts = report["contexts"].as_array().unwrap();
    assert!(contexts.iter().all(|one| one["name"] != "(asleep)"), "{}", report["contexts"]);
    assert_eq!(Some(sum(&report["contexts"], "cycles")), report["cycles"].as_u64());
    assert_eq!(Some(sum(&report["functions"], "own_cycles")), report["cycles"].as_u64());
}

#[test]
fn a_threads_cycles_are_what_is_said_of_threads() {
    let file = program("threads");
    let profile = quintet(&["profile", &file, "--json"]).json();
    let threads = quintet(&["threads", &file, "--json"]).json();
    let mut count = 0;
    for thread in threads["threads"].as_array().unwrap() {
        let name = thread["name"].as_str().unwrap();
        if name == "idle" || thread["cycles"] == 0 {
            continue;
        }
        // The entry of an exception is counted as the exception's here.
        let cycles = named(&profile["contexts"], name)["cycles"].as_u64().unwrap();
        let of_threads = thread["cycles"].as_u64().unwrap();
        assert!(cycles.abs_diff(of_threads) <= of_threads / 10, "{name}: {cycles}, {of_threads}");
        count += 1;
    }
    assert!(count > 1);
}

#[test]
fn a_function_has_what_it_calls_in_its_total() {
    let file = program("measured");
    let report = quintet(&["profile", &file, "--json"]).json();
    let reset = named(&report["functions"], "Reset");
    assert!(reset["cycles"].as_u64() > reset["own_cycles"].as_u64(), "{reset}");
    assert!(sum(&report["lines"], "cycles") > 0);
}

#[test]
fn a_window_counts_what_is_between_two_places() {
    let file = program("measured");
    let whole = quintet(&["profile", &file, "--json"]).json()["cycles"].as_u64();
    let part = quintet(&["profile", &file, "--from", "main", "--json"]);
    assert!(part.json()["cycles"].as_u64() < whole, "{}", part.stdout);
}

#[test]
fn files_for_other_programs_are_written() {
    let directory = std::path::Path::new(env!("CARGO_TARGET_TMPDIR"));
    let path = |name: &str| directory.join(name).to_str().unwrap().to_owned();
    let (folded, flame, scope) = (path("p.folded"), path("p.svg"), path("p.json"));
    let file = program("threads");
    let run = quintet(&[
        "profile",
        &file,
        "--folded",
        &folded,
        "--flame",
        &flame,
        "--speedscope",
        &scope,
    ]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(run.stdout.contains("context") && run.stdout.contains("calls"), "{}", run.stdout);
    let text = std::fs::read_to_string(folded).unwrap();
    assert!(text.lines().all(|line| line.contains(';')), "{text}");
    assert!(std::fs::read_to_string(flame).unwrap().contains("<svg"));
    let scope: Value = serde_json::from_slice(&std::fs::read(scope).unwrap()).unwrap();
    assert!(scope["profiles"].as_array().unwrap().len() > 2, "{scope}");
}

#[test]
fn what_cannot_be_done_is_said() {
    let file = program("threads");
    quintet(&["profile", &file, "--from", "nowhere"])
        .fails(120, &["--from", "no symbol is named \"nowhere\""]);
    quintet(&["profile", &file, "--folded", "/no/such/place"])
        .fails(120, &["cannot write /no/such/place"]);
    let run = quintet(&["profile", &file, "--from", "HardFault"]);
    assert!(run.stderr.contains("nothing to show: HardFault was never reached"), "{}", run.stderr);
}

#[test]
fn tasks_of_freertos_are_contexts_of_their_own() {
    let report = quintet(&["profile", &program("freertos_like"), "--json"]).json();
    let contexts = report["contexts"].as_array().unwrap();
    let cycles = |name: &str| {
        let found = contexts.iter().find(|context| context["name"] == name);
        found.unwrap_or_else(|| panic!("no {name} in {report}"))["cycles"].as_u64().unwrap()
    };
    assert!(cycles("worker") > 0 && cycles("worker") < cycles("logger"), "{report}");
    // Each runs twice but idle.
    assert!(cycles("sensor") > cycles("IDLE") && cycles("logger") > cycles("IDLE"), "{report}");
    assert!(cycles("before the threads") > 0);
}

#[test]
fn functions_without_symbols_are_those_that_are_called() {
    // The vectors; at 0x40, a start that calls twice and sleeps; at 0x60, a function with a loop.
    let mut image = 0x2000_1000_u32.to_le_bytes().to_vec();
    image.extend(0x41_u32.to_le_bytes().repeat(15));
    let start: [u16; 6] = [0xf000, 0xf80e, 0xf000, 0xf80c, 0xbf30, 0xe7fd];
    let function: [u16; 4] = [0x2005, 0x3801, 0xd1fd, 0x4770];
    image.extend(start.iter().flat_map(|half| half.to_le_bytes()));
    image.resize(0x60, 0);
    image.extend(function.iter().flat_map(|half| half.to_le_bytes()));
    let file = temporary("unnamed.bin", &image);
    let run = quintet(&["profile", &file, "--load", "0", "--json", "--max-cycles", "10_000"]);
    let report = run.json();
    let functions = report["functions"].as_array().unwrap();
    assert_eq!(functions.len(), 2, "{report}");
    let called = named(&report["functions"], "function at 0x00000060");
    assert_eq!(called["calls"], 2, "{report}");
    assert!(called["own_cycles"].as_u64() > Some(10), "{report}");
    // The vectors name the other one.
    assert_eq!(named(&report["functions"], "reset handler")["calls"], Value::Null);
}

#[test]
fn a_window_may_be_a_time() {
    let file = program("measured");
    let cycles = |window: &[&str]| {
        let line = [&["profile", &file, "--json"], window].concat();
        quintet(&line).json()["cycles"].as_u64().unwrap()
    };
    let all = cycles(&[]);
    let (first, rest) = (cycles(&["--to", "200"]), cycles(&["--from", "200"]));
    assert!(first > 150 && first + rest == all, "{first} and {rest} of {all}");
    // The same words mean the same elsewhere.
    let begin = quintet(&["trace", &file, "--from", "main", "--json"]).json()["from"].as_u64();
    assert_eq!(cycles(&["--from", "main"]), all - begin.unwrap());
    for command in ["measure", "inject"] {
        let run = quintet(&[command, &file, "--from", "5ms", "--to", "main"]);
        run.fails(120, &["--from", "a time, which a run passes once", "as 0x1a4"]);
    }
    let never = quintet(&["trace", &file, "--from", "HardFault"]);
    never.fails(120, &["--from: HardFault was never reached in"]);
}

#[test]
fn an_interrupt_has_the_name_of_its_handler() {
    let report = quintet(&["profile", &program("late_enabling"), "--json"]).json();
    let contexts: Vec<_> =
        report["contexts"].as_array().unwrap().iter().map(|one| one["name"].clone()).collect();
    assert!(contexts.iter().any(|name| name == "DefaultHandler (IRQ 5)"), "{contexts:?}");
}
