//! Every example runs under cargo and prints what is written beside it.

mod support;

use std::path::{Path, PathBuf};
use support::Finished;

/// The workspace of the examples.
fn examples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples")
}

/// Calls `cargo run` as the examples' README does, with the tool of this build as the runner and
/// the `profile`.
fn run(name: &str, profile: &str) -> Finished {
    let inputs = format!("{name}.toml");
    let mut arguments = vec!["run", "--quiet", "--profile", profile, "--locked", "--bin", name];
    if examples().join(&inputs).exists() {
        arguments.extend(["--", "--inputs", &inputs]);
    }
    support::cargo(&examples(), &arguments)
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
        let finished = run(name, "release");
        assert_eq!(finished.stdout, expected, "{name}: {}", finished.stderr);
        assert_eq!(finished.code, 0, "{name}: {}", finished.stderr);
        count += 1;
    }
    assert!(count > 0);
}

/// For an hour: each event arrives, and all memory of events comes back. The firmware judges.
#[test]
fn philosophers_dine_for_an_hour_under_each_kernel() {
    for kernel in ["preemptive", "cooperative", "threads"] {
        let name = format!("dinner_{kernel}");
        let arguments = ["run", "--quiet", "--release", "--locked", "--features", "hour"];
        let more = ["--bin", &name, "--", "--max-cycles", "0"];
        let finished = support::cargo(&examples(), &[&arguments[..], &more[..]].concat());
        assert_eq!(finished.code, 0, "{name}: {}{}", finished.stdout, finished.stderr);
        assert!(finished.stdout.ends_with(", pauses: 360\n"), "{name}: {}", finished.stdout);
    }
}

#[test]
fn stacks_suffice_without_release_as_well() {
    for name in ["all_models", "at_a_glance"] {
        let expected = std::fs::read_to_string(examples().join(format!("{name}.out"))).unwrap();
        let finished = run(name, "dev");
        assert_eq!((finished.code, finished.stdout), (0, expected), "{name}: {}", finished.stderr);
    }
}

/// Only optimisation at link time takes away what threads alone need.
#[test]
fn who_has_no_threads_needs_nothing_of_theirs_to_link() {
    let finished = run("channels", "dev");
    assert_eq!(finished.code, 0, "{}", finished.stderr);
}

#[test]
fn cooperative_and_preemptive_are_one_application_but_for_a_word() {
    let application = |name: &str| {
        let path = examples().join(format!("src/bin/{name}.rs"));
        let text = std::fs::read_to_string(path).expect("the example is there");
        let below = text.split_once("#[quintet::app").expect("it is an application").1;
        below.replacen(&format!("\"{name}\""), "\"\"", 1)
    };
    assert_eq!(application("cooperative"), application("preemptive"));
}
