//! `bench --gdb-remote` and `validate --gdb-remote`: tables of a chip beside the simulator. A
//! server of this tool, and QEMU, stand in place of a chip.

mod support;

use serde_json::Value;
use support::server::Server;
use support::{Finished, program, quintet};

/// The firmware of a group for a board.
fn firmware(group: &str, board: &str) -> String {
    let built = quintet(&["bench", group, "--firmware", "--board", board]);
    assert_eq!(built.code, 0, "{}", built.stderr);
    built.stdout.trim().to_owned()
}

fn bench(server: &Server, options: &[&str]) -> Finished {
    server.asked(&["bench", "hardware"], options)
}

fn validate(server: &Server, options: &[&str]) -> Finished {
    server.asked(&["validate"], options)
}

const RESET: [&str; 2] = ["--monitor", "reset"];
const IN_QEMU: [&str; 4] = ["--monitor", "system_reset", "--counter", "systick"];

fn rows(table: &Value) -> &Vec<Value> {
    table["rows"].as_array().unwrap()
}

#[test]
fn a_group_is_measured_on_a_chip() {
    let file = firmware("hardware", "stm32f100");
    let server = Server::start_on("stm32f100", &file);
    let run = bench(&server, &[&RESET[..], &["--json"]].concat());
    assert_eq!(run.code, 0, "{}", run.stderr);
    let report = run.json();
    let table = &report["groups"][0];
    assert_eq!(table["counter"], "DWT_CYCCNT");
    assert!(table["processor"].as_str().unwrap().starts_with("Cortex-M3 r"), "{table}");
    assert!(rows(table).len() >= 15, "{table}");
    for row in rows(table) {
        assert!(row["chip"].is_number() && row["ended"].is_null(), "{row}");
        assert_eq!(row["chip"], row["simulator"], "the chip is this simulator");
        assert_eq!(row["chip_counts"], row["simulator_counts"]);
    }
    let left_out = table["left_out"].as_array().unwrap();
    assert!(left_out.iter().any(|row| row["name"] == "stack per suspended task"), "{table}");
    // The same chip for people, and what is refused.
    let run = bench(&server, &RESET);
    for part in [
        "halted at the marks\nchip: Cortex-M3 r",
        "by DWT_CYCCNT; simulator: stm32f100\n",
        "difference",
        "not measured, bytes: stack per suspended task",
        "What halting does: the pipeline is empty",
    ] {
        assert!(run.stdout.contains(part), "no \"{part}\" in {}", run.stdout);
    }
    bench(&server, &[])
        .fails(120, &["each row begins at a reset", "--monitor system_reset (QEMU)"]);
    let all = server.asked(&["bench"], &RESET);
    all.fails(120, &["a chip has the program of one group at a time: name one"]);
    server.asked(&["bench", "tasks"], &RESET).fails(120, &["the chip has other code at"]);
    bench(&server, &["--check"]).fails(2, &["cannot be used with"]);
}

#[test]
fn a_group_is_measured_in_qemu() {
    let file = firmware("hardware", "stm32f100");
    let options = ["-icount", "shift=5"];
    let Some(server) = Server::qemu("stm32vldiscovery", &file, &options) else { return };
    let run = bench(&server, &[&IN_QEMU[..], &["--json"]].concat());
    assert_eq!(run.code, 0, "{}", run.stderr);
    let report = run.json();
    let table = &report["groups"][0];
    assert_eq!(table["counter"], "SysTick");
    assert!(rows(table).iter().all(|row| row["chip"].is_number()), "{table}");
    // A tick of QEMU is some instructions, and a row of many of them has several.
    let sum: f64 = rows(table).iter().filter_map(|row| row["chip"].as_f64()).sum();
    assert!(sum > 0.0, "{table}");
}

#[test]
fn the_document_is_repeated_from_ram() {
    let server = Server::start(&program("hello"));
    let board = [&RESET[..], &["--board", "lm3s6965"]].concat();
    let run = validate(&server, &[&board[..], &["--json"]].concat());
    assert_eq!(run.code, 0, "{}", run.stderr);
    let report = run.json();
    assert_eq!(rows(&report).len(), 23);
    for row in rows(&report) {
        // From RAM, the BKPT behind a request halts before the interrupt is taken.
        let has_figure = !row["name"].as_str().unwrap().starts_with("preempt");
        assert_eq!(row["chip"].is_number(), has_figure, "{row}");
        assert_eq!(row["reason"].is_null(), has_figure, "{row}");
        assert_eq!(row["chip"], row["simulator"], "the chip is this simulator");
    }
    let run = validate(&server, &[&board[..], &["--filter", "preempt_entry"]].concat());
    run.fails(120, &[]);
    for part in [
        "from RAM at 0x20001000",
        "in flash",
        "came to 0x20001332 before 0x20001336, where the measurement ends",
        "What halting does",
    ] {
        assert!(run.stdout.contains(part), "no \"{part}\" in {}", run.stdout);
    }
    validate(&server, &[]).fails(120, &["each row begins at a reset"]);
    let none = validate(&server, &[&board[..], &["--filter", "nonsense"]].concat());
    none.fails(120, &["no measurement's name contains \"nonsense\""]);
    let on = |board: &str| validate(&server, &[&RESET[..], &["--board", board]].concat());
    on("microbit").fails(120, &["are of ARMv7-M, and microbit has a core of ARMv6-M"]);
    on("stm32f100c4").fails(120, &["stm32f100c4 has no 8 KiB of RAM at 0x20000000"]);
}

#[test]
fn the_document_is_repeated_in_qemu() {
    let file = program("hello");
    let options = ["-icount", "shift=5"];
    let Some(server) = Server::qemu("lm3s6965evb", &file, &options) else { return };
    let run = validate(&server, &[&IN_QEMU[..], &["--board", "lm3s6965", "--json"]].concat());
    assert_eq!(run.code, 0, "{}", run.stderr);
    let report = run.json();
    for row in rows(&report) {
        let is_own = row["name"] == "inprogram_ldr_nop_ldr";
        let is_late = row["name"].as_str().unwrap().starts_with("preempt");
        assert!(is_own || is_late || row["chip"].is_number(), "{row}");
        assert!(!is_own || row["reason"] == "the program reads CYCCNT itself", "{row}");
    }
}
