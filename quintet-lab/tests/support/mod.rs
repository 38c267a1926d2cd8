//! What the tests of the command share: the firmware, built once, and a way to call `quintet`.

#![allow(dead_code, reason = "each test binary uses a part of it")]

pub mod editor;
pub mod page;
pub mod riscv;
pub mod server;

use std::collections::BTreeSet;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::{Mutex, OnceLock};

use quintet_lab::toolchain::{self, Setup};

/// What a call of `quintet` left behind.
pub struct Finished {
    /// The exit code.
    pub code: i32,
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
}

impl Finished {
    /// Of a call that has ended.
    pub fn new(output: Output) -> Self {
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        Self {
            code: output.status.code().expect("no signal ends the command"),
            stdout: text(output.stdout),
            stderr: text(output.stderr),
        }
    }

    /// Standard output as JSON.
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.stdout)
            .unwrap_or_else(|error| panic!("{error} in\n{}\n{}", self.stdout, self.stderr))
    }

    /// Requires the exit code and that standard error contains all of `parts`.
    #[track_caller]
    pub fn fails(&self, code: i32, parts: &[&str]) {
        assert_eq!(self.code, code, "stdout: {}\nstderr: {}", self.stdout, self.stderr);
        for part in parts {
            assert!(self.stderr.contains(part), "no \"{part}\" in:\n{}", self.stderr);
        }
        assert!(!self.stderr.contains("panicked at quintet"), "{}", self.stderr);
    }
}

/// Calls `quintet` with the arguments.
pub fn quintet(arguments: &[&str]) -> Finished {
    let mut command = Command::new(env!("CARGO_BIN_EXE_quintet"));
    command.args(arguments).env_remove("QUINTET_BOARD").env_remove("QUINTET_MAX_CYCLES");
    Finished::new(command.output().expect("quintet starts"))
}

/// Calls `quintet`, and sends it Ctrl-C where `wait` comes back.
#[cfg(unix)]
pub fn interrupted(arguments: &[&str], wait: impl FnOnce(&mut Child)) -> Finished {
    let mut command = Command::new(env!("CARGO_BIN_EXE_quintet"));
    command.args(arguments).env_remove("QUINTET_BOARD").env_remove("QUINTET_MAX_CYCLES");
    let mut child =
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("quintet starts");
    wait(&mut child);
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(sent.expect("kill starts").success());
    Finished::new(child.wait_with_output().expect("it ends"))
}

/// Reads until a text has come.
pub fn printed(stream: &mut impl Read, text: &str) {
    let mut read = Vec::new();
    while !read.ends_with(text.as_bytes()) {
        let mut byte = [0];
        let count = stream.read(&mut byte).expect("the stream can be read");
        assert!(count > 0, "no \"{text}\" in:\n{}", String::from_utf8_lossy(&read));
        read.push(byte[0]);
    }
}

/// Calls cargo in the firmware workspace, with `quintet` as the runner of the target.
pub fn firmware_cargo(arguments: &[&str]) -> Finished {
    cargo(&firmware_workspace(), arguments)
}

/// The same, and `quintet` writes there what each run has executed.
pub fn firmware_cargo_covering(directory: &str, arguments: &[&str]) -> Finished {
    let runner = format!("{} run --coverage {directory}", env!("CARGO_BIN_EXE_quintet"));
    cargo_with("thumbv7m-none-eabi", &firmware_workspace(), "dev", arguments, &runner)
}

/// Calls cargo in a workspace of firmware, with `quintet` as the runner of the target.
pub fn cargo(workspace: &Path, arguments: &[&str]) -> Finished {
    cargo_for("thumbv7m-none-eabi", workspace, arguments)
}

/// The same in a workspace of firmware for another target, which the compiler gets if it lacks it.
pub fn cargo_for(target: &str, workspace: &Path, arguments: &[&str]) -> Finished {
    cargo_with(target, workspace, "dev", arguments, &runner())
}

fn runner() -> String {
    format!("{} run", env!("CARGO_BIN_EXE_quintet"))
}

fn cargo_with(
    target: &str,
    workspace: &Path,
    profile: &str,
    arguments: &[&str],
    runner: &str,
) -> Finished {
    let setup = Setup { workspace, target, profile, flags: &[] };
    let mut command = toolchain::cargo(&setup).unwrap_or_else(|error| panic!("{error:#}"));
    command
        .args(arguments)
        .env("CARGO_TARGET_DIR", target_directory())
        .env("CARGO_TARGET_THUMBV7M_NONE_EABI_RUNNER", runner)
        .env_remove("QUINTET_BOARD");
    Finished::new(command.output().expect("cargo starts"))
}

fn firmware_workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/firmware")
}

/// Beside the directories of the tool itself: `target/firmware`, or where a variable says. A second
/// compiler of the same version needs a directory of its own, as cargo takes both for one.
pub fn target_directory() -> PathBuf {
    if let Some(directory) = std::env::var_os("QUINTET_TESTS_FIRMWARE") {
        return PathBuf::from(directory);
    }
    Path::new(env!("CARGO_TARGET_TMPDIR")).parent().expect("it has a parent").join("firmware")
}

/// The path of one of the programs in `firmware/programs`, built on the first call.
pub fn program(name: &str) -> String {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    let directory = BUILT.get_or_init(|| {
        let built = firmware_cargo(&["build", "--quiet", "--locked", "--package", "programs"]);
        assert_eq!(built.code, 0, "the test firmware does not build:\n{}", built.stderr);
        target_directory().join("thumbv7m-none-eabi/debug")
    });
    directory.join(name).display().to_string()
}

/// The path of an example in a workspace, built as its README says.
pub fn example(workspace: &Path, name: &str) -> String {
    let build = ["build", "--quiet", "--release", "--locked", "--bin", name];
    let built = cargo(workspace, &build);
    assert_eq!(built.code, 0, "{name} does not build:\n{}", built.stderr);
    target_directory().join("thumbv7m-none-eabi/release").join(name).display().to_string()
}

/// The path of one of these programs, built for another target.
pub fn program_for(target: &str, name: &str) -> String {
    let program = ["--package", "programs", "--bin", name, "--target", target];
    let arguments = [&["build", "--quiet", "--locked"], &program[..]].concat();
    let built = cargo_for(target, &firmware_workspace(), &arguments);
    assert_eq!(built.code, 0, "the test firmware does not build:\n{}", built.stderr);
    target_directory().join(target).join("debug").join(name).display().to_string()
}

/// A file in a directory for temporary files, with this content.
pub fn temporary(name: &str, content: &[u8]) -> String {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, content).expect("the temporary directory is writable");
    path.display().to_string()
}

/// Calls cargo in one of the crates of firmware that log, with their profile.
pub fn logging_cargo(name: &str, arguments: &[&str]) -> Finished {
    let directory = firmware_workspace().join("logging").join(name);
    let profile = "logging";
    let arguments = [arguments, &["--quiet", "--locked", "--profile", profile]].concat();
    cargo_with("thumbv7m-none-eabi", &directory, profile, &arguments, &runner())
}

/// The path of a program of one of these crates (`rtt`, `text`), each built on its first use.
pub fn logging(package: &str, name: &str) -> String {
    static BUILT: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
    let mut built = BUILT.lock().expect("no other test panics while it builds");
    if built.insert(package.to_owned()) {
        let run = logging_cargo(package, &["build"]);
        assert_eq!(run.code, 0, "the firmware that logs does not build:\n{}", run.stderr);
    }
    target_directory().join("thumbv7m-none-eabi/logging").join(name).display().to_string()
}
