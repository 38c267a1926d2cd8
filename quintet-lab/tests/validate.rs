//! The simulator does not get further from silicon: exact counts may not fall, errors may not grow.
//!
//! Raise the figures here when the timing model gets better. The sequences are measurements that
//! are not part of the project. The tests look for them where `QUINTET_REFERENCE` says, else in
//! `../shared/reference`, seen from the project's root. Where they are absent only the vectors are
//! checked, and each test says where it looked.

use std::path::{Path, PathBuf};
use std::process::Command;

use quintet_lab::validate::{self, Source};

const VECTORS_EXACT: usize = 23;

/// A file of sequences, and how far the simulator is from it.
struct Pinned {
    file: &'static str,
    wait_states: u8,
    line_buffer: bool,
    exact: usize,
    mean_error: f64,
}

const PINNED: [Pinned; 4] = [
    Pinned {
        file: "cortex-m3-cycles.json",
        wait_states: 0,
        line_buffer: false,
        exact: 631,
        mean_error: 0.0,
    },
    Pinned {
        file: "cortex-m3-cycles-2.json",
        wait_states: 0,
        line_buffer: false,
        exact: 897,
        mean_error: 0.0014,
    },
    Pinned {
        file: "cortex-m4-cycles.json",
        wait_states: 2,
        line_buffer: true,
        exact: 499,
        mean_error: 0.0017,
    },
    Pinned {
        file: "cortex-m4-2ws.json",
        wait_states: 2,
        line_buffer: false,
        exact: 520,
        mean_error: 0.0004,
    },
];

/// A file or directory of the measurements, if it is there.
fn reference(name: &str) -> Option<PathBuf> {
    let directory = std::env::var_os("QUINTET_REFERENCE").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/reference"),
        PathBuf::from,
    );
    let path = directory.join(name);
    if !path.exists() {
        eprintln!("skipped: {} is absent", path.display());
        return None;
    }
    Some(path)
}

/// The sequences, where they are there.
fn source(pinned: &Pinned) -> Option<Source> {
    let path = reference(pinned.file)?;
    Some(Source { path, wait_states: pinned.wait_states, line_buffer: pinned.line_buffer })
}

#[test]
fn the_vectors_stay_exact_and_the_behaviours_kept() {
    let report = validate::run(&[], "").unwrap();
    let summary = report.summary();
    assert_eq!(summary.vectors.total, 23);
    assert!(summary.vectors.exact >= VECTORS_EXACT, "{}", report.table(true));
    assert_eq!(report.behaviours.len(), 5);
    for behaviour in &report.behaviours {
        assert_eq!(behaviour.result, Ok(()), "{}", behaviour.name);
    }
    assert!(summary.sequences.is_none() && summary.classes.is_empty());
}

#[test]
fn the_sequences_do_not_get_worse() {
    for pinned in &PINNED {
        let Some(source) = source(pinned) else { continue };
        let report = validate::run(&[source], "").unwrap();
        let all = report.summary().sequences.unwrap();
        let table = format!("{}\n{}", pinned.file, report.table(false));
        assert!(all.total > 0);
        assert!(all.exact >= pinned.exact, "{table}");
        assert!(all.mean_error <= pinned.mean_error, "{table}");
        // Every sequence takes the path that was measured.
        for entry in report.sequences.iter().flatten() {
            for one in &entry.measurements {
                assert!(one.simulated.is_ok(), "{}: {:?}", entry.name, one.simulated);
            }
        }
    }
}

/// The cores whose time is modelled are exact: each instruction of each sequence retires in its
/// cycle, and so do whole programs. A part of the measurements is in the tree.
#[test]
fn riscv_cores_are_exact() {
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/riscv");
    assert_eq!(validate::riscv::run(&own, "").unwrap().entries.len(), 5);
    for directory in std::iter::once(own).chain(reference("riscv")) {
        let cores = validate::riscv::run(&directory, "").unwrap();
        for (core, entries) in &cores.entries {
            assert!(entries.len() >= 25, "{core}: {}", entries.len());
            for entry in entries {
                assert_eq!(entry.measurements.len(), 3, "{core}: {}", entry.name);
                for one in &entry.measurements {
                    let what = format!("{core}: {}, {}", entry.name, one.case);
                    assert_eq!(one.simulated, Ok(one.measured), "{what}");
                }
            }
        }
    }
}

fn quintet(arguments: &[&str]) -> std::process::Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_quintet"));
    command.args(arguments).env_remove("QUINTET_REFERENCE").output().unwrap()
}

#[test]
fn the_command_prints_json_of_the_agreed_form() {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("one-sequence.json");
    let text = r#"{"sequences": [{"id": "A1", "name": "nop", "topic": "alu", "cycles": 2,
        "bracket": [1, 3], "apsr": "00000000", "regs": {"r0": "e0001000"},
        "insns": [["08000800", "f3bf 8f6f", "isb sy"],
                  ["08000804", "f8d0 2004", "ldr.w r2, [r0, #4]"],
                  ["08000808", "bf00", "nop"],
                  ["0800080a", "f8d0 3004", "ldr.w r3, [r0, #4]"]]}]}"#;
    std::fs::write(&file, text).unwrap();
    let output = quintet(&["validate", "--json", "--sequences", file.to_str().unwrap()]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let keys: Vec<&str> = json.as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(keys.len(), 3, "{keys:?}");
    assert_eq!(json["vectors"]["total"], 23);
    assert_eq!(json["sequences"]["total"], 1);
    assert!(json["sequences"]["mean_error"].is_number());
    assert!(json["sequences"]["worst_error"].is_number());
    assert_eq!(json["classes"][0]["class"], "alu");
}

#[test]
fn a_file_that_is_named_must_be_there_and_be_one_of_sequences() {
    let output = quintet(&["validate", "--sequences", "no-such-file.json"]);
    assert!(!output.status.success());
    assert!(String::from_utf8_lossy(&output.stderr).contains("no-such-file.json"));
    let output =
        quintet(&["validate", "--sequences", concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml")]);
    assert!(!output.status.success());
    assert!(String::from_utf8_lossy(&output.stderr).contains("not a file of sequences"));
}

#[test]
fn a_filter_that_nothing_matches_is_refused() {
    let output = quintet(&["validate", "--filter", "no such class"]);
    assert!(!output.status.success());
    assert!(String::from_utf8_lossy(&output.stderr).contains("contains \"no such class\""));
}

#[test]
fn the_measurements_are_asked_for() {
    let output = quintet(&["validate"]);
    assert!(output.status.success());
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(
        said.contains(
            "only the vectors are compared, as no other measurements are part of the tool; \
             --reference DIRECTORY names a directory of measurements, --sequences FILE a file of \
             sequences"
        ),
        "{said}"
    );
}

#[test]
fn a_directory_that_is_named_must_be_there_and_have_measurements() {
    let refused = |path: &str| {
        let output = quintet(&["validate", "--reference", path]);
        assert!(!output.status.success());
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    let said = refused("no-such-directory");
    let expected = "no-such-directory is not a directory; --reference takes a directory of \
                    measurements";
    assert!(said.contains(expected), "{said}");
    let said = refused(concat!(env!("CARGO_MANIFEST_DIR"), "/src"));
    assert!(said.contains("has no measurements: none of cortex-m3-cycles.json, "), "{said}");
}

#[test]
fn a_directory_of_measurements_is_compared() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data");
    let output = quintet(&["validate", "--json", "--reference", directory.to_str().unwrap()]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(json["riscv"].as_array().map(Vec::len), Some(5), "{json}");
}
