//! A C program on newlib, compiled with `arm-none-eabi-gcc`, prints the same as under QEMU.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use proof::cross::machine;
use proof::firmware;
use proof::qemu::{self, Setup};
use quintet_sim::machine::Stop;

const COMPILER: &str = "arm-none-eabi-gcc";

/// Compiles the program; `None` where there is no compiler with newlib's semihosting library.
fn compile() -> Option<PathBuf> {
    let installed = Command::new(COMPILER).arg("--version").stdout(Stdio::null()).status();
    if !installed.is_ok_and(|status| status.success()) {
        println!("skipped: {COMPILER} is not installed");
        return None;
    }
    let specs = Command::new(COMPILER).arg("-print-file-name=rdimon.specs").output().unwrap();
    if !String::from_utf8_lossy(&specs.stdout).contains('/') {
        println!("skipped: {COMPILER} has no newlib");
        return None;
    }
    let source = firmware::root().join("quintet-sim/tests/firmware/newlib");
    let output = firmware::output();
    std::fs::create_dir_all(&output).unwrap();
    let image = output.join("newlib.elf");
    let status = Command::new(COMPILER)
        .args(["-mthumb", "-mcpu=cortex-m3", "-O2", "-g", "-Wall", "--specs=rdimon.specs"])
        .arg(source.join("main.c"))
        .arg("-T")
        .arg(source.join("layout.ld"))
        .arg("-o")
        .arg(&image)
        .arg("-lm")
        .status()
        .unwrap();
    assert!(status.success(), "the program does not compile");
    Some(image)
}

#[test]
fn a_c_program_prints_the_same_as_under_qemu() {
    let Some(image) = compile() else { return };
    let run = machine::run(&image, "lm3s6965", 20_000_000).unwrap();
    assert_eq!(run.stop, Stop::Exit { code: 42 });
    let expected = "\
fig date pear apple cherry
arguments there
7.484470860550 1.4142135624 8.225263e-20
52910052433862 0000beef +42|left    |   right|
2999
absent: refused
clock goes on
to the error stream
";
    assert_eq!(run.text, expected);
    if !qemu::is_installed() {
        println!("skipped: qemu-system-arm is not installed");
        return;
    }
    for board in ["lm3s6965evb", "mps2-an385"] {
        let output = Setup::new(board).run(&image).unwrap();
        let text = String::from_utf8_lossy(&output.stdout);
        assert_eq!(format!("{text}to the error stream\n"), expected, "on {board}");
        assert!(String::from_utf8_lossy(&output.stderr).ends_with("to the error stream\n"));
        assert_eq!(output.status.code(), Some(42));
    }
}
