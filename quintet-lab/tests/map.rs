//! `quintet map`: the priority line of an application, as its expansion leaves it in the file.

mod support;

use std::path::Path;

use serde_json::Value;
use support::{program, program_for, quintet};

/// The entry that begins with `what`.
fn entry<'a>(report: &'a Value, what: &str) -> &'a Value {
    let line = report["line"].as_array().unwrap();
    let begins = |entry: &&Value| entry["what"].as_str().unwrap().starts_with(what);
    line.iter().find(begins).unwrap_or_else(|| panic!("no {what} in {report}"))
}

#[test]
fn the_line_goes_from_the_most_urgent_to_idle() {
    let run = quintet(&["map", &program("line"), "--json"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let report = run.json();
    let line = report["line"].as_array().unwrap();
    let what: Vec<_> = line.iter().map(|entry| entry["what"].as_str().unwrap()).collect();
    let expected = [
        "hardware task `interrupt`",
        "software tasks",
        "fn `level`",
        "the switch of threads",
        "thread `high`",
        "host of software tasks",
        "async `hosted`",
        "thread `low` \"the low one\"",
        "idle",
        "async `background`",
    ];
    assert_eq!(what, expected);
    let runs_in = |what: &str| entry(&report, what)["runs_in"].as_str().unwrap().to_owned();
    // Two priorities of threads: the level of priority 3 is the second of the hardware.
    assert_eq!(runs_in("software tasks"), "SSI0 (interrupt 7), hardware priority 0xc0");
    assert_eq!(runs_in("hardware task"), "UART0 (interrupt 5), hardware priority 0xa0");
    assert_eq!(runs_in("the switch"), "PendSV, hardware priority 0xe0");
    assert_eq!(
        (report["scheduler"].as_str(), &report["priority_bits"]),
        (Some("preemptive"), &3.into())
    );
}

#[test]
fn everything_has_its_cost() {
    let report = quintet(&["map", &program("line"), "--json"]).json();
    let of = |what: &str, field: &str| entry(&report, what)[field].as_u64().unwrap();
    assert_eq!((of("thread `low`", "stack"), of("thread `high`", "stack")), (640, 384));
    assert_eq!((of("host of", "stack"), of("async `hosted`", "stack")), (512, 0));
    let control_block = of("thread `high`", "ram");
    assert!((40..160).contains(&control_block), "{report}");
    assert_eq!(of("host of", "ram"), control_block + 1, "and a flag");
    assert!(of("thread `low`", "ram") >= control_block + 5, "and an argument with its state");
    assert!(of("the switch", "ram") > 100, "{report}");
    let resources = report["resources"].as_array().unwrap();
    let facts: Vec<_> = resources
        .iter()
        .map(|one| (one["ceiling"].as_str().unwrap(), one["ram"].as_u64().unwrap()))
        .collect();
    assert_eq!(facts, [("level 3", 4), ("thread 2", 8)]);
    assert_eq!(resources[0]["holds_off"].as_str(), Some("interrupts, BASEPRI 0xc0"));
}

/// ARMv6-M has no BASEPRI: a lock disables the interrupts of the other users one by one.
#[test]
fn a_lock_names_what_its_core_masks_by() {
    let held = |program: &str| {
        let report = quintet(&["map", program, "--json"]).json();
        let resources = report["resources"].as_array().unwrap().clone();
        let held = |one: &Value| one["holds_off"].as_str().unwrap().to_owned();
        resources.iter().map(held).collect::<Vec<_>>()
    };
    let primask = "all interrupts, by PRIMASK";
    let expected = [primask, "interrupts, BASEPRI 0x80", "interrupts, BASEPRI 0x40", "nothing"];
    assert_eq!(held(&program("sources")), expected);
    let expected = [primask, "SSI0, in the NVIC", "UART0, SSI0, in the NVIC", "nothing"];
    assert_eq!(held(&program_for("thumbv6m-none-eabi", "sources")), expected);
}

#[test]
fn the_table_says_the_same() {
    let run = quintet(&["map", &program("line")]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    for part in ["is preemptive", "thread `high`", "async `hosted`", "of_a_level", "high, level"] {
        assert!(run.stdout.contains(part), "no \"{part}\" in:\n{}", run.stdout);
    }
}

#[test]
fn threads_without_a_guard_are_named() {
    let run = quintet(&["map", &program("many_threads")]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let without = "Without a guard of the stack: host of priority 1.";
    let late = "Without one, if they start late: thread `at_will`, thread `eighth`.";
    for part in [without, late, "8 regions", "quintet threads"] {
        assert!(run.stdout.contains(part), "no \"{part}\" in:\n{}", run.stdout);
    }
    let report = quintet(&["map", &program("many_threads"), "--json"]).json();
    let guard = |what: &str| entry(&report, what)["guard"].as_str();
    assert_eq!(
        (guard("thread `seventh`"), guard("thread `eighth`")),
        (Some("yes"), Some("depends"))
    );
    assert_eq!((guard("host of"), guard("idle")), (Some("no"), None));
    let few = quintet(&["map", &program("line")]);
    assert!(!few.stdout.contains("guard"), "{}", few.stdout);
}

#[test]
fn firmware_without_an_application_is_refused() {
    quintet(&["map", &program("hello")]).fails(120, &["has no map", "#[quintet::app]"]);
}

/// A program that has other crates beside Quintet, built as `arguments` say.
fn beside(name: &str, arguments: &[&str]) -> String {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/firmware/beside");
    let target = ["--target", "thumbv7m-none-eabi", "--message-format=json-render-diagnostics"];
    let build = [&["build", "--locked", "--bin", name], &target[..], arguments].concat();
    let built = support::cargo(&workspace, &build);
    assert_eq!(built.code, 0, "{}", built.stderr);
    let made = built.stdout.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let mut paths = made.filter_map(|line| line["executable"].as_str().map(str::to_owned));
    paths.next_back().expect("there is a program")
}

#[test]
fn warns_of_what_takes_thread_mode_for_one_context() {
    let mutex = "embassy-sync's `ThreadModeMutex` or `ThreadModeRawMutex` is linked beside threads";
    let pended = "`SCB::clear_pendsv` is linked beside threads";
    let of = |program: &str| quintet(&["map", program]);
    let with_names = of(&beside("thread_mode", &[]));
    assert_eq!(with_names.code, 0, "{}", with_names.stderr);
    assert!(with_names.stdout.contains(mutex), "{}", with_names.stdout);
    assert!(with_names.stdout.contains(pended), "{}", with_names.stdout);
    // Without debug information, the text of the check tells; of the other nothing does.
    let without_names = of(&beside("thread_mode", &["--release"])).stdout;
    assert!(without_names.contains(mutex) && !without_names.contains(pended), "{without_names}");
    let json = quintet(&["map", &beside("thread_mode", &[]), "--json"]).json();
    assert_eq!(json["warnings"].as_array().map(Vec::len), Some(2), "{json}");
    // Where thread mode is one context, it is as its users think.
    let alone = of(&beside("thread_mode_alone", &[])).stdout;
    assert!(!alone.contains("Warning"), "{alone}");
    assert!(!of(&program("line")).stdout.contains("Warning"));
}
