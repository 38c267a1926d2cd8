//! What firmware prints through RTT and with defmt, made with the crates as they are published.

mod support;

use quintet_lab::log::Defmt;
use support::{Finished, logging, logging_cargo, quintet, temporary};

#[track_caller]
fn runs(path: &str, code: i32) -> Finished {
    let run = quintet(&["run", path]);
    assert_eq!(run.code, code, "{}\n{}", run.stdout, run.stderr);
    run
}

/// The lines, each without the directory of its place.
fn lines(run: &Finished) -> Vec<String> {
    let short = |line: &str| {
        let place = line.rsplit_once(" (").filter(|(_, place)| place.ends_with(')'));
        place.map_or_else(
            || line.to_owned(),
            |(text, place)| {
                let file = place.rsplit_once('/').map_or(place, |(_, file)| file);
                format!("{text} ({file}")
            },
        )
    };
    run.stdout.lines().map(short).collect()
}

#[test]
fn messages_have_their_time_level_and_place() {
    let run = runs(&logging("rtt", "levels"), 0);
    let expected = [
        "0.000000 a line without a level",
        "0.001000 TRACE from flash (levels.rs:21)",
        "0.002000 DEBUG [0x01, 0x00, 0xfe] true 1.5 (levels.rs:22)",
        "0.003000 INFO  Circle { radius: 300 } Point (levels.rs:23)",
        "0.004000 WARN  -1000000000000 ß 11 (levels.rs:24)",
        "0.005000 ERROR [Point, Point] Some(7) (levels.rs:25)",
    ];
    assert_eq!(lines(&run), expected);
    assert_eq!(run.stderr, "");
}

#[test]
fn json_has_the_messages_as_data() {
    let report = quintet(&["run", "--json", &logging("rtt", "levels")]).json();
    let log = report["log"].as_array().unwrap();
    assert_eq!(log.len(), 6);
    assert!(log[0]["level"].is_null());
    let warning = &log[4];
    let fields = ["channel", "level", "timestamp", "text"].map(|name| warning[name].clone());
    assert_eq!(fields, ["rtt0", "warn", "0.004000", "-1000000000000 ß 11"]);
    assert!(warning["location"]["file"].as_str().unwrap().ends_with("rtt/src/bin/levels.rs"));
    assert_eq!(warning["location"]["line"], 24);
    assert_eq!(warning["location"]["module"], "levels::__cortex_m_rt_main");
    assert_eq!(report["log_dropped"], 0);
    assert_eq!(report["remarks"], serde_json::json!([]));
    assert!(report["output"]["rtt0"].as_str().unwrap().contains("WARN  -1000000000000"));
}

#[test]
fn more_than_the_buffer_comes_in_order_with_other_output() {
    let run = runs(&logging("rtt", "much"), 3);
    let lines = lines(&run);
    assert_eq!(lines.len(), 401);
    for (line, text) in lines.iter().enumerate().take(200) {
        assert!(text.starts_with(&format!("INFO  line {line} of quite some text")), "{text}");
    }
    assert_eq!(lines[200], "in the middle");
    assert!(lines[400].starts_with("INFO  line 399 of"), "{}", lines[400]);
}

#[test]
fn printing_is_the_same_in_every_run() {
    let elf = logging("rtt", "much");
    let [first, second] = [(); 2].map(|()| quintet(&["run", "--json", &elf]).stdout);
    assert!(first == second);
}

#[test]
fn a_panic_of_panic_probe_reads_as_one() {
    let run = runs(&logging("rtt", "panics"), 121);
    let place = "panicked at logging/rtt/src/bin/panics.rs:9:5:\nnobody divides by 0";
    assert!(run.stdout.contains(place), "{}", run.stdout);
    let what = "the firmware panicked at logging/rtt/src/bin/panics.rs:9:5: nobody divides by 0 \
                (in panics::divide)";
    run.fails(121, &[what, "panics::divide", "in a trap (UDF)"]);
    assert!(!run.stderr.contains("UNDEFINSTR"), "{}", run.stderr);
    let report = quintet(&["run", "--json", &logging("rtt", "panics")]).json();
    assert_eq!(report["post_mortem"]["what"], what);
}

#[test]
fn every_command_tells_a_panic_from_a_fault() {
    let elf = logging("rtt", "panics");
    let measure = ["measure", &elf, "--from", "main", "--to", "panics::divide"];
    for command in [&["stack", &elf][..], &["masks", &elf], &measure] {
        let run = quintet(command);
        run.fails(
            121,
            &["quintet: the firmware panicked at logging/rtt/src/bin/panics.rs:9:5: nobody"],
        );
        assert!(!run.stderr.contains("deliberate trap"), "{}", run.stderr);
    }
}

/// Few bytes of frames may be much text.
#[test]
fn the_limit_of_output_is_one_of_what_there_is_to_read() {
    let elf = logging("rtt", "much");
    let run = quintet(&["run", &elf, "--max-output", "2000"]);
    let cut = "quintet: what the firmware printed was cut behind 2000 bytes; --max-output N keeps \
               more, 0 all\n";
    assert_eq!((run.code, run.stderr.as_str()), (3, cut), "and nothing is said to be damaged");
    let length = run.stdout.len();
    assert!((1800..=2000).contains(&length) && run.stdout.ends_with(")\n"), "{}", run.stdout);
    let report = quintet(&["run", "--json", &elf, "--max-output", "2000"]).json();
    assert_eq!(report["output_cut"], 2000);
    assert_eq!(report["output"]["rtt0"].as_str().unwrap(), run.stdout);
    let log = report["log"].as_array().unwrap();
    assert_eq!(log.len(), run.stdout.lines().count());
    assert_eq!(report["remarks"], serde_json::json!([]));
    assert_eq!(quintet(&["run", &elf, "--max-output", "0"]).stdout, runs(&elf, 3).stdout);
}

#[test]
fn panics_are_read_however_they_are_printed() {
    let defmt = runs(&logging("rtt", "defmt_panics"), 121);
    let what = "rtt/src/bin/defmt_panics.rs:14: 'out of luck' (in defmt_panics::";
    defmt.fails(121, &["the firmware panicked at ", what]);
    let text = runs(&logging("text", "text_panics"), 121);
    text.fails(
        121,
        &["the firmware panicked at logging/text/src/bin/text_panics.rs:11:5: or not (in "],
    );
    let semihosting = runs(&logging("semihosting", "semihosting_panics"), 121);
    semihosting.fails(
        121,
        &["panicked at logging/semihosting/src/bin/semihosting_panics.rs:9:5: no more"],
    );
}

#[test]
fn channels_are_told_apart_and_input_arrives() {
    let elf = logging("text", "channels");
    let run = runs(&elf, 0);
    assert_eq!(run.stdout, "ready\n[Trace] no more input\n[Terminal] done\n");
    let input = temporary("down-channel", b"longer than the buffer\n");
    let run = quintet(&["run", &elf, "--stdin", &input]);
    let expected = "ready\nlonger than the buffer\n[Trace] no more input\n[Terminal] done\n";
    assert_eq!(run.stdout, expected, "{}", run.stderr);
    let report = quintet(&["run", "--json", &elf]).json();
    let output = serde_json::json!({"rtt0": "ready\ndone\n", "rtt1": "no more input\n"});
    assert_eq!(report["output"], output);
}

#[test]
fn frames_over_semihosting_are_decoded_between_lines_of_text() {
    let run = runs(&logging("semihosting", "mixed"), 0);
    let expected = [
        "text before",
        "INFO  the first of 2 (mixed.rs:10)",
        "two lines",
        "between",
        "WARN  the second of 2 (mixed.rs:13)",
        "text behind",
    ];
    assert_eq!(lines(&run), expected);
}

#[test]
fn frames_are_decoded_wherever_the_firmware_sends_them() {
    for (program, channel) in [("over_uart", "uart0"), ("over_itm", "itm0")] {
        let elf = logging("elsewhere", program);
        let run = runs(&elf, 0);
        let lines = lines(&run);
        assert_eq!(lines.len(), 3, "{lines:?}");
        assert!(lines[0].starts_with(&format!("INFO  first of 2 ({program}.rs:")), "{lines:?}");
        assert_eq!(lines[1], "a line of text");
        assert!(lines[2].starts_with("WARN  second of 2 ("), "{lines:?}");
        let report = quintet(&["run", "--json", &elf]).json();
        assert_eq!(report["log"][1]["channel"], channel);
    }
}

#[test]
fn an_application_of_quintet_logs() {
    let run = runs(&logging("rtt", "application"), 0);
    let lines = lines(&run);
    assert_eq!(lines.len(), 7, "{lines:?}");
    assert!(lines[0].starts_with("INFO  init (application.rs:"), "{lines:?}");
    assert!(lines[1].starts_with("WARN  high, round 0 (application.rs:"), "{lines:?}");
    assert!(lines[2].starts_with("DEBUG low, round 0 (application.rs:"), "{lines:?}");
}

#[test]
fn a_reset_neither_loses_nor_repeats_messages() {
    let run = runs(&logging("rtt", "restarts"), 0);
    let lines = lines(&run);
    assert_eq!(lines.len(), 2, "{lines:?}");
    assert!(lines[0].starts_with("INFO  started, the first time"), "{lines:?}");
    assert!(lines[1].starts_with("INFO  started, again"), "{lines:?}");
}

#[test]
fn defmt_test_runs_as_tests() {
    let test = |name: &str| logging_cargo("harness", &["test", "--test", name]);
    let passing = test("passing");
    assert_eq!(passing.code, 0, "{}\n{}", passing.stdout, passing.stderr);
    for line in ["(1/2) running `adds`...", "(2/2) running `fails_as_", "all tests passed!"] {
        assert!(passing.stdout.contains(line), "no {line} in {}", passing.stdout);
    }
    let failing = test("failing");
    assert!(!failing.stdout.contains("third"), "{}", failing.stdout);
    let what = "tests/failing.rs:16: 'assertion failed: `(left == right)`: one and one' left: `2` \
                right: `3` (in failing::tests::second)";
    assert_ne!(failing.code, 0);
    assert!(failing.stderr.contains("the firmware panicked at "), "{}", failing.stderr);
    assert!(failing.stderr.contains(what), "{}", failing.stderr);
}

#[test]
fn tests_of_embedded_test_show_what_they_log() {
    let run = logging_cargo("embedded", &["test", "--test", "logged"]);
    for line in [
        "test tests::panics - should panic ... ok",
        "test tests::fails ... FAILED",
        "\nINFO  about to fail (tests/logged.rs:18)\n",
        "\nthe firmware panicked at logging/embedded/tests/logged.rs:19:9: as it should not (in ",
        "1 passed; 1 failed",
    ] {
        assert!(run.stdout.contains(line), "no \"{line}\" in:\n{}\n{}", run.stdout, run.stderr);
    }
    assert_ne!(run.code, 0);
}

#[test]
fn a_damaged_control_block_is_named() {
    let run = runs(&logging("rtt", "overwrites"), 0);
    run.fails(
        0,
        &[
            "the up-channel 0 of RTT has its buffer at 0x2000",
            "with 1879048192 bytes, which isn't RAM of this board",
            "look for what overwrites _SEGGER_RTT",
        ],
    );
    assert!(run.stdout.contains("before") && !run.stdout.contains("behind"), "{}", run.stdout);
}

#[test]
fn damaged_frames_are_left_out_and_counted() {
    let run = runs(&logging("rtt", "garbage"), 0);
    let lines = lines(&run);
    assert_eq!(lines.len(), 2, "{lines:?}");
    assert!(lines[1].starts_with("INFO  behind"), "{lines:?}");
    run.fails(0, &["2 of the defmt frames on rtt0 were damaged and left out: does something"]);
}

/// A copy of a program, with one text in place of another of the same length.
fn patched(name: &str, from: &str, to: &str) -> String {
    assert_eq!(from.len(), to.len());
    let mut bytes = std::fs::read(logging("rtt", "levels")).unwrap();
    let places: Vec<usize> =
        (0..bytes.len()).filter(|&at| bytes[at..].starts_with(from.as_bytes())).collect();
    assert!(!places.is_empty(), "no {from}");
    for at in places {
        bytes[at..at + to.len()].copy_from_slice(to.as_bytes());
    }
    temporary(name, &bytes)
}

#[test]
fn another_version_of_defmt_is_named_with_the_way_out() {
    let elf = patched("other-defmt", "_defmt_version_ = 4", "_defmt_version_ = 9");
    let run = runs(&elf, 0);
    run.fails(
        0,
        &[
            "other-defmt cannot be decoded: its version of defmt has the wire format 9, and this \
             command knows 3 and 4",
            "a newer version of this command",
        ],
    );
    assert_eq!(run.stdout, "", "bytes that mean nothing are not shown");
    let report = quintet(&["run", "--json", &elf]).json();
    assert!(report["remarks"][0].as_str().unwrap().contains("the wire format 9"), "{report}");
    assert_eq!(
        (&report["log"], &report["output"]),
        (&serde_json::json!([]), &serde_json::json!({}))
    );
}

#[test]
fn without_debug_information_messages_have_no_place() {
    let elf = patched("no-debug-info", ".debug_info", ".xebug_info");
    let run = runs(&elf, 0);
    assert_eq!(lines(&run)[1], "0.001000 TRACE from flash");
}

#[test]
fn bytes_that_are_no_frames_never_harm() {
    let elf = std::fs::read(logging("rtt", "levels")).unwrap();
    let Defmt::Messages(messages) = Defmt::open(&elf) else { panic!("there is a table") };
    let mut random = 1_u32;
    let mut next = || {
        random ^= random << 13;
        random ^= random >> 17;
        random ^= random << 5;
        random
    };
    let mut decoded = 0;
    for _ in 0..20_000 {
        let length = next() as usize % 40;
        // Indices are small, so that many frames begin well; lengths may be huge.
        let mut bytes: Vec<u8> = (0..length).map(|_| (next() % 24) as u8).collect();
        if let Some(byte) = bytes.get_mut(next() as usize % 40) {
            *byte = 0xff;
        }
        if let Some(high) = bytes.get_mut(1) {
            *high = 0;
        }
        decoded += usize::from(messages.decode(&bytes).is_ok());
    }
    assert!(decoded > 100, "{decoded}");
}

/// A little-endian number in the ELF file.
fn number(bytes: &[u8], at: usize, length: usize) -> usize {
    bytes[at..at + length].iter().rev().fold(0, |number, byte| number << 8 | usize::from(*byte))
}

#[test]
fn a_stripped_program_is_found_out() {
    let whole = std::fs::read(logging("rtt", "levels")).unwrap();
    // Without the symbol table (section type 2), and without any sections.
    let mut no_symbols = whole.clone();
    let (sections, count) = (number(&whole, 32, 4), number(&whole, 48, 2));
    for index in 0..count {
        let kind = sections + 40 * index + 4;
        if number(&whole, kind, 4) == 2 {
            no_symbols[kind] = 0;
        }
    }
    let run = runs(&temporary("no-symbols", &no_symbols), 0);
    run.fails(
        0,
        &["no-symbols cannot be decoded: its symbols, which are the table of messages, were st"],
    );
    let mut no_sections = whole;
    no_sections[32..36].fill(0);
    no_sections[46..52].fill(0);
    let run = runs(&temporary("no-sections", &no_sections), 0);
    run.fails(
        0,
        &["it has neither symbols nor a section .defmt", "run the file that the linker made"],
    );
}
