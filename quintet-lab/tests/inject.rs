//! `quintet inject` on firmware with known mistakes, and on the same firmware without them.

mod support;

use serde_json::Value;
use support::{Finished, program, quintet, temporary};

const WINDOW: [&str; 4] = ["--from", "window_begin", "--to", "window_end"];

fn inject(name: &str, options: &[&str]) -> Finished {
    let elf = program(name);
    let mut line = vec!["inject", &elf];
    line.extend(options);
    quintet(&line)
}

/// Injects between the marks; the report as JSON, which must end with this exit code.
#[track_caller]
fn report(name: &str, options: &[&str], code: i32) -> Value {
    let run = inject(name, &[&WINDOW, options, &["--json"]].concat());
    assert_eq!(run.code, code, "{}\n{}", run.stdout, run.stderr);
    run.json()
}

fn number(value: &Value, pointer: &str) -> u64 {
    value.pointer(pointer).and_then(Value::as_u64).unwrap_or_else(|| panic!("no {pointer}"))
}

fn list<'a>(value: &'a Value, field: &str) -> &'a [Value] {
    value[field].as_array().unwrap_or_else(|| panic!("no list {field}"))
}

/// The places where the last exception of each failure was taken, without repetition.
fn places(report: &Value) -> Vec<String> {
    let mut places: Vec<String> = list(report, "failures")
        .iter()
        .map(|failure| {
            let last = list(failure, "injections").last().unwrap();
            let held = failure["taken_at"].is_object();
            let place = if held { &failure["taken_at"] } else { last };
            place["function"].as_str().unwrap().to_owned()
        })
        .collect();
    places.sort();
    places.dedup();
    places
}

/// What `code` disassembles to is the compiler's choice; the load and the store are known by what
/// lies between them failing, and nothing before or behind.
#[track_caller]
fn all_within(places: &[String], function: &str) {
    assert!(!places.is_empty());
    for place in places {
        let within = place.strip_prefix(function).is_some_and(|rest| rest.starts_with('+'));
        assert!(within, "{place} is not inside {function}");
    }
}

#[test]
fn a_torn_update_is_found_between_its_load_and_its_store() {
    let wrong = report("torn_wrong", &[], 1);
    let places = places(&wrong);
    all_within(&places, "add_one");
    // A load, an addition and a store in three rounds: two or three boundaries tear each of them.
    assert!((2..=3).contains(&places.len()), "{places:?}");
    assert_eq!(list(&wrong, "failures").len(), 3 * places.len());
    for failure in list(&wrong, "failures") {
        assert_eq!(failure["problems"][0]["kind"], "exit");
        assert_eq!(failure["injections"][0]["exception"], "SysTick");
        assert!(failure["injections"][0]["place"]["file"].as_str().unwrap().ends_with("torn.rs"));
    }
    let right = report("torn_right", &["--pairs", "all"], 0);
    assert!(list(&right, "failures").is_empty());
    assert!(number(&right, "/pairs/runs") > number(&right, "/singles/runs"));
    assert_eq!(number(&right, "/pairs/runs"), number(&right, "/pairs/possible"));
}

#[test]
fn a_lost_wake_up_is_found_between_the_look_and_the_sleep() {
    let wrong = report("wake_wrong", &[], 1);
    all_within(&places(&wrong), "wait_open");
    for failure in list(&wrong, "failures") {
        assert_eq!(failure["problems"][0]["kind"], "asleep");
        assert_eq!(failure["injections"][0]["asleep"], false, "asleep it would wake");
    }
    let right = report("wake_right", &["--pairs", "all"], 0);
    assert_eq!(number(&right, "/pairs/failures"), 0);
    // The processor falls asleep once in the window, which is a point of its own.
    let points = number(&right, "/undisturbed/points");
    assert!(points > number(&right, "/singles/chosen"), "the timer's own handler is one-shot");
}

#[test]
fn a_lock_that_restores_0_is_found_behind_the_inner_lock() {
    let wrong = report("lock_wrong", &["--exception", "SysTick"], 1);
    let places = places(&wrong);
    all_within(&places, "write_both");
    assert!(places.len() <= 6, "only from the inner unlock to the second store: {places:?}");
    let held_off = |failure: &&Value| failure["taken_at"].is_object();
    let held_off = list(&wrong, "failures").iter().filter(held_off).count();
    assert!(held_off > 3, "under the lock it was held off, and taken when the lock broke");
    let right = report("lock_right", &["--pairs", "all"], 0);
    let by_exception = right["singles"]["by_exception"].as_array().unwrap();
    let at_once = |name: &str| {
        let line = by_exception.iter().find(|line| line["name"] == name).unwrap();
        (number(line, "/at_once"), number(line, "/runs"))
    };
    let (at_once_ticks, ticks) = at_once("SysTick");
    assert!(at_once_ticks < ticks, "the lock holds SysTick off");
    let (at_once_nmi, nmi) = at_once("NMI");
    assert_eq!(at_once_nmi, nmi, "nothing holds NMI off");
}

#[test]
fn some_mistakes_need_two_interrupts() {
    let singles = report("torn_in_handler", &[], 0);
    assert_eq!(number(&singles, "/singles/failures"), 0);
    let pairs = report("torn_in_handler", &["--pairs", "all"], 1);
    all_within(&places(&pairs), "PendSV");
    for failure in list(&pairs, "failures") {
        let exceptions: Vec<&str> = list(failure, "injections")
            .iter()
            .map(|injection| injection["exception"].as_str().unwrap())
            .collect();
        assert_eq!(exceptions, ["PendSV", "SysTick"]);
    }
    // Where handlers are no part of the second window, there is nothing to find.
    let elsewhere = report("torn_in_handler", &["--pairs", "all", "--pair-code", "window_end"], 0);
    let (less, more) = (number(&elsewhere, "/pairs/possible"), number(&pairs, "/pairs/possible"));
    assert!(0 < less && less < more);
    // Only the first few instructions behind the first injection, which are PendSV's prologue.
    let near = report("torn_in_handler", &["--pairs", "all", "--pair-distance", "2"], 0);
    assert!(number(&near, "/pairs/possible") < less.max(more / 4));
}

#[test]
fn a_pair_that_fails_for_its_second_half_is_shown_as_that() {
    // No single injection is made (but one), so only pairs can come upon the torn update.
    let found = (0..20).find_map(|seed| {
        let seed = seed.to_string();
        let options = ["--sample", "1", "--pairs", "all", "--seed", &seed, "--json"];
        let report = inject("torn_wrong", &[&WINDOW[..], &options].concat()).json();
        (number(&report, "/singles/failures") == 0).then_some(report)
    });
    let report = found.expect("most of the points are no mistake");
    assert!(number(&report, "/pairs/failures") > 0);
    let failures = list(&report, "failures");
    let shrunk: Vec<&Value> =
        failures.iter().filter(|failure| failure["shrunk"] == Value::Bool(true)).collect();
    assert!((2..=3).contains(&shrunk.len()), "once for each place: {failures:?}");
    for failure in shrunk {
        assert_eq!(list(failure, "injections").len(), 1);
    }
}

#[test]
fn what_the_firmware_cannot_see_is_checked_too() {
    let wrong = report("left_masked", &[], 1);
    let failures = list(&wrong, "failures");
    assert_eq!(
        failures.len() as u64,
        number(&wrong, "/singles/runs"),
        "every run leaves it masked"
    );
    for failure in failures {
        let text = failure["problems"][0]["text"].as_str().unwrap();
        assert_eq!(text, "BASEPRI is 0x80 at the end, undisturbed 0x0");
    }
    report("left_masked", &["--without", "masks"], 0);
    let long = report("left_masked", &["--without", "masks", "--max-mask", "20"], 1);
    assert_eq!(list(&long, "failures")[0]["problems"][0]["kind"], "masked");
}

#[test]
fn a_failure_can_be_repeated_by_its_command() {
    let wrong = report("torn_in_handler", &["--pairs", "all"], 1);
    let command = list(&wrong, "failures")[0]["reproduce"].as_str().unwrap().to_owned();
    let words: Vec<&str> = command.split(' ').collect();
    assert_eq!(words[..2], ["quintet", "inject"]);
    let again = quintet(&words[1..]);
    assert_eq!(again.code, 1, "{}", again.stderr);
    assert!(again.stdout.contains("then SysTick in cycle"), "{}", again.stdout);
    assert!(again.stdout.contains("exit code 3"), "{}", again.stdout);
    let only = words.last().unwrap();
    let (first, second) = only.split_once(',').unwrap();
    let clean = inject("torn_in_handler", &[&WINDOW[..], &["--only", first]].concat());
    assert_eq!(clean.code, 0, "the first alone is no mistake: {}", clean.stdout);
    assert!(clean.stdout.contains("Clean"));
    let cycle = second.split_once(':').unwrap().0;
    let nowhere = format!("{cycle}000:SysTick");
    inject("torn_in_handler", &[&WINDOW[..], &["--only", &nowhere]].concat())
        .fails(120, &["no instruction begins at", "000 in this run"]);
}

#[test]
fn a_death_is_examined_when_it_is_repeated() {
    let wrong = report("wake_wrong", &[], 1);
    let only = list(&wrong, "failures")[0]["reproduce"].as_str().unwrap().to_owned();
    let again = quintet(&only.split(' ').skip(1).collect::<Vec<_>>());
    again.fails(
        1,
        &["the processor sleeps and nothing will ever wake it", "Backtrace:", "wait_open"],
    );
    assert!(again.stdout.contains("a lost wake-up"), "{}", again.stdout);
}

#[test]
fn all_exceptions_are_those_that_are_enabled_and_bound() {
    let differs = report("bound", &[], 1);
    let exceptions: Vec<&str> = list(&differs, "exceptions")
        .iter()
        .map(|source| source["handler"].as_str().unwrap())
        .collect();
    assert_eq!(exceptions, ["third"]);
    let problem = &list(&differs, "failures")[0]["problems"][0];
    assert_eq!(problem["text"], "stdout has \"third\" where undisturbed it has \"done\"");
    report("bound", &["--ignore-line", "third"], 0);
    report("bound", &["--exception", "third", "--ignore-output", "stdout"], 0);
    report("bound", &["--exception", "3", "--without", "output"], 0);
}

#[test]
fn exceptions_that_cannot_happen_are_refused() {
    let refused = |exception: &str, parts: &[&str]| {
        inject("bound", &[&WINDOW[..], &["--exception", exception]].concat()).fails(120, parts);
    };
    refused("4", &["IRQ 4 is not enabled anywhere in the windows"]);
    refused("fourth", &["IRQ 4 is not enabled anywhere in the windows"]);
    refused("irq5", &["IRQ 5 has no handler of its own", "nobody", "loops for ever"]);
    refused("window_end", &["no vector leads to \"window_end\""]);
    refused("hardfault", &["hardfault does not come from outside"]);
    refused("64", &["no interrupt 64 on this board; its last is 63"]);
    refused("furth", &["\"furth\" is no exception", "the nearest: fourth"]);
    let none = inject("exit_code", &["--from", "Reset", "--to", "main"]);
    assert_eq!(none.code, 120);
}

#[test]
fn windows_are_found_or_refused() {
    let refused = |options: &[&str], parts: &[&str]| {
        inject("torn_wrong", options).fails(120, parts);
    };
    refused(&[], &["a window needs from and to, or code"]);
    refused(&["--from", "nosuch", "--to", "window_end"], &["from: no symbol is named \"nosuch\""]);
    refused(&["--code", "nosuch::"], &["no function's path begins with \"nosuch::\""]);
    refused(&["--code", "nosuch.rs"], &["no instruction comes from a source file \"nosuch.rs\""]);
    refused(&["--code", "nosuch"], &["no symbol is named \"nosuch\""]);
    // It is there, but between these marks it does not execute.
    refused(
        &["--from", "window_end", "--to", "window_begin", "--code", "add_one"],
        &["nothing executes in the window \"from window_end to window_begin, code of add_one\""],
    );
    assert_eq!(inject("torn_wrong", &["--from", "main"]).code, 2, "from needs to");
}

#[test]
fn why_code_is_not_found_is_said() {
    let image = program("lock_right");
    let inlined = "if it is inlined everywhere, no instruction of its own is left: name the \
                   function that calls it, or mark it #[inline(never)]";
    let refused = |image: &str, code: &str, parts: &[&str]| {
        quintet(&["inject", image, "--code", code]).fails(120, parts);
    };
    let similar = "functions that contain the name: lock_right::lock::write_both";
    refused(&image, "both", &["no symbol is named \"both\"", inlined, "write_both"]);
    refused(&image, "nosuch::both::", &["path begins with \"nosuch::both::\"", inlined, similar]);
    // Without debug information the reason is another one.
    let bytes = std::fs::read(image).unwrap();
    let text = bytes.windows(7).enumerate().filter(|(_, part)| *part == b".debug_");
    let mut without = bytes.clone();
    text.for_each(|(at, _)| without[at + 1] = b'x');
    let image = temporary("without_debug.elf", &without);
    let lacks =
        "the file has none: build it with debug = \"line-tables-only\" in the profile, name";
    refused(&image, "nosuch", &["no symbol is named \"nosuch\"", lacks, "#[inline(never)]"]);
}

#[test]
fn code_is_chosen_by_function_path_file_and_address() {
    let runs = |code: &[&str]| {
        let mut options = vec!["--json"];
        options.extend(code.iter().flat_map(|code| ["--code", code]));
        number(&inject("torn_right", &options).json(), "/singles/runs")
    };
    let one = runs(&["add_one"]);
    assert!(one >= 3 * 4, "three rounds of a load, an addition, a store and a return: {one}");
    assert_eq!(runs(&["add_one..add_one+2"]), 3);
    let file = runs(&["src/torn.rs"]);
    assert!(file > one, "the file has more than that function: {file}");
    assert!(runs(&["torn_right::"]) > 0);
    assert_eq!(runs(&["src/torn.rs", "add_one"]), file, "code that is named twice counts once");
}

#[test]
fn firmware_must_end_and_be_right_undisturbed() {
    inject("exit_code", &["--from", "main", "--to", "main"])
        .fails(120, &["fails without any injection: exit code 42"]);
    inject("hard_fault", &["--from", "main", "--to", "main"])
        .fails(120, &["fails without any injection: a fault at"]);
    inject("ticking", &["--from", "main", "--to", "main", "--max-cycles", "1_000_000"])
        .fails(120, &["does not end by itself: not within 1 000 000 cycles"]);
    inject("torn_right", &[&WINDOW[..], &["--limit", "50"]].concat())
        .fails(120, &["the limit of 50 cycles is too short"]);
    inject("torn_right", &[&WINDOW[..], &["--max-mask", "3"]].concat())
        .fails(120, &["already undisturbed, PRIMASK masked interrupts for"]);
}

#[test]
fn a_scenario_says_it_all() {
    let image = program("lock_right");
    let text = format!(
        "image = {image:?}\nboard = \"lm3s6965\"\nexceptions = [\"NMI\", \"SysTick\"]\n\
         max_mask = 60\npair_code = [\"write_both\"]\n\
         [[window]]\nfrom = \"window_begin\"\nto = \"window_end\"\n\
         [[window]]\ncode = [\"src/lock.rs\"]\n"
    );
    let file = temporary("inject.toml", text.as_bytes());
    let run = quintet(&["inject", "--scenario", &file, "--pairs", "200", "--json"]);
    assert_eq!(run.code, 0, "{}\n{}", run.stdout, run.stderr);
    let report = run.json();
    assert_eq!(list(&report, "windows").len(), 2);
    let (chosen, possible) = (number(&report, "/pairs/chosen"), number(&report, "/pairs/possible"));
    assert!(chosen <= 200 && chosen > 100 && possible > 1000, "{chosen} of {possible}");
    assert_eq!(number(&report, "/pairs/runs"), chosen);
    // The same by the same choice, whatever the threads do.
    let again =
        quintet(&["inject", "--scenario", &file, "--pairs", "200", "--json", "--jobs", "1"]);
    let [first, second] = [report, again.json()].map(|mut report| {
        (report["seconds"], report["jobs"]) = (Value::Null, Value::Null);
        report
    });
    assert_eq!(first, second);
    let wrong = temporary("inject-wrong.toml", b"exception = 5\n");
    quintet(&["inject", "--scenario", &wrong]).fails(120, &["inject-wrong.toml", "exception"]);
    let both = quintet(&["inject", &image, "--scenario", &file, "--code", "x"]);
    assert_eq!(both.code, 2, "a scenario and options exclude each other");
}

#[test]
fn a_sample_is_a_part_and_always_the_same() {
    let of = |seed: &str| report("torn_right", &["--sample", "10", "--seed", seed], 0);
    let (one, other) = (of("1"), of("2"));
    assert_eq!(number(&one, "/singles/chosen"), 10);
    assert_eq!(number(&one, "/singles/runs"), 10);
    assert!(number(&one, "/singles/possible") > 10);
    assert_eq!(one["singles"], of("1")["singles"]);
    assert_eq!(number(&other, "/singles/runs"), 10);
}

#[test]
fn a_campaign_of_nothing_is_refused() {
    for option in ["--sample", "--limit", "--pair-distance"] {
        let run = quintet(&["inject", &program("torn_right"), "--code", "x", option, "0"]);
        run.fails(2, &[option, "nothing to do"]);
    }
}

#[test]
fn people_get_size_and_result() {
    let run = inject("torn_wrong", &WINDOW);
    assert_eq!(run.code, 1);
    for part in [
        "Window: from window_begin to window_end",
        "points to interrupt",
        "Single injections: all",
        "and 2 more at the same place",
        "--only",
        "add_one+0x",
        "torn.rs:",
        "FAILED:",
    ] {
        assert!(run.stdout.contains(part), "no \"{part}\" in\n{}", run.stdout);
    }
}
