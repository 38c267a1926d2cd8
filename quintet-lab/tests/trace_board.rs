//! `quintet trace --from-board`: the ring of a simulated board, beside the simulator's own trace.

mod support;

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

use quintet_lab::firmware::Firmware;
use quintet_sim::board::Board;
use quintet_sim::machine::{Machine, Stop, Until};
use serde_json::Value;
use support::{example, logging, program, quintet, temporary};

/// The most cycles by which a slice of the ring and one of the simulator differ: the recorder
/// writes within the slice, and the entry of a handler is before the ring's event.
const DIFFERENCE_MAX: u64 = 80;

/// An example that records Embassy's executors.
fn embassy() -> String {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/recorded");
    example(&examples, "embassy")
}

#[test]
fn tasks_of_embassy_are_recorded_by_its_own_hooks() {
    let file = embassy();
    let printed = include_str!("../../examples/recorded/embassy.out");
    assert_eq!(quintet(&["run", &file]).stdout, printed);
    let ring = temporary("embassy.bin", &dump(&file));
    let page = temporary("embassy.html", b"");
    let run = quintet(&["trace", &file, "--from-board", &ring, "--json", "-o", &page]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let (board, own) = (run.json(), quintet(&["trace", &file, "--json"]).json());
    for name in ["asks", "works"] {
        let (one, other) = (row(&board, name), row(&own, name));
        assert_eq!(one["group"], "tasks");
        // The last poll of `asks` ends the program, and `works` has five rounds and a first poll.
        assert_eq!(one["count"], other["count"], "{name}: {one} {other}");
    }
    // An arrow from `asks` for each round.
    let chrome = temporary("embassy.json", b"");
    quintet(&["trace", &file, "--from-board", &ring, "-o", &chrome]);
    let chrome = std::fs::read_to_string(&chrome).unwrap();
    let wakes = chrome.matches("\"ph\":\"s\"").count();
    assert!(wakes >= 5, "{wakes} in {chrome}");
}

#[test]
fn an_event_of_embassy_takes_few_cycles() {
    let file = embassy();
    let firmware = Firmware::open(Path::new(&file), None).unwrap();
    let symbols = &firmware.image.symbols;
    let symbol = symbols.iter().find(|symbol| symbol.name == "__quintet_record").unwrap();
    let end = format!("{}+{:#x}", symbol.name, symbol.size - 2);
    let line = ["measure", &file, "--from", "__quintet_record", "--to", &end, "--json"];
    let most = quintet(&line).json()["summary"]["max"].as_u64().unwrap();
    assert!(most + 12 <= 40, "{most} cycles");
}

/// Runs the firmware to its end, and returns the memory around its ring.
fn dump(file: &str) -> Vec<u8> {
    let firmware = Firmware::open(Path::new(file), None).unwrap();
    let mut machine = Machine::new(&Board::named("lm3s6965").unwrap());
    machine.load(&firmware.image).unwrap();
    machine.reset();
    assert_eq!(machine.run(&Until::default()), Stop::Exit { code: 0 });
    let mut bytes = vec![0; 0x4000];
    machine.read_memory(0x2000_0000, &mut bytes).unwrap();
    bytes
}

/// The row of a track.
fn row<'a>(report: &'a Value, name: &str) -> &'a Value {
    let tracks = report["tracks"].as_array().unwrap();
    tracks
        .iter()
        .find(|track| track["name"] == name)
        .unwrap_or_else(|| panic!("{name} in {report}"))
}

#[test]
fn a_board_and_the_simulator_tell_the_same_run() {
    let file = logging("recorded", "recorded");
    let ring = temporary("ring.bin", &dump(&file));
    let page = temporary("board.html", b"");
    let board = quintet(&["trace", &file, "--from-board", &ring, "--json", "-o", &page]);
    assert_eq!(board.code, 0, "{}", board.stderr);
    let board = board.json();
    let own = quintet(&["trace", &file, "--json"]).json();
    for (on_board, simulated) in [
        ("urgent", "urgent"),
        ("slow", "slow"),
        ("counter", "counter"),
        ("UART0 (IRQ 5)", "UART0 (IRQ 5)"),
        ("worker", "worker"),
        ("asks", "asks"),
    ] {
        let (one, other) = (row(&board, on_board), row(&own, simulated));
        let number = |row: &Value, field: &str| row[field].as_u64().unwrap();
        for field in ["group", "count"] {
            assert_eq!(one[field], other[field], "{field} of {on_board}");
        }
        if one["group"] == "threads" {
            // A switch is an event in its midst, and the last slice has no end.
            continue;
        }
        for field in ["shortest", "longest"] {
            let difference = number(one, field).abs_diff(number(other, field));
            assert!(difference <= DIFFERENCE_MAX, "{field} of {on_board}: {one} {other}");
        }
    }
    let text = std::fs::read_to_string(&page).unwrap();
    for name in ["urgent", "slow", "worker", "events for counter"] {
        assert!(text.contains(name), "{name} is on the page");
    }
    let table = quintet(&["trace", &file, "--from-board", &ring, "--only", "tasks"]);
    assert!(
        table.stdout.contains("urgent") && !table.stdout.contains("worker"),
        "{}",
        table.stdout
    );
}

#[test]
fn an_event_takes_few_cycles() {
    let file = logging("recorded", "recorded");
    let firmware = Firmware::open(Path::new(&file), None).unwrap();
    for (name, last) in [
        ("__quintet_record", "__quintet_record"),
        ("__quintet_record_switch", "__quintet_record_switch"),
        // It goes on in the other one.
        ("__quintet_record_queue", "__quintet_record"),
    ] {
        let symbol = firmware.image.symbols.iter().find(|symbol| symbol.name == last).unwrap();
        let end = format!("{last}+{:#x}", symbol.size - 2);
        let report = quintet(&["measure", &file, "--from", name, "--to", &end, "--json"]).json();
        let most = report["summary"]["max"].as_u64().unwrap();
        // The call, its argument and the return take up to 12 more.
        assert!(most + 12 <= 40, "{name} takes {most} cycles");
    }
}

#[test]
fn what_is_no_dump_of_this_firmware_is_told() {
    let file = logging("recorded", "recorded");
    let refused = |file: &str, board: &str, parts: &[&str]| {
        quintet(&["trace", file, "--from-board", board]).fails(120, parts);
    };
    let empty = temporary("empty.bin", &[0; 64]);
    refused(
        &file,
        &empty,
        &["empty.bin: there is no ring of the recorder in it", "recorder::start"],
    );
    refused(&file, "/nowhere.bin", &["cannot read the dump /nowhere.bin"]);
    let bytes = dump(&file);
    let place = bytes.windows(4).position(|there| there == b"QREC").unwrap();
    let cut = temporary("cut.bin", &bytes[..place + 100]);
    refused(&file, &cut, &["the dump ends within the recorder's ring: it has 100 of its"]);
    let mut none = bytes.clone();
    none[place + 12..place + 16].fill(0);
    let none = temporary("none.bin", &none);
    refused(&file, &none, &["the recorder's ring is empty"]);
    let whole = temporary("whole.bin", &bytes);
    let other = logging("rtt", "application");
    refused(&other, &whole, &["a job of priority 3, slot 0, which ", "that runs on the board"]);
    refused(&program("hello"), &whole, &["a job of priority 3, slot 0, which "]);
    refused(&other, "localhost:1", &["has no __quintet_recorder", "the feature `recorder`"]);
    let both = quintet(&["trace", &file, "--from-board", &whole, "--last", "1ms"]);
    both.fails(2, &["cannot be used with"]);
}

#[test]
fn a_server_for_gdb_reads_the_ring() {
    let file = logging("recorded", "recorded");
    let mut server = Command::new(env!("CARGO_BIN_EXE_quintet"))
        .args(["run", "--gdb=0", &file])
        .env_remove("QUINTET_BOARD")
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(server.stderr.take().unwrap()).read_line(&mut line).unwrap();
    let port: u16 = line.trim_end().rsplit(':').next().unwrap().parse().unwrap();
    let address = format!("127.0.0.1:{port}");
    // The board stands where the third job has begun.
    let marks = ["--from", "__quintet_record", "--to", "__quintet_record_switch", "--count", "3"];
    let halted = quintet(&[&["measure", &file, "--gdb-remote", &address], &marks[..]].concat());
    let trace = quintet(&["trace", &file, "--from-board", &address]);
    let _ = server.kill();
    let _ = server.wait();
    assert_eq!(halted.code, 0, "{}", halted.stderr);
    assert_eq!(trace.code, 0, "{}", trace.stderr);
    assert!(trace.stdout.contains("slow"), "{}", trace.stdout);
}
