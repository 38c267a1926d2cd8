//! `quintet masks`: how long interrupts are held off, and where.

mod support;

use support::{program, quintet};

#[test]
fn a_lock_is_found_with_its_place() {
    // Two values are written under BASEPRI, with another lock between them that holds no more off.
    let run = quintet(&["masks", &program("lock_right"), "--json"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let report = run.json();
    let masks = report["masks"].as_array().unwrap();
    let basepri: Vec<_> = masks.iter().filter(|mask| mask["register"] == "BASEPRI 0x40").collect();
    let [mask] = basepri.as_slice() else { panic!("one lock, not {report}") };
    assert_eq!(mask["count"], 1);
    let functions = mask["places"].as_array().unwrap().iter();
    let functions: Vec<_> = functions.filter_map(|place| place["function"].as_str()).collect();
    assert!(functions.iter().any(|function| function.ends_with("write_both")), "{functions:?}");
    let number = |field: &str| mask[field].as_u64().unwrap();
    assert!((8..60).contains(&number("cycles")), "{mask}");
    assert!(number("instructions") <= number("cycles"), "{mask}");
    let all: u64 = masks.iter().map(|mask| mask["cycles"].as_u64().unwrap()).sum();
    assert_eq!(report["masked_cycles"].as_u64(), Some(all), "each came once");
}

#[test]
fn a_limit_is_judged() {
    let file = program("lock_right");
    let cycles =
        quintet(&["masks", &file, "--json"]).json()["masks"][0]["cycles"].as_u64().unwrap();
    let within = quintet(&["masks", &file, "--limit", &cycles.to_string()]);
    assert_eq!(within.code, 0, "{}", within.stderr);
    assert!(within.stdout.contains("write_both"), "{}", within.stdout);
    let message = format!("interrupts are held off for {cycles} cycles by");
    quintet(&["masks", &file, "--limit", &(cycles - 1).to_string()])
        .fails(1, &[&message, "write_both", "lower its ceiling"]);
}

#[test]
fn the_longest_are_shown_and_all_if_asked_for() {
    let file = program("threads");
    let top = quintet(&["masks", &file, "--top", "2"]).stdout;
    assert!(top.contains("shorter ones: --top 0 shows all"), "{top}");
    let all = quintet(&["masks", &file, "--top", "0"]).stdout;
    assert!(!all.contains("--top 0"), "{all}");
    assert!(all.lines().count() > top.lines().count() + 3, "{all}");
    assert!(all.contains("in block ") && all.contains(" %."), "{all}");
    let longest: Vec<u64> = quintet(&["masks", &file, "--json"]).json()["masks"]
        .as_array()
        .unwrap()
        .iter()
        .map(|mask| mask["cycles"].as_u64().unwrap())
        .collect();
    assert!(longest.is_sorted_by(|one, next| one >= next), "{longest:?}");
}

#[test]
fn firmware_that_never_masks_or_dies_is_told() {
    let run = quintet(&["masks", &program("exit_code")]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(run.stdout.contains("Interrupts are never held off"), "{}", run.stdout);
    quintet(&["masks", &program("hard_fault")]).fails(121, &["HardFault"]);
}

#[test]
fn a_window_leaves_the_rest_out() {
    // Its lock is behind the mark; what start-up holds off is before it.
    let file = program("lock_right");
    let report = |window: &[&str]| {
        let run = quintet(&[&["masks", &file, "--json"], window].concat());
        assert_eq!(run.code, 0, "{}", run.stderr);
        run.json()
    };
    let inside = report(&["--from", "window_begin", "--to", "window_end"]);
    let masks = inside["masks"].as_array().unwrap();
    assert!(masks.iter().any(|mask| mask["register"] == "BASEPRI 0x40"), "{inside}");
    let (all, cycles) = (report(&[]), inside["window"]["cycles"].as_u64().unwrap());
    assert!(all["window"].is_null() && cycles > 0, "{inside}");
    assert!(cycles < all["cycles"].as_u64().unwrap() / 2, "{inside}");
    assert_eq!(inside["window"]["times"], 1, "{inside}");
    let behind = report(&["--from", "window_end"]);
    let before = report(&["--to", "window_begin"]);
    let count = |report: &serde_json::Value| report["masked_cycles"].as_u64().unwrap();
    let parts = [&before, &inside, &behind].map(count);
    assert_eq!(parts.iter().sum::<u64>(), count(&all), "{parts:?}");
    let text = quintet(&["masks", &file, "--from", "window_begin", "--to", "window_end"]).stdout;
    assert!(text.contains(" %, from window_begin to window_end.\n"), "{text}");
}

#[test]
fn a_window_that_never_opens_is_told() {
    let run = quintet(&["masks", &program("lock_right"), "--from", "HardFault"]);
    run.fails(120, &["nothing to show: HardFault was never reached in "]);
    let run = quintet(&["masks", &program("lock_right"), "--from", "window_begun"]);
    run.fails(120, &["--from", "no symbol is named \"window_begun\"", "window_begin"]);
}
