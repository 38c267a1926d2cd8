//! A stock GDB attaches to the simulator and does what the RTFM document's author did with a board.
//!
//! Skipped, with a message, where no GDB for Arm is installed.

mod support;

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

use quintet_lab::firmware::{Firmware, symbols};
use quintet_lab::validate::vectors::{Document, FLASH};
use quintet_sim::board::Board;

/// A running `quintet run --gdb=0`.
struct Server {
    process: Child,
    port: u16,
}

impl Server {
    fn start(program: &str) -> Self {
        // Tests run side by side, some of them with the same program.
        static SERVERS: AtomicU32 = AtomicU32::new(0);
        let document = Document::new(Board::named("stm32f100").unwrap()).unwrap();
        let file = scratch().join(format!("{}.bin", SERVERS.fetch_add(1, Ordering::Relaxed)));
        std::fs::write(&file, document.image(program).unwrap()).unwrap();
        let load = format!("{FLASH:#x}");
        Self::of(&file.display().to_string(), &["--board", "stm32f100", "--load", &load])
    }

    fn of(file: &str, options: &[&str]) -> Self {
        let mut process = Command::new(env!("CARGO_BIN_EXE_quintet"))
            .args(["run", "--gdb=0"])
            .args(options)
            .arg(file)
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(process.stderr.take().unwrap()).read_line(&mut line).unwrap();
        let digits = |text: &str| text.trim_end().parse().ok();
        let port = line.rsplit(':').next().and_then(digits).unwrap_or_else(|| panic!("{line}"));
        Self { process, port }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn scratch() -> PathBuf {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("gdb");
    std::fs::create_dir_all(&directory).unwrap();
    directory
}

/// The GDB that is installed, if any.
fn gdb() -> Option<&'static str> {
    let works = |name: &&str| Command::new(name).arg("--version").output().is_ok();
    let found = ["gdb-multiarch", "arm-none-eabi-gdb"].into_iter().find(works);
    if found.is_none() {
        eprintln!("skipped: neither gdb-multiarch nor arm-none-eabi-gdb is installed");
    }
    found
}

/// What GDB prints for the commands; nothing where there is no GDB.
fn session(program: &str, commands: &[&str]) -> Option<String> {
    let gdb = gdb()?;
    Some(converse(gdb, &Server::start(program), commands))
}

fn converse(gdb: &str, server: &Server, commands: &[&str]) -> String {
    let mut process = Command::new(gdb);
    process.args(["-batch", "-nx", "-ex", "set architecture arm"]);
    process.args(["-ex", &format!("target remote 127.0.0.1:{}", server.port)]);
    for command in commands {
        process.args(["-ex", command]);
    }
    let output = process.output().unwrap();
    let text = [output.stdout, output.stderr].concat();
    String::from_utf8_lossy(&text).into_owned()
}

/// CYCCNT wherever the session printed it.
fn cycle_counters(text: &str) -> Vec<u32> {
    let values = text.lines().filter_map(|line| line.trim_start().strip_prefix("0xe0001004:"));
    values.map(|value| u32::from_str_radix(&value.trim()[2..], 16).unwrap()).collect()
}

const COUNTER: &str = "x/wx 0xe0001004";
const PLACE: &str = "printf \"at %x\\n\", $pc";

#[test]
fn the_documents_session_gives_its_numbers() {
    let commands = [
        "continue", // idle's BKPT
        "continue", // t1's first BKPT
        "stepi", PLACE, COUNTER, "continue", PLACE, COUNTER, "continue", PLACE, COUNTER,
    ];
    let Some(text) = session("preemption", &commands) else { return };
    for place in ["at 8000330", "at 8000336", "at 8000332"] {
        assert!(text.contains(place), "{text}");
    }
    let counters = cycle_counters(&text);
    let differences: Vec<u32> = counters.windows(2).map(|pair| pair[1] - pair[0]).collect();
    assert_eq!(differences, [11, 10], "{text}");
}

#[test]
fn no_cycle_passes_while_the_processor_is_halted() {
    let Some(text) = session("nop", &["continue", COUNTER, COUNTER, "info registers", COUNTER])
    else {
        return;
    };
    let counters = cycle_counters(&text);
    assert_eq!(counters.len(), 3, "{text}");
    assert!(counters.iter().all(|counter| *counter == counters[0] && *counter > 0), "{text}");
}

#[test]
fn a_session_goes_back_and_forth_in_time() {
    let commands = [
        "continue", // idle's BKPT
        PLACE,
        "continue", // t1's first BKPT
        COUNTER,
        "stepi",
        "stepi",
        PLACE,
        COUNTER,
        "reverse-stepi",
        PLACE,
        "reverse-stepi",
        PLACE,
        COUNTER,
        "break *0x8000330",
        "continue",
        PLACE,
        "reverse-continue", // to the beginning
        "info registers pc",
        "continue",
        PLACE,
    ];
    let Some(text) = session("preemption", &commands) else { return };
    let places: Vec<&str> = text.lines().filter(|line| line.starts_with("at ")).collect();
    println!("{text}");
    let counters = cycle_counters(&text);
    assert_eq!((counters[0], places.len()), (counters[2], 6), "{text}");
    assert!(counters[1] > counters[0], "{text}");
}

#[test]
fn registers_and_memory_are_read_and_written() {
    let commands = [
        "continue",
        "set $r4 = 0x1234",
        "set *(int *) 0x20000100 = 77",
        "set $basepri = 0xff",
        "printf \"r4 %x memory %d\\n\", $r4, *(int *) 0x20000100",
        "printf \"basepri %x control %x\\n\", $basepri, $control",
        "info registers xpsr msp psp primask faultmask",
        "info registers r0 r1 r2 r3 r12 lr pc xPSR",
    ];
    let Some(text) = session("nop", &commands) else { return };
    assert!(text.contains("r4 1234 memory 77"), "{text}");
    assert!(text.contains("basepri f0 control 0"), "{text}");
    assert!(text.contains("msp            0x20001ff8"), "{text}");
    assert!(text.contains("xPSR           0x61000000"), "{text}");
}

#[test]
fn breakpoints_watchpoints_and_monitor_commands_work() {
    let commands = [
        "break *0x8000336",
        "continue", // idle's BKPT
        "continue", // t1's BKPT
        "continue",
        "printf \"at %x\\n\", $pc",
        "delete",
        "watch *(int *) 0xe000e200",
        "monitor cycles",
        "monitor reset",
        "monitor nonsense",
    ];
    let Some(text) = session("preemption", &commands) else { return };
    assert!(text.contains("at 8000336"), "{text}");
    assert!(text.contains(" instructions"), "{text}");
    assert!(text.contains("reset, halted at 0x0800038a"), "{text}");
    assert!(text.contains("there is no `monitor nonsense`"), "{text}");
}

#[test]
fn a_watchpoint_stops_behind_the_store() {
    // "nop in program" leaves its result at 0x20000000 with the store at 0x08000342.
    let commands = [
        "continue",
        "watch *(int *) 0x20000000",
        "continue",
        "printf \"at %x holds %d\\n\", $pc, *(int *) 0x20000000",
    ];
    let Some(text) = session("nop in program", &commands) else { return };
    assert!(text.contains("at 8000344 holds 2"), "{text}");
}

#[test]
fn the_next_gdb_continues_where_the_last_one_left() {
    let sessions: [&[&str]; 2] =
        [&["continue", "set $r4 = 0x1234", "detach"], &["printf \"r4 %x\\n\", $r4", PLACE]];
    let Some(gdb) = gdb() else { return };
    let server = Server::start("nop");
    let texts = sessions.map(|commands| converse(gdb, &server, commands));
    assert!(texts[1].contains("r4 1234"), "{texts:?}");
    assert!(!texts[1].contains("refused"), "{texts:?}");
}

#[test]
fn a_busy_port_is_refused() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port();
    let document = Document::new(Board::named("stm32f100").unwrap()).unwrap();
    let file = scratch().join("busy.bin");
    std::fs::write(&file, document.image("nop").unwrap()).unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_quintet"))
        .args(["run", "--board", "stm32f100", "--load", "0x08000000", &format!("--gdb={port}")])
        .arg(&file)
        .output()
        .unwrap();
    assert!(!output.status.success());
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(message.contains("is in use"), "{message}");
}

/// The address of a place in firmware, as text.
fn address(firmware: &Firmware, place: &str) -> String {
    format!("{:#x}", symbols::resolve(&firmware.image, place).unwrap())
}

#[test]
fn threads_are_listed_with_their_names_and_where_they_are() {
    let Some(gdb) = gdb() else { return };
    let file = support::program("threads");
    let firmware = Firmware::open(Path::new(&file), None).unwrap();
    let deep = format!("break *{}", address(&firmware, "deep"));
    let every = r#"thread apply all printf "at %d\n", $pc"#;
    let commands = ["info threads", &deep, "continue", "info threads", every];
    let text = converse(gdb, &Server::of(&file, &[]), &commands);
    let (before, after) = text.split_once("hit Breakpoint 1").unwrap_or_else(|| panic!("{text}"));
    assert!(before.contains("(the processor)"), "there are no threads yet: {text}");
    let places = after.split("Thread ").filter_map(|part| {
        let place = part.split("at ").nth(1)?.split_whitespace().next()?.parse().ok()?;
        Some((part.to_owned(), firmware.function(place)?))
    });
    let places: Vec<(String, String)> = places.collect();
    for (about, function) in [
        ("(WORKER, priority 5, running)", "threads::deep"),
        // It has switched by a call.
        ("(WAITING, priority 4, waiting)", "WAITING::__ABOUT"),
        // And it was preempted.
        ("(BUSY, priority 1, ready)", "BUSY::__ABOUT"),
    ] {
        let is_it =
            |(part, place): &(String, String)| part.contains(about) && place.contains(function);
        assert!(places.iter().any(is_it), "{about} in {function}: {places:?} of {text}");
    }
}

#[test]
fn tasks_of_freertos_are_threads() {
    let Some(gdb) = gdb() else { return };
    let file = support::program("freertos_like");
    let firmware = Firmware::open(Path::new(&file), None).unwrap();
    let current = firmware.image.symbol("pxCurrentTCB").unwrap().address;
    let watch = format!("watch *(int *) {current:#x}");
    let commands =
        [&watch, "continue", "continue", "continue", "continue", "continue", "info threads"];
    let text = converse(gdb, &Server::of(&file, &[]), &commands);
    let last = text.rsplit("Target Id").next().unwrap();
    assert!(last.contains("sensor, priority 2") && last.contains("logger, priority 1"), "{text}");
    assert_eq!(last.matches(", running)").count(), 1, "{text}");
}
