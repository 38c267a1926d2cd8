//! `quintet coverage`: which lines, functions and branches were executed.

mod support;

use serde_json::Value;
use support::{firmware_cargo_covering, program, quintet};

fn path(name: &str) -> String {
    let directory = std::path::Path::new(env!("CARGO_TARGET_TMPDIR"));
    directory.join(name).to_str().unwrap().to_owned()
}

/// The figures of the file that a program is written in.
fn of_file(report: &Value, end: &str) -> Value {
    let mut files = report["files"].as_array().unwrap().iter();
    files.find(|file| file["file"].as_str().unwrap().ends_with(end)).unwrap().clone()
}

#[test]
fn lines_that_were_executed_are_told_from_those_that_were_not() {
    // It panics in the middle: what is behind that isn't executed.
    let file = program("panicking");
    let report = quintet(&["coverage", &file, "--json"]).json();
    let file = of_file(&report, "panicking.rs");
    let [hit, all] = ["hit", "all"].map(|field| file["lines"][field].as_u64().unwrap());
    assert!(0 < hit && hit <= all, "{file}");
    let missed = file["missed"].as_array().unwrap().len() as u64;
    assert_eq!(missed, all - hit, "{file}");
    let text = quintet(&["coverage", &program("panicking")]).stdout;
    assert!(text.contains("panicking.rs") && text.contains("branches"), "{text}");
}

#[test]
fn a_line_whose_condition_failed_was_not_executed() {
    let source = include_str!("firmware/programs/src/bin/conditions.rs");
    let line = |text: &str| 1 + source.lines().position(|line| line.contains(text)).unwrap();
    let report = quintet(&["coverage", &program("conditions"), "--json"]).json();
    let file = of_file(&report, "conditions.rs");
    assert_eq!(file["branches"]["all"], 0, "the conditions are no IT blocks: {file}");
    assert_eq!(file["missed"], serde_json::json!([line("addr_of_mut!(LARGE)")]));
}

#[test]
fn files_for_other_programs_are_written_and_runs_add_up() {
    let file = program("threads");
    let (lcov, sum) = (path("c.info"), path("sum.info"));
    let (xml, html) = (path("c.xml"), path("c.html"));
    let outputs = ["--lcov", &lcov, "--cobertura", &xml, "--html", &html];
    let run = quintet(&[&["coverage", &file], &outputs[..]].concat());
    assert_eq!(run.code, 0, "{}", run.stderr);
    let page = std::fs::read_to_string(html).unwrap();
    assert!(page.contains("threads.rs") && page.contains("class=\"hit\""), "{page}");
    assert!(std::fs::read_to_string(xml).unwrap().contains("<line number="));
    let twice = quintet(&["coverage", &file, "--add", &lcov, "--lcov", &sum, "--json"]);
    assert_eq!(twice.code, 0, "{}", twice.stderr);
    let counts = |path: &str| -> u64 {
        let text = std::fs::read_to_string(path).unwrap();
        let counts = text.lines().filter_map(|line| line.strip_prefix("DA:")?.split_once(','));
        counts.map(|(_, count)| count.parse::<u64>().unwrap()).sum()
    };
    assert_eq!(counts(&sum), 2 * counts(&lcov));
}

#[test]
fn the_tests_of_cargo_test_add_up() {
    let directory = path("of-tests");
    let _ = std::fs::remove_dir_all(&directory);
    let test = |arguments: &[&str]| {
        let package = ["test", "--quiet", "--locked", "--package", "embedded"];
        let line = [&package[..], &["--test", "arithmetic", "--"], arguments].concat();
        let run = firmware_cargo_covering(&directory, &line);
        assert_eq!(run.code, 0, "{}\n{}", run.stdout, run.stderr);
    };
    let merged = || {
        let report = quintet(&["coverage", "--merge", &directory, "--json"]).json();
        of_file(&report, "arithmetic.rs")["lines"]["hit"].as_u64().unwrap()
    };
    test(&["--exact", "tests::adds"]);
    let one = merged();
    assert_eq!(std::fs::read_dir(&directory).unwrap().count(), 1);
    test(&[]);
    assert_eq!(std::fs::read_dir(&directory).unwrap().count(), 3, "of ignored tests there is none");
    assert!(0 < one && one < merged(), "{one} of {}", merged());
    // A test that runs again doesn't count twice.
    let lcov = path("merged.info");
    quintet(&["coverage", "--merge", &directory, "--lcov", &lcov]);
    test(&["--exact", "tests::adds"]);
    let again = path("again.info");
    quintet(&["coverage", "--merge", &directory, "--lcov", &again]);
    let text = |path: &str| std::fs::read_to_string(path).unwrap();
    assert_eq!(text(&lcov), text(&again));
}

#[test]
fn a_run_leaves_a_file_where_it_is_asked_to() {
    let directory = path("of-runs");
    let _ = std::fs::remove_dir_all(&directory);
    let file = program("threads");
    let run = quintet(&["run", &file, "--coverage", &directory]);
    assert_eq!(run.code, quintet(&["run", &file]).code, "{}", run.stderr);
    let merged = quintet(&["coverage", "--merge", &directory]).stdout;
    assert_eq!(merged, quintet(&["coverage", &file]).stdout);
}

#[test]
fn a_part_can_be_shown_and_judged() {
    let file = program("threads");
    let all = quintet(&["coverage", &file, "--json"]).json();
    let name = of_file(&all, "threads.rs")["file"].as_str().unwrap().to_owned();
    let report = quintet(&["coverage", &file, "--only", &name, "--json"]).json();
    assert_eq!(report["files"].as_array().unwrap().len(), 1);
    quintet(&["coverage", &file, "--fail-under", "100"])
        .fails(1, &["% of the lines were executed, less than 100 %", "--html"]);
    quintet(&["coverage", &file, "--only", "nowhere/"])
        .fails(120, &["no file begins with what --only says, nowhere/", "such as"]);
}

#[test]
fn what_cannot_be_read_is_named() {
    let file = program("threads");
    let wrong = path("wrong.info");
    std::fs::write(&wrong, "SF:a.rs\nDA:one,1\n").unwrap();
    quintet(&["coverage", &file, "--add", &wrong])
        .fails(120, &["line 2 of the tracefile, \"DA:one,1\", is not what lcov writes"]);
    let empty = path("empty");
    std::fs::create_dir_all(&empty).unwrap();
    quintet(&["coverage", "--merge", &empty])
        .fails(120, &["no file that ends in .info", "QUINTET_COVERAGE=", "cargo test"]);
    quintet(&["coverage", "--merge", "no/such"])
        .fails(120, &["--merge: cannot read the directory no/such"]);
    quintet(&["coverage", "--merge", &empty, &file]).fails(2, &["cannot be used with"]);
    quintet(&["coverage"]).fails(2, &["<ELF>"]);
    quintet(&["coverage", &file, "--add", "no.info"]).fails(120, &["--add no.info"]);
    quintet(&["coverage", &file, "--lcov", "/no/such/place"])
        .fails(120, &["cannot write /no/such/place"]);
}

#[test]
fn a_fault_is_told_where_there_are_no_lines() {
    // Vectors, a load from where nothing is, and a handler that loops, in a raw image.
    let mut words = vec![0x2000_1000_u32, 0x41, 0x4d, 0x4d];
    words.resize(16, 0);
    words.extend([0x6800_4801, 0xbf00_bf00, 0x7000_0000, 0xe7fe_e7fe]);
    let bytes: Vec<u8> = words.into_iter().flat_map(u32::to_le_bytes).collect();
    let directory = std::path::Path::new(env!("CARGO_TARGET_TMPDIR"));
    let file = directory.join("faulty.bin").display().to_string();
    std::fs::write(&file, bytes).unwrap();
    let gathered = directory.join("faulty-coverage").display().to_string();
    for arguments in [&["coverage"][..], &["run", "--coverage", &gathered]] {
        let run = quintet(&[arguments, &["--load", "0", &file]].concat());
        run.fails(120, &["a fault at 0x00000042", "has no lines of its own sources"]);
    }
}
