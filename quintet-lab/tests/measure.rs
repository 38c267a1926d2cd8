//! `quintet measure` on real firmware.

mod support;

use support::{program, quintet};

fn measured(arguments: &[&str]) -> serde_json::Value {
    let elf = program("measured");
    let mut line = vec!["measure", &elf, "--json"];
    line.extend(arguments);
    let run = quintet(&line);
    assert_eq!(run.code, 0, "{}", run.stderr);
    run.json()
}

#[test]
fn every_occurrence_is_counted() {
    let report = measured(&["--from", "work_begin", "--to", "work_end"]);
    let occurrences = report["occurrences"].as_array().unwrap();
    assert_eq!(occurrences.len(), 6);
    let number = |index: usize, field: &str| occurrences[index][field].as_u64().unwrap();
    for index in 1..6 {
        assert!(number(index, "start_cycle") > number(index - 1, "start_cycle"));
        assert!(number(index, "instructions") > number(index - 1, "instructions"));
        assert!(number(index, "cycles") > number(index, "instructions") / 2);
    }
    let summary = &report["summary"];
    assert_eq!(summary["count"], 6);
    assert_eq!(summary["min"].as_u64().unwrap(), number(0, "cycles"));
    assert_eq!(summary["max"].as_u64().unwrap(), number(5, "cycles"));
    let in_classes: u64 = summary["histogram"]
        .as_array()
        .unwrap()
        .iter()
        .map(|class| class["count"].as_u64().unwrap())
        .sum();
    assert_eq!(in_classes, 6);
    assert_eq!(report["unfinished"], serde_json::Value::Null);
}

#[test]
fn exceptions_inside_are_shown() {
    let report = measured(&["--from", "work_begin", "--to", "work_end"]);
    let occurrences = report["occurrences"].as_array().unwrap();
    let inside: Vec<_> =
        occurrences.iter().flat_map(|one| one["exceptions"].as_array().unwrap()).collect();
    assert!(!inside.is_empty(), "SysTick comes every 500 cycles");
    for exception in inside {
        assert_eq!(exception["exception"], 15);
        assert_eq!(exception["name"], "SysTick");
        assert!(exception["entry_cycle"].as_u64() < exception["exit_cycle"].as_u64());
    }
}

#[test]
fn places_may_be_written_in_every_way() {
    let by_name = measured(&["--from", "work_begin", "--to", "work_end"]);
    let address = |place: &str| by_name[place]["address"].as_u64().unwrap();
    let (from, to) = (format!("{:#x}", address("from")), format!("{:#X}", address("to")));
    let by_address = measured(&["--from", &from, "--to", &to.replace('X', "x")]);
    assert_eq!(by_name["occurrences"], by_address["occurrences"]);
    // A number without a prefix is a time in cycles.
    let time = address("to").to_string();
    quintet(&["measure", &program("measured"), "--from", &from, "--to", &time])
        .fails(120, &["--to: that is a time", "an address as 0x1a4"]);
    let by_offset = measured(&["--from", "work_begin+0", "--to", "work_end+0x0"]);
    assert_eq!(by_name["occurrences"], by_offset["occurrences"]);
}

#[test]
fn a_count_stops_the_run() {
    let report = measured(&["--from", "work_begin", "--to", "work_end", "--count", "2"]);
    assert_eq!(report["occurrences"].as_array().unwrap().len(), 2);
    assert!(report["ended"].as_str().unwrap().contains("count"));
    let none = ["measure", &program("measured"), "--from", "main", "--to", "main", "--count", "0"];
    quintet(&none).fails(2, &["--count", "nothing to do"]);
}

#[test]
fn a_place_is_measured_against_itself() {
    let report = measured(&["--from", "work_begin", "--to", "work_begin"]);
    assert_eq!(report["occurrences"].as_array().unwrap().len(), 5);
    assert!(report["unfinished"].as_u64().is_some(), "the sixth has no end");
}

#[test]
fn halting_like_a_debugger_costs_only_the_pipeline() {
    let plain = measured(&["--from", "work_begin", "--to", "work_end"]);
    let halted = measured(&["--from", "work_begin", "--to", "work_end", "--halt"]);
    let count = |report: &serde_json::Value| report["occurrences"].as_array().unwrap().len();
    assert_eq!(count(&plain), count(&halted));
    assert_eq!(halted["halt"], true);
}

#[test]
fn each_instruction_of_an_occurrence_is_shown() {
    let places = ["--from", "work_begin", "--to", "work_end"];
    let plain = measured(&places);
    let report = measured(&[&places[..], &["--instructions", "3"]].concat());
    assert_eq!(plain["occurrences"], report["occurrences"], "looking changes nothing");
    assert_eq!(plain["instructions"], serde_json::Value::Null);
    let steps = report["instructions"].as_array().unwrap();
    let is_instruction = |step: &&serde_json::Value| !step["address"].is_null();
    let third = &report["occurrences"][2];
    let count = steps.iter().filter(is_instruction).count() as u64;
    assert_eq!(Some(count), third["instructions"].as_u64());
    assert_eq!(steps[0]["cycle"], 0);
    assert_eq!(steps[0]["address"], report["from"]["address"]);
    let cycles: Vec<_> = steps.iter().map(|step| step["cycle"].as_u64().unwrap()).collect();
    assert!(cycles.is_sorted() && *cycles.last().unwrap() < third["cycles"].as_u64().unwrap());
    let entries = steps.iter().filter(|step| step["address"].is_null()).count();
    assert_eq!(entries, third["exceptions"].as_array().unwrap().len());
}

#[test]
fn the_way_is_a_table_with_functions() {
    let elf = program("measured");
    let line = ["measure", &elf, "--from", "work_begin", "--to", "work_end", "--instructions"];
    let run = quintet(&line);
    assert_eq!(run.code, 0, "{}", run.stderr);
    for part in ["Occurrence 1:", "cycle", "does", "where", "work_begin"] {
        assert!(run.stdout.contains(part), "no \"{part}\" in:\n{}", run.stdout);
    }
    let run = quintet(&[&line[..], &["77"]].concat());
    assert!(run.stdout.contains("There was no occurrence 77."), "{}", run.stdout);
}

#[test]
fn the_table_has_summary_and_histogram() {
    let run =
        quintet(&["measure", &program("measured"), "--from", "work_begin", "--to", "work_end"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    for part in ["start cycle", "SysTick", "6 occurrences: min", "#", "ended with code 0"] {
        assert!(run.stdout.contains(part), "no \"{part}\" in:\n{}", run.stdout);
    }
}

#[test]
fn unknown_places_suggest_the_nearest() {
    let elf = program("measured");
    let run = quintet(&["measure", &elf, "--from", "work_begn", "--to", "work_end"]);
    run.fails(120, &["--from", "no symbol is named \"work_begn\"", "work_begin"]);
    let run = quintet(&["measure", &elf, "--from", "work_begin", "--to", "zzzzzz"]);
    run.fails(120, &["--to", "zzzzzz"]);
}

#[test]
fn an_inlined_function_is_said_to_be_one() {
    let run = quintet(&["measure", &program("measured"), "--from", "nop", "--to", "work_end"]);
    run.fails(120, &["--from: \"nop\" is inlined into SysTick (from 0x", "#[inline(never)]"]);
}

#[test]
fn a_place_that_is_never_reached_is_said() {
    let elf = program("measured");
    let run = quintet(&["measure", &elf, "--from", "HardFault", "--to", "work_end"]);
    run.fails(120, &["HardFault", "was never reached", "ended with code 0"]);
}
