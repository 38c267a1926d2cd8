//! `quintet run` as the runner of cargo: `cargo run` and `cargo test` of firmware crates.

mod support;

use support::firmware_cargo;

#[test]
fn cargo_run_runs_firmware() {
    let run =
        firmware_cargo(&["run", "--quiet", "--locked", "--package", "programs", "--bin", "hello"]);
    assert_eq!(
        (run.code, run.stdout.as_str()),
        (0, "hello from the simulator\n"),
        "{}",
        run.stderr
    );
}

fn cargo_test(arguments: &[&str]) -> support::Finished {
    let mut line =
        vec!["test", "--quiet", "--locked", "--package", "embedded", "--test", "arithmetic", "--"];
    line.extend(arguments);
    firmware_cargo(&line)
}

#[test]
fn cargo_test_runs_embedded_tests() {
    let run = cargo_test(&[]);
    assert_eq!(run.code, 0, "{}\n{}", run.stdout, run.stderr);
    for line in [
        "running 5 tests",
        "test tests::adds ... ok",
        "test tests::saturates ... ok",
        "test tests::panics - should panic ... ok",
        "test tests::fails ... ignored",
        "test result: ok. 3 passed; 0 failed; 2 ignored; 0 measured; 0 filtered out",
    ] {
        assert!(run.stdout.contains(line), "no \"{line}\" in:\n{}", run.stdout);
    }
}

#[test]
fn a_test_that_fails_or_hangs_fails_cargo_test() {
    let run = cargo_test(&["--ignored"]);
    assert_eq!(run.code, 101, "{}\n{}", run.stdout, run.stderr);
    for line in [
        "test tests::fails ... FAILED",
        "the firmware ended with code",
        "cycles was reached",
        "the test's timeout of 1 s",
        "2 failed",
    ] {
        assert!(run.stdout.contains(line), "no \"{line}\" in:\n{}", run.stdout);
    }
}

#[test]
fn tests_are_listed_and_selected() {
    let run = cargo_test(&["--list", "--format", "terse"]);
    assert!(run.stdout.contains("tests::adds: test\n"), "{}\n{}", run.stdout, run.stderr);
    let run = cargo_test(&["--exact", "tests::adds"]);
    assert!(run.stdout.contains("1 passed; 0 failed; 0 ignored; 0 measured; 4 filtered out"));
}

#[test]
fn a_program_that_tells_its_tests_is_asked_for_them() {
    let older = |arguments: &[&str]| {
        let package = ["--package", "embedded_older", "--test", "told", "--"];
        firmware_cargo(&[&["test", "--quiet", "--locked"][..], &package, arguments].concat())
    };
    let run = older(&[]);
    assert_eq!(run.code, 0, "{}\n{}", run.stdout, run.stderr);
    for line in [
        "running 4 tests",
        "test tests::rounds_up ... ok",
        "test tests::panics - should panic ... ok",
        "test tests::fails ... ignored",
        "test result: ok. 2 passed; 0 failed; 2 ignored; 0 measured; 0 filtered out",
    ] {
        assert!(run.stdout.contains(line), "no \"{line}\" in:\n{}", run.stdout);
    }
    let run = older(&["--ignored"]);
    assert_eq!(run.code, 101, "{}\n{}", run.stdout, run.stderr);
    for line in ["test tests::fails ... FAILED", "the test's timeout of 1 s", "2 failed"] {
        assert!(run.stdout.contains(line), "no \"{line}\" in:\n{}", run.stdout);
    }
}

#[test]
fn a_test_whose_stack_was_written_over_variables_fails() {
    let run = firmware_cargo(&[
        "test",
        "--quiet",
        "--locked",
        "--package",
        "embedded",
        "--test",
        "overflow",
    ]);
    assert_eq!(run.code, 101, "{}\n{}", run.stdout, run.stderr);
    for line in [
        "test tests::stays ... ok",
        "test tests::grows ... FAILED",
        "the main stack overflowed: it went ",
        "VICTIM`",
    ] {
        assert!(run.stdout.contains(line), "no \"{line}\" in:\n{}", run.stdout);
    }
}
