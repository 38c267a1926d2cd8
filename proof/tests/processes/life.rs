//! Processes are stopped, started, ended and restarted: by an operator, limits and a watchdog.

use quintet_lab::process::pack::{Wishes, pack};
use quintet_sim::board::Board;
use quintet_sim::machine::{Machine, Stop, Until};
use quintet_sim::script::Script;

use super::{Built, CYCLES_MAX, support};

/// The exceptions of the interrupts that change the process `victim`.
const TERMINATE: u16 = 16 + 2;
const RESTART: u16 = 16 + 3;
const STOP: u16 = 16 + 4;
const ALL: u16 = 16 + 7;

/// The kernel under an operator.
fn built() -> Built {
    let mut built = Built::new();
    built.kernel = support::image(&kernel("life"));
    built
}

/// One of the kernels.
fn kernel(name: &str) -> std::path::PathBuf {
    support::build("processes", support::TARGET, &["--bin", name]).join(name)
}

impl Built {
    /// The application that lives in the way with this number.
    fn life(&self, name: &str, number: u32) -> Vec<u8> {
        let mut image = support::image(&self.applications.join("lives"));
        let place = support::address(&image, "LIFE");
        let mut segments = image.segments.iter_mut();
        let segment = segments
            .find(|segment| place.wrapping_sub(segment.load_address) < segment.bytes.len() as u32)
            .expect("it is in flash");
        let at = (place - segment.load_address) as usize;
        segment.bytes[at..at + 4].copy_from_slice(&number.to_le_bytes());
        pack(&image, &Wishes { name, heap: 0, sha256: false }).expect("it is linked for its place")
    }

    /// Runs for so many milliseconds at most, while an operator writes these lines, each at its
    /// millisecond; what was printed.
    fn operate(&self, applications: &[Vec<u8>], ms: u32, lines: &[(u32, &str)]) -> String {
        let mut machine = self.machine(applications);
        let entry = |(at, line): &(u32, &str)| {
            let line = format!("{line:?}").replace("\\u{1}", "\\u0001");
            format!("[[at]]\nms = {at}\nuart = \"uart0\"\nsend = {line}\n")
        };
        let script: String = lines.iter().map(entry).collect();
        let board = Board::named(support::BOARD).expect("built in");
        machine.set_script(Script::parse(&script, &board).expect("it is a script"));
        machine.set_command_line(&format!("life {ms}"));
        Self::finish(machine)
    }
}

#[test]
fn an_operator_stops_starts_ends_and_restarts_a_process() {
    let built = built();
    let applications = [built.life("victim", 4)];
    let lines = [
        (20, "list\r\n"),
        (30, "stop victim\n"),
        (40, "stop 0\nlist\n"),
        (60, "start victim\n"),
        (70, "start victim\n"),
        (80, "terminate victim\n"),
    ];
    // The end comes with the process's.
    let printed = built.operate(&applications, 900, &lines);
    let expected = "\
Index  Name                 State       Restarts  Dropped    Used  Memory
    0  victim               Waiting            0        0";
    assert!(printed.contains(expected), "{printed}");
    let expected = "\
victim is stopped
victim: it is stopped already: start it, or end it
";
    assert!(printed.contains(expected), "{printed}");
    assert!(printed.contains("    0  victim               Stopped "), "{printed}");
    let expected = "\
victim goes on
victim: it isn't stopped: stop it first, or restart it
victim has ended
victim ends as Terminated, restarted 0 times
";
    assert!(printed.ends_with(expected), "{printed}");
    // With another one that stays.
    let applications = [built.application("hello"), built.life("victim", 4)];
    let printed = built.operate(
        &applications,
        150,
        &[(10, "terminate hello\n"), (20, "restart hello\n"), (40, "stop hello\n")],
    );
    for said in ["hello: it has ended: restart it\n", "hello starts anew\n"] {
        assert!(printed.contains(said), "{printed}");
    }
    assert_eq!(printed.matches("Hello from a process\nand once more\n").count(), 2, "{printed}");
    assert!(
        printed.contains(
            "hello: it has ended: restart it\nhello ends as Exited(7), restarted 1 times"
        ),
        "{printed}"
    );
}

#[test]
fn an_operator_hears_what_is_wrong_and_sees_memory_and_faults() {
    let built = built();
    let applications = [built.application("hello"), built.life("waits", 4)];
    let lines = [
        (10, "ps\nstop\nstop 7\nfault hello\nmemory\nhelp\n"),
        (80, "nonsense that is longer than a line of sixty-four bytes can be, by far\n"),
        (100, "memor\u{1}y\n"),
    ];
    let printed = built.operate(&applications, 200, &lines);
    for expected in [
        "there is no command `ps`: list, memory, stop, start,",
        "`stop` is for one process: write its name or index behind it",
        "there is no process 7: `list` shows the names and indices of all processes",
        "hello: no fault was noted",
        "hello: memory 0x20004000 to 0x20004",
        "bytes of memory are free from 0x2000",
        "terminate NAME or INDEX   it ends",
        "bytes of one line or more were lost, so nothing of these lines was executed: write them",
        "a line is text in UTF-8 without control characters; this one was dropped",
    ] {
        assert!(printed.contains(expected), "{expected}: {printed}");
    }
}

/// The lines all come before `main` serves any: the last one has no room, and its beginning would
/// name another process.
#[test]
fn a_line_without_room_ends_no_other_process() {
    let built = built();
    let applications = [built.application("hello"), built.life("spins", 2)];
    // It fits, to the byte.
    let fits = "\n".repeat(52) + "terminate 10\n";
    let printed = built.operate(&applications, 200, &[(5, &fits)]);
    assert!(printed.contains("and once more\nthere is no process 10"), "{printed}");
    // One byte more, and many.
    for count in [53, 61] {
        let many = "\n".repeat(count) + "terminate 10\n";
        let printed = built.operate(&applications, 200, &[(5, &many), (30, "stop 3\n")]);
        let expected = "and once more\nbytes of one line or more were lost, so nothing of these";
        assert!(printed.contains(expected), "{printed}");
        assert!(printed.contains("there is no process 3"), "{printed}");
        assert!(printed.ends_with("spins ends as HeldOff, restarted 3 times\n"), "{printed}");
    }
}

#[test]
fn restarts_are_delayed_and_limited() {
    let built = built();
    // It faults at once: the first time, and behind 2, 4 and 5 ms.
    let printed = built.operate(&[built.life("faulty", 3)], 900, &[]);
    assert_eq!(printed, "faulty ends as HeldOff, restarted 3 times\n");
    // By itself, five times as its name has it.
    let printed = built.operate(&[built.life("hasty", 1)], 900, &[]);
    assert_eq!(printed, "hasty ends as HeldOff, restarted 5 times\n");
    // It waits for its restart when the time is over, or the operator ends it.
    let printed = built.operate(&[built.life("faulty", 3)], 5, &[]);
    assert_eq!(printed, "faulty ends as Restarting, restarted 1 times\n");
    let printed = built.operate(&[built.life("faulty", 3)], 900, &[(1, "terminate faulty\n")]);
    assert!(printed.contains("faulty has ended\nfaulty ends as Terminated"), "{printed}");
    // What the operator restarts is counted anew.
    let lines = [(60, "list\nfault trespass\nrestart trespass\n"), (120, "list\n")];
    let applications = [built.application("trespass"), built.life("waits", 4)];
    let printed = built.operate(&applications, 150, &lines);
    let expected = "    0  trespass             Held off           3        0";
    assert!(printed.contains(expected), "{printed}");
    let expected =
        "process 0 accessed memory that isn't its own, at 0x20000000 (CFSR 0x00000082)\n";
    assert!(printed.contains(expected), "{printed}");
    assert!(printed.contains("\n  trespass: memory 0x20005000 to 0x20005"), "{printed}");
    assert!(printed.contains("trespass starts anew\n"), "{printed}");
    assert!(printed.contains("trespass ends as HeldOff, restarted 7 times\n"), "{printed}");
}

#[test]
fn a_life_hears_nothing_of_what_the_one_before_has_subscribed() {
    let built = built();
    let printed = built.operate(&[built.life("anew", 8)], 900, &[]);
    assert_eq!(printed, "anew ends as Exited(0), restarted 1 times\n");
}

#[test]
fn a_process_that_takes_the_processor_is_handed_to_the_policy() {
    let built = built();
    // Found behind 20 to 23 ms, four times.
    let printed = built.operate(&[built.life("spins", 2)], 200, &[(25, "fault spins\n")]);
    assert!(
        printed.contains("process 0 took the processor for longer than its watchdog"),
        "{printed}"
    );
    assert!(printed.ends_with("spins ends as HeldOff, restarted 3 times\n"), "{printed}");
    // It waits often enough, but takes more than its share.
    let printed = built.operate(&[built.life("greedy", 5)], 280, &[(200, "fault greedy\n")]);
    assert!(
        printed.contains("process 0 took the processor for longer than its watchdog"),
        "{printed}"
    );
    assert!(printed.ends_with("greedy ends as Alive, restarted 1 times\n"), "{printed}");
    let printed = built.operate(&[built.life("modest", 6)], 300, &[]);
    assert_eq!(printed, "modest ends as Alive, restarted 0 times\n");
}

/// How the process ends that was changed before one instruction.
fn ends(machine: &mut Machine, how: &str) -> String {
    let until = Until { max_cycles: Some(machine.cycle() + CYCLES_MAX), ..Until::default() };
    let stop = machine.run(&until);
    let printed = support::printed(machine);
    assert!(matches!(stop, Stop::Exit { code: 0 }), "{how}: {stop:?} {printed}");
    printed
}

#[test]
fn a_process_is_changed_before_whichever_instruction_it_is() {
    let built = built();
    let applications = [built.application("hello"), built.life("victim", 0)];
    let mut machine = built.machine(&applications);
    machine.set_command_line("life 900");
    let begun = support::address(&built.kernel, "begun");
    let until = Until { addresses: vec![begun], max_cycles: Some(CYCLES_MAX), ..Until::default() };
    assert_eq!(machine.run(&until), Stop::Address(begun));
    let before = machine.snapshot();
    let undisturbed = ends(&mut machine, "undisturbed");
    let hello = "Hello from a process\nand once more\n";
    assert!(undisturbed.starts_with(hello), "{undisturbed}");
    assert!(undisturbed.ends_with("victim ends as Exited(9), restarted 0 times\n"));
    let instructions = {
        let total = machine.instructions();
        machine.restore(&before);
        total - machine.instructions()
    };
    let (mut counts, mut tried) = ([0; 4], 0);
    let mut stepped = 0;
    while stepped < instructions {
        let at = machine.snapshot();
        let exception = [TERMINATE, RESTART, STOP, ALL][tried % 4];
        machine.pend(exception);
        let how = format!("{exception} before instruction {stepped}, at {:#x}", machine.pc());
        let printed = ends(&mut machine, &how);
        assert!(printed.starts_with(hello), "{how}: {printed}");
        assert!(printed.contains("hello ends as Exited(7), restarted 0"), "{how}: {printed}");
        let expected: &[&str] = match exception {
            TERMINATE | ALL => &["Terminated, restarted 0", "Exited(9), restarted 0"],
            // Before it is there, and behind its end, it may not be restarted, or be.
            RESTART => &["Exited(9), restarted 0", "Exited(9), restarted 1"],
            _ => &["Exited(9), restarted 0"],
        };
        let found = expected
            .iter()
            .position(|end| printed.contains(&format!("victim ends as {end} times\n")));
        let found = found.unwrap_or_else(|| panic!("{how}: {printed}"));
        counts[tried % 4] += usize::from(found == usize::from(exception == RESTART));
        machine.restore(&at);
        for _ in 0..STEP {
            machine.step();
        }
        stepped += STEP;
        tried += 1;
    }
    // Most came while there was something to change.
    assert!(counts.iter().all(|count| *count > tried / 8), "{counts:?} of {tried}");
}

/// So many instructions are from one change to the next. An odd number: each kind comes everywhere.
const STEP: u64 = 7;

#[test]
fn tasks_actors_and_threads_serve_drivers_and_stale_requests_do_nothing() {
    let mut built = Built::new();
    built.kernel = support::image(&kernel("served"));
    let printed = built.run(&[built.application("hello"), built.life("asks", 7)]);
    assert!(printed.contains("Hello from a process\n"), "{printed}");
    assert!(printed.contains("restarted, stale: true\n"), "{printed}");
    assert_eq!(printed.matches("42\n").count(), 2, "{printed}");
    assert_eq!(printed.matches("106\n").count(), 2, "{printed}");
    assert_eq!(printed.matches("5\n").count(), 2, "{printed}");
    assert_eq!(printed.matches("\n3\n").count(), 1, "{printed}");
    assert!(!printed.contains("something else"), "{printed}");
    assert!(printed.contains("asks ends as Exited(9)"), "{printed}");
}
