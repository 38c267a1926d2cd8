//! The benchmark tables: the firmware builds, runs, and costs what was accepted.
//!
//! Builds firmware with cargo, as `cargo lab bench` does.

mod support;

use std::path::Path;
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
fn the_tables_are_a_page_too() {
    let page = Path::new(env!("CARGO_TARGET_TMPDIR")).join("bench.html");
    let output = bench(&["hardware", "--no-peers", "--html", page.to_str().unwrap()]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let page = std::fs::read_to_string(page).unwrap();
    support::page::assert_well_formed(&page);
    for part in ["<section id=\"hardware\"", "<td>call and return</td>", "on stm32f100"] {
        assert!(page.contains(part), "no {part} in\n{page}");
    }
    let refused = bench(&["hardware", "--html", "bench.txt"]);
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert_eq!(refused.status.code(), Some(120));
    assert!(said.contains("bench.txt would be a page"), "{said}");
}

#[test]
fn processes_call_and_hear_in_fewer_instructions_than_those_of_tock() {
    let group = group("tock");
    let to_driver = row(&group, "call to driver");
    assert_eq!(
        (&to_driver["documents"][0]["figure"], &to_driver["unit"]),
        (&530.into(), &"cycles".into())
    );
    let names = [
        "call to driver",
        "null command, round trip",
        "allow, round trip",
        "subscribe, round trip",
        "yield-no-wait, round trip",
        "interrupt to upcall",
    ];
    for name in names {
        let row = row(&group, name);
        let documents = row["documents"].as_array().unwrap();
        let tock = documents.iter().find(|one| one["name"] == "Tock M4").unwrap();
        assert!(row["instructions"].as_u64() < tock["figure"].as_u64(), "{row}");
    }
    let round_trip = row(&group, "null command, round trip");
    assert!(to_driver["instructions"].as_u64() < round_trip["instructions"].as_u64());
}

#[test]
fn system_calls_take_fewer_cycles_than_those_of_tock_on_its_chip() {
    let group = group("tock-m4");
    assert_eq!(group["board"], "stm32f446");
    for row in group["rows"].as_array().unwrap().iter().filter(|row| !row["best"].is_null()) {
        assert_eq!(row["best"]["name"], "Tock", "{row}");
        assert_eq!(row["behind"], false, "{row}");
    }
    let null = row(&group, "null command");
    assert_eq!(null["best"]["build"], "opt-level 3");
    let listed = row(&group, "null command, permissions");
    assert!(listed["cycles"].as_u64() >= null["cycles"].as_u64(), "{listed}");
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
    let switch = row(&group, "semaphore give to higher thread running");
    let cycles = |row: &Value| row["cycles"].as_u64().unwrap();
    for name in ["the same, 8 threads", "the same, 32 threads"] {
        let same = row(&group, name);
        assert_eq!(same["instructions"], switch["instructions"], "{name}");
        // They are other programs, in which functions lie elsewhere in the lines of the flash.
        let apart = cycles(same).abs_diff(cycles(switch));
        assert!(apart * 100 <= cycles(switch) * 3, "{name}: {apart} cycles apart");
    }
}

#[test]
fn threads_are_compared_with_the_best_build_of_each_kernel() {
    let group = group("threads");
    let give = row(&group, "semaphore give, nobody waits");
    let chibios = &give["peers"]["ChibiOS"];
    assert_eq!((&chibios["cycles"], &chibios["builds"]["best"]), (&9.into(), &"-O3 LTO".into()));
    assert_eq!(chibios["builds"]["shipped"], 22);
    assert_eq!(chibios["builds"]["cycles"]["-O2 checked"], 86);
    let best = &give["best"];
    assert_eq!((&best["name"], &best["figure"]), (&"ChibiOS".into(), &9.into()));
    assert_eq!((&best["build"], &give["behind"]), (&"-O3 LTO".into(), &true.into()));
    assert_eq!(give["behind_by"], "0086");
    assert_eq!(row(&group, "yield to an equal")["behind"], false);
    // All seven kernels give, a signal is nobody's but ours.
    assert_eq!(give["peers"].as_object().map(serde_json::Map::len), Some(7));
    let signal = row(&group, "signal, nobody waits");
    assert!(signal["best"].is_null() && signal["behind"].is_null(), "{signal}");
    let peers = group["peers"].as_array().unwrap();
    let rtx = peers.iter().find(|peer| peer["name"] == "RTX5").unwrap();
    assert_eq!(rtx["kernel"]["shipped"], "-O2");
    assert_eq!(rtx["kernel"]["builds"][0]["checks"], true);
}

#[test]
fn the_longest_mask_of_all_builds_is_the_longest_of_each() {
    let group = group("threads");
    let cycles = |name: &str| row(&group, name)["cycles"].as_u64().unwrap();
    let builds = ["", ", the other objects", ", thread flags", ", mutexes and blocks"];
    let longest = builds.map(|build| cycles(&format!("longest mask{build}")));
    let with_a_tick = cycles("longest mask, delays and timers, with a tick");
    let all = cycles("longest mask, all that other kernels do");
    assert_eq!(Some(all), longest.into_iter().chain([with_a_tick]).max());
}

#[test]
fn tables_fit_into_a_line_of_100_characters_and_all_columns_into_a_wide_one() {
    let text = |arguments: &[&str]| {
        let output = bench(arguments);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    let groups = ["threads", "qp-1", "qp-2", "mark3", "hardware", "tasks"];
    let narrow = text(&[&groups[..], &["--no-peers"]].concat());
    for line in narrow.lines() {
        assert!(line.chars().count() <= 100, "{line}");
    }
    let give = narrow.lines().find(|line| line.contains("semaphore give, nobody waits")).unwrap();
    assert!(give.contains(" behind 1.") && give.ends_with(" 9  ChibiOS"), "{give}");
    let wide = text(&["threads", "--no-peers", "--wide"]);
    let head = wide.lines().nth(1).unwrap();
    for part in ["instructions", "its build", "ChibiOS -O2", "ChibiOS best", "RTX5 best"] {
        assert!(head.contains(part), "no {part} in {head}");
    }
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
