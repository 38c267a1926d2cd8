//! What the compiler says of applications that the macro accepts, in `quintet-macros/ui/compiler`:
//! it refuses those in `src/bin` with the messages beside them, and builds those in `examples`
//! without a warning. And that it adds nothing to the messages for those that the macro refuses.
//!
//! Here and not beside the macro: cargo builds apart what a crate of macros needs for its tests,
//! which would be the whole lab once more.
//!
//! The applications are firmware, so this runs cargo for the microcontroller: about half a minute
//! the first time, a few seconds afterwards. `QUINTET_BLESS=1` writes the messages anew.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use quintet_lab::toolchain::{self, Setup};
use serde_json::Value;

/// The target that the applications are written for.
const TARGET: &str = "thumbv7m-none-eabi";

/// A target on which less can be had.
const LESS: &str = "thumbv6m-none-eabi";

/// A target without processes and without SysTick.
const RISCV: &str = "riscv32imac-unknown-none-elf";

/// The workspace of the applications.
fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).with_file_name("quintet-macros").join("ui/compiler")
}

/// The names of the applications in a directory of the workspace.
fn applications(directory: &str) -> Vec<String> {
    let mut names = fs::read_dir(workspace().join(directory))
        .expect("the directory is there")
        .map(|entry| entry.expect("the directory can be read").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "rs"))
        .filter_map(|path| Some(path.file_stem()?.to_str()?.to_owned()))
        .collect::<Vec<_>>();
    names.sort();
    names
}

/// What cargo says when it is run with `arguments` in the workspace of the applications.
fn cargo(arguments: &[&str], target: &str) -> Output {
    let workspace = workspace();
    let setup = Setup { workspace: &workspace, target, profile: "release", flags: &[] };
    toolchain::cargo(&setup)
        .unwrap_or_else(|error| panic!("{error:#}"))
        .args(arguments)
        .args(["--release", "--locked", "--keep-going", "--quiet", "--message-format=json"])
        .args(["--target", target, "--target-dir"])
        .arg(Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("firmware"))
        .output()
        .expect("cargo can be started")
}

/// What the compiler says of the applications that cargo builds with `arguments`, by application.
/// `levels` are the kinds of messages that count.
fn messages(arguments: &[&str], levels: &[&str]) -> BTreeMap<String, String> {
    messages_on(TARGET, arguments, levels)
}

/// The same on a target.
fn messages_on(target: &str, arguments: &[&str], levels: &[&str]) -> BTreeMap<String, String> {
    let output = cargo(arguments, target);
    let own = workspace();
    let own = own.to_str().expect("the path is UTF-8");
    let lines = String::from_utf8(output.stdout).expect("cargo writes UTF-8");
    let mut messages = BTreeMap::<String, String>::new();
    for line in lines.lines() {
        let line: Value = serde_json::from_str(line).expect("cargo writes JSON");
        let message = &line["message"];
        let level = message["level"].as_str().unwrap_or_default();
        // What has no place only counts the messages. Of crates besides the applications', errors
        // count: without them nothing is built.
        let has_place = message["spans"].as_array().is_some_and(|spans| !spans.is_empty());
        let name = line["target"]["name"].as_str().unwrap_or_default();
        let is_users =
            line["target"]["src_path"].as_str().is_some_and(|path| path.starts_with(own));
        let counts = levels.contains(&level) && (is_users || level == "error");
        if line["reason"] == "compiler-message" && counts && has_place {
            show(message, messages.entry(name.to_owned()).or_default());
        }
    }
    if messages.is_empty() && !output.status.success() {
        panic!("cargo failed: {}", String::from_utf8_lossy(&output.stderr));
    }
    messages
}

/// Shows a message: its text and its place, without what the compiler adds as notes and help.
///
/// A message that is there already is left out: an expansion that uses a word twice is refused
/// twice if the compiler works incrementally, and once otherwise.
fn show(message: &Value, shown: &mut String) {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let code = message["code"]["code"].as_str().map_or(String::new(), |code| format!("[{code}]"));
    let mut one = format!("{}{code}: {}\n", text(&message["level"]), text(&message["message"]));
    for span in message["spans"].as_array().into_iter().flatten() {
        if span["is_primary"] == true {
            show_place(span, &mut one);
        }
    }
    if shown.contains(&one) {
        return;
    }
    if !shown.is_empty() {
        shown.push('\n');
    }
    shown.push_str(&one);
}

/// Shows a place in the user's file: the line with carets and the compiler's label below.
fn show_place(span: &Value, shown: &mut String) {
    // Inside an expansion the place is where the user called the macro.
    let mut outer = span;
    while !outer["file_name"].as_str().is_some_and(is_users) && outer["expansion"].is_object() {
        outer = &outer["expansion"]["span"];
    }
    let number =
        |key: &str| usize::try_from(outer[key].as_u64().unwrap_or_default()).unwrap_or_default();
    let line = outer["text"][0]["text"].as_str().unwrap_or_default();
    let (first, last) = (number("column_start"), number("column_end"));
    let last = if number("line_start") == number("line_end") { last } else { line.len() + 1 };
    let file = outer["file_name"].as_str().unwrap_or_default();
    let (row, label) = (number("line_start"), span["label"].as_str().unwrap_or_default());
    if file.contains("/quintet/src/") {
        // Where it is in the crate changes, and users don't care: the label names the function.
        writeln!(shown, " --> {label}").expect("strings take everything");
        return;
    }
    let margin = " ".repeat(row.to_string().len());
    let marks = format!("{}{} {label}", " ".repeat(first - 1), "^".repeat(last - first));
    writeln!(
        shown,
        "{margin}--> {file}:{row}:{first}\n{margin} |\n{row} | {line}\n{margin} | {}",
        marks.trim_end()
    )
    .expect("strings take everything");
}

/// Whether a file is an application of this workspace.
fn is_users(file: &str) -> bool {
    ["src/", "examples/", "renamed/", "refused/"]
        .iter()
        .any(|directory| file.starts_with(directory))
}

#[test]
fn refuses_with_the_message_beside_the_application() {
    let bless = std::env::var_os("QUINTET_BLESS").is_some();
    let messages = messages(&["build", "--bins"], &["error"]);
    let mut wrong = Vec::new();
    for name in applications("src/bin") {
        let path = workspace().join("src/bin").join(&name).with_extension("stderr");
        let Some(shown) = messages.get(&name) else {
            wrong.push(format!("{name} is accepted"));
            continue;
        };
        if bless {
            fs::write(&path, shown).expect("the file can be written");
        }
        let expected = fs::read_to_string(&path).unwrap_or_default();
        if *shown != expected {
            wrong.push(format!("{name}: expected\n{expected}\nbut it says\n{shown}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

/// The macro refuses the applications in `ui`: the compiler must add nothing to its messages, be it
/// that there is no panic handler, which an import of the application's would bring in.
#[test]
fn adds_nothing_to_what_the_macro_says() {
    let package =
        ["check", "--package", "quintet-ui-refused", "--bin", "all", "--bin", "elsewhere"];
    let messages = messages(&package, &["error", "warning"]);
    let mut shown = texts(&messages["all"]);
    for message in texts_of_the_macros_refusals() {
        let place = shown.iter().position(|one| *one == message);
        shown.swap_remove(place.unwrap_or_else(|| panic!("the compiler doesn't show: {message}")));
    }
    assert!(shown.is_empty(), "the compiler adds: {}", shown.join("\n"));
    let elsewhere = texts(&messages["elsewhere"]);
    let all_of_the_macros =
        ["starts the task `receive`", "no dispatcher is left for the task `log`"];
    assert_eq!(elsewhere.len(), all_of_the_macros.len(), "{}", elsewhere.join("\n"));
    for (message, part) in elsewhere.iter().zip(all_of_the_macros) {
        assert!(message.contains(part), "{message}");
    }
}

/// Expects the messages beside applications of the package `refused`, checked for a target.
fn expect_beside(target: &str, applications: &[&str]) {
    expect_beside_with(&[], target, applications);
}

/// The same with more arguments.
fn expect_beside_with(more: &[&str], target: &str, applications: &[&str]) {
    let bins = applications.iter().flat_map(|name| ["--bin", name]);
    let arguments = ["check", "--package", "quintet-ui-refused"].iter().chain(more).copied();
    let arguments = arguments.chain(bins);
    let messages = messages_on(target, &arguments.collect::<Vec<_>>(), &["error", "warning"]);
    for name in applications {
        let path = workspace().join("refused/src").join(name).with_extension("stderr");
        if std::env::var_os("QUINTET_BLESS").is_some() {
            fs::write(&path, &messages[*name]).expect("the file can be written");
        }
        let expected = fs::read_to_string(&path).expect("the file can be read");
        assert_eq!(messages[*name], expected, "{name}");
    }
}

#[test]
fn says_which_feature_is_missing() {
    expect_beside(TARGET, &["without_time", "without_statistics"]);
}

#[test]
fn says_which_objects_do_not_live_long_enough() {
    expect_beside(TARGET, &["objects_that_end"]);
}

#[test]
fn adds_nothing_to_what_is_said_of_machines() {
    expect_beside(TARGET, &["machines"]);
}

#[test]
fn warns_of_what_nobody_hears() {
    expect_beside(TARGET, &["topic_of_nobody", "no_topic"]);
}

#[test]
fn says_what_the_core_lacks() {
    expect_beside(LESS, &["library_processes_on_v6m", "exceptions_on_v6m"]);
}

#[test]
fn says_what_is_not_there_on_risc_v() {
    expect_beside(
        RISCV,
        &["exceptions_on_riscv", "priorities_on_riscv", "library_processes_on_v6m"],
    );
    expect_beside_with(&["--features", "time"], RISCV, &["clocks_on_riscv"]);
    let package = ["check", "--package", "quintet-ui-refused", "--bin", "exceptions_on_riscv"];
    for (feature, what) in [
        ("recorder", "recorder"),
        ("statistics", "counts of threads"),
        ("guard-every-stack", "guard that moves to the stack in use"),
        ("guard-main-stack", "guard of main's stack"),
    ] {
        let name = format!("quintet/{feature}");
        let output = cargo(&[&package[..], &["--features", &name]].concat(), RISCV);
        let shown = String::from_utf8_lossy(&output.stderr);
        let message = format!(
            "the feature {feature} is on, but on RISC-V Quintet has no {what} yet: remove the \
             feature"
        );
        assert!(!output.status.success() && shown.contains(&message), "{feature}: {shown}");
    }
}

#[test]
fn says_what_the_recorder_needs() {
    let check = ["--package", "quintet-ui-refused", "--features", "quintet/recorder", "--bin"];
    let of = |bin| [&["check"][..], &check, &[bin]].concat();
    let shown = String::from_utf8_lossy(&cargo(&of("exceptions_on_v6m"), LESS).stderr).into_owned();
    let message = "the feature recorder is on, but processors for thumbv6m-none-eabi have no cycle \
                   counter: remove the feature";
    assert!(shown.contains(message), "{shown}");
    for (events, message) in [
        ("100", "QUINTET_RECORDER_EVENTS is a power of two from 16 to 65536"),
        ("many", "QUINTET_RECORDER_EVENTS is a number, as 512"),
    ] {
        let workspace = workspace();
        let setup = Setup { workspace: &workspace, target: TARGET, profile: "release", flags: &[] };
        let output = toolchain::cargo(&setup)
            .unwrap_or_else(|error| panic!("{error:#}"))
            .args(of("exceptions_on_v6m"))
            .args(["--release", "--locked", "--target", TARGET])
            .env("QUINTET_RECORDER_EVENTS", events)
            .arg("--target-dir")
            .arg(Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("firmware"))
            .output()
            .expect("cargo can be started");
        let shown = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && shown.contains(message), "{events}: {shown}");
    }
}

#[test]
fn says_which_processors_there_are() {
    for (target, feature, message) in [
        (
            "riscv64imac-unknown-none-elf",
            "extra",
            "Quintet runs on Cortex-M and on RISC-V with 32 bits, but the target is \
             riscv64imac-unknown-none-elf: build for one such as thumbv7m-none-eabi or \
             riscv32imac-unknown-none-elf",
        ),
        (
            "riscv32imafc-unknown-none-elf",
            "extra",
            "the target has floating-point registers, which no trap saves on RISC-V: build for one \
             without them, such as riscv32imac-unknown-none-elf",
        ),
        (
            "riscv32i-unknown-none-elf",
            "quintet/processes",
            "the feature processes is on, but the target has no multiplication, by which a system \
             call finds its driver: build for one with it, such as riscv32imc-unknown-none-elf",
        ),
    ] {
        // The target needn't be installed for build scripts to run.
        let workspace = workspace();
        let setup = Setup { workspace: &workspace, target: TARGET, profile: "release", flags: &[] };
        let output = toolchain::cargo(&setup)
            .unwrap_or_else(|error| panic!("{error:#}"))
            .args(["check", "--release", "--locked", "--keep-going", "--target", target])
            .args(["--package", "quintet-ui-refused", "--bin", "exceptions_on_riscv"])
            .args(["--features", feature])
            .arg("--target-dir")
            .arg(Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("firmware"))
            .output()
            .expect("cargo can be started");
        let shown = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && shown.contains(message), "{target}: {shown}");
    }
}

#[test]
fn names_the_missing_clock_where_only_the_linker_sees_it() {
    let package = ["--package", "quintet-ui-refused", "--features", "time"];
    let output = cargo(&[&["build", "--bin", "without_clock"], &package[..]].concat(), TARGET);
    let shown = String::from_utf8_lossy(&output.stdout);
    let symbol = "undefined symbol: __quintet_needs_a_time_source_such_as_systick_timer";
    assert!(!output.status.success() && shown.contains(symbol), "{shown}");
}

#[test]
fn names_the_missing_kernel_where_only_the_linker_sees_it() {
    let package = ["build", "--package", "quintet-ui-refused", "--bin", "without_kernel"];
    let output = cargo(&package, TARGET);
    let shown = String::from_utf8_lossy(&output.stdout);
    let symbol = "undefined symbol: __quintet_needs_an_application_or_the_macro_kernel";
    assert!(!output.status.success() && shown.contains(symbol), "{shown}");
}

#[test]
fn says_how_threads_without_an_application_are_written() {
    expect_beside(TARGET, &["library_misspelled", "library_too_small"]);
    let with_time = ["--features", "time"];
    expect_beside_with(&with_time, TARGET, &["library_objects", "library_unsafe"]);
    let package = ["check", "--package", "quintet-ui-refused", "--bin", "library_accepted"];
    let messages = messages(&package, &["error", "warning"]);
    assert!(messages.is_empty(), "{}", messages["library_accepted"]);
}

#[test]
fn says_which_ticks_systick_can_not_have() {
    let package = ["--package", "quintet-ui-refused", "--features", "time"];
    for (name, message) in [
        ("tick_too_short", "embassy-time's ticks are too short to interrupt in each, below 256"),
        ("tick_of_no_whole_cycles", "the processor's clock is no multiple of embassy-time's tick"),
    ] {
        let output = cargo(&[&["build", "--bin", name], &package[..]].concat(), TARGET);
        let shown = String::from_utf8_lossy(&output.stdout);
        assert!(!output.status.success() && shown.contains(message), "{name}: {shown}");
    }
}

/// The first lines of the messages in `shown`.
fn texts(shown: &str) -> Vec<String> {
    let is_first = |line: &&str| line.starts_with("error") || line.starts_with("warning");
    shown.lines().filter(is_first).map(str::to_owned).collect()
}

/// The macro's messages for the applications in `ui`, as its own tests expect them.
fn texts_of_the_macros_refusals() -> Vec<String> {
    let files = fs::read_dir(workspace().join("..")).expect("the directory is there");
    files
        .map(|entry| entry.expect("the directory can be read").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "stderr"))
        // A module in another file can't be shown with the others.
        .filter(|path| !path.ends_with("r01_module_in_another_file.stderr"))
        .flat_map(|path| texts(&fs::read_to_string(path).expect("the file can be read")))
        .collect()
}

#[test]
fn accepts_every_form_without_a_warning() {
    assert!(!applications("examples").is_empty(), "there are no applications");
    for features in [&[][..], &["--features", "extra"]] {
        let arguments = [&["check", "--workspace", "--examples"], features].concat();
        let messages = messages(&arguments, &["error", "warning"]);
        assert!(messages.is_empty(), "{}", messages.into_values().collect::<Vec<_>>().join("\n"));
    }
}
