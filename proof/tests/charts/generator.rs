//! The charts that `quintet`'s tests run are what the generator prints, with what the interpreter
//! sees today; and other random charts, built for the occasion, do what the rules say.

use std::process::Command;

use proof::charts::{committed, mutants};

#[test]
fn the_charts_in_the_tree_are_those_that_the_generator_prints() {
    let files = committed::files().unwrap();
    assert_eq!(files.len(), committed::CHARTS.len());
    for (path, text) in files {
        let there = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(there == text, "{}: write it anew by `cargo proof charts --write`", path.display());
    }
}

#[test]
fn every_mistake_is_about_a_text_that_is_there() {
    proof::campaign::mutants::check_texts(&mutants::directory()).unwrap();
}

#[test]
fn random_charts_do_what_the_rules_say() {
    let ran = Command::new(env!("CARGO_BIN_EXE_proof"))
        .args(["charts", "--charts", "24", "--events", "2000", "--seed", "22"])
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&ran.stdout);
    let errors = String::from_utf8_lossy(&ran.stderr);
    assert!(ran.status.success(), "{said}{errors}");
    assert!(said.contains("24 charts, "), "{said}");
    assert!(said.contains("every machine did what the rules say"), "{said}");
}
