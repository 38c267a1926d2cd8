//! A main stack that goes below its end: said by every command that runs firmware, however it ends.

mod support;

use support::{program, quintet};

const SAID: &str = "the main stack overflowed: it went ";
const WHERE: &str = " bytes below its end at 0x2000a";
const WHO: &str = ", first in main_overflow::deep (";
const OVER: &str = ", written over `main_overflow::VICTIM`";
const ADVICE: &str = "`flip-link`";

#[test]
fn firmware_that_ends_with_0_is_told() {
    let run = quintet(&["run", &program("main_overflow")]);
    run.fails(121, &[SAID, WHERE, WHO, OVER, ADVICE]);
    let json = quintet(&["run", &program("main_overflow"), "--json"]).json();
    assert_eq!((json["exit_code"].as_u64(), json["outcome"].as_str()), (Some(0), Some("died")));
    let stack = &json["main_stack"];
    let number = |field: &str| stack[field].as_u64().unwrap();
    assert_eq!(number("bytes"), number("end") - number("lowest"), "{stack}");
    assert!((1_000..40_000).contains(&number("bytes")), "{stack}");
    assert_eq!(stack["overwritten"][0], "main_overflow::VICTIM", "{stack}");
    let report = quintet(&["stack", &program("main_overflow"), "--json"]).json();
    assert_eq!(report["stacks"][0]["lowest"].as_u64(), stack["lowest"].as_u64(), "{report}");
}

#[test]
fn what_is_measured_is_no_success_either() {
    let arguments =
        ["measure", &program("main_overflow"), "--from", "work_begin", "--to", "work_end"];
    let run = quintet(&arguments);
    run.fails(121, &[SAID, WHERE, WHO, OVER, ADVICE]);
    assert!(run.stdout.contains("1 occurrences"), "{}", run.stdout);
    let json = quintet(&[&arguments[..], &["--json"]].concat()).json();
    assert_eq!(json["main_stack"]["overwritten"][0], "main_overflow::VICTIM", "{json}");
}

#[test]
fn a_campaign_is_not_begun() {
    let windows = ["--from", "work_begin", "--to", "work_end", "--exception", "PendSV"];
    let run = quintet(&[&["inject", &program("main_overflow")], &windows[..]].concat());
    run.fails(120, &["the firmware fails without any injection: the main stack overflowed"]);
}

#[test]
fn a_run_that_overflows_only_when_it_is_interrupted_is_found() {
    let file = program("deep_handler");
    assert_eq!(quintet(&["run", &file]).stderr, "");
    let windows = ["--from", "window_begin", "--to", "window_end", "--exception", "SysTick"];
    let campaign = ["inject", &file, "--sample", "200"];
    let run = quintet(&[&campaign[..], &windows].concat());
    assert_eq!(run.code, 1, "{}{}", run.stdout, run.stderr);
    let found = "the main stack goes below its end at 0x";
    assert!(run.stdout.contains(found), "{}", run.stdout);
    assert!(run.stdout.contains(" in the handler of SysTick"), "{}", run.stdout);
    let left_out = quintet(&[&campaign[..], &windows, &["--without", "stack"]].concat());
    assert_eq!(left_out.code, 0, "{}{}", left_out.stdout, left_out.stderr);
}

#[test]
fn no_thread_is_blamed() {
    let file = program("handler_overflow");
    let in_handler = ", first in handler_overflow::deep (";
    let run = quintet(&["run", &file]);
    run.fails(121, &[SAID, in_handler, " (in the handler of SysTick) in cycle ", ADVICE]);
    for blame in ["is too small", "a stack overflow", "was overwritten: look"] {
        assert!(!run.stderr.contains(blame), "{}", run.stderr);
    }
    let run = quintet(&["threads", &file]);
    run.fails(121, &[SAID, in_handler]);
    assert!(!run.stdout.contains("OVERFLOW"), "{}", run.stdout);
    assert!(!run.stderr.contains("is too small"), "{}", run.stderr);
}

#[test]
fn a_stack_that_stays_above_its_end_is_nothing_to_speak_of() {
    for name in ["hello", "stacks", "threads"] {
        let run = quintet(&["run", &program(name), "--max-cycles", "100000"]);
        assert!(!run.stderr.contains("main stack"), "{name}: {}", run.stderr);
    }
}
