//! `quintet run` on real firmware: what it prints, how it ends, what is said when it dies.

mod support;

use support::{interrupted, printed, program, quintet, temporary};

#[test]
fn firmware_prints_on_both_channels_and_ends() {
    let run = quintet(&["run", &program("hello")]);
    assert_eq!(
        (run.code, run.stdout.as_str()),
        (0, "hello from the simulator\n"),
        "{}",
        run.stderr
    );
    assert_eq!(run.stderr, "and from its error channel\n");
}

#[test]
fn firmware_ends_with_its_own_code() {
    let run = quintet(&["run", &program("exit_code")]);
    assert_eq!((run.code, run.stdout.as_str(), run.stderr.as_str()), (42, "", ""));
}

#[test]
fn a_panic_is_printed_and_ends_with_its_code() {
    let run = quintet(&["run", &program("panicking")]);
    run.fails(101, &["the panic of this program", "panicking.rs"]);
}

#[test]
fn a_run_for_a_time_ends_well() {
    let run = quintet(&["run", &program("ticking"), "--for", "10ms"]);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{}", run.stdout);
    let run = quintet(&["run", &program("endless"), "--for", "10ms", "--max-cycles", "1000"]);
    run.fails(124, &["--max-cycles"]);
    // Firmware that is lost in the handler of a fault has no good end.
    let run = quintet(&["run", &program("hard_fault"), "--for", "10ms"]);
    assert_ne!(run.code, 0, "{}", run.stderr);
    quintet(&["run", &program("endless"), "--for", "5"]).fails(2, &["\"5\" is no time: write 5s"]);
}

#[test]
fn the_uart_is_printed() {
    let run = quintet(&["run", &program("uart")]);
    assert_eq!((run.code, run.stdout.as_str()), (0, "over the wire\n"), "{}", run.stderr);
}

#[test]
fn the_command_line_reaches_the_firmware() {
    let elf = program("arguments");
    let expected = format!("argument {elf}\nargument one\nargument --two\n");
    for line in [vec!["run", &elf, "one", "--two"], vec!["run", &elf, "--", "one", "--two"]] {
        let run = quintet(&line);
        assert_eq!((run.code, run.stdout.as_str()), (0, expected.as_str()), "{}", run.stderr);
    }
}

#[test]
fn an_argument_with_spaces_stays_one() {
    let run = quintet(&["run", &program("arguments"), "--", "two words"]);
    assert!(run.stdout.ends_with("argument two words\n"), "{}{}", run.stdout, run.stderr);
}

#[test]
fn a_standard_input_that_cannot_be_read_is_named() {
    let run = quintet(&["run", &program("hello"), "--stdin", "no/such/file"]);
    run.fails(120, &["cannot read no/such/file"]);
}

#[test]
fn the_caller_of_nothing_is_no_guess() {
    let run = quintet(&["run", "--json", &program("wild_jump")]);
    let frames = run.json()["post_mortem"]["backtrace"].clone();
    let found: Vec<_> = frames.as_array().unwrap().iter().map(|frame| &frame["found"]).collect();
    assert_eq!(found[..2], ["current", "interrupted"]);
    assert!(!found.iter().any(|how| *how == "guess"), "{frames}");
}

#[test]
fn an_unhandled_fault_is_explained() {
    let run = quintet(&["run", &program("hard_fault")]);
    run.fails(
        121,
        &[
            "a fault that the firmware does not handle",
            "hard_fault::read_nothing",
            "hard_fault.rs:",
            "PRECISERR",
            "address 0x70000000",
            "FORCED",
            "Registers:",
            "CFSR 00008200",
            "hard_fault::outer",
            "it interrupted thread mode",
            "What to do:",
        ],
    );
    let order: Vec<_> = ["read_nothing", "outer", "main"]
        .iter()
        .map(|name| {
            let trace = &run.stderr[run.stderr.find("Backtrace:").unwrap()..];
            trace.find(name).unwrap_or_else(|| panic!("no {name} in {trace}"))
        })
        .collect();
    assert!(order.is_sorted(), "{}", run.stderr);
}

#[test]
fn a_lockup_is_explained() {
    let run = quintet(&["run", &program("lockup")]);
    run.fails(121, &["lockup", "UNDEFINSTR", "lockup.rs:", "Backtrace:"]);
}

#[test]
fn a_wild_jump_is_explained() {
    let run = quintet(&["run", &program("wild_jump")]);
    run.fails(
        121,
        &["a fault that the firmware does not handle", "0x60000000", "What to do:", "jump"],
    );
}

#[test]
fn a_stack_overflow_is_explained() {
    let run = quintet(&["run", &program("stack_overflow")]);
    run.fails(121, &["stack overflow", "stack_overflow::recurse"]);
}

#[test]
fn an_endless_loop_meets_the_limit_and_is_located() {
    let run = quintet(&["run", &program("endless"), "--max-cycles", "2_000_000"]);
    run.fails(
        124,
        &[
            "the limit of 2 000 000 cycles was reached",
            "endless::spin",
            "endless.rs:",
            "--max-cycles",
        ],
    );
    let run = quintet(&["run", &program("endless"), "--max-instructions=1000"]);
    run.fails(124, &["the limit of 1 000 instructions was reached", "after"]);
}

#[test]
fn sleep_without_end_is_recognised() {
    let run = quintet(&["run", &program("asleep")]);
    run.fails(122, &["sleeps and nothing will ever wake it", "asleep.rs:", "--inputs"]);
}

#[test]
fn json_has_output_end_and_post_mortem() {
    let report = quintet(&["run", "--json", &program("hello")]).json();
    assert_eq!(report["outcome"], "exit");
    assert_eq!(report["exit_code"], 0);
    assert_eq!(report["output"]["stdout"], "hello from the simulator\n");
    assert!(report["cycles"].as_u64().unwrap() > report["instructions"].as_u64().unwrap() / 2);
    let run = quintet(&["run", &program("hard_fault"), "--json"]);
    assert_eq!(run.code, 121);
    let report = run.json();
    assert_eq!(report["outcome"], "died");
    assert_eq!(report["post_mortem"]["fault"]["bfar"], 0x7000_0000);
    assert!(report["post_mortem"]["backtrace"].as_array().unwrap().len() > 2);
}

#[test]
fn the_same_run_takes_the_same_cycles() {
    let cycles = || quintet(&["run", "--json", &program("hello")]).json()["cycles"].clone();
    assert_eq!(cycles(), cycles());
}

/// Sets R0 to the reason and R1 to the block, then asks for semihosting: exit with code 7.
fn raw_image() -> Vec<u8> {
    let words: [u32; 2] = [0x2000_1000, 9];
    let code: [u16; 4] = [
        0x2020, // movs r0, #0x20      SYS_EXIT_EXTENDED
        0xa101, // adr r1, the block
        0xbeab, // bkpt 0xab
        0xe7fe, // b .
    ];
    let block: [u32; 2] = [0x2_0026, 7];
    let mut image: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    image.extend(code.iter().flat_map(|half| half.to_le_bytes()));
    image.extend(block.iter().flat_map(|word| word.to_le_bytes()));
    image
}

#[test]
fn a_raw_image_runs_where_it_is_loaded() {
    let file = temporary("raw.bin", &raw_image());
    let run = quintet(&["run", &file, "--load", "0"]);
    assert_eq!((run.code, run.stderr.as_str()), (7, ""));
    let run = quintet(&["run", &file]);
    run.fails(
        120,
        &["neither an ELF file nor Intel HEX, S-record or UF2", "--load ADDRESS", "raw.bin"],
    );
    let run = quintet(&["run", &file, "--load", "0x60000000"]);
    run.fails(120, &["outside the board's memory", "0x60000000", "flash", "lm3s6965"]);
    // It has a vector table of its own, but its code is not where that says.
    let run = quintet(&["run", &file, "--load", "0x1000"]);
    run.fails(120, &["no vector table at 0x00000000", "link.x"]);
    let run = quintet(&["run", &program("hello"), "--load", "0"]);
    run.fails(120, &["is an ELF file"]);
}

#[test]
fn what_cannot_run_is_refused_by_name() {
    let hello = std::fs::read(program("hello")).unwrap();
    let cut = temporary("cut.elf", &hello[..hello.len() / 2]);
    quintet(&["run", &cut]).fails(120, &["cut.elf", "truncated"]);
    let head = temporary("head.elf", &hello[..40]);
    quintet(&["run", &head]).fails(120, &["head.elf", "truncated"]);
    let empty = temporary("empty.elf", b"");
    quintet(&["run", &empty]).fails(120, &["empty.elf", "empty"]);
    quintet(&["run", "no/such/file"]).fails(120, &["no/such/file"]);
    quintet(&["run", env!("CARGO_MANIFEST_DIR")]).fails(120, &["is a directory"]);
    let own = env!("CARGO_BIN_EXE_quintet");
    quintet(&["run", own]).fails(120, &["not firmware for a Cortex-M", "64-bit"]);
}

#[test]
fn an_unknown_board_names_those_that_exist() {
    let run = quintet(&["run", &program("hello"), "--board", "lm3s9999"]);
    run.fails(120, &["lm3s9999", "lm3s6965", "mps2-an385", "stm32f100"]);
    quintet(&["run", "--bord", "x", &program("hello")]).fails(2, &["--bord"]);
    quintet(&["run", &program("hello"), "--max-cycles", "many"]).fails(2, &["many"]);
}

#[test]
fn inputs_arrive_by_time() {
    let script = b"[[at]]\nms = 2\nuart = \"uart0\"\nsend = \"to you.\"\n";
    let file = temporary("inputs.toml", script);
    let run = quintet(&["run", &program("echo"), "--inputs", &file, "--json"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let report = run.json();
    assert_eq!(report["output"]["uart0"], "to you.");
    assert!(report["cycles"].as_u64().unwrap() > 24_000, "2 ms at 12 MHz");
}

#[test]
fn inputs_that_cannot_be_used_are_refused_by_name() {
    let run = quintet(&["run", &program("hello"), "--inputs", "no-such.toml"]);
    run.fails(120, &["no-such.toml"]);
    let file = temporary("wrong.toml", b"this is = = no toml");
    quintet(&["run", &program("hello"), "--inputs", &file]).fails(120, &["wrong.toml"]);
}

#[cfg(unix)]
#[test]
fn a_reader_that_goes_away_is_no_panic() {
    use std::process::{Command, Stdio};
    let mut child = Command::new(env!("CARGO_BIN_EXE_quintet"))
        .args(["boards", "lm3s6965"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    assert!(matches!(output.status.code(), Some(0 | 141)), "{:?}", output.status);
}

#[cfg(unix)]
#[test]
fn ctrl_c_ends_the_run_with_a_report() {
    // The first line shows that the firmware runs, and that output comes before the end.
    let run = interrupted(&["run", &program("ticking"), "--max-cycles", "0"], |child| {
        printed(child.stdout.as_mut().unwrap(), "tick\n");
    });
    run.fails(130, &["interrupted, at", "partial: Ctrl-C has cut the run at cycle"]);
}
