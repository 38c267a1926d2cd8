//! Firmware for RISC-V, built once, and GDB on it.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use quintet_lab::toolchain::{self, Setup};

/// What the firmware is built for.
pub const TARGET: &str = "riscv32imac-unknown-none-elf";

/// Builds a package of the firmware, and returns the path of the program with its name. Cargo keeps
/// what is built.
pub fn built(package: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let workspace = root.join("quintet-sim/tests/firmware");
    let target = std::env::var_os("CARGO_TARGET_DIR");
    let output = target.map_or_else(|| root.join("target"), PathBuf::from).join("firmware");
    let setup = Setup { workspace: &workspace, target: TARGET, profile: "release", flags: &[] };
    let status = toolchain::cargo(&setup)
        .expect("the target")
        .args(["build", "--quiet", "--release", "--locked", "--target", TARGET])
        .args(["--package", package, "--target-dir"])
        .arg(&output)
        .status();
    assert!(status.is_ok_and(|status| status.success()), "the firmware does not build");
    output.join(TARGET).join("release").join(package).display().to_string()
}

/// An application for RISC-V with threads, from what proves the framework.
pub fn threads() -> String {
    let (root, name) = (Path::new(env!("CARGO_MANIFEST_DIR")).join(".."), "threads_interrupted");
    let workspace = root.join("proof/firmware/riscv");
    let output = super::target_directory();
    let setup = Setup { workspace: &workspace, target: TARGET, profile: "release", flags: &[] };
    let status = toolchain::cargo(&setup)
        .expect("the target")
        .args(["build", "--quiet", "--release", "--locked", "--target", TARGET])
        .args(["--features", "riscv", "--bin", name, "--target-dir"])
        .arg(&output)
        .status();
    assert!(status.is_ok_and(|status| status.success()), "the firmware does not build");
    output.join(TARGET).join("release").join(name).display().to_string()
}

/// A program of the package `riscv-tools`.
pub fn tool(name: &str) -> String {
    let programs = built("riscv-tools");
    Path::new(&programs).with_file_name(name).display().to_string()
}

/// What GDB prints for the commands on a program; nothing where there is no GDB for RISC-V.
pub fn gdb_session(program: &str, commands: &[&str]) -> Option<String> {
    let works = |name: &&str| Command::new(name).arg("--version").output().is_ok();
    let found = ["gdb-multiarch", "riscv64-unknown-elf-gdb"].into_iter().find(works);
    let Some(gdb) = found else {
        eprintln!("skipped: neither gdb-multiarch nor riscv64-unknown-elf-gdb is installed");
        return None;
    };
    let mut server = Command::new(env!("CARGO_BIN_EXE_quintet"))
        .args(["run", "--gdb=0", program])
        .stderr(Stdio::piped())
        .spawn()
        .expect("quintet starts");
    let mut line = String::new();
    let mut errors = BufReader::new(server.stderr.take().expect("it is piped"));
    errors.read_line(&mut line).expect("it says its port");
    let port = line.trim_end().rsplit(':').next().unwrap_or_default().to_owned();
    let mut session = Command::new(gdb);
    session.args(["-batch", "-nx", "-ex", &format!("target remote 127.0.0.1:{port}")]);
    for command in commands {
        session.args(["-ex", command]);
    }
    let output = session.arg(program).output().expect("GDB starts");
    let _ = server.kill();
    let _ = server.wait();
    let text = [output.stdout, output.stderr].concat();
    Some(String::from_utf8_lossy(&text).into_owned())
}
