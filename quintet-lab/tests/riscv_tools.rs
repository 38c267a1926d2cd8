//! The tools of the lab on firmware for a RISC-V core.

mod support;

use std::path::Path;
use std::process::Command;

use quintet_sim::image::Image;
use serde_json::{Value, json};
use support::editor::Editor;
use support::quintet;
use support::riscv::{gdb_session, tool};

fn row<'a>(rows: &'a Value, field: &str, end: &str) -> &'a Value {
    let mut rows = rows.as_array().unwrap().iter();
    let is_it = |row: &&Value| row[field].as_str().is_some_and(|name| name.ends_with(end));
    rows.find(is_it).unwrap_or_else(|| panic!("there is no {end}"))
}

fn sum(rows: &Value, field: &str) -> u64 {
    rows.as_array().unwrap().iter().map(|row| row[field].as_u64().unwrap()).sum()
}

#[test]
fn measure_counts_cycles_and_the_interrupt_between_two_places() {
    let file = tool("measured");
    let places = ["--from", "work_begin", "--to", "work_end"];
    let arguments = [&["measure", &file, "--json"][..], &places].concat();
    let report = quintet(&arguments).json();
    let all = report["occurrences"].as_array().unwrap();
    assert_eq!(all.len(), 3);
    // The first and the third are alike; the timer comes in the second.
    assert_eq!(all[0]["cycles"], all[2]["cycles"]);
    let inside = all[1]["exceptions"].as_array().unwrap();
    assert_eq!(inside.len(), 1, "{inside:?}");
    assert_eq!(inside[0]["name"], "machine timer interrupt");
    let cycles = |row: &Value, field: &str| row[field].as_u64().unwrap();
    let handled = cycles(&inside[0], "exit_cycle") - cycles(&inside[0], "entry_cycle");
    let longer = cycles(&all[1], "cycles") - cycles(&all[0], "cycles");
    // The MRET itself is the last cycle.
    assert_eq!(longer, handled + 1);
    // Without a pipeline, an instruction is a cycle.
    assert_eq!(all[0]["cycles"], all[0]["instructions"]);

    let shown = quintet(&[&arguments[..2], &places, &["--instructions", "2"]].concat());
    assert!(shown.stdout.contains("entry of machine timer interrupt"), "{}", shown.stdout);
    assert!(shown.stdout.contains("mret"), "{}", shown.stdout);
    quintet(&[&arguments[..2], &places, &["--halt"]].concat())
        .fails(120, &["--halt is not there for a RISC-V core"]);
}

#[test]
fn a_trace_by_instructions_has_registers_and_traps() {
    let file = tool("measured");
    let window = ["--from", "work_begin", "--to", "work_end"];
    let run = quintet(&[&["trace", "--instructions", &file][..], &window].concat());
    assert_eq!(run.code, 0, "{}", run.stderr);
    let lines: Vec<&str> = run.stdout.lines().collect();
    assert!(lines[0].trim_start().starts_with("cycle  pc        bits"), "{}", lines[0]);
    let report = quintet(&[&["measure", &file, "--json", "--count", "1"][..], &window].concat());
    let executed = report.json()["occurrences"][0]["instructions"].as_u64().unwrap();
    // A line of an instruction begins with its cycle, and has its address.
    let fields = |line: &&&str| line.split_whitespace().nth(1).is_some_and(|pc| pc.len() == 8);
    let shown: Vec<_> = lines[1..].iter().filter(fields).collect();
    assert_eq!(shown.len() as u64, executed, "{}", run.stdout);
    assert!(shown.iter().any(|line| line.contains(" a0=0x")), "{}", run.stdout);
    assert!(lines.iter().any(|line| line.ends_with("::work:")), "{}", run.stdout);

    let few = quintet(&["trace", "--instructions", &file, "--max-events", "20"]);
    assert!(few.stderr.contains("stopped after 20 lines; --from and --to"), "{}", few.stderr);
    quintet(&["trace", "--instructions", &file, "--json"]).fails(2, &["cannot be used with"]);
}

#[test]
fn profile_counts_every_cycle_once() {
    let file = tool("measured");
    let run = quintet(&["profile", &file, "--json"]);
    assert!(run.stderr.contains("virt-rv32 is not timed"), "{}", run.stderr);
    let report = run.json();
    let cycles = report["cycles"].as_u64().unwrap();
    assert_eq!(sum(&report["contexts"], "cycles"), cycles);
    assert_eq!(sum(&report["functions"], "own_cycles"), cycles);
    assert!(
        row(&report["contexts"], "name", "machine timer interrupt")["cycles"].as_u64() > Some(0)
    );
    let deep = row(&report["functions"], "name", "::deep");
    assert_eq!(deep["calls"], 11);
    let work = row(&report["functions"], "name", "::work");
    assert_eq!(work["calls"], 3);
    let main = row(&report["functions"], "name", "main");
    assert!(main["cycles"].as_u64().unwrap() > work["cycles"].as_u64().unwrap());
    let window = ["--from", "work_begin", "--to", "work_end"];
    let inside = quintet(&[&["profile", &file, "--json"][..], &window].concat()).json();
    assert!(inside["cycles"].as_u64().unwrap() < cycles / 4, "{}", inside["cycles"]);
}

#[test]
fn coverage_tells_the_branch_that_is_never_taken() {
    let file = tool("measured");
    let report = quintet(&["coverage", &file, "--json"]).json();
    let file = row(&report["files"], "file", "tools/src/bin/measured.rs");
    assert_eq!(
        file["functions"]["all"].as_u64(),
        file["functions"]["hit"].as_u64().map(|hit| hit + 1)
    );
    let source = include_str!("../../quintet-sim/tests/firmware/riscv/tools/src/bin/measured.rs");
    let line = |text: &str| 1 + source.lines().position(|line| line.contains(text)).unwrap() as u64;
    let missed: Vec<u64> =
        file["missed"].as_array().unwrap().iter().map(|line| line.as_u64().unwrap()).collect();
    assert!(missed.contains(&line("is never come to")), "{missed:?}");
    assert!(!missed.contains(&line("sum.wrapping_add")), "{missed:?}");
    assert!(file["branches"]["hit"].as_u64() < file["branches"]["all"].as_u64());
}

#[test]
fn size_adds_sections_up() {
    let report = quintet(&["size", &tool("measured"), "--json"]).json();
    let text = row(&report["sections"], "name", ".text");
    assert!(report["flash"].as_u64().unwrap() > text["size"].as_u64().unwrap());
    assert!(!report["symbols"].as_array().unwrap().is_empty());
}

#[test]
fn stack_tells_the_deepest_use_and_who_made_it() {
    let report = quintet(&["stack", &tool("measured"), "--json"]).json();
    let stacks = report["stacks"].as_array().unwrap();
    assert_eq!(stacks.len(), 1, "{stacks:?}");
    let main = &stacks[0];
    assert_eq!((&main["kind"], main["top"].as_u64()), (&"main".into(), Some(0x8010_0000)));
    // Each of the eleven levels has an array of 64 bytes.
    let used = main["used"].as_u64().unwrap();
    assert!((11 * 64..4096).contains(&used), "{used}");
    let deep = main["backtrace"].as_array().unwrap().iter();
    let is_deep = |frame: &&Value| row_has(&frame["places"], "deep");
    assert_eq!(deep.filter(is_deep).count(), 11, "{main}");
    let guessed = main["backtrace"].as_array().unwrap().iter();
    let guesses =
        guessed.filter(|frame| frame["found"] == "guess" && row_has(&frame["places"], "deep"));
    assert_eq!(guesses.count(), 0, "the rules of unwinding are known");
}

fn row_has(places: &Value, function: &str) -> bool {
    places.as_array().unwrap().iter().any(|place| place["function"] == function)
}

#[test]
fn a_fault_tells_its_cause_its_place_and_its_callers() {
    let run = quintet(&["run", &tool("null")]);
    let parts = [
        "a fault: load access fault, the address 0x00000008, at 0x",
        "in read",
        "null.rs:13",
        "its handler does nothing but loop",
        "mcause 00000005",
        "--- trap; it interrupted the program: ---",
        "sensor\n",
        "look for a null pointer",
    ];
    run.fails(121, &parts);
    assert_eq!(run.stdout, "before the fault\n");
    for command in ["profile", "stack", "coverage"] {
        quintet(&[command, &tool("null")]).fails(121, &["a fault: load access fault"]);
    }
}

#[test]
fn masks_are_the_times_without_mie() {
    let report = quintet(&["masks", &tool("masked"), "--json"]).json();
    let masks = report["masks"].as_array().unwrap();
    assert_eq!(masks.len(), 2, "{masks:?}");
    let [long, short] = [&masks[0], &masks[1]];
    assert_eq!(long["register"], "mstatus.MIE");
    assert_eq!((&long["count"], &short["count"]), (&1.into(), &2.into()));
    assert!(long["cycles"].as_u64() > short["cycles"].as_u64().map(|cycles| 50 * cycles));
    let words = quintet(&["masks", &tool("masked")]).stdout;
    assert!(words.contains("long") && words.contains("short"), "{words}");
    quintet(&["masks", &tool("masked"), "--limit", "100"]).fails(1, &["more than 100"]);
}

#[test]
fn trace_has_a_track_for_each_handler() {
    let file = tool("masked");
    let page = format!("{}/masked.html", env!("CARGO_TARGET_TMPDIR"));
    let run = quintet(&["trace", &file, "--json", "-o", &page]);
    let report = run.json();
    let named = |name: &str| row(&report["tracks"], "name", name);
    let ticks: u64 =
        run.stderr.lines().find_map(|line| line.strip_suffix(" ticks")).unwrap().parse().unwrap();
    assert_eq!(named("machine timer interrupt")["count"], ticks);
    assert_eq!(named("mstatus.MIE")["count"], 3);
    assert_eq!(named("main")["count"], 1);
    let page = std::fs::read_to_string(&page).unwrap();
    assert!(page.contains("machine timer interrupt"));
    let window = quintet(&["trace", &file, "--from", "long", "--json"]).json();
    assert!(window["from"].as_u64() > Some(0));
    let functions = ["--function", "long", "--function", "short"];
    let report = quintet(&[&["trace", &file, "--json"][..], &functions].concat()).json();
    let calls = |name: &str| row(&report["tracks"], "name", name)["count"].clone();
    assert_eq!((calls("long"), calls("short")), (1.into(), 2.into()));
    quintet(&["trace", &file, "--function", "spim"]).fails(120, &["spim"]);
    quintet(&["trace", &file, "--from-board", "dump.bin"])
        .fails(120, &["--from-board is not there yet for a RISC-V core"]);
}

#[test]
fn inject_finds_what_an_interrupt_breaks_and_nothing_else() {
    let right = quintet(&["inject", &tool("torn"), "--code", "right", "--json"]);
    assert_eq!(right.code, 0, "{}", right.stdout);
    let report = right.json();
    assert_eq!(report["lines"][0]["line"], "timer");
    assert!(report["lines"][0]["runs"].as_u64() > Some(10), "{report}");
    assert!(report["lines"][0]["at_once"].as_u64() < report["lines"][0]["runs"].as_u64());
    let wrong = quintet(&["inject", &tool("torn"), "--code", "wrong"]);
    assert_eq!(wrong.code, 1, "{}", wrong.stdout);
    for part in ["it ended with exit code 1", "in add", "FAILED"] {
        assert!(wrong.stdout.contains(part), "no {part} in {}", wrong.stdout);
    }
    quintet(&["inject", &tool("torn"), "--code", "wrong", "--exception", "SysTick"])
        .fails(120, &["a RISC-V core has the interrupts software, timer and external"]);
    quintet(&["inject", &tool("torn"), "--only", "100:irq7"])
        .fails(120, &["--only is not there yet for a RISC-V core"]);
    quintet(&["inject", &tool("torn"), "--max-mask", "24"])
        .fails(120, &["--max-mask is not there yet for a RISC-V core"]);
    quintet(&["inject", &tool("null")]).fails(120, &["must end with exit code 0"]);
}

#[test]
fn inject_makes_pairs_by_a_scenario() {
    let campaign = |name: &str, code: &str, more: &str| {
        let path = format!("{}/{name}.toml", env!("CARGO_TARGET_TMPDIR"));
        let text = format!(
            "image = {:?}\nexceptions = [\"timer\"]\n{more}\n[[window]]\ncode = [\"{code}\"]\n",
            tool("torn")
        );
        std::fs::write(&path, text).unwrap();
        path
    };
    let file = campaign("pairs", "right", "pair_code = [\"tick\", \"right\"]");
    let arguments = ["inject", "--scenario", &file, "--sample", "6", "--json"];
    let report = quintet(&[&arguments[..], &["--pairs", "all", "--pair-distance", "9"]].concat());
    assert_eq!(report.code, 0, "{}{}", report.stdout, report.stderr);
    let report = report.json();
    assert_eq!(report["lines"][0]["runs"], 6);
    let pairs = &report["pairs"];
    assert_eq!((&pairs["runs"], &pairs["failures"]), (&pairs["possible"], &0.into()));
    assert!(pairs["runs"].as_u64() > Some(6) && pairs["runs"].as_u64() <= Some(54), "{pairs}");
    let some = quintet(&[&arguments[..], &["--pairs", "5"]].concat()).json();
    assert!(some["pairs"]["runs"].as_u64() <= Some(5), "{}", some["pairs"]);
    // The second one breaks what the first one leaves whole.
    let file = campaign("seconds", "right", "pair_code = [\"wrong\"]");
    let run = quintet(&["inject", "--scenario", &file, "--sample", "2", "--pairs", "all"]);
    assert_eq!(run.code, 1, "{}{}", run.stdout, run.stderr);
    assert!(run.stdout.contains("; then timer in cycle"), "{}", run.stdout);
    let file = campaign("mask", "right", "max_mask = 24");
    quintet(&["inject", "--scenario", &file]).fails(120, &["--max-mask is not there yet"]);
}

#[test]
fn bounds_of_stacks_are_never_below_what_a_run_shows() {
    let file = tool("measured");
    let names = ["work", "deep", "main"];
    let functions = names.iter().flat_map(|name| ["--function", name]);
    let arguments: Vec<&str> = ["bounds", &file, "--json"].into_iter().chain(functions).collect();
    let report = quintet(&arguments).json();
    let of = |name: &str| {
        let end = if name == "main" { "main".to_owned() } else { format!("::{name}") };
        row(&report["functions"], "function", &end).clone()
    };
    assert_eq!(of("work")["verdict"], "OPEN", "it prints through a pointer");
    let deep = of("deep");
    assert_eq!((&deep["verdict"], &deep["stack"]), (&"OPEN".into(), &Value::Null));
    let why = deep["open"][0].as_str().unwrap();
    assert!(why.starts_with("a call that leads back to the function: 0x"), "{why}");
    assert_eq!(of("main")["verdict"], "OPEN", "it calls deep");

    // Where nothing interrupts main, a run takes no more than that and what start-up code pushes.
    for name in ["rtt", "pins"] {
        let file = tool(name);
        let bound = quintet(&["bounds", &file, "--function", "main", "--json"]).json();
        assert_eq!(bound["functions"][0]["verdict"], "BOUNDED", "{name}: {bound}");
        let bound = bound["functions"][0]["stack"].as_u64().unwrap();
        let stacks = quintet(&["stack", &file, "--json"]).json();
        let used = stacks["stacks"][0]["used"].as_u64().unwrap();
        assert!(used <= bound + 64, "{name}: {bound} bytes, and {used} were used");
    }
    let all = quintet(&["bounds", &tool("torn"), "--all"]);
    assert!(all.stdout.contains("BOUNDED") && all.stdout.contains("Cycles have no bound yet"));
}

#[test]
fn threads_report_and_map_of_an_application() {
    let page = format!("{}/measured-report.html", env!("CARGO_TARGET_TMPDIR"));
    let file = tool("measured");
    let run = quintet(&["report", &file, "--json", "-o", &page]);
    let report = run.json();
    assert_eq!(report["bounds"], Value::Null);
    assert_eq!(row(&report["costs"], "name", "machine timer interrupt")["count"], 1);
    assert!(report["stacks"].as_array().is_some_and(|stacks| stacks.len() == 1), "{report}");
    let page = std::fs::read_to_string(&page).unwrap();
    for part in ["virt-rv32", "bounds are not there yet for a RISC-V core", "deep"] {
        assert!(page.contains(part), "no {part} in the page");
    }
}

#[test]
fn gdb_breaks_steps_reads_and_goes_on() {
    let program = tool("measured");
    let image = Image::parse_riscv_elf(&std::fs::read(&program).unwrap()).unwrap();
    let ticks = image.symbols.iter().find(|symbol| symbol.name.contains("TICKS")).unwrap();
    let watch = format!("watch *(int *) {:#x}", ticks.address);
    let commands = [
        "break work",
        "continue",
        "printf \"turns %d\\n\", $a0",
        "x/i $pc",
        "stepi",
        "printf \"privilege of %x\\n\", $mstatus",
        "backtrace",
        "monitor cycles",
        "delete",
        "set language c",
        &watch,
        "continue",
        "printf \"cause %x\\n\", $mcause",
        "delete",
        "set language auto",
        "break deep if $a0 == 3",
        "continue",
        "print $a0",
        "set $a0 = 5",
        "print $a0",
        "delete",
        "continue",
    ];
    let Some(text) = gdb_session(&program, &commands) else { return };
    let parts = [
        "Breakpoint 1, ",
        "turns 20",
        "main",
        "cycles, ",
        "Hardware watchpoint",
        "New value = 1",
        "cause 80000007",
        "$1 = 3",
        "$2 = 5",
        "exited normally",
    ];
    for part in parts {
        assert!(text.contains(part), "no \"{part}\" in:\n{text}");
    }
}

/// The program in C, where Debian's compiler and its library are installed.
fn c_program() -> Option<String> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/riscv_c/ticking.c");
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("ticking.elf");
    let memory = ["flash=0x80000000", "flash_size=0x40000", "ram=0x80040000", "ram_size=0x40000"];
    let built = Command::new("riscv64-unknown-elf-gcc")
        .args(["--specs=picolibc.specs", "--oslib=semihost", "-O2", "-g"])
        .args(["-march=rv32imac", "-misa-spec=2.2", "-mabi=ilp32"])
        .args(memory.map(|symbol| format!("-Wl,--defsym=__{symbol}")))
        .arg("-Wl,--defsym=__stack_size=0x2000")
        .arg(source)
        .arg("-o")
        .arg(&file)
        .output();
    match built {
        Ok(output) if output.status.success() => Some(file.display().to_string()),
        _ => {
            eprintln!("skipped: riscv64-unknown-elf-gcc with picolibc is not installed");
            None
        }
    }
}

#[test]
fn a_program_in_c_is_observed_as_well() {
    let Some(file) = c_program() else { return };
    let run = quintet(&["run", &file]);
    assert_eq!((run.code, run.stdout.as_str()), (3, "fib 610\nticked\n"), "{}", run.stderr);
    let profile = quintet(&["profile", &file, "--json"]).json();
    assert_eq!(row(&profile["functions"], "name", "fib")["calls"], 987);
    let stacks = quintet(&["stack", &file, "--json"]).json();
    let frames = stacks["stacks"][0]["backtrace"].as_array().unwrap();
    assert!(frames.iter().any(|frame| row_has(&frame["places"], "main")), "{frames:?}");
    assert!(frames.iter().all(|frame| frame["found"] != "guess"), "{frames:?}");
    let coverage = quintet(&["coverage", &file, "--json"]).json();
    let lines = row(&coverage["files"], "file", "ticking.c")["lines"].clone();
    assert_eq!(lines["hit"], lines["all"], "{lines}");
    let commands =
        ["break fib if n == 3", "continue", "backtrace 2", "print n", "delete", "continue"];
    let Some(text) = gdb_session(&file, &commands) else { return };
    for part in ["fib (n=n@entry=3)", "$1 = 3", "exited with code 03"] {
        assert!(text.contains(part), "no \"{part}\" in:\n{text}");
    }
}

#[test]
fn other_tools_say_what_works() {
    let file = tool("measured");
    let run = quintet(&["deadlines", &file]);
    run.fails(120, &["RISC-V", "quintet run, test, measure, profile, coverage, size, stack"]);
    quintet(&["bounds", &file, "--check"])
        .fails(120, &["--check is not there yet for a RISC-V core"]);
    quintet(&["map", &file]).fails(120, &["measured has no map"]);
    quintet(&["threads", &file]).fails(120, &["measured has no threads of Quintet"]);
}

#[test]
fn an_editor_breaks_steps_and_goes_back() {
    let mut editor = Editor::launched(json!({ "program": tool("measured") }));
    let set = json!({ "breakpoints": [{ "name": "work" }] });
    let set = editor.ask("setFunctionBreakpoints", set);
    assert_eq!(set["breakpoints"][0]["verified"], true, "{set}");
    editor.ask("configurationDone", json!({}));
    assert_eq!(editor.wait("stopped")["reason"], "breakpoint");
    let stack = editor.stack(0);
    assert!(stack.iter().any(|(name, _)| name.ends_with("work")), "{stack:?}");
    let before = (editor.value("$a0"), editor.value("$sp"), editor.value("$pc"));
    editor.go("next");
    assert_ne!(editor.value("$pc"), before.2);
    editor.go("reverseContinue");
    assert_eq!((editor.value("$a0"), editor.value("$sp"), editor.value("$pc")), before);
    editor.ask("setFunctionBreakpoints", json!({ "breakpoints": [] }));
    editor.ask("continue", json!({ "threadId": 0 }));
    editor.wait("exited");
    editor.ask("disconnect", json!({}));
    assert_eq!(editor.close().0, 0);
}
