//! The bounds of the kernel's sections hold: no run of these programs is above that of its code.

use clap::Parser;
use proof::command::Cli;

/// Threads that wait, take turns, inherit priorities and are suspended.
const PROGRAMS: [&str; 4] = ["threads_wait", "slices_begin", "thread_mutex", "thread_suspend"];

#[test]
fn no_section_is_above_its_bound() {
    let words = ["proof", "masks", "--static"].into_iter().chain(PROGRAMS);
    Cli::parse_from(words).command.run().unwrap();
}
