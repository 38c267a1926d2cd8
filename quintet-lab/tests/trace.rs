//! `quintet trace`: what a run did, as a table, and as files that other tools and browsers show.

mod support;

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;
use support::{Finished, example, program, quintet, temporary};

fn row<'a>(report: &'a Value, group: &str, name: &str) -> &'a Value {
    let rows = report["tracks"].as_array().unwrap();
    let found = rows.iter().find(|row| row["group"] == group && row["name"] == name);
    found.unwrap_or_else(|| panic!("no {name} among {group} in {report}"))
}

fn count(report: &Value, group: &str, name: &str) -> u64 {
    row(report, group, name)["count"].as_u64().unwrap()
}

fn examples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples")
}

/// A place for a file, which is not there yet.
fn fresh(name: &str) -> String {
    let path = temporary(name, b"");
    std::fs::remove_file(&path).unwrap();
    path
}

/// The kernel with a unit of each of the five models, and its process.
fn trace_five_models(arguments: &[&str]) -> Finished {
    let kernel = example(&examples().join("processes"), "five_models");
    let mut command = Command::new(env!("CARGO_BIN_EXE_quintet"));
    command.args(["trace", &kernel, "--process"]);
    command.arg(examples().join("processes/apps/five_models")).args(arguments);
    command.env("CARGO_TARGET_DIR", support::target_directory()).env_remove("QUINTET_BOARD");
    Finished::new(command.output().expect("quintet starts"))
}

#[test]
fn a_unit_of_each_model_is_seen_each_time_that_it_runs() {
    let json = fresh("five.json");
    let run = trace_five_models(&["--json", "-o", &json]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let report = run.json();
    let tasks = |name: &str| count(&report, "tasks", name);
    // The process writes three times, 39 bytes in all; `adds` begins, and wakes for each line.
    assert_eq!((tasks("moves"), tasks("measures"), tasks("adds")), (3, 39, 4));
    assert_eq!((count(&report, "threads", "ends"), count(&report, "threads", "process 0")), (2, 4));
    assert_eq!((count(&report, "output", "stdout"), tasks("init")), (8, 1));
    assert_eq!(count(&report, "exceptions", "GPIOC (IRQ 2, level 3)"), 39);
    assert!(row(&report, "tasks", "adds")["wake_longest"].as_u64() > Some(0), "{report}");
    // Nobody but the processor wakes a handler of a device.
    assert!(row(&report, "exceptions", "SysTick")["wake_longest"].is_null(), "{report}");
    let file: Value = serde_json::from_str(&std::fs::read_to_string(json).unwrap()).unwrap();
    let events = file["traceEvents"].as_array().unwrap();
    let has = |phase: &str, name: &str| {
        events.iter().any(|event| event["ph"] == phase && event["name"] == name)
    };
    assert!(has("X", "command 0x1, 1") && has("X", "yield"), "system calls have names");
    assert!(has("i", "thread: 39 bytes in all") && has("s", "wake") && has("C", "ready threads"));
    nests(events);
}

/// Slices of a track lie beside or in each other.
fn nests(events: &[Value]) {
    let number = |value: &Value| value.as_u64().unwrap();
    let slices = events.iter().filter(|event| event["ph"] == "X");
    let mut times: Vec<_> = slices
        .map(|slice| {
            let (start, cycles) =
                (number(&slice["args"]["cycle"]), number(&slice["args"]["cycles"]));
            assert!(number(&slice["args"]["own_cycles"]) <= cycles, "{slice}");
            (number(&slice["tid"]), start, start + cycles)
        })
        .collect();
    times.sort_by_key(|(track, start, end)| (*track, *start, std::cmp::Reverse(*end)));
    for pair in times.windows(2) {
        let [(track, _, end), (next, start, inner)] = pair else { continue };
        assert!(track != next || start >= end || inner <= end, "{pair:?} overlap");
    }
}

#[test]
fn what_is_seen_of_threads_is_what_the_table_of_threads_says() {
    let file = program("threads");
    let traced = quintet(&["trace", &file, "--json"]).json();
    let table = quintet(&["threads", &file, "--json"]).json();
    for thread in table["threads"].as_array().unwrap() {
        let name = thread["name"].as_str().unwrap();
        let own = row(&traced, "threads", name)["own_cycles"].as_u64().unwrap();
        let cycles = thread["cycles"].as_u64().unwrap();
        // The switch changes who runs a few cycles before or behind it leaves its handler.
        let switches = thread["switches"].as_u64().unwrap() + 1;
        assert!(own.abs_diff(cycles) <= 60 * switches, "{name}: {own} of {cycles}");
    }
}

#[test]
fn files_for_browsers_documents_and_perfetto_are_written() {
    let file = program("threads");
    let [page, perfetto, picture] =
        ["html", "pftrace", "svg"].map(|end| fresh(&format!("threads.{end}")));
    let run = quintet(&["trace", &file, "-o", &page, "-o", &perfetto, "-o", &picture]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(run.stdout.contains("wake to run"), "{}", run.stdout);
    let page = std::fs::read_to_string(page).unwrap();
    assert!(page.starts_with("<!DOCTYPE html>") && page.contains("\"WORKER\""));
    let picture = std::fs::read_to_string(picture).unwrap();
    assert!(picture.starts_with("<svg ") && picture.contains(">WORKER</text>"));
    let bytes = std::fs::read(perfetto).unwrap();
    // The first field of a trace is a packet, a message.
    assert_eq!(bytes.first(), Some(&0x0a));
    assert!(bytes.windows(6).any(|name| name == b"WORKER"));
}

#[test]
fn tasks_of_freertos_are_seen_with_what_they_wait_for() {
    let report = quintet(&["trace", &program("freertos_like"), "--json"]).json();
    let threads = |name: &str| count(&report, "threads", name);
    assert_eq!((threads("sensor"), threads("logger"), threads("IDLE")), (3, 2, 1), "{report}");
    assert_eq!(
        threads("worker"),
        1,
        "it has the memory of the logger, which was deleted: {report}"
    );
    let states = |name: &str| count(&report, "states", name);
    // First when they are created, and then when the sensor is woken, or preempts the logger.
    assert_eq!((states("sensor: ready"), states("logger: ready")), (2, 2), "{report}");
    for (waits, times) in [
        ("sensor: waits to receive from readings", 1),
        ("sensor: waits for a time", 2),
        ("logger: waits for the mutex console", 1),
    ] {
        assert_eq!(states(waits), times, "{report}");
    }
    let deleted = |row: &Value| row["name"].as_str().unwrap().ends_with("deleted");
    assert!(!report["tracks"].as_array().unwrap().iter().any(deleted), "{report}");
    // It runs before the scheduler does, and no task then.
    assert_eq!(count(&report, "processor", "before the threads"), 1, "{report}");
    assert!(row(&report, "threads", "sensor")["wake_longest"].as_u64() > Some(0), "{report}");
    let is_idle = |row: &Value| row["name"].as_str().unwrap().starts_with("IDLE:");
    assert!(!report["tracks"].as_array().unwrap().iter().any(is_idle), "{report}");
}

#[test]
fn tasks_of_rtic_and_embassy_are_seen_when_they_run() {
    let report = quintet(&["trace", &program("foreign_tasks"), "--json"]).json();
    let tasks = |name: &str| count(&report, "tasks", name);
    assert_eq!((tasks("report"), tasks("timer"), tasks("blink")), (3, 2, 4), "{report}");
    assert_eq!(count(&report, "exceptions", "PendSV"), 6);
}

#[test]
fn each_instance_of_an_actor_has_a_track_and_a_counter_of_its_queue() {
    let file = example(&examples(), "dinner_preemptive");
    let json = fresh("dinner.json");
    let report = quintet(&["trace", &file, "--json", "-o", &json]).json();
    for index in 0..5 {
        let name = format!("philo {index}");
        assert!(count(&report, "tasks", &name) > 10, "{report}");
        // A philosopher's job may jump to a function that all of them share.
        assert!(row(&report, "tasks", &name)["longest"].as_u64() > Some(200), "{report}");
    }
    let file: Value = serde_json::from_str(&std::fs::read_to_string(json).unwrap()).unwrap();
    let values = |name: &str| {
        let events = file["traceEvents"].as_array().unwrap().iter();
        let samples = events.filter(|event| event["ph"] == "C" && event["name"] == name);
        samples.map(|event| event["args"]["value"].as_u64().unwrap()).collect::<Vec<_>>()
    };
    let queue = values("queue of philo 3 (6 places)");
    assert!(queue.contains(&1) && queue.last() == Some(&0), "{queue:?}");
    let ready = values("ready jobs at priority 1");
    // At first the host and all philosophers.
    assert_eq!((ready.iter().max(), ready.last()), (Some(&6), Some(&0)), "{ready:?}");
}

#[test]
fn states_of_machines_are_seen_with_the_events_that_change_them() {
    let json = fresh("states.json");
    let file = example(&examples(), "dinner_preemptive");
    let report = quintet(&["trace", &file, "--json", "-o", &json]).json();
    let states = |name: &str| count(&report, "machines", name);
    assert_eq!((states("waiter: Table: serving"), states("waiter: Table: paused")), (2, 1));
    // Who has eaten thinks again, and everybody is hungry in the end.
    let eating = states("philo 3: Philosopher: eating");
    assert!(eating > 0, "{report}");
    assert_eq!(states("philo 3: Philosopher: thinking"), eating + 1);
    assert_eq!(states("philo 3: Philosopher: hungry"), eating + 1);
    let all = std::fs::read_to_string(json).unwrap();
    let times = |name: &str| all.matches(&format!("\"name\":\"{name}\"")).count();
    let eaten = times("hungry \u{2192} eating on Eat");
    assert_eq!(times("eating \u{2192} thinking on Enough"), eaten);
    assert_eq!(times("serving \u{2192} paused on Pause"), 1);
    // Everybody is told who may eat.
    assert_eq!(times("philo 0: Eat"), eaten);
}

#[test]
fn a_machine_that_the_optimiser_has_taken_apart_is_seen_whole() {
    let report = quintet(&["trace", &example(&examples(), "pelican"), "--json"]).json();
    let states = |name: &str| count(&report, "machines", &format!("crossing: Pelican: {name}"));
    assert_eq!(states("out_of_service"), 1, "{report}");
    assert_eq!(states("walk"), states("hurry"), "{report}");
    assert!(states("cars_green") > states("walk"), "{report}");
}

#[test]
fn without_types_of_variables_the_way_to_see_states_is_told() {
    let mut bytes = std::fs::read(example(&examples(), "pelican")).unwrap();
    // Another name of the section: nobody finds its content.
    let (wanted, hidden) = (b"\0.debug_info\0", b"\0.hidden__fo\0");
    let at = bytes.windows(wanted.len()).position(|name| name == wanted).unwrap();
    bytes[at..at + hidden.len()].copy_from_slice(hidden);
    let run = quintet(&["trace", &temporary("hidden.elf", &bytes)]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(run.stderr.contains("Set debug = 2 in the profile"), "{}", run.stderr);
}

#[test]
fn functions_are_shown_by_name_in_any_firmware() {
    let file = program("measured");
    let arguments = ["--function", "work_begin", "--function", "work_end", "--json"];
    let report = quintet(&[&["trace", &file], &arguments[..]].concat()).json();
    for name in ["work_begin", "work_end"] {
        assert_eq!(count(&report, "functions", name), 6, "{report}");
    }
    assert!(count(&report, "exceptions", "SysTick") > 1, "{report}");
    quintet(&["trace", &file, "--function", "wrok_begin"]).fails(
        120,
        &["--function", "no symbol is named \"wrok_begin\"", "the nearest: work_begin"],
    );
}

#[test]
fn a_window_holds_what_lies_in_it() {
    let file = program("threads");
    let cycles = |arguments: &[&str]| {
        let line = [&["trace", &file, "--json"], arguments].concat();
        let report = quintet(&line).json();
        (report["from"].as_u64().unwrap(), report["to"].as_u64().unwrap())
    };
    let (_, end) = cycles(&[]);
    let (from, to) = cycles(&["--from", "2ms", "--to", "3ms"]);
    assert_eq!((from, to / 100), (24_000, 360));
    assert_eq!(cycles(&["--last", "1200"]), (end - 1200, end));
    let report = quintet(&["trace", &file, "--json", "--only", "threads", "--only", "tick"]).json();
    let groups = report["tracks"].as_array().unwrap().iter().map(|row| &row["group"]);
    assert!(groups.clone().all(|group| group == "threads" || group == "exceptions"), "{report}");
    assert!(count(&report, "exceptions", "SysTick") > 1, "{report}");
}

#[test]
fn a_run_with_too_many_events_is_cut_and_says_so() {
    let run = quintet(&["trace", &program("threads"), "--max-events", "100"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    for part in ["stopped after 100 events", "--last", "--max-events N"] {
        assert!(run.stderr.contains(part), "no \"{part}\" in:\n{}", run.stderr);
    }
}

#[test]
fn what_cannot_be_shown_is_refused_with_the_way_out() {
    let file = program("threads");
    let fails = |arguments: &[&str], parts: &[&str]| {
        quintet(&[&["trace", &file], arguments].concat()).fails(120, parts);
    };
    fails(&["-o", "picture.png"], &["picture.png", ".html for a page", ".pftrace"]);
    fails(&["--from", "3ms", "--to", "2ms"], &["the window is empty", "a later --to"]);
    fails(&["--from", "1s"], &["the window is empty", "the run ended at", "an earlier --from"]);
    fails(&["--last", "0"], &["--last 0 keeps nothing"]);
    fails(&["--only", "nobody"], &["--only nobody", "there were before the threads", "WORKER"]);
    let missing = "no/such/directory/a.html";
    fails(&["-o", missing], &["cannot write no/such/directory/a.html"]);
    quintet(&["trace", &file, "--from", "10min"]).fails(2, &["is no time: write 10ms"]);
}

#[test]
fn firmware_that_dies_is_shown_up_to_its_death() {
    let run = quintet(&["trace", &program("hard_fault"), "--json"]);
    run.fails(121, &["a fault"]);
    assert!(count(&run.json(), "exceptions", "HardFault") >= 1, "{}", run.stdout);
}

#[test]
fn tasks_that_a_thread_hosts_are_seen_as_those_of_a_level() {
    let file = example(&examples(), "all_models");
    let report = quintet(&["trace", &file, "--json"]).json();
    let tasks = |name: &str| count(&report, "tasks", name);
    // Each begins, and goes on after each wake.
    assert_eq!((tasks("sample"), tasks("report"), tasks("fault")), (5, 2, 1));
    assert_eq!(count(&report, "threads", "tasks at 1"), 2);
    assert!(row(&report, "exceptions", "GPIOA (IRQ 0)")["wake_longest"].as_u64() > Some(0));
}
