//! `quintet explain`: the meaning of the messages of a failed build of firmware, in sentences.
//!
//! Linkers name symbols. The symbols about time belong to several crates, so no single crate can
//! explain an error that involves all of them.

use std::path::{Path, PathBuf};

use crate::exit::Outcome;
use crate::input;
use crate::output;

const EXAMPLES: &str = "\
Examples:
  cargo build 2>&1 | quintet explain    what is wrong, behind what cargo says
  quintet explain build.log             the same of a file
  quintet explain build.log --json      as a list of sentences

It knows the messages about sources of time (none, two, one without a queue for
timers, versions side by side), about what an application lacks, and about defmt
without its linker script or without a logger.";

/// Say what the linker's messages of a failed build mean
#[derive(clap::Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// What cargo said; standard input without it
    file: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Arguments {
    /// Prints the errors.
    pub fn run(&self) -> anyhow::Result<Outcome> {
        let file = self.file.as_deref().unwrap_or(Path::new("-"));
        let bytes = input::standard_input(file)?;
        let sentences = explain(&String::from_utf8_lossy(&bytes));
        if self.json {
            output::print_json(&sentences)?;
        }
        if sentences.is_empty() {
            output::complain(
                "no message in this is one that `quintet explain` knows: `quintet explain --help` \
                 lists those",
            );
            return Ok(Outcome::NothingFound);
        }
        for sentence in sentences.iter().filter(|_| !self.json) {
            output::print(&format!("{sentence}\n"))?;
        }
        Ok(Outcome::Done)
    }
}

/// The symbol that a program waits with if no time driver is linked.
const NOW: &str = "_embassy_time_now";
const WAKE: &str = "_embassy_time_schedule_wake";
/// Quintet's own calls miss this where no source of Quintet's is placed.
const OURS: &str = "__quintet_needs_a_time_source_such_as_systick_timer";
/// The queue that keeps timers in the tasks of `embassy-executor` misses this without that.
const QUEUE: &str = "__embassy_time_queue_item_from_waker";
/// The message of that executor at run time about a task of another executor.
const FOREIGN_WAKER: &str = "Found waker not created by the Embassy executor";
/// Every start of threads misses this without an application.
const APPLICATION: &str = "__quintet_needs_an_application_or_the_macro_kernel";
/// Symbols of defmt that its linker script defines.
const OF_DEFMT_SCRIPT: [&str; 2] = ["_defmt_timestamp", "_defmt_panic"];
/// Symbols of defmt that a logger defines.
const OF_DEFMT_LOGGER: [&str; 4] =
    ["_defmt_acquire", "_defmt_write", "_defmt_release", "_defmt_flush"];
/// Two sources of Quintet's define this both.
const TWO_OF_OURS: &str = "AN_APPLICATION_HAS_ONE_TIME_SOURCE_BUT_TWO_ARE_PLACED";
/// A clock and an application define this both, with the vector's name behind.
const BOUND: [(&str, &str); 2] = [
    ("A_TASK_AND_QUINTETS_CLOCK_BOTH_BIND_", "A task"),
    ("A_DISPATCHER_AND_QUINTETS_CLOCK_BOTH_BIND_", "The list `dispatchers`"),
];
/// Cargo's words about `embassy-time-driver`, which links to a native library so that cargo takes
/// only one version.
const LINKS: &str = "links to the native library `embassy-time`";

/// Explains the errors, a sentence or two for each cause.
fn explain(said: &str) -> Vec<String> {
    let missing = |symbol: &str| {
        ["undefined symbol: ", "undefined reference to `", "undefined reference to '"]
            .iter()
            .any(|words| names(said, words, symbol))
    };
    let twice = |symbol: &str| {
        ["duplicate symbol: ", "multiple definition of `", "multiple definition of '", "symbol `"]
            .iter()
            .any(|words| names(said, words, symbol))
    };
    let mut sentences = Vec::new();
    if missing(OURS) && !missing(NOW) && !missing(WAKE) {
        sentences.push(ONLY_A_DRIVER.to_owned());
    } else if missing(OURS) || missing(NOW) || missing(WAKE) {
        sentences.push(NO_SOURCE.to_owned());
    }
    if missing(QUEUE) || said.contains(FOREIGN_WAKER) {
        sentences.push(NO_QUEUE.to_owned());
    }
    if twice(TWO_OF_OURS) {
        sentences.push(TWO_SOURCES.to_owned());
    } else if twice(NOW) || twice(WAKE) {
        sentences.push(two_drivers(said));
    } else {
        sentences.extend(BOUND.iter().filter_map(|(prefix, owner)| bound(said, prefix, owner)));
    }
    if said.contains(LINKS) {
        sentences.push(TWO_VERSIONS.to_owned());
    }
    if missing(APPLICATION) {
        sentences.push(NO_APPLICATION.to_owned());
    }
    if OF_DEFMT_SCRIPT.into_iter().any(missing) {
        sentences.push(NO_DEFMT_SCRIPT.to_owned());
    }
    if OF_DEFMT_LOGGER.into_iter().any(missing) {
        sentences.push(NO_DEFMT_LOGGER.to_owned());
    }
    sentences
}

const NO_DEFMT_SCRIPT: &str = "\
The linker script of defmt is not given to the linker: it defines `_defmt_timestamp` and where the \
messages lie. Add `-C link-arg=-Tdefmt.x` to `rustflags` of the target in .cargo/config.toml, or \
`println!(\"cargo:rustc-link-arg-bins=-Tdefmt.x\");` to build.rs.";

const NO_DEFMT_LOGGER: &str = "\
Something logs by defmt, and no logger is linked: depend on defmt-rtt (or on another logger) and \
name the crate once, as `use defmt_rtt as _;`, or the linker leaves it out.";

const NO_SOURCE: &str = "\
No source of time is placed: something waits for a time, or asks for it, and nothing counts it. \
Place one at the top of the application, such as \
`quintet::systick_timer!(Clock, 12_000_000);` with \
the processor's clock, and start it in `init` by `Clock::start(cx.core.SYST)`. The book's page on \
time (docs/book/time.md) says which source is for what.";

const ONLY_A_DRIVER: &str = "\
The time driver of a hardware abstraction layer is linked, and Quintet's own calls \
(`quintet::time`, waiting for a time in a thread, time slices) need a source of Quintet's. Switch \
the other driver off, for embassy-stm32 by leaving its features `time-driver-..` out, and place \
`quintet::systick_timer!` or another source; or wait by `embassy_time` alone, in async tasks.";

const NO_QUEUE: &str = "\
The time driver of a hardware abstraction layer keeps timers in the tasks of `embassy-executor`, \
and a task of Quintet's isn't one. Give it a queue for the timers of any task: enable the feature \
`generic-queue-64` of embassy-time (8 to 128, as many as wait at a time). Or switch that driver \
off, and place a source of Quintet's, which has a queue, such as `quintet::systick_timer!`.";

const TWO_SOURCES: &str = "\
Two sources of time are placed, and an application has one: keep one of `systick_timer!`, \
`systick_tick!` and `timer_source!`.";

const TWO_VERSIONS: &str = "\
Two versions of embassy-time-driver are asked for, and a program has one time driver. Quintet \
takes 0.2.2 and later of 0.2, with embassy-time 0.5: bring what asks for the other one, which \
cargo names, \
to that version, or leave its time driver out.";

const NO_APPLICATION: &str = "\
A thread is started, and there is neither an application nor a kernel: write \
`#[quintet::app(..)]`, or place `quintet::kernel!` once in a program without one.";

/// Returns `true` if `said` has `words` with `symbol`, and nothing more of a name, behind.
fn names(said: &str, words: &str, symbol: &str) -> bool {
    let is_of_name = |character: char| character.is_alphanumeric() || character == '_';
    said.match_indices(words).any(|(at, _)| {
        let rest = said.get(at + words.len()..).unwrap_or_default();
        rest.strip_prefix(symbol).is_some_and(|rest| !rest.starts_with(is_of_name))
    })
}

/// Two drivers, of which one may be Quintet's, with the files that define them.
fn two_drivers(said: &str) -> String {
    let mut crates = said
        .lines()
        .skip_while(|line| !line.contains(NOW) && !line.contains(WAKE))
        .filter(|line| line.contains(NOW) || line.contains(WAKE))
        .filter_map(object)
        .collect::<Vec<_>>();
    crates.sort_unstable();
    crates.dedup();
    let who = if crates.is_empty() {
        String::new()
    } else {
        format!(", in the crates {}", crates.join(" and "))
    };
    format!(
        "Two drivers of `embassy-time` are linked{who}, and a program has one. Either leave the \
         source of Quintet's out (`systick_timer!` and its like), or switch the driver of the \
         hardware abstraction layer off: for embassy-stm32 by leaving its features \
         `time-driver-..` out, for embassy-nrf `time-driver-rtc1`, for embassy-rp `time-driver`."
    )
}

/// The crate whose object file a line of the linker's names: `/path/NAME-HASH.HASH.rcgu.o`.
fn object(line: &str) -> Option<String> {
    let file = line.split_whitespace().find(|word| word.contains(".rcgu.o"))?;
    let name = file.rsplit('/').find(|part| part.contains(".rcgu.o"))?;
    let (name, _hash) = name.split_once('.')?.0.rsplit_once('-')?;
    Some(format!("`{name}`"))
}

/// A vector that the clock has and the application binds as well.
fn bound(said: &str, prefix: &str, owner: &str) -> Option<String> {
    let (at, _) = said.match_indices(prefix).next()?;
    let is_of_name = |character: &char| character.is_alphanumeric() || *character == '_';
    let vector: String =
        said.get(at + prefix.len()..)?.chars().take_while(is_of_name).take(64).collect();
    Some(format!(
        "{owner} has the vector `{vector}`, which is the clock's: bind another interrupt, or place \
         a source of time with another one."
    ))
}

#[cfg(test)]
mod tests {
    use super::explain;
    use super::{NO_DEFMT_LOGGER, NO_DEFMT_SCRIPT};

    #[test]
    fn what_defmt_lacks_is_told_apart() {
        let said =
            |symbol: &str| explain(&format!("rust-lld: error: undefined symbol: {symbol}\n"));
        assert_eq!(said("_defmt_timestamp"), [NO_DEFMT_SCRIPT]);
        assert_eq!(said("_defmt_acquire"), [NO_DEFMT_LOGGER]);
        assert!(said("_defmt_timestamps").is_empty() && said("defmt_timestamp").is_empty());
        assert!(
            NO_DEFMT_SCRIPT.contains("-Tdefmt.x") && NO_DEFMT_LOGGER.contains("defmt_rtt as _")
        );
    }

    #[test]
    fn what_is_not_known_is_left_alone() {
        assert!(explain("error[E0308]: mismatched types").is_empty());
        assert!(
            explain("rust-lld: error: undefined symbol: _embassy_time_now_or_never").is_empty()
        );
        assert!(explain("symbols: _embassy_time_now is fine").is_empty());
    }

    #[test]
    fn gnu_ld_says_it_in_other_words() {
        let one = "app.o: in function `main': undefined reference to `_embassy_time_now'";
        assert!(explain(one)[0].starts_with("No source of time is placed"));
        let two = "multiple definition of `_embassy_time_now'; app.o: first defined here";
        assert!(explain(two)[0].starts_with("Two drivers of `embassy-time` are linked, and"));
    }
}
