//! `quintet measure --gdb-remote`: a server of this tool, and one of QEMU, in place of a chip's.

mod support;

use support::server::Server;
use support::{Finished, program, quintet};

fn measure(server: &Server, file: &str, options: &[&str]) -> Finished {
    server.asked(&["measure", file], options)
}

const MARKS: [&str; 4] = ["--from", "work_begin", "--to", "work_end"];

#[test]
fn a_chip_stands_beside_the_simulator() {
    let file = program("measured");
    let server = Server::start(&file);
    let run = measure(&server, &file, &[&MARKS[..], &["--json", "--count", "4"]].concat());
    assert_eq!(run.code, 0, "{}", run.stderr);
    let report = run.json();
    let counts = |name: &str| -> Vec<u64> {
        report[name].as_array().unwrap().iter().map(|count| count.as_u64().unwrap()).collect()
    };
    let (chip, simulator) = (counts("chip"), counts("simulator"));
    assert_eq!(chip.len(), 4);
    assert_eq!(chip, simulator, "the chip is this simulator");
    assert_eq!(report["ended"], "the count of occurrences was reached");
    let halted = quintet(&[&["measure", &file, "--json", "--halt"], &MARKS[..]].concat()).json();
    let of_halts = halted["occurrences"].as_array().unwrap().iter().take(4);
    let of_halts: Vec<_> = of_halts.map(|one| one["cycles"].as_u64().unwrap()).collect();
    assert_eq!(chip, of_halts, "as --halt says");
    // The server has the firmware where the first client has left it: two occurrences are left.
    let run = measure(&server, &file, &MARKS);
    assert_eq!(run.code, 0, "{}", run.stderr);
    for part in [
        "halted at both\n",
        "by DWT_CYCCNT; simulator: lm3s6965\n",
        " occurrence ",
        "chip: 2 occurrences, min ",
        "Measured until the firmware ended with code 0; in the simulator until the count",
        "What halting does: the pipeline is empty at the start",
    ] {
        assert!(run.stdout.contains(part), "no \"{part}\" in {}", run.stdout);
    }
}

#[test]
fn a_reset_by_the_server_begins_anew() {
    let file = program("measured");
    let server = Server::start(&file);
    let first = [&MARKS[..], &["--json", "--count", "1", "--monitor", "reset"]].concat();
    let counts = |_| measure(&server, &file, &first).json()["chip"].clone();
    let [one, two] = [0, 1].map(counts);
    assert_eq!(one, two);
    let unknown = [&MARKS[..], &["--monitor", "fly"]].concat();
    let run = measure(&server, &file, &unknown);
    assert!(run.stderr.contains("fly"), "{}", run.stderr);
}

#[test]
fn what_makes_no_sense_is_told() {
    let (file, other) = (program("measured"), program("lock_right"));
    let server = Server::start(&file);
    let marks = ["--from", "window_begin", "--to", "window_end"];
    let code = "the chip has other code at window_begin (";
    measure(&server, &other, &marks).fails(120, &[code, "program the chip with this file first"]);
    let same = ["--from", "work_begin", "--to", "work_begin"];
    measure(&server, &file, &same).fails(120, &["--from and --to are one place"]);
    let never = ["--from", "HardFault_", "--to", "work_end", "--timeout", "0.2"];
    let run = measure(&server, &file, &never);
    run.fails(120, &["nothing to measure: the firmware ended with code 0"]);
    let ended = ["--from", "work_begin", "--to", "work_end"];
    measure(&server, &file, &ended).fails(120, &[]);
    let soon = [&MARKS[..], &["--timeout", "soon"]].concat();
    measure(&server, &file, &soon).fails(2, &["\"soon\" is no time to wait: write seconds"]);
    let both = [&MARKS[..], &["--halt"]].concat();
    measure(&server, &file, &both).fails(2, &["cannot be used with"]);
    let none = [&["measure", &file][..], &MARKS, &["--gdb-remote", "127.0.0.1:1"]].concat();
    quintet(&none).fails(120, &["no server answers at 127.0.0.1:1", "probe-rs gdb"]);
}

#[test]
fn a_chip_that_does_not_come_there_in_time_is_told() {
    let file = program("endless");
    let server = Server::start(&file);
    let marks = ["--from", "HardFault_", "--to", "main", "--timeout", "0.3"];
    let run = measure(&server, &file, &[&marks[..], &["--max-cycles", "100000"]].concat());
    run.fails(120, &["nothing to measure: the chip didn't come to HardFault_ within 300ms"]);
}

const FIRST: [&str; 4] = ["--from", "first_begin", "--to", "first_end"];
const SECOND: [&str; 4] = ["--from", "second_begin", "--to", "second_end"];
const SYSTICK: [&str; 4] = ["--counter", "systick", "--count", "1"];

#[test]
fn systick_counts_where_the_firmware_leaves_it() {
    let file = program("counts");
    // Started by the debugger, and by the firmware.
    for marks in [FIRST, SECOND] {
        let server = Server::start(&file);
        let run = measure(&server, &file, &[&marks[..], &SYSTICK, &["--json"]].concat());
        assert_eq!(run.code, 0, "{}", run.stderr);
        let report = run.json();
        assert_eq!(report["counter"], "SysTick");
        assert_eq!(report["chip"], report["simulator"]);
    }
    let file = program("measured");
    let server = Server::start(&file);
    let systick = [&MARKS[..], &SYSTICK].concat();
    measure(&server, &file, &systick).fails(120, &["the firmware uses SysTick itself"]);
    let server = Server::start(&file);
    let before = ["--from", "main", "--to", "work_begin"];
    let run = measure(&server, &file, &[&before[..], &SYSTICK].concat());
    run.fails(120, &["the firmware has set SysTick"]);
}

/// Measures in a QEMU that has just started; `None` where there is no QEMU.
fn measure_in_qemu(file: &str, options: &[&str]) -> Option<Finished> {
    Some(measure(&Server::qemu("lm3s6965evb", file, &[])?, file, options))
}

#[test]
fn qemu_counts_with_systick_alone() {
    let file = program("counts");
    let Some(run) = measure_in_qemu(&file, &FIRST) else { return };
    run.fails(120, &["has no cycle counter: DWT_CTRL is 0x00000000", "nor have QEMU's processors"]);
    // Started by the tool, for which the processor does the stores, and by the firmware.
    for marks in [FIRST, SECOND] {
        let Some(run) = measure_in_qemu(&file, &[marks, SYSTICK].concat()) else { return };
        assert_eq!(run.code, 0, "{}", run.stderr);
        assert!(run.stdout.contains("by SysTick; simulator: lm3s6965"), "{}", run.stdout);
        assert!(run.stdout.contains("chip: 1 occurrence, min "), "{}", run.stdout);
    }
}
