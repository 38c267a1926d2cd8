//! The commands on images for a Cortex-M4F, whose threads, handlers and idle use floating-point
//! registers: frames of 26 words are counted, and the registers shown.

mod support;

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use quintet_sim::image::Image;
use serde_json::Value;
use support::{Finished, program_for, quintet, temporary};

/// What the programs are built for.
const FLOATS: &str = "thumbv7em-none-eabihf";
/// The boards that the commands are tried on.
const BOARDS: [&str; 2] = ["stm32f446", "mps2-an386"];

/// The program, built once.
fn floats() -> &'static str {
    static BUILT: OnceLock<String> = OnceLock::new();
    BUILT.get_or_init(|| program_for(FLOATS, "floats"))
}

/// Calls a command on the program.
fn on(board: &str, command: &str, arguments: &[&str]) -> Finished {
    quintet(&[&[command, floats(), "--board", board], arguments].concat())
}

/// The command's report on each board.
fn reports(command: &str, arguments: &[&str]) -> [Value; 2] {
    BOARDS.map(|board| {
        let run = on(board, command, &[arguments, &["--json"]].concat());
        assert_eq!(run.code, 0, "{command} on {board}: {}{}", run.stdout, run.stderr);
        run.json()
    })
}

fn number(value: &Value, pointer: &str) -> u64 {
    value.pointer(pointer).and_then(Value::as_u64).unwrap_or_else(|| panic!("{pointer}: {value}"))
}

fn named<'a>(report: &'a Value, list: &str, name: &str) -> &'a Value {
    let all = report[list].as_array().unwrap_or_else(|| panic!("no {list} in {report}"));
    let found = all.iter().find(|one| one["name"].as_str().is_some_and(|one| one.contains(name)));
    found.unwrap_or_else(|| panic!("no {name} in {list} of {report}"))
}

#[test]
fn a_program_runs_on_each_board_and_prints() {
    for board in BOARDS {
        let run = on(board, "run", &[]);
        assert_eq!(run.code, 0, "on {board}: {}{}", run.stdout, run.stderr);
        assert!(
            run.stdout.contains("8.013672 is what each of 10 rounds computes"),
            "{}",
            run.stdout
        );
    }
}

#[test]
fn a_core_without_the_registers_is_told_of() {
    quintet(&["run", floats(), "--board", "lm3s6965"])
        .fails(121, &["a floating-point instruction, and this core has no such unit"]);
}

#[test]
fn a_report_of_a_death_shows_the_registers_and_walks_over_long_frames() {
    let file = program_for(FLOATS, "float_fault");
    for board in BOARDS {
        let run = quintet(&["run", &file, "--board", board]);
        run.fails(121, &["UDF #0", "fpscr ", "(2.075e1)", "SysTick", "halve", "computes"]);
        let json = quintet(&["run", &file, "--board", board, "--json"]).json();
        assert!(json.to_string().contains("\"fpscr\""), "{json}");
    }
}

/// What GDB prints for the commands while it debugs a program; nothing where there is no GDB.
fn debugged(file: &str, board: &str, commands: &[&str]) -> Option<String> {
    let works = |name: &&str| Command::new(name).arg("--version").output().is_ok();
    let Some(gdb) = ["gdb-multiarch", "arm-none-eabi-gdb"].into_iter().find(works) else {
        eprintln!("skipped: neither gdb-multiarch nor arm-none-eabi-gdb is installed");
        return None;
    };
    let mut server = Command::new(env!("CARGO_BIN_EXE_quintet"))
        .args(["run", file, "--board", board, "--gdb=0"])
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(server.stderr.take().unwrap()).read_line(&mut line).unwrap();
    let port = line.trim_end().rsplit(':').next().unwrap();
    let mut session = Command::new(gdb);
    session.args(["-batch", "-nx", "-ex", &format!("target remote 127.0.0.1:{port}")]);
    for command in commands {
        session.args(["-ex", command]);
    }
    let output = session.output().unwrap();
    let _ended = server.kill();
    let _ended = server.wait();
    Some(String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned())
}

/// By addresses: some GDB end by an error of their own over debug information of discarded code.
#[test]
fn a_debugger_reads_and_writes_the_registers() {
    let file = program_for(FLOATS, "float_fault");
    let image = Image::parse_elf(&std::fs::read(&file).unwrap()).unwrap();
    let address = |name: &str| {
        let symbol = image.symbols.iter().find(|symbol| symbol.name == name);
        symbol.unwrap_or_else(|| panic!("no {name}")).address & !1
    };
    let (halve, handler) = (address("halve"), address("SysTick"));
    let commands = [
        &format!("break *{halve}"),
        "continue",
        "printf \"first %f\\n\", $s0",
        "set $s0 = 96.0",
        "set $fpscr = 0x400000",
        "printf \"then %f, FPSCR %x, CONTROL %x\\n\", $s0, $fpscr, $control",
        &format!("break *{handler}"),
        "delete 1",
        "continue",
        "printf \"in %d, LR %x\\n\", $pc, $lr",
    ];
    for board in BOARDS {
        let Some(text) = debugged(&file, board, &commands) else { return };
        // From a thread, on its stack, with a frame of 26 words: bit 4 of LR is clear.
        let entered = format!("in {handler}, LR ffffffed");
        for part in ["first 1024.0", "then 96.0", "FPSCR 400000, CONTROL 6", &entered] {
            assert!(text.contains(part), "no {part} on {board}:\n{text}");
        }
    }
}

#[test]
fn stacks_have_frames_of_26_words() {
    let high_water = |report: &Value, name| number(named(report, "threads", name), "/high_water");
    for report in reports("threads", &[]) {
        // The hardware's frame, s16 to s31, and nine words.
        assert!(high_water(&report, "BUSY") >= 4 * (26 + 16 + 9), "{report}");
        assert_eq!(named(&report, "threads", "WORKER")["voluntary"], 10, "{report}");
    }
    for board in BOARDS {
        let run = on(board, "stack", &[]);
        assert_eq!(run.code, 0, "{}", run.stderr);
        let table = on(board, "threads", &[]).stdout;
        assert!(table.contains("WORKER") && table.contains("BUSY"), "{table}");
    }
}

#[test]
fn a_store_that_was_put_off_counts_as_masked_time() {
    for report in reports("masks", &[]) {
        let longest = |function: &str| {
            let masks = report["masks"].as_array().unwrap().iter();
            let of = masks.filter(|mask| mask["places"].to_string().contains(function));
            of.map(|mask| number(mask, "/cycles")).max().unwrap_or_else(|| panic!("{report}"))
        };
        let [first, second] = ["first_masked", "second_masked"].map(longest);
        assert!((15..30).contains(&(first - second)), "{first} and {second}: {report}");
    }
}

#[test]
fn interrupts_are_injected_between_instructions_that_use_the_registers() {
    let window = ["--from", "window_begin", "--to", "window_end", "--exception", "SysTick"];
    for report in reports("inject", &[&window[..], &["--pairs", "100"]].concat()) {
        assert!(number(&report, "/singles/runs") > 100, "{report}");
    }
}

#[test]
fn time_is_measured_and_charged() {
    let [first, second] = reports("measure", &["--from", "window_begin", "--to", "window_end"]);
    for report in [&first, &second] {
        // Forty products and sums, of which each takes its cycles.
        assert!(number(report, "/summary/min") > 200, "{report}");
    }
    for report in reports("profile", &[]) {
        assert!(number(named(&report, "contexts", "BUSY"), "/own_cycles") > 80_000, "{report}");
    }
    for report in reports("coverage", &[]) {
        assert!(report.to_string().contains("floats.rs"), "{report}");
    }
}

#[test]
fn a_timeline_has_the_threads_and_the_handler() {
    for report in reports("trace", &[]) {
        let text = report.to_string();
        assert!(text.contains("WORKER") && text.contains("SysTick"), "{text}");
    }
}

/// On one board: the bounds of a program of this size take long.
#[test]
fn deadlines_are_judged() {
    let tasks = "[[task]]\nfunction = 'SysTick'\nperiod = 10_000\ndeadline = 1500\n\
                 [[task]]\nthread = 'WORKER'\nname = 'work'\nperiod = '10_000 cycles'\n";
    let file = temporary("floats.toml", tasks.as_bytes());
    let report = on(BOARDS[1], "deadlines", &["--tasks", &file, "--json"]).json();
    assert_eq!(number(named(&report, "tasks", "SysTick"), "/jobs"), 10, "{report}");
}

#[test]
fn a_function_that_computes_is_bounded() {
    let run = on(BOARDS[1], "bounds", &["--function", "second_masked"]);
    assert_eq!(run.code, 0, "{}{}", run.stdout, run.stderr);
    assert!(run.stdout.contains("second_masked"), "{}", run.stdout);
}

/// On the other board, behind a cache.
#[test]
fn a_page_reports_on_all_of_it() {
    let board = BOARDS[0];
    let page = temporary(&format!("floats-{board}.html"), b"");
    let run = on(board, "report", &["-o", &page]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let text = std::fs::read_to_string(page).unwrap();
    for part in ["8.013672 is what each", "WORKER", "SysTick", "ended with code 0"] {
        assert!(text.contains(part), "no {part} on {board}");
    }
}
