//! `quintet size`, `stack` and `boards`, and the help.

mod support;

use serde_json::Value;
use support::{program, quintet, temporary};

#[test]
fn size_adds_up() {
    let report = quintet(&["size", &program("stacks"), "--json"]).json();
    let sections = report["sections"].as_array().unwrap();
    let sum = |field: &str| sections.iter().map(|s| s[field].as_u64().unwrap()).sum::<u64>();
    assert_eq!(report["flash"].as_u64().unwrap(), sum("flash"));
    assert_eq!(report["ram"].as_u64().unwrap(), sum("ram"));
    assert!(sections.iter().any(|section| section["name"] == ".text"));
    assert!(report["ram"].as_u64().unwrap() >= 2048, "the process stack alone");
    let symbols = report["symbols"].as_array().unwrap();
    let stack = symbols.iter().find(|s| s["name"].as_str().unwrap().ends_with("PROCESS_STACK"));
    assert_eq!(stack.unwrap()["size"], 2048);
}

#[test]
fn size_shows_as_many_symbols_as_asked_for() {
    let run = quintet(&["size", &program("stacks"), "--top", "3"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let rows = run.stdout.split("heaviest symbols").nth(1).unwrap();
    assert_eq!(rows.lines().filter(|line| line.contains(" .")).count(), 3, "{}", run.stdout);
    assert!(run.stdout.contains("PROCESS_STACK"));
    quintet(&["size", &temporary("no.elf", b"text")])
        .fails(120, &["no.elf", "neither an ELF file"]);
}

#[test]
fn stacks_are_measured_apart() {
    let run = quintet(&["stack", &program("stacks"), "--json"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let report = run.json();
    let stacks = report["stacks"].as_array().unwrap();
    assert_eq!(stacks.len(), 2, "{report}");
    let (main, process) = (&stacks[0], &stacks[1]);
    let number = |stack: &serde_json::Value, field: &str| stack[field].as_u64().unwrap();
    assert_eq!((main["kind"].as_str(), process["kind"].as_str()), (Some("main"), Some("process")));
    assert!((100..2048).contains(&number(main, "used")), "{main}");
    assert!(number(main, "available") > 32 * 1024);
    assert!(number(process, "used") > number(main, "used"), "eleven deep against four: {report}");
    assert_eq!(number(process, "available"), 2048);
    assert!(process["symbol"].as_str().unwrap().ends_with("PROCESS_STACK"));
    let deepest = process["backtrace"][0]["places"].as_array().unwrap().last().unwrap();
    assert_eq!(deepest["function"], "stacks::deep");
}

#[test]
fn the_stack_table_shows_where_it_was_deepest() {
    let run = quintet(&["stack", &program("stacks")]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    for part in ["main stack", "stack of stacks::PROCESS_STACK", "stacks::deep", "stacks.rs:"] {
        assert!(run.stdout.contains(part), "no \"{part}\" in:\n{}", run.stdout);
    }
}

#[test]
fn a_limit_holds_while_the_processor_sleeps() {
    let inputs = temporary("much_later.toml", b"[[at]]\ncycle = 50_000_000\npend = 0\n");
    let arguments = ["--inputs", &inputs, "--max-cycles", "100_000", "--json"];
    let asleep = program("asleep");
    let run = quintet(&[&["stack", asleep.as_str()], &arguments[..]].concat());
    assert_eq!((run.code, run.json()["cycles"].as_u64()), (0, Some(100_000)), "{}", run.stderr);
}

#[test]
fn boards_are_listed_and_shown() {
    let list = quintet(&["boards"]);
    for board in ["lm3s6965", "mps2-an385", "stm32f100", "stm32f446", "nrf52840", "rp2040"] {
        assert!(list.stdout.contains(board), "{}", list.stdout);
    }
    // Pages in which a chip tells about itself are no memory for programs.
    assert!(list.stdout.contains("1024 KiB     256 KiB   nRF52840"), "{}", list.stdout);
    let lacks = quintet(&["boards", "nrf52840"]);
    assert!(lacks.stdout.contains("not modelled: radio, USB"), "{}", lacks.stdout);
    let one = quintet(&["boards", "lm3s6965"]);
    for part in ["0x20000000", "uart0", "pl011", "cortex-m3"] {
        assert!(one.stdout.contains(part), "no \"{part}\" in {}", one.stdout);
    }
    let json = quintet(&["boards", "stm32f100", "--json"]).json();
    assert_eq!(json["core"], "cortex-m3");
    assert!(quintet(&["boards", "--json"]).json().as_array().unwrap().len() >= 3);
    quintet(&["boards", "arduino"]).fails(120, &["arduino", "lm3s6965"]);
}

#[test]
fn boards_with_a_riscv_core_are_shown_too() {
    let list = quintet(&["boards"]).stdout;
    assert!(list.contains("rv32imc_zifencei"), "{list}");
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../quintet-sim/boards/riscv/ibex.toml");
    for board in ["ibex", file] {
        let one = quintet(&["boards", board]).stdout;
        for part in ["rv32imc_zifencei at 50 MHz", "timed as ibex-small", "simple-system", "ram"] {
            assert!(one.contains(part), "no \"{part}\" in {one}");
        }
    }
    let json = quintet(&["boards", "virt-rv32", "--json"]).json();
    assert_eq!(
        (&json["pipeline"], &json["controllers"][1]["kind"]),
        (&Value::Null, &"plic".into())
    );
    let all = quintet(&["boards", "--json"]).json();
    assert!(all.as_array().unwrap().iter().any(|board| board["pipeline"] == "hazard3"));
}

#[test]
fn help_teaches() {
    let help = quintet(&["--help"]);
    assert_eq!(help.code, 0);
    for part in ["runner = \"quintet run\"", "measure", "Exit codes"] {
        assert!(help.stdout.contains(part), "no \"{part}\" in {}", help.stdout);
    }
    for command in ["run", "measure", "size", "stack", "boards"] {
        let help = quintet(&[command, "--help"]);
        assert_eq!(help.code, 0, "{command}: {}", help.stderr);
        assert!(help.stdout.contains("Examples:"), "{command}");
    }
    quintet(&["frobnicate"]).fails(2, &["frobnicate"]);
    quintet(&[]).fails(2, &["Usage"]);
}

#[test]
fn what_a_kernel_stores_below_the_process_stack_pointer_counts() {
    // PendSV: mrs r0, psp; stmdb r0!, {r4-r11}; bx lr. The program takes a process stack at
    // 0x20000800, pends PendSV there, and ends by semihosting.
    let code: [u16; 30] = [
        0xf3ef, 0x8009, 0xe920, 0x0ff0, 0x4770, 0xbf00, 0x4808, 0xf380, 0x8809, 0x2002, 0xf380,
        0x8814, 0xf3bf, 0x8f6f, 0x4805, 0xf04f, 0x5180, 0x6001, 0xf3bf, 0x8f4f, 0xbf00, 0x2018,
        0x4902, 0xbeab, 0x0800, 0x2000, 0xed04, 0xe000, 0x0026, 0x0002,
    ];
    let mut table = vec![0x2000_1000_u32, 0x4d];
    table.resize(16, 0x41);
    let table = table.into_iter().flat_map(u32::to_le_bytes);
    let image: Vec<u8> = table.chain(code.iter().flat_map(|half| half.to_le_bytes())).collect();
    let run = quintet(&["stack", &temporary("pendsv.bin", &image), "--load", "0", "--json"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let report = run.json();
    let process = report["stacks"].as_array().unwrap().last().unwrap();
    assert_eq!((&process["kind"], &process["used"]), (&"process".into(), &64.into()), "{report}");
    let place = &process["backtrace"][0];
    assert_eq!((&place["exception"], &place["address"]), (&0.into(), &0x68.into()), "{report}");
}
