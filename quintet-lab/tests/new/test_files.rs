//! The test files of a new crate.

use std::path::Path;
use std::process::Command;

use super::assert_prints;
use super::support::Finished;

/// Runs the test files of a crate that has been built.
pub fn assert_pass(chip: &str, target: &str) {
    let name = format!("tested-{chip}");
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("new").join(chip).join(&name);
    let beside = Path::new(env!("CARGO_BIN_EXE_quintet")).parent().unwrap().parent().unwrap();
    let app = beside.join("firmware").join(target).join("debug").join(&name);
    let mut command = Command::new(env!("CARGO_BIN_EXE_quintet"));
    command.arg("test").arg(app).args(["tests", "--board", "board.toml"]).current_dir(&directory);
    command.env_remove("QUINTET_BOARD").env_remove("QUINTET_MAX_CYCLES");
    let finished = Finished::new(command.output().expect("quintet starts"));
    assert_prints(&finished, &["3 of 3 met in ", "1 test: 1 passed, 0 failed"]);
}
