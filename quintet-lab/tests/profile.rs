//! `quintet profile`: where the cycles go.

mod support;

use serde_json::Value;
use support::{program, quintet};

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
    // Each runs twice but idle.
    assert!(cycles("sensor") > cycles("IDLE") && cycles("logger") > cycles("IDLE"), "{report}");
    assert!(cycles("before the threads") > 0);
}
