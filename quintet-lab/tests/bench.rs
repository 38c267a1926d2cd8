//! The benchmark tables: the firmware builds, runs, and costs what was accepted.
//!
//! Builds firmware with cargo, as `cargo lab bench` does.

use std::process::Command;
use std::sync::{Mutex, PoisonError};

use serde_json::Value;

/// One at a time: builds with other features put their firmware in the same place.
static ALONE: Mutex<()> = Mutex::new(());

fn bench(arguments: &[&str]) -> std::process::Output {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let mut command = Command::new(env!("CARGO_BIN_EXE_quintet"));
    command.arg("bench").args(arguments).output().unwrap()
}

/// The table of a group, without peers: a test fetches nothing.
fn group(name: &str) -> Value {
    let output = bench(&[name, "--no-peers", "--json"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let json: Value = serde_json::from_slice(&output.stdout).unwrap();
    json["groups"][0].clone()
}

fn row<'a>(group: &'a Value, name: &str) -> &'a Value {
    let rows = group["rows"].as_array().unwrap();
    rows.iter().find(|row| row["name"] == name).unwrap_or_else(|| panic!("no row {name}"))
}

#[test]
fn the_hardware_table_is_printed_in_the_agreed_form() {
    let group = group("hardware");
    assert_eq!(
        (group["name"].as_str(), group["board"].as_str()),
        (Some("hardware"), Some("stm32f100"))
    );
    assert!(group["build"].as_str().unwrap().contains("lto fat"));
    let row = |name: &str| row(&group, name);
    let call = row("call and return");
    assert_eq!((&call["instructions"], &call["document"]), (&2.into(), &4.into()));
    assert!(call["cycles"].is_u64() && call["floor"].is_null() && call["peers"].is_object());
    assert_eq!(row("BASEPRI section")["floor"], 3);
    let stack = row("stack per suspended task");
    assert_eq!((&stack["unit"], &stack["cycles"]), (&"bytes".into(), &32.into()));
}

#[test]
fn tasks_are_entered_and_left_as_bare_handlers_are() {
    let group = group("tasks");
    let names = ["latency", "latency, with prologue", "return, with prologue", "tail-chaining"];
    for name in names {
        let row = row(&group, name);
        assert!(row["bare"].is_u64(), "{row}");
        assert_eq!(row["cycles"], row["bare"], "{name}");
    }
    for name in ["scheduling", "RAM per task", "RAM per resource, beyond its contents"] {
        assert_eq!(row(&group, name)["cycles"], 0, "{name}");
    }
}

#[test]
fn forms_of_ours_and_several_documents_stand_beside_each_other() {
    let group = group("showdown");
    assert_eq!((group["column"].as_str(), group["peers"].as_array().map(Vec::len)), {
        (Some("tasks"), Some(0))
    });
    let latency = row(&group, "interrupt latency");
    assert!(latency["cycles"].is_number() && latency["forms"]["async"]["cycles"].is_number());
    let document = &latency["documents"][2];
    assert_eq!(document["name"], "RTIC 2022");
    assert!((document["figure"].as_f64().unwrap() - 1.184 * 180.0).abs() < 1e-6);
}

#[test]
fn waking_takes_the_same_whatever_is_on_the_level() {
    let group = group("async");
    let of = |name: &str| row(&group, name)["cycles"].as_u64().unwrap();
    let (some, many) =
        (of("wake, 8 more tasks on the level"), of("wake, 31 more tasks on the level"));
    assert!(many.abs_diff(some) <= 1, "{some} cycles beside 8 tasks, {many} beside 31");
    assert!(row(&group, "longest mask")["place"].is_string());
}

#[test]
fn a_switch_takes_the_same_whatever_else_there_is() {
    let group = group("threads");
    assert_eq!(group["compares"], "instructions");
    let switch = row(&group, "semaphore give to higher thread running");
    let cycles = |row: &Value| row["cycles"].as_u64().unwrap();
    for name in ["the same, 8 threads", "the same, 32 threads"] {
        let same = row(&group, name);
        assert_eq!(same["instructions"], switch["instructions"], "{name}");
        // They are other programs, in which functions lie elsewhere in the lines of the flash.
        let apart = cycles(same).abs_diff(cycles(switch));
        assert!(apart * 100 <= cycles(switch) * 3, "{name}: {apart} cycles apart");
    }
    let best = switch["best"]["figure"].as_u64().unwrap();
    assert_eq!((switch["best"]["name"].as_str(), best), (Some("ChibiOS"), 51));
    assert!(switch["instructions"].as_u64().unwrap() < best, "{switch}");
    assert_eq!(switch["published"].as_array().map(Vec::len), Some(13));
}

#[test]
fn no_row_is_worse_than_what_was_accepted() {
    let output = bench(&["--check"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn an_unknown_group_is_refused_with_the_known_ones() {
    let output = bench(&["hardwear"]);
    assert!(!output.status.success());
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(message.contains("hardwear") && message.contains("hardware"), "{message}");
}
