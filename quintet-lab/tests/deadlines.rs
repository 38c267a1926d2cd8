//! `quintet deadlines`: whether tasks meet their deadlines in a run and by analysis, by what
//! attributes or a file declare.

mod support;

use std::path::Path;
use std::sync::OnceLock;

use serde_json::Value;
use support::{Finished, example, program, quintet, temporary};

/// The example whose tasks have attributes.
fn declared() -> String {
    example(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples"), "deadlines")
}

/// What is said of this example: the command runs once for all tests that look at the answer.
fn report() -> &'static Value {
    static REPORT: OnceLock<Value> = OnceLock::new();
    REPORT.get_or_init(|| {
        let run = quintet(&["deadlines", &declared(), "--json"]);
        assert_eq!(run.code, 0, "{}", run.stderr);
        run.json()
    })
}

/// Of the firmware with a file of tasks.
fn with(firmware: &str, name: &str, tasks: &str, arguments: &[&str]) -> Finished {
    let file = temporary(name, tasks.as_bytes());
    quintet(&[&["deadlines", firmware, "--tasks", &file], arguments].concat())
}

fn named<'a>(report: &'a Value, list: &str, name: &str) -> &'a Value {
    let all = report[list].as_array().unwrap();
    let found = all.iter().find(|one| one["name"] == name);
    found.unwrap_or_else(|| panic!("no {name} in {list} of {report}"))
}

fn number(row: &Value, field: &str) -> u64 {
    row[field].as_u64().unwrap_or_else(|| panic!("no {field} in {row}"))
}

#[test]
fn attributes_say_what_is_judged() {
    let report = report();
    assert_eq!((&report["verdict"], &report["met"]), (&"OBSERVED".into(), &true.into()));
    let names: Vec<_> =
        report["tasks"].as_array().unwrap().iter().map(|one| &one["name"]).collect();
    assert_eq!(names, ["control", "filter", "log"], "the most urgent first");
    let [control, filter, log] =
        ["control", "filter", "log"].map(|one| named(report, "tasks", one));
    // 12 cycles are a microsecond. Each works for so long, and pays for its entry and return.
    for (task, least) in [(control, 600), (filter, 2_400), (log, 24_000)] {
        let cost = number(task, "cost");
        assert!((least..least + 600).contains(&cost), "{task}");
        assert!(number(task, "seen") <= number(task, "response"), "{task}");
        assert!(number(task, "cost_most") > cost, "{task}");
    }
    assert_eq!((number(control, "period"), number(control, "deadline")), (12_000, 3_600));
    assert_eq!((number(filter, "deadline"), number(log, "deadline")), (12_000, 96_000));
    assert_eq!((number(control, "jobs"), number(filter, "jobs")), (44, 44));
    assert_eq!(number(log, "jobs"), 5, "its start is the first");
    // The section of 100 us holds off both, and is part of the cost of its own task.
    for task in [control, filter] {
        assert!((1_200..1_300).contains(&number(task, "blocking")), "{task}");
        assert!(task["blocked_by"].as_str().unwrap().contains("log"), "{task}");
    }
    assert!(number(log, "blocking") < 200, "{log}");
    // Among what a job of `log` waits for, `filter` and `control` come each millisecond.
    assert!(number(log, "interference") >= 3 * 3_000, "{log}");
    let tick = named(report, "others", "tick");
    assert_eq!((tick["priority"].as_str(), number(tick, "distance")), (Some("4"), 12_000));
    assert!(report["others"].as_array().unwrap().iter().any(|one| one["name"] == "PendSV"));
}

#[test]
fn the_longest_section_tells_how_long_it_may_become() {
    let report = report();
    let section = &report["sections"][0];
    assert_eq!(
        (&section["by"], &section["delays"]),
        (&"mask".into(), &["control", "filter"].into())
    );
    let (cycles, most) = (number(section, "cycles"), number(section, "most"));
    assert_eq!(section["then_misses"], "control");
    let control = named(report, "tasks", "control");
    // What is left of its deadline can be the section's, as far as nobody comes once more.
    let left = number(control, "deadline") - number(control, "response");
    assert_eq!(most, cycles + left, "{section}");
    // A file that declares it so long is judged as told.
    let judged = |longest: u64| {
        let text = format!(
            "[[task]]\nfunction = 'log'\nperiod = '10 ms'\n[[resource]]\nname = 'samples'\n\
             longest = {longest}\nusers = ['control', 'log']\n"
        );
        with(&declared(), "section.toml", &text, &[])
    };
    assert_eq!(judged(most).code, 0);
    judged(most + 1).fails(1, &["control may miss its deadline", "held off by samples"]);
}

#[test]
fn a_deadline_that_is_missed_is_told_with_its_moment() {
    let text = "[[task]]\nfunction = 'control'\nperiod = '1 ms'\ndeadline = '40 us'\n";
    let run = with(&declared(), "missed.toml", text, &["--json"]);
    run.fails(1, &["control missed its deadline of 40.000 us several times (45 of 45 jobs)"]);
    let report = run.json();
    let control = named(&report, "tasks", "control");
    assert_eq!((number(control, "missed"), control["verdict"].as_str()), (45, Some("missed")));
    assert!(control["slack"].as_i64() < Some(0) && control["cost_most"].is_null(), "{control}");
    let due = number(control, "first_missed") + 480;
    let digits = |text: &str| text.replace(' ', "");
    assert!(digits(&run.stderr).contains(&format!("(cycle{due})")), "{}", run.stderr);
}

#[test]
fn what_may_be_missed_in_another_run_is_told_by_its_parts() {
    // No job meets the section of 100 us in its first cycle.
    let text = "[[task]]\nfunction = 'control'\nperiod = '1 ms'\ndeadline = '155 us'\n";
    let run = with(&declared(), "may_miss.toml", text, &[]);
    run.fails(1, &["control may miss its deadline of 155.000 us", "its own", "held off by lock"]);
    assert!(
        run.stdout.contains("may miss") && run.stdout.contains("1 of 3 tasks"),
        "{}",
        run.stdout
    );
    let text = "[[task]]\nfunction = 'filter'\nperiod = '1 ms'\ncost = '990 us'\n";
    let run = with(&declared(), "overload.toml", text, &[]);
    run.fails(
        1,
        &["filter may miss its deadline", "of the processor, so its response has no bound"],
    );
    assert!(run.stdout.contains("990.000 us*"), "{}", run.stdout);
}

#[test]
fn jobs_that_come_too_often_break_the_analysis() {
    let text = "[[task]]\nfunction = 'tick'\nperiod = '5 ms'\n";
    with(&declared(), "often.toml", text, &[])
        .fails(1, &["tick arrives more often than it declares", "its period is 5.000 ms"]);
}

#[test]
fn firmware_without_an_application_is_judged_by_a_file() {
    // SysTick comes every 10 000 cycles and wakes the thread, which ends the program.
    let text = "[[task]]\nfunction = 'SysTick'\nperiod = 10_000\ndeadline = 500\n\
                [[task]]\nthread = 'WORKER'\nname = 'work'\nperiod = '10_000 cycles'\n";
    let run = with(&program("threads"), "threads.toml", text, &["--json"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let report = run.json();
    let (tick, work) = (named(&report, "tasks", "SysTick"), named(&report, "tasks", "work"));
    assert_eq!((number(tick, "jobs"), tick["priority"].as_str()), (10, Some("0x40")));
    assert!(
        number(work, "jobs") >= 10 && number(work, "response") >= number(work, "seen"),
        "{work}"
    );
    assert_eq!(work["priority"], "5");
    let busy = named(&report, "others", "PendSV");
    assert!(number(busy, "jobs") >= 10, "{report}");
}

#[test]
fn what_cannot_be_judged_is_refused_with_a_way_out() {
    let file = program("threads");
    quintet(&["deadlines", &file]).fails(
        120,
        &["declares a period", "#[task(.., period = \"10 ms\"", "--tasks FILE.toml", "[[task]]"],
    );
    let task = |line: &str| format!("[[task]]\n{line}\nperiod = '1 ms'\n");
    let refused = |name: &str, text: &str, parts: &[&str]| {
        with(&file, name, text, &[]).fails(120, parts);
    };
    refused(
        "typo.toml",
        &task("function = 'SysTik'"),
        &["no symbol is named \"SysTik\"", "SysTick"],
    );
    refused(
        "thread.toml",
        &task("thread = 'nobody'"),
        &["no thread has the name \"nobody\"", "WORKER"],
    );
    refused(
        "never.toml",
        &task("function = 'HardFault'"),
        &["never ended a job", "--inputs", "`cost`"],
    );
    refused("empty.toml", "", &["declares no task", "`function` and `period`"]);
    let user = "[[resource]]\nname = 'r'\nlongest = 5\nusers = ['she']\n";
    let text = format!("{}{user}", task("function = 'SysTick'"));
    refused("user.toml", &text, &["resource r is used by she", "there are SysTick"]);
    let unknown = "[[loop]]\nfunction = 'nothing'\niterations = 3\n";
    let unknown = temporary("deadlines-unknown.toml", unknown.as_bytes());
    quintet(&["deadlines", &declared(), "--annotations", &unknown])
        .fails(120, &["the annotations name a loop in nothing, and there is none"]);
    let file = temporary("place.toml", task("function = 'SysTick'").as_bytes());
    let tasks = ["deadlines", &program("threads"), "--tasks", &file];
    let place = quintet(&[&tasks[..], &["--from", "HardFault"]].concat());
    place.fails(120, &["--from: HardFault was never reached"]);
    quintet(&[&tasks[..], &["--to", "0"]].concat()).fails(120, &["--to 0 leaves no time"]);
}

/// The example whose deadlines are met in every run.
fn guaranteed() -> String {
    example(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples"), "guaranteed")
}

#[test]
fn where_every_bound_is_closed_deadlines_are_met_in_every_run() {
    let run = quintet(&["deadlines", &guaranteed(), "--json"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let report = run.json();
    assert_eq!((&report["verdict"], &report["open"]), (&"BOUNDED".into(), &Value::Array(vec![])));
    for name in ["sample", "filter"] {
        let task = named(&report, "tasks", name);
        let bounds = &task["bounds"];
        for (bound, seen) in [("cost", "cost_seen"), ("response", "seen")] {
            let (bound, seen) = (number(bounds, bound), number(task, seen));
            assert!((seen..4 * seen).contains(&bound), "{bound} and {seen} of {task}");
        }
        assert!(number(bounds, "response") >= number(task, "response"), "{task}");
        let slack = number(task, "deadline") - number(bounds, "response");
        assert_eq!(number(bounds, "slack"), slack, "{task}");
    }
    let text = quintet(&["deadlines", &guaranteed()]).stdout;
    assert!(text.contains("BOUNDED: all 2 deadlines are met in every run"), "{text}");
}

#[test]
fn what_has_no_bound_is_told_with_the_way_to_close_it() {
    let report = report();
    assert_eq!(report["verdict"], "OBSERVED");
    let open: Vec<(&str, &str)> = report["open"]
        .as_array()
        .unwrap()
        .iter()
        .map(|gap| (gap["what"].as_str().unwrap(), gap["close"].as_str().unwrap()))
        .collect();
    let has = |what: &str, close: &str| {
        open.iter().any(|gap| gap.0.contains(what) && gap.1.contains(close))
    };
    assert!(has("log is a thread", "give its `cost`"), "{open:?}");
    assert!(has("tick declares no period", "write `period` at its task"), "{open:?}");
    assert!(has("a call through a register", "[[call]]"), "{open:?}");
    assert!(has("threads run", "stays OBSERVED"), "{open:?}");
    // Its own cost has a bound nevertheless.
    let control = named(report, "tasks", "control");
    assert!(number(&control["bounds"], "cost") >= number(control, "cost_seen"), "{control}");
    let text = quintet(&["deadlines", &declared(), "--top", "2"]).stdout;
    assert!(text.contains("For BOUNDED this is open") && text.contains(" more: --top 0"), "{text}");
}

#[test]
fn a_bound_that_a_run_is_above_is_an_error() {
    // What is said of the code is wrong: the handler takes longer.
    let said = "[[bound]]\nfunction = 'SysTick'\ncycles = 1\nstack = 8\n";
    let file = temporary("deadlines-broken.toml", said.as_bytes());
    let run = quintet(&["deadlines", &guaranteed(), "--annotations", &file]);
    let first = run.stdout.lines().next().unwrap();
    assert!(
        first.starts_with("BROKEN: this run was above its bounds: the cost of sample"),
        "{first}"
    );
    assert!(run.stdout.contains("No bound here holds.") && !run.stdout.contains("BOUNDED: all"));
    run.fails(1, &["the cost of sample was", "its bound is", "a run breaks a bound"]);
}

/// What the code may do to masks and priorities is open, though no run shows it.
#[test]
fn computed_masks_and_late_priorities_are_open() {
    let tasks = "[[task]]\nfunction = 'SysTick'\nperiod = '990 us'\ndeadline = '50 us'\n";
    let file = temporary("deadlines-late.toml", tasks.as_bytes());
    let run = quintet(&["deadlines", &program("late_settings"), "--tasks", &file, "--json"]);
    let report = run.json();
    assert_eq!(report["verdict"], "OBSERVED");
    let open = report["open"].to_string();
    for said in [
        "a mask that is set to a computed value",
        "set the mask by a constant, or by what was read from it before it was raised",
        "a priority is set to another value than at the end of this run",
        "set it once, by a constant, before the tasks begin",
    ] {
        assert!(open.contains(said), "no \"{said}\" in {open}");
    }
}

/// An interrupt that is disabled for a while waits for longer than any section tells.
#[test]
fn an_interrupt_that_code_disables_or_enables_late_is_open() {
    let file = program("late_enabling");
    let open = |arguments: &[&str]| {
        let run = quintet(&[&["deadlines", &file, "--json"], arguments].concat());
        let report = run.json();
        assert_eq!(report["verdict"], "OBSERVED", "{}", run.stderr);
        report["open"].to_string()
    };
    let disabled = open(&["--from", "late_enabling::app::idle"]);
    for said in ["an interrupt may be disabled", "only before the tasks begin"] {
        assert!(disabled.contains(said), "no \"{said}\" in {disabled}");
    }
    assert!(!disabled.contains("is not enabled where jobs begin"), "{disabled}");
    let late = open(&["--from", "main"]);
    for said in [
        "IRQ 5 is not enabled where jobs begin to count",
        "enable it before the tasks begin, or name a later place by --from",
    ] {
        assert!(late.contains(said), "no \"{said}\" in {late}");
    }
}
