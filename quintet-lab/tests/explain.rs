//! `quintet explain` says what failed builds with trouble with a clock mean: real ones.

mod support;

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use support::{cargo, quintet};

const TARGET: [&str; 3] = ["--quiet", "--target", "thumbv7m-none-eabi"];

fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/firmware/beside")
}

/// What is explained of some output.
fn explained(said: &str) -> String {
    let mut child = Command::new(env!("CARGO_BIN_EXE_quintet"))
        .arg("explain")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("quintet starts");
    let mut stdin = child.stdin.take().expect("it is piped");
    stdin.write_all(said.as_bytes()).expect("it is read");
    drop(stdin);
    let output = child.wait_with_output().expect("it ends");
    String::from_utf8(output.stdout).expect("it is text")
}

/// What is explained of a build that fails: a line for each cause.
fn of_build(program: &str) -> String {
    let build = [&["build", "--locked", "--bin", program], &TARGET[..]].concat();
    let built = cargo(&workspace(), &build);
    assert_ne!(built.code, 0, "{program} builds");
    explained(&built.stderr)
}

#[test]
fn names_what_is_wrong_with_a_clock() {
    for (program, begins, and) in [
        (
            "no_source",
            "No source of time is placed",
            "`quintet::systick_timer!(Clock, 12_000_000);`",
        ),
        ("no_source_of_ours", "No source of time is placed", "docs/book/time.md"),
        ("two_sources", "Two sources of time are placed", "keep one of `systick_timer!`"),
        (
            "beside_a_driver",
            "Two drivers of `embassy-time` are linked",
            "`beside_a_driver` and `hal`",
        ),
        ("driver", "The time driver of a hardware abstraction layer keeps", "`generic-queue-64`"),
        ("driver_for_ours", "The time driver of a hardware", "need a source of Quintet's"),
    ] {
        let sentence = of_build(program);
        assert!(sentence.starts_with(begins) && sentence.contains(and), "{program}: {sentence}");
        assert_eq!(sentence.lines().count(), 1, "{program}: {sentence}");
    }
}

#[test]
fn a_driver_with_a_queue_works_and_one_for_another_executor_is_explained() {
    let run = |feature| {
        let arguments = ["run", "--locked", "--bin", "driver", "--features", feature];
        cargo(&workspace(), &[&arguments, &TARGET[..]].concat())
    };
    let waited = run("generic-queue");
    assert_eq!((waited.code, &*waited.stdout), (0, "waited\n"), "{}", waited.stderr);
    let panicked = run("executor");
    assert_ne!(panicked.code, 0);
    let sentence = explained(&(panicked.stdout + &panicked.stderr));
    assert!(sentence.contains("keeps timers in the tasks of `embassy-executor`"), "{sentence}");
}

/// Packages of that name in two versions, as a registry has them.
#[test]
fn names_versions_side_by_side() {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("versions");
    let package = |folder: &str, manifest: String| {
        let path = directory.join(folder);
        fs::create_dir_all(path.join("src")).expect("it can be written");
        fs::write(path.join("src/lib.rs"), "").expect("it can be written");
        fs::write(path.join("build.rs"), "fn main() {}").expect("it can be written");
        fs::write(path.join("Cargo.toml"), manifest).expect("it can be written");
    };
    for version in ["0.1.0", "0.2.2"] {
        let head = "name = \"embassy-time-driver\"\nlinks = \"embassy-time\"\nedition = \"2021\"";
        package(version, format!("[package]\n{head}\nversion = \"{version}\"\n"));
    }
    let both = "old = { package = \"embassy-time-driver\", path = \"../0.1.0\" }\n\
                new = { package = \"embassy-time-driver\", path = \"../0.2.2\" }";
    let head = "[workspace]\n[package]\nname = \"app\"\nversion = \"0.0.0\"\nedition = \"2021\"";
    package("app", format!("{head}\n[dependencies]\n{both}\n"));
    let built = cargo(&directory.join("app"), &["build", "--offline"]);
    assert_ne!(built.code, 0);
    let sentence = explained(&built.stderr);
    let begins = "Two versions of embassy-time-driver are asked for, and a program has one";
    assert!(sentence.starts_with(begins), "{sentence}\n{}", built.stderr);
}

#[test]
fn reads_a_file_and_says_where_it_knows_nothing() {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("build.log");
    fs::write(
        &path,
        "error: symbol `A_TASK_AND_QUINTETS_CLOCK_BOTH_BIND_SysTick` is already defined",
    )
    .expect("it can be written");
    let path = path.to_str().expect("it is UTF-8");
    let finished = quintet(&["explain", path]);
    assert!(finished.stdout.starts_with("A task has the vector `SysTick`"), "{}", finished.stdout);
    let needs = "undefined symbol: __quintet_needs_an_application_or_the_macro_kernel";
    assert!(explained(needs).starts_with("A thread is started, and there is neither"));
    quintet(&["explain", "/no/such/file"]).fails(120, &["cannot read /no/such/file"]);
    fs::write(path, "warning: unused variable").expect("it can be written");
    quintet(&["explain", path]).fails(120, &["no message in this is one", "explain --help"]);
}
