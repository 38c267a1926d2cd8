//! What comes from outside to firmware for a RISC-V core, and what it puts out: inputs, pins, RTT,
//! and tests that are files.

mod support;

use std::path::Path;

use serde_json::Value;
use support::quintet;
use support::riscv::tool;

/// A file with this text, in the folder of this name.
fn file(folder: &str, name: &str, text: &str) -> String {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("riscv").join(folder);
    std::fs::create_dir_all(&path).expect("the temporary directory is writable");
    let path = path.join(name);
    std::fs::write(&path, text).expect("the temporary directory is writable");
    path.display().to_string()
}

const LINES: &str = r#"
[[at]]
name = "line"
us = 100
uart = "uart0"
send = "hello\n"

[[at]]
us = 5000
uart = "uart0"
send = "\n"
"#;

#[test]
fn bytes_come_to_the_uart_and_the_end_is_told_as_json() {
    let inputs = file("inputs", "lines.toml", LINES);
    let elf = tool("echo");
    let run = quintet(&["run", &elf, "--inputs", &inputs]);
    assert_eq!((run.code, run.stdout.as_str()), (0, "HELLO\n\n7 bytes\n"), "{}", run.stderr);
    let report = quintet(&["run", &elf, "--inputs", &inputs, "--json"]).json();
    assert_eq!(report["output"]["uart0"], "HELLO\n\n");
    assert_eq!(report["output"]["stdout"], "7 bytes\n");
    assert_eq!((&report["exit_code"], &report["board"]), (&0.into(), &"virt-rv32".into()));
    assert_eq!(report["post_mortem"], Value::Null);
    let report = quintet(&["run", &tool("null"), "--json"]).json();
    assert_eq!(report["outcome"], "died");
    let what = report["post_mortem"]["what"].as_str().unwrap();
    assert!(what.starts_with("a fault: load access fault"), "{what}");
}

#[test]
fn memory_changes_at_a_place_and_interrupts_come() {
    let text = r#"
[[at]]
us = 1000
pend = 3

[[at]]
us = 2000
uart = "uart0"
send = "abc"

[[at]]
place = "echo"
nth = 2
poke = "LIMIT"
value = 3
"#;
    let elf = tool("echo");
    let inputs = file("inputs", "places.toml", text);
    let run = quintet(&["run", &elf, "--inputs", &inputs]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    for part in ["a software interrupt\n", "ABC", "3 bytes\n"] {
        assert!(run.stdout.contains(part), "no {part} in {}", run.stdout);
    }
    let refused = |name: &str, from: &str, to: &str| {
        assert!(text.contains(from));
        let inputs = file("inputs", name, &text.replace(from, to));
        quintet(&["run", &elf, "--inputs", &inputs])
    };
    refused("pend.toml", "pend = 3", "pend = 5")
        .fails(120, &["line 2: pend: 5 is none of the interrupts 3, 7, 11"]);
    refused("pin.toml", "pend = 3", "pin = \"PA0\"\nlevel = 1")
        .fails(120, &["no port \"A\"; the board virt-rv32 has no pins"]);
    let inputs = file("inputs", "uart.toml", &LINES.replace("uart0", "uart9"));
    quintet(&["run", &elf, "--inputs", &inputs]).fails(120, &["no UART \"uart9\""]);
}

#[test]
fn pins_of_a_board_file_are_told() {
    let board = include_str!("../../quintet-sim/boards/riscv/virt-rv32.toml");
    let port = "[[device]]\nname = \"gpioa\"\nkind = \"stm32f1-gpio\"\nbase = 0x4001_0800\n\
                port = \"A\"\n";
    let board = file("pins", "board.toml", &format!("{board}\n{port}"));
    let elf = tool("pins");
    let run = quintet(&["run", &elf, "--board", &board, "--pins"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let levels: Vec<&str> =
        run.stdout.lines().filter_map(|line| line.split_once("] ").map(|(_, pin)| pin)).collect();
    assert_eq!(levels, ["PA5 high", "PA5 low"].repeat(3), "{}", run.stdout);
    let report = quintet(&["run", &elf, "--board", &board, "--json"]).json();
    assert_eq!(report["pin_changes"]["PA5"], 6);
}

#[test]
fn rtt_is_read_and_written() {
    let elf = tool("rtt");
    let input = file("rtt", "input.txt", "given\n");
    let run = quintet(&["run", &elf, "--stdin", &input]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert_eq!(run.stdout, "a line through a buffer of 16 bytes\ngiven\n");
    let report = quintet(&["run", &elf, "--json"]).json();
    assert_eq!(report["output"]["rtt0"], "a line through a buffer of 16 bytes\n");
}

#[test]
fn tests_that_are_files_pass_and_fail() {
    let elf = tool("echo");
    let expect = r#"
limit = "10 ms"

[[expect]]
line = "HELLO"
channel = "uart0"
after = "line"
within = "1 ms"

[[expect]]
variable = "BYTES"
is = 7
at = "6 ms"

[[expect]]
task = "machine external interrupt"
does = "start"
after = "line"
within = "100 us"

[[expect]]
task = "echo"
response = "1 ms"

[[expect]]
exit = 0
"#;
    let good = file("tests", "good.toml", &format!("{expect}{LINES}"));
    let run = quintet(&["test", &elf, &good]);
    assert_eq!(run.code, 0, "{}{}", run.stdout, run.stderr);
    assert!(run.stdout.contains("5 of 5 met"), "{}", run.stdout);
    let wrong = expect.replace("is = 7", "is = 8").replace("\"HELLO\"", "\"HELL\"");
    let bad = file("tests", "bad.toml", &format!("{wrong}{LINES}"));
    let run = quintet(&["test", &elf, &bad, "--json"]);
    assert_eq!(run.code, 1, "{}", run.stderr);
    let report = run.json();
    let expectations = &report["tests"][0]["expectations"];
    let problem = |index: usize| expectations[index]["problem"].as_str().unwrap_or_default();
    assert!(problem(0).contains("the nearest line: \"HELLO\""), "{}", problem(0));
    assert!(problem(1).contains("was 7"), "{}", problem(1));
    let unknown = expect.replace("\"echo\"", "\"ecko\"");
    let bad = file("tests", "unknown.toml", &format!("{unknown}{LINES}"));
    quintet(&["test", &elf, &bad]).fails(120, &["ecko"]);
}
