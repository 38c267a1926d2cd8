//! Every example runs under cargo and prints what is written beside it.

use std::path::{Path, PathBuf};
use std::process::Command;

/// The workspace of the examples.
fn examples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples")
}

/// Beside the directories of the tool itself: `target/firmware`.
fn target_directory() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).parent().expect("it has a parent").join("firmware")
}

/// Calls `cargo run` as the examples' README does, with the tool of this build as the runner.
fn run(name: &str) -> std::process::Output {
    let mut command = Command::new(env!("CARGO"));
    command
        .args(["run", "--quiet", "--release", "--locked", "--bin", name])
        .current_dir(examples())
        .env("CARGO_TARGET_DIR", target_directory())
        .env(
            "CARGO_TARGET_THUMBV7M_NONE_EABI_RUNNER",
            format!("{} run", env!("CARGO_BIN_EXE_quintet")),
        )
        .env_remove("RUSTFLAGS")
        .env_remove("CARGO_ENCODED_RUSTFLAGS")
        .env_remove("QUINTET_BOARD");
    let inputs = format!("{name}.toml");
    if examples().join(&inputs).exists() {
        command.args(["--", "--inputs", &inputs]);
    }
    command.output().expect("cargo starts")
}

#[test]
fn every_example_prints_what_is_written_beside_it() {
    let files = std::fs::read_dir(examples().join("src/bin")).expect("there are examples");
    let mut count = 0;
    for file in files {
        let path = file.expect("it can be listed").path();
        let name = path.file_stem().and_then(|stem| stem.to_str()).expect("names are UTF-8");
        let expected = std::fs::read_to_string(examples().join(format!("{name}.out")))
            .unwrap_or_else(|error| panic!("{name}.out: {error}"));
        let output = run(name);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(String::from_utf8_lossy(&output.stdout), expected, "{name}: {errors}");
        assert!(output.status.success(), "{name}: {errors}");
        count += 1;
    }
    assert!(count > 0);
}
