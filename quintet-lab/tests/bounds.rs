//! `quintet bounds`: the most cycles and the most bytes of stack, from the image.

mod support;

use serde_json::Value;
use support::{program, quintet, temporary};

fn named<'a>(rows: &'a Value, end: &str) -> &'a Value {
    let mut rows = rows.as_array().unwrap().iter();
    rows.find(|row| row["function"].as_str().unwrap().ends_with(end))
        .unwrap_or_else(|| panic!("there is no {end}"))
}

/// In programs of several kinds, no function breaks its bounds.
#[test]
fn no_run_breaks_a_bound() {
    let mut compared = 0;
    for name in ["measured", "threads", "cooperative", "stacks", "uart"] {
        let file = program(name);
        let checked = quintet(&["bounds", &file, "--check", "--json", "--max-cycles", "2_000_000"]);
        assert_eq!(checked.code, 0, "{name}: {}{}", checked.stdout, checked.stderr);
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
fn a_wrong_annotation_is_found_by_a_run() {
    let file = program("measured");
    let suggested = quintet(&["bounds", &file, "--all", "--suggest", "--observe"]);
    assert_eq!(suggested.code, 0, "{}", suggested.stderr);
    assert!(suggested.stdout.contains("[[loop]]"), "{}", suggested.stdout);
    // What was observed holds, with each loop that was not met once.
    let right = suggested.stdout.replace("iterations = 0", "iterations = 1");
    let right = right.split("[[call]]").next().unwrap().replace("depth = 0", "depth = 1");
    let path = temporary("bounds-right.toml", right.as_bytes());
    let checked = quintet(&["bounds", &file, "--annotations", &path, "--check"]);
    assert_eq!(checked.code, 0, "{}{}", checked.stdout, checked.stderr);
    let all: Vec<&str> = right.lines().collect();
    let once = |line: &&str| {
        if line.starts_with("iterations") { "iterations = 1" } else { *line }.to_owned()
    };
    let wrong: Vec<String> = all.iter().map(once).collect();
    let path = temporary("bounds-wrong.toml", wrong.join("\n").as_bytes());
    let checked = quintet(&["bounds", &file, "--annotations", &path, "--check"]);
    checked.fails(1, &["a run breaks a bound", "what is marked BROKEN says where"]);
    assert!(checked.stdout.contains("BROKEN"), "{}", checked.stdout);
}

#[test]
fn what_rests_on_a_run_is_not_called_bounded() {
    let file = program("measured");
    let report = quintet(&["bounds", &file, "--all", "--observe", "--json"]).json();
    let functions = report["functions"].as_array().unwrap();
    let observed = functions.iter().filter(|one| one["verdict"] == "OBSERVED");
    let observed: Vec<&Value> = observed.collect();
    assert!(!observed.is_empty());
    assert!(observed.iter().all(|one| !one["observed"].as_array().unwrap().is_empty()));
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
