//! What a new crate has for editors and for continuous integration: files of JSON that name tasks,
//! commands and the chip, and a workflow whose script is run here beside stand-ins.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

use clap::Parser;
use quintet_lab::commands::Cli;
use quintet_lab::new::chips::{Chip, Families};
use serde_json::Value;

use super::support::Finished;
use super::{files, lists, nowhere};

const SIMULATE: &str = "simulate under GDB";

/// Reads one of the files of JSON.
#[track_caller]
fn json(files: &BTreeMap<&'static str, String>, path: &str) -> Value {
    serde_json::from_str(&files[path]).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The texts of a list.
fn texts(list: &Value) -> Vec<&str> {
    list.as_array().into_iter().flatten().filter_map(Value::as_str).collect()
}

/// The tasks, by their labels.
fn tasks(file: &Value) -> BTreeMap<&str, &Value> {
    let tasks = file["tasks"].as_array().expect("there are tasks");
    tasks.iter().map(|task| (task["label"].as_str().expect("it has a label"), task)).collect()
}

/// The configuration of a kind of debugger.
fn configuration<'a>(file: &'a Value, kind: &str) -> Option<&'a Value> {
    file["configurations"].as_array()?.iter().find(|configuration| configuration["type"] == kind)
}

/// Calls a function with each chip and each list of features, and with the files.
fn for_each(check: impl Fn(&Chip<'_>, &[String], &BTreeMap<&'static str, String>)) {
    let families = Families::read().unwrap();
    for family in families.iter() {
        for with in lists(family) {
            for (chip, again) in family.chips().zip(family.chips()) {
                check(&chip, &with, &files(again, &with));
            }
        }
    }
}

#[test]
fn the_debuggers_get_the_chip_and_the_program_that_cargo_builds() {
    for_each(|chip, with, files| {
        let program = format!("${{workspaceFolder}}/target/{}/debug/blinky-2", chip.family.target);
        let launch = json(files, ".vscode/launch.json");
        let simulator = configuration(&launch, "cortex-debug").expect("there is a simulator");
        assert_eq!(simulator["executable"], program, "{}", chip.name);
        assert_eq!(simulator["servertype"], "external");

        let extensions = json(files, ".vscode/extensions.json");
        let extensions = texts(&extensions["recommendations"]);
        let has_probe = !chip.probe.is_empty();
        assert_eq!(extensions.contains(&"probe-rs.probe-rs-debugger"), has_probe, "{}", chip.name);
        for name in ["rust-lang.rust-analyzer", "marus25.cortex-debug"] {
            assert!(extensions.contains(&name), "{name}");
        }
        let board = configuration(&launch, "probe-rs-debug");
        assert_eq!(board.is_some(), has_probe, "{}", chip.name);
        let Some(board) = board else { return };
        assert_eq!(board["chip"], chip.probe, "{}", chip.name);
        let core = &board["coreConfigs"][0];
        assert_eq!(core["programBinary"], program, "{}", chip.name);
        let format = if with.iter().any(|it| it == "defmt") { "Defmt" } else { "String" };
        assert_eq!(core["rttChannelFormats"][0]["dataFormat"], format);
    });
}

#[test]
fn rust_analyzer_gets_the_target() {
    for_each(|chip, _, files| {
        let settings = json(files, ".vscode/settings.json");
        assert_eq!(settings["rust-analyzer.cargo.target"], chip.family.target, "{}", chip.name);
        assert_eq!(settings["rust-analyzer.check.allTargets"], false);
    });
}

#[test]
fn every_task_that_is_named_is_there() {
    for_each(|chip, _, files| {
        let file = json(files, ".vscode/tasks.json");
        let tasks = tasks(&file);
        let launch = json(files, ".vscode/launch.json");
        let mut named: Vec<_> = tasks.values().flat_map(|task| texts(&task["dependsOn"])).collect();
        for configuration in launch["configurations"].as_array().unwrap() {
            named.extend(configuration["preLaunchTask"].as_str());
            named.extend(configuration["postDebugTask"].as_str());
        }
        // The input ends a task by its label.
        named.extend(file["inputs"][0]["args"].as_str());
        assert!(named.len() >= 5, "{named:?}");
        for name in named {
            assert!(tasks.contains_key(name), "{}: no task \"{name}\"", chip.name);
        }
        let end = tasks["end the simulation"]["command"].as_str().unwrap();
        let id = file["inputs"][0]["id"].as_str().unwrap();
        assert_eq!(end, format!("echo ${{input:{id}}}"));
    });
}

#[test]
fn every_command_of_a_task_is_one() {
    for_each(|chip, _, files| {
        let config: toml::Table = files[".cargo/config.toml"].parse().unwrap();
        let is_alias =
            |name: &str| config.get("alias").is_some_and(|aliases| aliases.get(name).is_some());
        let file = json(files, ".vscode/tasks.json");
        let mut of_quintet = 0;
        for (label, task) in tasks(&file) {
            let arguments = texts(&task["args"]);
            match task["command"].as_str().unwrap() {
                "cargo" => {
                    let name = arguments[0];
                    let is_known = ["build", "run", "test"].contains(&name) || is_alias(name);
                    assert!(is_known, "{}: cargo {name}", chip.name);
                }
                "quintet" => {
                    let parsed = Cli::try_parse_from([&["quintet"], &arguments[..]].concat());
                    assert!(parsed.is_ok(), "{label}: {}", parsed.unwrap_err());
                    let program = format!("target/{}/debug/blinky-2", chip.family.target);
                    assert!(arguments.contains(&program.as_str()), "{label}: {arguments:?}");
                    of_quintet += 1;
                }
                command => assert!(command.starts_with("echo "), "{label}: {command}"),
            }
        }
        assert_eq!(of_quintet, 2);
    });
}

#[test]
fn the_debugger_connects_to_the_port_that_the_task_opens() {
    let families = Families::read().unwrap();
    let files = files(families.find("pico").unwrap(), &[]);
    let launch = json(&files, ".vscode/launch.json");
    let target = configuration(&launch, "cortex-debug").unwrap()["gdbTarget"].as_str().unwrap();
    let port = target.strip_prefix("127.0.0.1:").expect("it is this computer");
    let tasks_file = json(&files, ".vscode/tasks.json");
    let task = tasks(&tasks_file)[SIMULATE];
    assert!(texts(&task["args"]).contains(&format!("--gdb={port}").as_str()), "{task}");
}

/// What rust-analyzer calls when a file is saved finds no error that isn't one.
pub fn assert_checks(cargo: &impl Fn(&[&str]) -> Finished) {
    let families = Families::read().unwrap();
    let settings = json(&files(families.find("lm3s6965").unwrap(), &[]), ".vscode/settings.json");
    let target = settings["rust-analyzer.cargo.target"].as_str().unwrap();
    let extra = texts(&settings["rust-analyzer.check.extraArgs"]);
    let call = ["check", "--workspace", "--message-format=json", "--target", target];
    let checked = cargo(&[&call, &extra[..]].concat());
    assert_eq!(checked.code, 0, "{}", checked.stderr);
    for name in ["src/lib.rs", "src/main.rs", "tests/on_target.rs"] {
        assert!(checked.stdout.contains(name), "{name} is not checked");
    }
}

/// The tasks of a crate that cargo has built here do what the editor relies on.
pub fn assert_tasks_work(chip: &str) {
    let name = format!("tested-{chip}");
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("new").join(chip).join(&name);
    let read = |path: &str| {
        let text = std::fs::read_to_string(directory.join(path)).unwrap();
        serde_json::from_str::<Value>(&text).unwrap()
    };
    let (file, launch) = (read(".vscode/tasks.json"), read(".vscode/launch.json"));
    let tasks = tasks(&file);
    let beside = Path::new(env!("CARGO_BIN_EXE_quintet")).parent().unwrap();
    let built = beside.parent().unwrap().join("firmware").display().to_string();
    // The tests build to a directory of their own, and take any free port.
    let arguments = |label: &str| {
        let arguments = texts(&tasks[label]["args"]).into_iter().map(|argument| match argument {
            "--gdb=3333" => "--gdb=0".to_owned(),
            "target/report.html" => "report.html".to_owned(),
            _ if argument.starts_with("target/") => argument.replacen("target", &built, 1),
            _ => argument.to_owned(),
        });
        arguments.collect::<Vec<_>>()
    };
    let quintet = |label: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_quintet"));
        command.args(arguments(label)).current_dir(&directory);
        command.env_remove("QUINTET_BOARD").env_remove("QUINTET_MAX_CYCLES");
        command
    };
    let report = Finished::new(quintet("report").output().unwrap());
    assert_eq!(report.code, 0, "{}", report.stderr);
    assert!(directory.join("report.html").exists());

    let mut server = quintet(SIMULATE).stderr(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(server.stderr.take().unwrap()).read_line(&mut line).unwrap();
    let ready = tasks[SIMULATE]["problemMatcher"]["background"]["endsPattern"].as_str().unwrap();
    let simulator = configuration(&launch, "cortex-debug").unwrap();
    let entry = simulator["runToEntryPoint"].as_str().unwrap();
    let elf =
        simulator["executable"].as_str().unwrap().replace("${workspaceFolder}/target", &built);
    let said = session(&elf, line.trim_end().rsplit(':').next().unwrap(), entry);
    // What is left of it ends before anything can fail.
    let _ = server.kill();
    let _ = server.wait();
    assert!(line.contains(ready), "{line}");
    let Some(said) = said else { return };
    // It stops where the program enters the function, or in what is inlined there.
    let stopped = said.split("Temporary breakpoint 1, ").nth(1).expect(&said);
    assert!(stopped.contains(&format!("{entry} () at src/main.rs:")), "{said}");
}

/// What GDB says when it gets what cortex-debug sends at the start of a session with an external
/// server; nothing where there is no GDB.
fn session(elf: &str, port: &str, entry: &str) -> Option<String> {
    let works = |name: &&str| Command::new(name).arg("--version").output().is_ok();
    let Some(gdb) = ["gdb-multiarch", "arm-none-eabi-gdb"].into_iter().find(works) else {
        eprintln!("skipped: neither gdb-multiarch nor arm-none-eabi-gdb is installed");
        return None;
    };
    let mut process = Command::new(gdb);
    process.args(["-batch", "-nx", elf]);
    for command in [
        &format!("target extended-remote 127.0.0.1:{port}"),
        "monitor reset halt",
        &format!("tbreak {entry}"),
        "continue",
        "backtrace",
    ] {
        process.args(["-ex", command]);
    }
    let output = process.output().unwrap();
    Some(String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned())
}

/// The lines of the script that gets Quintet, in the workflow.
fn script_of_workflow(workflow: &str) -> String {
    let (_, rest) = workflow.split_once("      - name: Quintet\n        run: |\n").expect("a step");
    let lines = rest.lines().map_while(|line| line.strip_prefix("          "));
    lines.map(|line| format!("{line}\n")).collect()
}

/// Runs the script beside stand-ins of git and cargo, with a manifest that has this dependency.
/// Returns how it ended, what the stand-ins were called with, and the manifest.
#[cfg(unix)]
fn run_workflow(test: &str, dependency: &str, repository: &str) -> (Finished, String, String) {
    use std::os::unix::fs::PermissionsExt;

    let families = Families::read().unwrap();
    let made = files(families.find("pico").unwrap(), &[]);
    let directory = nowhere(&format!("workflow-{test}"), "crate");
    let stands_in = directory.join("bin");
    std::fs::create_dir_all(&stands_in).unwrap();
    for name in ["git", "cargo"] {
        let path = stands_in.join(name);
        std::fs::write(&path, format!("#!/bin/sh\necho {name} \"$@\" >> calls\n")).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    let version = format!("version = \"{}\"", env!("CARGO_PKG_VERSION"));
    let manifest = made["Cargo.toml"].replace(&version, dependency);
    std::fs::write(directory.join("Cargo.toml"), manifest).unwrap();
    let script = script_of_workflow(&made[".github/workflows/ci.yml"]);
    let rest = std::env::var_os("PATH").unwrap_or_default();
    let paths = std::iter::once(stands_in).chain(std::env::split_paths(&rest));
    let output = Command::new("sh")
        .args(["-e", "-c", &script])
        .current_dir(&directory)
        .env("PATH", std::env::join_paths(paths).unwrap())
        .env("RUNNER_TEMP", "/runner")
        .env("QUINTET_REPOSITORY", repository)
        .output()
        .unwrap();
    let read = |name: &str| std::fs::read_to_string(directory.join(name)).unwrap_or_default();
    (Finished::new(output), read("calls"), read("Cargo.toml"))
}

#[cfg(unix)]
#[test]
fn the_workflow_gets_quintet_from_where_it_is_told_to() {
    let registry = format!("version = \"{}\"", env!("CARGO_PKG_VERSION"));
    let (ended, calls, manifest) = run_workflow("registry", &registry, "");
    assert_eq!((ended.code, calls.as_str()), (0, "cargo install --locked quintet-lab\n"));
    assert!(manifest.contains(&registry));

    for (test, dependency) in [("path", "path = \"/elsewhere/quintet\""), ("both", &registry)] {
        let (ended, calls, manifest) = run_workflow(test, dependency, "https://example.org/q.git");
        assert_eq!(ended.code, 0, "{}", ended.stderr);
        let expected = "git clone --depth 1 https://example.org/q.git /runner/quintet\n\
                        cargo install --locked --path /runner/quintet/quintet-lab\n";
        assert_eq!(calls, expected);
        let manifest: toml::Table = manifest.parse().unwrap();
        let quintet = &manifest["dependencies"]["quintet"];
        assert_eq!(quintet["path"].as_str(), Some("/runner/quintet/quintet"), "{test}");
        assert!(quintet.get("version").is_none(), "{test}");
        assert_eq!(quintet["features"][0].as_str(), Some("time"));
    }
}

#[cfg(unix)]
#[test]
fn the_workflow_says_what_it_lacks() {
    let (ended, calls, _) = run_workflow("lacks", "path = \"/elsewhere/quintet\"", "");
    assert_eq!((ended.code, calls.as_str()), (1, ""));
    let said = "Cargo.toml takes Quintet from a directory that this computer doesn't have: set \
                QUINTET_REPOSITORY in .github/workflows/ci.yml\n";
    assert_eq!(ended.stdout, said);
}

#[test]
fn the_workflow_calls_what_there_is() {
    for_each(|chip, _, files| {
        let workflow = &files[".github/workflows/ci.yml"];
        assert!(!workflow.contains('\t'), "{}", chip.name);
        for step in ["run: rustup toolchain install\n", "run: cargo test\n", "run: cargo run\n"] {
            assert!(workflow.contains(step), "{step}");
        }
        assert!(script_of_workflow(workflow).contains("cargo install --locked quintet-lab\n"));
    });
}
