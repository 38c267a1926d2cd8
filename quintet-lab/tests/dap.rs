//! `quintet dap`: an editor debugs firmware by the Debug Adapter Protocol.

mod support;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};
use support::editor::Editor;
use support::{example, program, quintet, riscv, temporary};

fn examples() -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples");
    folder.canonicalize().expect("there are examples")
}

fn programs() -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/firmware/programs/src/bin");
    folder.canonicalize().expect("there are programs")
}

/// The number of the line of a file that contains a text.
fn line_of(file: &Path, text: &str) -> u64 {
    let source = std::fs::read_to_string(file).expect("the source can be read");
    let line = source.lines().position(|line| line.contains(text));
    line.unwrap_or_else(|| panic!("no {text}")) as u64 + 1
}

fn break_at(editor: &mut Editor, file: &Path, wanted: &[Value]) -> Vec<Value> {
    let set = editor.ask(
        "setBreakpoints",
        json!({ "source": { "path": file.display().to_string() }, "breakpoints": wanted }),
    );
    set["breakpoints"].as_array().expect("there are breakpoints").clone()
}

fn names(editor: &mut Editor) -> Vec<String> {
    let all = editor.ask("threads", json!({}));
    let name = |thread: &Value| thread["name"].as_str().expect("it has a name").to_owned();
    all["threads"].as_array().expect("there are threads").iter().map(name).collect()
}

/// Asks an adapter at a port to begin a session, and to end it. Returns what it can do.
fn session_at(address: &str) -> Value {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    for (seq, command) in [(1, "initialize"), (2, "disconnect")] {
        let arguments = json!({ "adapterID": "quintet" });
        let message =
            json!({ "seq": seq, "type": "request", "command": command, "arguments": arguments });
        let body = message.to_string();
        write!(stream, "Content-Length: {}\r\n\r\n{body}", body.len()).unwrap();
    }
    let mut said = String::new();
    stream.read_to_string(&mut said).unwrap();
    let first = said.split("\r\n\r\n").nth(1).unwrap();
    let first = &first[..first.find("Content-Length").unwrap_or(first.len())];
    serde_json::from_str(first).unwrap_or_else(|error| panic!("{error} in {said}"))
}

#[test]
fn editors_come_to_a_port_one_after_the_other() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_quintet"));
    let mut adapter = command.args(["dap", "--port", "0"]).stderr(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(adapter.stderr.take().unwrap()).read_line(&mut line).unwrap();
    let address = line.trim_end().rsplit(' ').next().unwrap().to_owned();
    let seen = [session_at(&address), session_at(&address)];
    let port = address.rsplit(':').next().unwrap();
    let other = quintet(&["dap", "--port", port]);
    let _ = adapter.kill();
    let _ = adapter.wait();
    for answer in seen {
        assert_eq!(answer["body"]["supportsStepBack"], true, "{answer}");
    }
    other.fails(120, &["is in use, perhaps by another adapter; --port N takes another"]);
}

#[test]
fn a_session_goes_through_all_five_models() {
    let (mut editor, source) = in_five_models();
    in_the_process(&mut editor, &source);
    in_the_interrupt(&mut editor);
    in_the_actor(&mut editor, &source);
    in_the_future(&mut editor, &source);
    at_the_end(&mut editor, &source);
    assert_eq!(editor.close().0, 0);
}

fn poet() -> PathBuf {
    examples().join("processes/apps/five_models/src/bin/poet.rs")
}

/// An editor with breakpoints in a unit of each model, and the source of the kernel.
fn in_five_models() -> (Editor, PathBuf) {
    let kernel = example(&examples().join("processes"), "five_models");
    let source = examples().join("processes/src/bin/five_models.rs");
    let application = examples().join("processes/apps/five_models");
    let mut editor = Editor::launched(json!({
        "program": kernel,
        "process": [application.display().to_string()],
    }));
    let poet = poet();
    let set = break_at(&mut editor, &poet, &[json!({ "line": line_of(&poet, "sleep(") })]);
    assert_eq!(set[0]["verified"], true, "{set:?}");
    let actor = line_of(&source, "*cx.local.length += 1");
    let future = line_of(&source, "async task: {all} bytes by now");
    let thread = line_of(&source, "thread: {all} bytes in all");
    let empty = line_of(&source, "// SAFETY");
    let wanted = [
        json!({ "line": actor, "condition": "byte == 10" }),
        json!({ "line": future, "hitCondition": "== 1" }),
        json!({ "line": thread }),
        json!({ "line": empty }),
    ];
    let set = break_at(&mut editor, &source, &wanted);
    assert!(set[..3].iter().all(|point| point["verified"] == true), "{set:?}");
    let why = set[3]["message"].as_str().unwrap();
    assert!(why.starts_with(&format!("no code is on line {empty}; the next line")), "{why}");
    let interrupt =
        editor.ask("setFunctionBreakpoints", json!({ "breakpoints": [{ "name": "GPIOA" }] }));
    assert_eq!(interrupt["breakpoints"][0]["verified"], true, "{interrupt}");
    // The kernel ends the process by a fault, at the end.
    editor.ask("setExceptionBreakpoints", json!({ "filters": ["panics"] }));
    (editor, source)
}

/// The process runs first, and the thread waits.
fn in_the_process(editor: &mut Editor, source: &Path) {
    let poet = poet();
    editor.ask("configurationDone", json!({}));
    editor.wait("stopped");
    assert_eq!(editor.stack(0)[0].1, line_of(&poet, "sleep("));
    let threads = editor.ask("threads", json!({}));
    let named = |part: &str| {
        let all = threads["threads"].as_array().unwrap();
        let one = all.iter().find(|one| one["name"].as_str().unwrap().contains(part));
        one.unwrap_or_else(|| panic!("no {part} in {all:?}"))["id"].as_u64().unwrap()
    };
    let waits = named("ends, priority 1, waiting");
    named("process 0, priority 1, running");
    named("interrupt task moves, priority 4");
    let awaits = line_of(source, "LINES.receive().await");
    named(&format!("async task adds, priority 2, awaits in line {awaits}"));
    named("actor measures, priority 3");
    // The thread's stack shows where it waits.
    let stack = editor.stack(waits);
    let own = stack
        .iter()
        .find(|(name, _)| name.ends_with("ends"))
        .unwrap_or_else(|| panic!("{stack:?}"));
    assert_eq!(own.1, line_of(source, "ALL.wait().block"), "{stack:?}");
    editor.ask("setBreakpoints", json!({ "source": { "path": poet.display().to_string() } }));
}

/// The interrupt that the process's writing leads to.
fn in_the_interrupt(editor: &mut Editor) {
    assert_eq!(editor.go("continue")["reason"], "breakpoint");
    let specials = editor.scope("Special registers");
    let specials = editor.variables(specials);
    let status = specials.iter().find(|one| one["name"] == "xpsr").unwrap();
    let fields = editor.variables(status["variablesReference"].as_u64().unwrap());
    let exception = fields.iter().find(|field| field["name"] == "exception").unwrap();
    assert_eq!(exception["value"], "16", "GPIOA is the first interrupt: {fields:?}");
    editor.ask("setFunctionBreakpoints", json!({ "breakpoints": [] }));
}

/// The actor, where its condition holds first.
fn in_the_actor(editor: &mut Editor, source: &Path) {
    let actor = line_of(source, "*cx.local.length += 1");
    assert_eq!(editor.go("continue")["reason"], "breakpoint");
    let (function, line) = editor.stack(0).remove(0);
    assert_eq!((&*function, line), ("five_models::app::measures", actor));
    assert_eq!(editor.local("byte"), "10");
    assert_eq!(editor.value("byte + 1"), "11 (0xb)");
    assert!(
        names(editor).contains(&"actor measures, priority 3, on the processor's stack".to_owned())
    );
    assert!(editor.output("stdout").ends_with("thread: waits\n"), "{:?}", editor.printed);
}

/// The async task. Steps go forth and back, and print nothing twice.
fn in_the_future(editor: &mut Editor, source: &Path) {
    let future = line_of(source, "async task: {all} bytes by now");
    assert_eq!(editor.go("continue")["reason"], "breakpoint");
    let (function, line) = editor.stack(0).remove(0);
    assert!(function.contains("app::adds"), "{function}");
    assert_eq!(line, future);
    editor.go("next");
    let next = editor.stack(0)[0].1;
    assert_ne!(next, future);
    let printed = editor.output("stdout");
    assert!(printed.ends_with("actor: a line of 16 bytes\nasync task: 16 bytes by now\n"));
    let registers = editor.value("$sp");
    editor.go("stepBack");
    assert_eq!(editor.stack(0)[0].1, future);
    editor.go("next");
    assert_eq!((editor.stack(0)[0].1, editor.value("$sp")), (next, registers));
    assert_eq!(editor.output("stdout"), printed);
    let back = editor.go("reverseContinue");
    assert_eq!((&back["reason"], editor.stack(0)[0].1), (&json!("breakpoint"), future));
}

/// The thread, at the end.
fn at_the_end(editor: &mut Editor, source: &Path) {
    let thread = line_of(source, "thread: {all} bytes in all");
    let clear = [json!({ "line": thread })];
    break_at(editor, source, &clear);
    assert_eq!(editor.go("continue")["reason"], "breakpoint");
    assert_eq!(editor.stack(0)[0].1, thread);
    editor.ask("continue", json!({ "threadId": 0 }));
    assert_eq!(editor.wait("exited")["exitCode"], 0);
    editor.wait("terminated");
    let expected = std::fs::read_to_string(examples().join("processes/five_models.out")).unwrap();
    assert_eq!(editor.output("stdout"), expected, "stops have changed nothing");
    editor.ask("disconnect", json!({}));
}

#[test]
fn what_cannot_be_debugged_is_refused_in_words() {
    let refused = |arguments: Value| {
        let mut editor = Editor::initialized();
        let why = editor.refused("launch", arguments);
        assert!(editor.refused("threads", json!({})).contains("its launch was refused"));
        editor.ask("disconnect", json!({}));
        assert_eq!(editor.close().0, 0);
        why
    };
    let elf = program("hello");
    let text = temporary("dap.txt", b"no firmware");
    for (arguments, parts) in [
        (json!({ "program": "/nowhere/app" }), &["there is no file /nowhere/app", "build"][..]),
        (json!({ "program": elf, "board": "nothing" }), &["nothing"]),
        (json!({ "program": text }), &["dap.txt"]),
        (json!({}), &["names no \"program\""]),
        (json!({ "program": elf, "inputs": "/nowhere.toml" }), &["/nowhere.toml"]),
        (json!({ "program": elf, "maxCycles": "x" }), &["invalid value 'x'"]),
    ] {
        let why = refused(arguments);
        parts.iter().for_each(|part| assert!(why.contains(part), "no {part} in {why}"));
    }
}

#[test]
fn requests_out_of_turn_are_refused() {
    let mut editor = Editor::start();
    assert!(editor.refused("threads", json!({})).contains("came before \"initialize\""));
    editor.ask("initialize", json!({}));
    assert!(editor.refused("initialize", json!({})).contains("initialized already"));
    assert!(editor.refused("stackTrace", json!({})).contains("\"launch\" comes first"));
    assert!(editor.refused("attach", json!({})).contains("nothing to attach to"));
    editor.ask("launch", json!({ "program": program("hello") }));
    assert!(editor.refused("launch", json!({})).contains("debugged already"));
    assert!(editor.refused("stackTrace", json!({})).contains("needs a program that stands"));
    assert!(editor.refused("fly", json!({})).contains("\"fly\" is no request"));
    let set = json!({ "source": {}, "breakpoints": "x" });
    assert!(editor.refused("setBreakpoints", set).contains("make no sense"));
    // The editor goes away without a word.
    assert_eq!(editor.close().0, 0);
}

#[test]
fn nonsense_is_answered_and_ends_nothing_but_its_connection() {
    let mut editor = Editor::initialized();
    editor.send_raw(b"Content-Length: 9\r\n\r\n{\"seq\": 1");
    editor.send_raw(b"Content-Length: 2\r\n\r\n{}");
    editor.send_raw(b"Content-Length: 4\r\n\r\nnull");
    assert!(editor.refused("threads", json!({})).contains("\"launch\" comes first"));
    let said = editor.output("console");
    assert!(said.contains("a message is no JSON") && said.contains("is no request"), "{said}");
    editor.send_raw(b"GET / HTTP/1.1\r\n\r\n");
    let (code, errors) = editor.close();
    assert!(code != 0 && errors.contains("doesn't speak the debug adapter protocol"), "{errors}");
}

#[test]
fn a_program_that_runs_is_paused_and_left() {
    let elf = program("endless");
    let mut editor = Editor::launched(json!({ "program": elf, "stopOnEntry": true }));
    editor.ask("configurationDone", json!({}));
    assert_eq!(editor.wait("stopped")["reason"], "entry");
    editor.ask("continue", json!({ "threadId": 1 }));
    assert!(editor.refused("stackTrace", json!({})).contains("pause it first"));
    assert_eq!(names(&mut editor), ["the processor"], "threads are told while it runs");
    assert_eq!(editor.go("pause")["reason"], "pause");
    assert!(!editor.stack(0).is_empty());
    editor.go("stepBack");
    // All goes on from the beginning.
    editor.ask("restart", json!({}));
    assert_eq!(editor.wait("stopped")["reason"], "entry");
    editor.ask("continue", json!({ "threadId": 1 }));
    editor.ask("disconnect", json!({}));
    assert_eq!(editor.close().0, 0);
}

#[test]
fn threads_of_riscv_are_listed_with_their_stacks() {
    let mut editor = Editor::launched(json!({ "program": riscv::threads() }));
    editor.ask("setFunctionBreakpoints", json!({ "breakpoints": [{ "name": "end" }] }));
    editor.ask("configurationDone", json!({}));
    editor.wait("stopped");
    let all = editor.ask("threads", json!({}))["threads"].as_array().unwrap().clone();
    let id = |name: &str| {
        let of = |thread: &&Value| thread["name"].as_str().unwrap().starts_with(name);
        all.iter().find(of).unwrap_or_else(|| panic!("no {name} in {all:?}"))["id"].clone()
    };
    let titles = names(&mut editor);
    for title in ["driver, priority 2, running", "high, priority 3, "] {
        assert!(titles.iter().any(|name| name.starts_with(title)), "{title} in {titles:?}");
    }
    // One that has never run has its registers for the beginning, and one that waits its calls.
    for name in ["high", "flagged", "parked"] {
        let stack = editor.ask("stackTrace", json!({ "threadId": id(name) }));
        let frames = stack["stackFrames"].as_array().unwrap();
        let own = frames.iter().any(|frame| frame["name"].as_str().unwrap().contains(name));
        assert!(own, "{name}: {stack}");
    }
    editor.ask("disconnect", json!({}));
}

#[test]
fn a_fault_halts_where_its_handler_begins_and_is_explained() {
    let mut editor = Editor::launched(json!({ "program": program("wild_pointer") }));
    editor.ask("configurationDone", json!({}));
    let stopped = editor.wait("stopped");
    assert_eq!(stopped["reason"], "exception", "{stopped}");
    let text = stopped["text"].as_str().unwrap();
    assert!(text.contains("a fault at") && text.contains("wild_pointer::guilty"), "{text}");
    assert_eq!(editor.output("important").trim_end(), text.trim_end());
    editor.ask("disconnect", json!({}));
}

#[test]
fn firmware_without_debug_information_has_no_lines_but_runs() {
    let hex = temporary("dap.bin", &std::fs::read(program("hello")).unwrap());
    let stripped = temporary("dap.stripped", b"");
    let strip = std::process::Command::new("arm-none-eabi-strip")
        .args([hex.as_str(), "-o", &stripped])
        .status();
    if !strip.is_ok_and(|status| status.success()) {
        eprintln!("skipped: arm-none-eabi-strip is not installed");
        return;
    }
    let mut editor = Editor::launched(json!({ "program": stripped }));
    let source = programs().join("hello.rs");
    let set = break_at(&mut editor, &source, &[json!({ "line": 7 })]);
    let why = set[0]["message"].as_str().unwrap();
    assert!(set[0]["verified"] == false && why.contains("has no debug information"), "{why}");
    editor.ask("configurationDone", json!({}));
    assert_eq!(editor.wait("exited")["exitCode"], 0);
    editor.ask("disconnect", json!({}));
}

#[test]
fn memory_registers_and_code_are_read_and_written() {
    let arguments = json!({ "program": program("hello"), "stopOnEntry": true });
    let mut editor = Editor::launched(arguments);
    editor.ask("configurationDone", json!({}));
    editor.wait("stopped");
    let place = json!({ "memoryReference": "0x20000100", "data": "AQIDBA==" });
    assert_eq!(editor.ask("writeMemory", place)["bytesWritten"], 4);
    let read = json!({ "memoryReference": "0x200000fe", "offset": 2, "count": 4 });
    assert_eq!(editor.ask("readMemory", read)["data"], "AQIDBA==");
    assert_eq!(editor.value("*0x20000100"), format!("{} (0x4030201)", 0x0403_0201));
    let nowhere = editor.ask("readMemory", json!({ "memoryReference": "0x90000000", "count": 8 }));
    assert_eq!((&nowhere["data"], &nowhere["unreadableBytes"]), (&json!(""), &json!(8)));
    let registers = editor.scope("Registers");
    let set = json!({ "variablesReference": registers, "name": "r4", "value": "0x1234" });
    editor.ask("setVariable", set);
    let special = json!({ "expression": "$basepri", "value": "0x20" });
    editor.ask("setExpression", special);
    assert_eq!(editor.value("$basepri"), "32 (0x20)");
    let code =
        json!({ "memoryReference": "0x100", "instructionOffset": -2, "instructionCount": 5 });
    assert_eq!(editor.ask("disassemble", code)["instructions"].as_array().unwrap().len(), 5);
    let bad = json!({ "memoryReference": "x", "count": 4 });
    assert!(editor.refused("readMemory", bad).contains("\"x\" is no address"));
    let watch = json!({ "breakpoints": [{ "dataId": "0x20000100+4", "accessType": "write" }] });
    assert_eq!(editor.ask("setDataBreakpoints", watch)["breakpoints"][0]["verified"], true);
    editor.ask("terminate", json!({}));
    editor.wait("terminated");
    editor.ask("disconnect", json!({}));
}
