//! `quintet bounds`: the most cycles and the most bytes of stack, from the image.

mod support;

use serde_json::Value;
use std::path::Path;
use support::{example, program, quintet, temporary};

fn named<'a>(rows: &'a Value, end: &str) -> &'a Value {
    let mut rows = rows.as_array().unwrap().iter();
    rows.find(|row| row["function"].as_str().unwrap().ends_with(end))
        .unwrap_or_else(|| panic!("there is no {end}"))
}

/// In programs of several kinds, and in examples, no function breaks its bounds; `cargo proof
/// bounds` does the same for all.
#[test]
fn no_run_breaks_a_bound() {
    let mut compared = 0;
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples");
    let of_examples = ["deadlines", "guaranteed", "resources", "pelican", "channels"];
    let files = ["alignment", "measured", "threads", "cooperative", "stacks", "uart"]
        .map(program)
        .into_iter();
    for file in files.chain(of_examples.map(|name| example(&examples, name))) {
        let checked = quintet(&["bounds", &file, "--check", "--json", "--max-cycles", "2_000_000"]);
        assert_eq!(checked.code, 0, "{file}: {}{}", checked.stdout, checked.stderr);
        for one in checked.json()["checked"].as_array().unwrap() {
            assert!(one["times"].as_u64().unwrap() > 0);
            compared += 1;
        }
    }
    assert!(compared > 10, "{compared}");
}

#[test]
fn handlers_are_bounded_and_what_is_open_is_named() {
    let file = program("measured");
    let report = quintet(&["bounds", &file, "--json"]).json();
    let tick = named(&report["functions"], "SysTick");
    assert_eq!(tick["verdict"], "BOUNDED");
    assert_eq!(tick["exceptions"][0], "SysTick");
    assert!(tick["cycles"].as_u64().unwrap() > 0);
    let text = quintet(&["bounds", &file, "--all"]).stdout;
    assert!(
        text.contains("BOUNDED") && text.contains("OPEN") && text.contains(" is open:\n"),
        "{text}"
    );
}

#[test]
fn suggested_annotations_are_refused_until_they_are_filled_in() {
    let file = program("measured");
    let suggested = quintet(&["bounds", &file, "--all", "--suggest"]);
    assert_eq!(suggested.code, 0, "{}", suggested.stderr);
    assert!(suggested.stdout.contains("[[loop]]\nfunction = "), "{}", suggested.stdout);
    assert!(suggested.stdout.contains("iterations = 0"), "{}", suggested.stdout);
    let path = temporary("bounds-suggested.toml", suggested.stdout.as_bytes());
    quintet(&["bounds", &file, "--annotations", &path])
        .fails(120, &["has 0 iterations: the first round counts too, write 1 or more"]);
}

#[test]
fn a_bound_that_a_run_is_above_comes_first_and_is_an_error() {
    let said = "[[bound]]\nfunction = 'SysTick'\ncycles = 1\nstack = 8\n";
    let file = temporary("bounds-broken.toml", said.as_bytes());
    for how in ["--check", "--observe"] {
        let run = quintet(&["bounds", &program("measured"), how, "--annotations", &file]);
        let first = run.stdout.lines().next().unwrap();
        assert!(
            first.starts_with("BROKEN: this run was above its bounds. SysTick took"),
            "{first}"
        );
        run.fails(1, &["a run breaks a bound"]);
    }
}

#[test]
fn what_cannot_be_bounded_is_refused_with_advice() {
    let file = program("measured");
    quintet(&["bounds", &file, "--function", "nothing"]).fails(120, &["--function", "nothing"]);
    quintet(&["bounds", &file, "--function", "work_begin+2"])
        .fails(120, &["is not the first instruction of a function", "quintet bounds --all"]);
    let empty = temporary("bounds-empty.toml", b"[[loop]]\nfunction = \"a\"\niterations = 0\n");
    quintet(&["bounds", &file, "--annotations", &empty])
        .fails(120, &["cannot read the annotations", "write 1 or more"]);
    let unknown = "[[loop]]\nfunction = \"nothing\"\niterations = 3\n";
    let unknown = temporary("bounds-unknown.toml", unknown.as_bytes());
    quintet(&["bounds", &file, "--annotations", &unknown])
        .fails(120, &["the annotations name a loop in nothing, and there is none", "--suggest"]);
    let unknown = "[[recursion]]\nfunction = \"nothing\"\ndepth = 3\n";
    let unknown = temporary("bounds-recursion.toml", unknown.as_bytes());
    quintet(&["bounds", &file, "--annotations", &unknown])
        .fails(120, &["the annotations name a recursion of nothing, which is no function"]);
}
