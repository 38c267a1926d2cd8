//! Who of several processes runs, and whose turn it is: for the processor, and at the console.

use quintet_lab::process::pack::{Wishes, pack};

use super::{Built, support};

/// The kernel that judges it.
fn built() -> Built {
    let mut built = Built::new();
    let kernels = support::build("processes", support::TARGET, &["--bin", "ranks"]);
    built.kernel = support::image(&kernels.join("ranks"));
    built
}

impl Built {
    /// The application of the campaign that is linked for a place, under a name that says its role.
    fn at_place(&self, place: u32, name: &str) -> Vec<u8> {
        let image = support::image(&self.applications.join(format!("campaign{place}")));
        pack(&image, &Wishes { name, heap: 0, sha256: false }).expect("it is linked for its place")
    }

    /// What is printed in so many milliseconds.
    fn run_for(&self, applications: &[Vec<u8>], ms: u32) -> String {
        let mut machine = self.machine(applications);
        machine.set_command_line(&format!("ranks {ms}"));
        Self::finish(machine)
    }
}

/// The numbers in a line of what was printed.
fn numbers(printed: &str, line: &str) -> Vec<u32> {
    let line =
        printed.lines().find(|one| one.contains(line)).unwrap_or_else(|| panic!("{printed}"));
    line.split_whitespace().filter_map(|word| word.parse().ok()).collect()
}

/// The kernel panics if anybody else calls first behind the interrupt.
#[test]
fn a_process_preempts_those_of_lower_priority_at_an_interrupts_upcall() {
    let built = built();
    let applications = [0, 1, 2].map(|place| {
        let name = if place == 2 { "comes" } else { "turns" };
        built.at_place(place, name)
    });
    let printed = built.run_for(&applications, 100);
    let [come, brought] = numbers(&printed, "the urgent one")[..] else { panic!("{printed}") };
    assert!(brought > 130 && come == brought, "{printed}");
}

#[test]
fn processes_of_one_priority_share_the_processor_by_slices() {
    let built = built();
    let applications = [0, 1].map(|place| built.at_place(place, "turns"));
    let printed = built.run_for(&applications, 100);
    let [first, second] = numbers(&printed, "turns")[..] else { panic!("{printed}") };
    assert!((23..=26).contains(&first) && first.abs_diff(second) <= 1, "{printed}");
    let [shortest, longest] = numbers(&printed, "took")[..] else { panic!("{printed}") };
    assert!(shortest > 1600 && longest < 2400, "{printed}");
}

#[test]
fn a_process_that_begins_anew_for_ever_leaves_others_their_turns_at_the_console() {
    let built = built();
    let printed = built.run_for(&[built.application("hello"), built.at_place(1, "writes")], 200);
    // Parts of its line come between those of others, which are whole.
    for line in ["Hello from a process\n", "and once more\n"] {
        assert_eq!(printed.matches(line).count(), 1, "{printed}");
    }
    assert!(printed.contains("hello ends as Exited(7), restarted 0"), "{printed}");
    assert!(printed.contains("restarted 9 times"), "{printed}");
    assert!(!printed.contains("to its end"), "{printed}");
}

#[test]
fn what_processes_write_at_once_goes_out_one_behind_the_other() {
    let built = built();
    let printed = built.run_for(&[built.application("hello"), built.application("trespass")], 100);
    for line in ["Hello from a process\n", "and once more\n", "about to trespass\n"] {
        assert_eq!(printed.matches(line).count(), 1, "{printed}");
    }
}
