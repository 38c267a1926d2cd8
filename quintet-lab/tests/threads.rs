//! `quintet threads`, and what reports say of threads.

mod support;

use serde_json::Value;
use support::{program, quintet};

fn thread<'a>(report: &'a Value, name: &str) -> &'a Value {
    let threads = report["threads"].as_array().unwrap();
    let found = threads.iter().find(|thread| thread["name"] == name);
    found.unwrap_or_else(|| panic!("no thread {name} in {report}"))
}

#[test]
fn each_thread_is_accounted_for() {
    let run = quintet(&["threads", &program("threads"), "--json"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let report = run.json();
    let of = |name: &str, field: &str| thread(&report, name)[field].as_u64().unwrap();
    assert_eq!((of("WORKER", "priority"), of("BUSY", "priority")), (5, 1));
    let state = |name: &str| thread(&report, name)["state"].as_str().unwrap();
    assert_eq!(
        (state("WORKER"), state("WAITING"), state("BUSY"), state("idle")),
        ("running", "waiting", "ready", "ready")
    );
    // It waits ten times, the others only once or never; each tick preempts the busy one.
    assert_eq!((of("WORKER", "voluntary"), of("WORKER", "preempted")), (10, 0));
    assert_eq!((of("WAITING", "voluntary"), of("BUSY", "voluntary")), (1, 0));
    // Idle starts the three, each of which takes over at once.
    assert_eq!((of("BUSY", "preempted"), of("idle", "preempted")), (10, 3));
    assert_eq!(of("WORKER", "switches"), 10);
    assert!((300..1024).contains(&of("WORKER", "high_water")), "nine deep: {report}");
    assert!(of("BUSY", "high_water") < 200, "{report}");
    assert_eq!((of("WORKER", "stack"), thread(&report, "idle")["stack"].is_null()), (1024, true));
    // Everything that passed is somebody's.
    let threads = report["threads"].as_array().unwrap().iter();
    let others = ["switching_cycles", "interrupt_cycles", "startup_cycles"];
    let others: u64 = others.iter().map(|name| report[name].as_u64().unwrap()).sum();
    let all = threads.map(|one| one["cycles"].as_u64().unwrap()).sum::<u64>() + others;
    assert_eq!(all, report["cycles"].as_u64().unwrap(), "{report}");
    assert!(of("BUSY", "cycles") > 80_000, "{report}");
}

#[test]
fn who_waits_or_yields_for_a_more_urgent_one_is_not_preempted() {
    let report = quintet(&["threads", &program("cooperative"), "--json"]).json();
    for name in ["asks", "answers"] {
        let switches = ["voluntary", "preempted"].map(|field| &thread(&report, name)[field]);
        let expected = if name == "asks" { 4 } else { 5 };
        assert_eq!(switches, [expected, 0], "{name} in {report}");
    }
}

#[test]
fn a_guard_is_not_left_of_a_stack() {
    let file = program("cooperative");
    let report = quintet(&["threads", &file, "--json"]).json();
    let asks = thread(&report, "asks");
    let [stack, guard, used] =
        ["stack", "guard", "high_water"].map(|field| asks[field].as_u64().unwrap());
    assert_eq!((stack, guard), (512, 32), "{report}");
    let table = quintet(&["threads", &file]).stdout;
    let row: Vec<_> = table.lines().find(|row| row.contains("asks")).unwrap().split(' ').collect();
    let figures = [stack, used, stack - guard - used].map(|figure| figure.to_string());
    let words: Vec<_> = row.into_iter().filter(|word| !word.is_empty()).collect();
    assert!(words.windows(3).any(|three| three == figures), "{table}");
    let unguarded = quintet(&["threads", &program("thread_overflow"), "--json"]).json();
    assert_eq!(thread(&unguarded, "SMALL")["guard"], 0);
    assert_eq!(thread(&unguarded, "SMALL")["overflow"], true);
}

#[test]
fn what_a_thread_waits_for_is_said() {
    let report = quintet(&["threads", &program("waiting"), "--json"]).json();
    for (name, what) in [
        ("CONDITIONAL", "waiting::CHANGED"),
        ("ELEMENT", "waiting::LINES[1]"),
        ("FIELD", "waiting::PORT.closed.1"),
        ("OWNER", "waiting::NEVER"),
        ("LOCKER", "the mutex waiting::TABLE"),
        ("TAKER", "waiting::NEVER"),
        ("SENDER", "waiting::QUEUE"),
        ("FLAGGED", "its flags waiting::EVENTS"),
        ("PARKED", "unpark"),
        ("JOINER", "the end of TAKER"),
    ] {
        assert_eq!(thread(&report, name)["waits_for"], what, "{name} in {report}");
    }
    // An object on a stack has no name of its own.
    let local = thread(&report, "LOCAL")["waits_for"].as_str().unwrap();
    assert!(local.starts_with("what is at 0x2000"), "{local}");
    assert!(thread(&report, "LAST")["waits_for"].is_null(), "{report}");
    let table = quintet(&["threads", &program("waiting")]).stdout;
    assert!(table.contains("waits for") && table.contains("the mutex waiting::TABLE"), "{table}");
}

#[test]
fn the_table_says_the_same() {
    let run = quintet(&["threads", &program("threads"), "--seconds", "0.001"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    for part in ["high water", "WORKER", "waiting", "(interrupts)", "In 12 0"] {
        assert!(run.stdout.contains(part), "no \"{part}\" in:\n{}", run.stdout);
    }
}

#[test]
fn firmware_without_threads_is_refused() {
    quintet(&["threads", &program("hello")])
        .fails(120, &["no threads of Quintet, no tasks of", "#[thread]"]);
    quintet(&["threads", &program("threads"), "--seconds", "0"]).fails(120, &["--seconds 0"]);
}

#[test]
fn a_death_names_the_thread_and_its_stack() {
    let run = quintet(&["run", &program("thread_overflow")]);
    run.fails(121, &["in the thread SMALL, priority 3", "a stack overflow", "`stack = 1024`"]);
    let json = quintet(&["run", &program("thread_overflow"), "--json"]).json();
    let thread = &json["post_mortem"]["thread"];
    assert_eq!((thread["name"].as_str(), thread["stack"].as_u64()), (Some("SMALL"), Some(512)));
    assert!(thread["overflow"] == true && thread["high_water"].as_u64() > Some(512), "{thread}");
}

#[test]
fn a_control_block_that_was_overwritten_is_said_to_be() {
    let run = quintet(&["run", &program("overwritten")]);
    run.fails(121, &["the control block of the thread VICTIM, at 0x2", "was overwritten"]);
    for sound in ["thread_fault", "thread_overflow", "circle"] {
        let run = quintet(&["run", &program(sound)]);
        assert!(!run.stderr.contains("overwritten"), "{sound}: {}", run.stderr);
    }
}

#[test]
fn a_circle_of_waits_is_said() {
    let file = program("circle");
    let run = quintet(&["run", &file]);
    let circle = [
        "LEFT waits for the mutex circle::KNIFE, which RIGHT has",
        "RIGHT waits for the mutex circle::FORK, which LEFT has",
    ];
    run.fails(122, &["threads wait for each other: ", circle[0], circle[1], "the same order"]);
    assert!(!run.stderr.contains("BESIDE"), "{}", run.stderr);
    let report = quintet(&["threads", &file, "--json"]).json();
    assert_eq!(thread(&report, "LEFT")["owner"], "RIGHT", "{report}");
    assert!(thread(&report, "BESIDE")["owner"].is_null(), "{report}");
    let table = quintet(&["threads", &file]).stdout;
    assert!(table.contains("the mutex circle::KNIFE, which RIGHT has"), "{table}");
    // An owner that waits for something else is no circle.
    let run = quintet(&["run", &program("waiting"), "--max-cycles", "1000"]);
    assert!(!run.stderr.contains("each other"), "{}", run.stderr);
}

#[test]
fn a_fault_whose_frame_could_not_be_written_has_a_place_all_the_same() {
    let run = quintet(&["run", &program("masked_overflow")]);
    run.fails(
        121,
        &["in masked_overflow::fill (", "MSTKERR", "the thread SMALL", "`stack = 1024`"],
    );
    assert!(!run.stderr.contains("in no function"), "{}", run.stderr);
}

#[test]
fn an_overflow_in_a_switch_is_the_one_of_whose_stack_it_is() {
    let run = quintet(&["run", &program("switch_overflow")]);
    run.fails(101, &["the stack of the thread SMALL is too small", "`stack = 1024`"]);
    assert!(!run.stderr.contains("thread OTHER is too small"), "{}", run.stderr);
}

#[test]
fn an_overflow_past_its_own_guard_is_not_the_one_of_whose_guard_was_hit() {
    let run = quintet(&["run", &program("past_guard")]);
    let who = run.stdout.trim();
    run.fails(101, &[&format!("the stack of the thread {who} is too small"), "`stack = 4096`"]);
}

#[test]
fn a_wild_pointer_to_a_guard_is_no_overflow() {
    let run = quintet(&["run", &program("wild_pointer")]);
    run.fails(101, &["was hit by `GUILTY`", "while the thread `GUILTY` was running"]);
    assert!(!run.stderr.contains("is too small"), "{}", run.stderr);
}

#[test]
fn who_was_not_started_is_shown() {
    let report = quintet(&["threads", &program("switch_overflow"), "--json"]).json();
    let late = thread(&report, "LATE");
    let numbers = ["priority", "stack", "high_water", "switches"].map(|field| late[field].as_u64());
    assert_eq!(late["state"], "not started", "{report}");
    assert_eq!(numbers, [3, 256, 0, 0].map(Some), "{report}");
    let table = quintet(&["threads", &program("switch_overflow")]).stdout;
    assert!(table.contains("LATE") && table.contains("not started"), "{table}");
}

#[test]
fn who_ends_by_its_panic_handler_is_told_what_to_do() {
    let run = quintet(&["run", &program("host_overflow")]);
    let way_out = "the stack of the thread tasks at 1 is too small: give it more, as `host_stack = \
                   1024` in `#[quintet::app(..)]`";
    run.fails(101, &["the stack of the thread `tasks at 1` overflowed", way_out]);
    let place = "in the handler of MemManage, while the thread `tasks at 1` was running";
    run.fails(101, &[&format!("\nquintet: ended with code 101 {place}\n")]);
    let json = quintet(&["run", &program("host_overflow"), "--json"]).json();
    assert!(json["advice"].as_str().unwrap().contains("`host_stack = 1024`"), "{json}");
    assert!(json["post_mortem"].is_null(), "{json}");
    let threads = quintet(&["threads", &program("host_overflow")]);
    assert!(threads.code == 0 && threads.stderr.contains(way_out), "{}", threads.stderr);
    // Who ends otherwise is told nothing.
    let well = quintet(&["run", &program("exit_code"), "--json"]).json();
    assert!(well["exit_code"].as_u64() > Some(0) && well["advice"].is_null(), "{well}");
    assert!(well["ended_in"].is_null(), "no threads: {well}");
}

#[test]
fn who_ends_by_a_failing_code_is_named() {
    let file = program("gives_up");
    let run = quintet(&["run", &file]);
    assert_eq!((run.code, run.stdout.as_str()), (3, ""));
    assert_eq!(run.stderr, "quintet: ended with code 3 in the thread `WORKER`\n");
    let json = quintet(&["run", &file, "--json"]).json();
    assert_eq!(
        (json["ended_in"].as_str(), json["exit_code"].as_u64()),
        (Some("in the thread `WORKER`"), Some(3))
    );
    assert!(json["advice"].is_null(), "{json}");
    let well = quintet(&["run", &program("threads")]);
    assert_eq!((well.code, well.stderr.as_str()), (0, ""));
}

#[test]
fn who_led_to_a_panic_of_the_kernel_is_said() {
    let run = quintet(&["run", &program("waits_masked")]);
    run.fails(101, &["would wait while it holds", "called from ", "src/bin/waits_masked.rs:16"]);
    // Through the exception of an overflow too.
    let json = quintet(&["run", &program("host_overflow"), "--json"]).json();
    let file = json["panic_called_from"]["file"].as_str().unwrap_or_default();
    assert!(file.ends_with("host_overflow.rs"), "{json}");
}

#[test]
fn a_fault_names_the_thread_that_runs_and_no_overflow() {
    let run = quintet(&["run", &program("thread_fault")]);
    run.fails(121, &["in the thread GUILTY, priority 2", "of 1 024 bytes of its stack were used"]);
    assert!(!run.stderr.contains("overflow"), "{}", run.stderr);
    let json = quintet(&["run", &program("thread_fault"), "--json"]).json();
    let thread = &json["post_mortem"]["thread"];
    assert_eq!((thread["name"].as_str(), &thread["overflow"]), (Some("GUILTY"), &false.into()));
}

#[test]
fn stacks_side_by_side_are_told_apart() {
    let threads = quintet(&["threads", &program("threads"), "--json"]).json();
    let report = quintet(&["stack", &program("threads"), "--json"]).json();
    let stacks: Vec<_> = report["stacks"].as_array().unwrap().iter().skip(1).collect();
    let sorted = |mut all: Vec<u64>| {
        all.sort_unstable();
        all
    };
    let used = stacks.iter().map(|stack| stack["used"].as_u64().unwrap()).collect();
    let high_water = ["WORKER", "WAITING", "BUSY"]
        .map(|name| thread(&threads, name)["high_water"].as_u64().unwrap())
        .to_vec();
    assert_eq!(sorted(used), sorted(high_water), "{report}");
    let usable = |name: &str| {
        let bytes = |field: &str| thread(&threads, name)[field].as_u64().unwrap();
        bytes("stack") - bytes("guard")
    };
    let available = stacks.iter().map(|stack| stack["available"].as_u64().unwrap()).collect();
    let usable = ["WORKER", "WAITING", "BUSY"].map(usable).to_vec();
    assert_eq!(sorted(available), sorted(usable), "without their guards: {report}");
    assert!(stacks.iter().all(|stack| stack["overflow"] == false), "{report}");
}

#[test]
fn a_stack_that_is_empty_at_a_switch_is_nobody_elses_overflow() {
    let report = quintet(&["threads", &program("side_by_side"), "--json"]).json();
    for name in ["ONE", "OTHER"] {
        let thread = thread(&report, name);
        assert!(thread["overflow"] == false && thread["voluntary"] == 4, "{thread}");
        assert!(thread["high_water"].as_u64() < Some(100), "{thread}");
    }
}

#[test]
fn what_a_preemption_stores_is_of_the_stack() {
    let report = |cycles: &str| {
        quintet(&["threads", &program("threads"), "--cycles", cycles, "--json"]).json()
    };
    // The worker has woken and preempted the busy one, which has not gone on; and the switch is
    // over, as the worker works.
    let is_preempted = |report: &Value| {
        let states = ["WORKER", "BUSY"].map(|name| thread(report, name)["state"].clone());
        let works = thread(report, "WORKER")["cycles"].as_u64() > Some(100);
        states == ["running", "ready"] && works && thread(report, "BUSY")["preempted"] == 1
    };
    let mut first = (10_000..30_000).step_by(250).map(|cycles| report(&cycles.to_string()));
    let first = first.find(is_preempted).expect("SysTick comes every 10 000 cycles");
    // Its registers come from there when it goes on, by then at the latest they count.
    let high_water = |report: &Value| thread(report, "BUSY")["high_water"].clone();
    assert_eq!(high_water(&first), high_water(&report("100_000")), "{first}");
}

#[test]
fn a_backtrace_ends_where_its_stack_does() {
    let report = quintet(&["stack", &program("threads"), "--json"]).json();
    for stack in report["stacks"].as_array().unwrap().iter().skip(1) {
        let frames = stack["backtrace"].as_array().unwrap();
        let pointers = frames.iter().filter_map(|frame| frame["stack_pointer"].as_u64());
        assert!(pointers.max() <= stack["top"].as_u64(), "{stack}");
    }
    // Behind its first function there is nobody: what it returns to is no call.
    let run = quintet(&["run", &program("thread_fault")]);
    let last = run.stderr.lines().rfind(|line| line.contains(": 0x"));
    assert!(last.is_some_and(|line| line.contains("GUILTY")), "{}", run.stderr);
}

#[test]
fn a_stack_that_overflows_is_the_one_that_is_said_to() {
    let run = quintet(&["stack", &program("thread_overflow"), "--json"]);
    let stacks = run.json()["stacks"].as_array().unwrap().clone();
    let overflown: Vec<_> = stacks.iter().filter(|stack| stack["overflow"] == true).collect();
    assert_eq!(overflown.len(), 1, "{stacks:?}");
    let symbol = overflown[0]["symbol"].as_str().unwrap();
    assert!(symbol.contains("STACK"), "{symbol}");
}

#[test]
fn tasks_of_freertos_are_shown_with_what_they_wait_for() {
    let report = quintet(&["threads", &program("freertos_like"), "--json"]).json();
    let task = |name: &str| {
        let mut all = report["threads"].as_array().unwrap().iter();
        all.find(|task| task["name"] == name).unwrap_or_else(|| panic!("no {name} in {report}"))
    };
    assert_eq!(
        (&task("worker")["state"], &task("worker")["switches"]),
        (&"running".into(), &0.into())
    );
    assert_eq!(task("sensor")["waits_for"], "waits for a time");
    assert_eq!(
        (&task("sensor")["state"], &task("sensor")["switches"]),
        (&"waiting".into(), &3.into())
    );
    assert_eq!(task("IDLE")["state"], "ready");
    // Its memory is the worker's now, and its cycles are its own.
    assert_eq!(task("logger")["state"], "deleted");
    assert!(task("logger")["cycles"].as_u64() > task("worker")["cycles"].as_u64(), "{report}");
    let all = report["threads"].as_array().unwrap().iter();
    let sum: u64 = all.map(|task| task["cycles"].as_u64().unwrap()).sum();
    let others = ["switching_cycles", "interrupt_cycles", "startup_cycles"];
    let others: u64 = others.iter().map(|name| report[name].as_u64().unwrap()).sum();
    assert_eq!(report["cycles"], sum + others);
}

#[test]
fn threads_of_other_kernels_are_shown_by_their_debug_information() {
    let all = |kernel: &str| {
        let report = quintet(&["threads", &program(kernel), "--json"]).json();
        let row = |thread: &serde_json::Value| {
            let words = ["name", "state", "waits_for"].map(|field| thread[field].as_str());
            let [name, state, waits] = words.map(|word| word.unwrap_or_default().to_owned());
            format!("{name} {} {state} {waits}", thread["priority"]).trim_end().to_owned()
        };
        report["threads"].as_array().unwrap().iter().map(row).collect::<Vec<_>>()
    };
    assert_eq!(
        all("zephyr_like"),
        [
            "idle 15 ready",
            "ticker 3 waiting waits for a time",
            "main 0 running",
            "reader -2 waiting waits for sem_ready",
        ]
    );
    assert_eq!(
        all("riot_like"),
        ["idle 15 ready", "main 7 running", "ipv6 4 waiting waits for a message"]
    );
    assert_eq!(
        all("nuttx_like"),
        [
            "work_hpthread 192 waiting waits for a signal or a time",
            "nsh_main 100 waiting waits for g_console",
            "os_start 0 running",
        ]
    );
    assert_eq!(
        all("chibios_like"),
        [
            "logger 130 waiting waits for bus_mutex",
            "blinker 129 waiting waits for a time",
            "main 128 running",
            "idle 1 ready",
        ]
    );
    // Profiles have them as contexts.
    let profile = quintet(&["profile", &program("riot_like")]);
    assert!(
        profile.stdout.contains("main") && profile.stdout.contains("ipv6"),
        "{}",
        profile.stdout
    );
}

#[test]
fn without_debug_information_the_kernel_is_named_and_what_to_do() {
    let file = program("zephyr_like");
    let stripped = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("zephyr-without-debug");
    let image = std::fs::read(&file).unwrap();
    // The names of sections with debug information become others, so that nobody finds them.
    let name = b".debug_info\0";
    let at = image.windows(name.len()).rposition(|bytes| bytes == name).unwrap();
    let mut image = image;
    image[at + 1] = b'x';
    std::fs::write(&stripped, image).unwrap();
    quintet(&["threads", &stripped.display().to_string()]).fails(
        120,
        &["it has Zephyr, but no debug information for `struct k_thread`: take zephyr.elf"],
    );
}
