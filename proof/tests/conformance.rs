//! The conformance firmware passes on the simulator, and under QEMU but for the differences that
//! `docs/qemu-differences.md` lists.

use std::collections::BTreeSet;

use proof::cross::machine;
use proof::cross::machine::Run;
use proof::firmware;
use proof::qemu::{self, Setup};
use quintet_sim::machine::Stop;

const TARGET: &str = "thumbv7m-none-eabi";
/// The simulator's boards and QEMU's machines of the same chips.
const BOARDS: [(&str, &str); 2] = [("lm3s6965", "lm3s6965evb"), ("mps2-an385", "mps2-an385")];

/// The names of the checks in a report, passed or not.
fn names(report: &str, verdict: &str) -> BTreeSet<String> {
    let lines = report.lines().filter_map(|line| line.strip_prefix(verdict));
    lines.map(|rest| rest.split([':', ' ']).next().unwrap_or(rest).to_string()).collect()
}

/// The checks that fail on a QEMU machine, by the document.
fn listed(machine: &str) -> BTreeSet<String> {
    let path = firmware::root().join("docs/qemu-differences.md");
    let text = std::fs::read_to_string(path).expect("the document is in the tree");
    let rows = text.lines().filter_map(|line| {
        let mut cells = line.strip_prefix("| `")?.split('|').map(str::trim);
        Some((cells.next()?.trim_end_matches('`').to_string(), cells.next()?.to_string()))
    });
    rows.filter(|(_, on)| on == "both" || on == machine).map(|(check, _)| check).collect()
}

fn simulated(image: &str, board: &str) -> Run {
    let path = firmware::build("conformance", TARGET).unwrap().with_file_name(image);
    machine::run(&path, board, 20_000_000).unwrap()
}

#[test]
fn the_simulator_passes_every_check() {
    for (board, _) in BOARDS {
        let run = simulated("conformance", board);
        assert!(!run.text.contains("NOT "), "on {board}:\n{}", run.text);
        assert!(names(&run.text, "ok ").len() > 100, "on {board}:\n{}", run.text);
        assert!(run.text.ends_with("done\n"), "on {board}:\n{}", run.text);
        assert_eq!(run.stop, Stop::Exit { code: 0 });
    }
}

#[test]
fn qemu_differs_only_as_listed() {
    if !qemu::is_installed() {
        println!("skipped: qemu-system-arm is not installed");
        return;
    }
    let path = firmware::build("conformance", TARGET).unwrap();
    let all = simulated("conformance", "lm3s6965");
    for (_, machine) in BOARDS {
        // Time counted in instructions, so that SysTick comes at the same place every time.
        let setup = Setup { arguments: &["-icount", "shift=4"], ..Setup::new(machine) };
        let output = setup.run(&path).unwrap();
        let report =
            String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
        let failed = names(&report, "NOT ");
        assert_eq!(failed, listed(machine), "failed and listed on {machine}:\n{report}");
        let run: BTreeSet<String> = failed.union(&names(&report, "ok ")).cloned().collect();
        assert_eq!(run, names(&all.text, "ok "), "run on {machine} and on the simulator");
    }
}

/// The image about floating point: the simulator's board and QEMU's machine, of one name.
const FLOATS: (&str, &str, &str) = ("floats", "thumbv7em-none-eabi", "mps2-an386");

#[test]
fn floating_point_contexts_are_right_and_under_qemu_but_for_what_is_listed() {
    let (image, target, board) = FLOATS;
    let path = firmware::build("conformance", target).unwrap().with_file_name(image);
    let run = machine::run(&path, board, 20_000_000).unwrap();
    assert!(!run.text.contains("NOT ") && run.text.ends_with("done\n"), "{}", run.text);
    let all = names(&run.text, "ok ");
    assert!(all.len() > 20, "{}", run.text);
    if !qemu::is_installed() {
        println!("skipped: qemu-system-arm is not installed");
        return;
    }
    let setup = Setup { arguments: &["-icount", "shift=4"], ..Setup::new(board) };
    let output = setup.run(&path).unwrap();
    let report = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    let failed = names(&report, "NOT ");
    let listed = listed(board).into_iter().filter(|check| check.starts_with("float."));
    assert_eq!(failed, listed.collect(), "failed and listed:\n{report}");
    let run: BTreeSet<String> = failed.union(&names(&report, "ok ")).cloned().collect();
    assert_eq!(run, all, "run under QEMU and on the simulator");
}

#[test]
fn lockup_ends_the_run() {
    for (board, _) in BOARDS {
        let run = simulated("lockup", board);
        assert_eq!(run.text, "ok bus.ignored_under_faultmask\nok lockup.reached\n");
        assert!(matches!(run.stop, Stop::Lockup), "{:?}", run.stop);
    }
    if !qemu::is_installed() {
        println!("skipped: qemu-system-arm is not installed");
        return;
    }
    let path = firmware::build("conformance", TARGET).unwrap().with_file_name("lockup");
    let output = Setup::new("lm3s6965evb").run(&path).unwrap();
    assert!(!output.status.success());
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(errors.contains("Lockup"), "{errors}");
}
