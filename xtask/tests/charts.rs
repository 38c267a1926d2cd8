//! The charts that `quintet`'s tests run are what the generator prints, with what the interpreter
//! sees today.

use xtask::charts::{committed, mutants};

#[test]
fn the_charts_in_the_tree_are_those_that_the_generator_prints() {
    let files = committed::files().unwrap();
    assert!(files.len() >= 20);
    for (path, text) in files {
        let there = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(there == text, "{}: write it anew by `cargo xtask charts --write`", path.display());
    }
}

#[test]
fn every_mistake_is_about_a_text_that_is_there() {
    xtask::campaign::mutants::check_texts(&mutants::directory()).unwrap();
}
