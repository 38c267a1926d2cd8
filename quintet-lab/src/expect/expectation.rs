//! An expectation: what must happen, and when.

use crate::deadlines::declare::Jobs;
use crate::trace::span::in_words;
use quintet_sim::script::When;

/// What is expected.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum What {
    /// A line of output.
    Line {
        /// The text.
        text: String,
        /// The text is the whole line, or else a part of it.
        is_whole: bool,
        /// On this channel; on any if there is none.
        channel: Option<String>,
    },
    /// The level of a pin.
    Level {
        /// The pin.
        pin: Pin,
        /// The level.
        level: bool,
    },
    /// A change of a pin.
    Edge {
        /// The pin.
        pin: Pin,
        /// The level after the change; either if there is none.
        to: Option<bool>,
    },
    /// A value in memory.
    Value {
        /// The name or the address, as people write it.
        name: String,
        /// The first address.
        address: u32,
        /// The bytes, 1 to 8.
        size: u32,
        /// What the value must be.
        test: Test,
    },
    /// A job of a task begins or ends.
    Job {
        /// The task.
        task: Task,
        /// The job ends, or else begins.
        ends: bool,
    },
    /// Each job of a task ends in time.
    Response {
        /// The task.
        task: Task,
        /// The cycles from its arrival to its end, at the most.
        most: u64,
    },
    /// The firmware ends by itself.
    Exit {
        /// The code.
        code: u32,
    },
}

/// A pin of the board.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pin {
    /// As people write it.
    pub name: String,
    /// The number of the GPIO among the board's devices.
    pub device: usize,
    /// The number in the GPIO.
    pub number: u8,
}

/// What a value must be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Test {
    /// Equal to this one, which people write so.
    Is(u64, i64),
    /// This one or more, without a sign.
    AtLeast(u64),
    /// This one or less, without a sign.
    AtMost(u64),
}

/// A task of the firmware.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Task {
    /// As people write it.
    pub name: String,
    /// What its jobs are.
    pub jobs: Jobs,
}

/// The moment from which the times of an expectation count.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Base {
    /// Power-on.
    Start,
    /// An input.
    Input(When),
    /// Another expectation, by its number in the file.
    Expectation(usize),
}

/// An expectation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Expectation {
    /// The line of the file.
    pub line: usize,
    /// Its name, or that of what it comes after.
    pub after: Option<String>,
    /// What is expected.
    pub what: What,
    /// From when on times count.
    pub base: Base,
    /// The exact time, of a level or a value.
    pub at: Option<u64>,
    /// The earliest time.
    pub from: u64,
    /// The latest time.
    pub within: Option<u64>,
    /// It must not happen.
    pub never: bool,
}

impl Test {
    /// Returns `true` if a value is as it must be.
    pub const fn is_met(self, value: u64) -> bool {
        match self {
            Self::Is(wanted, _) => value == wanted,
            Self::AtLeast(least) => value >= least,
            Self::AtMost(most) => value <= most,
        }
    }
}

impl Expectation {
    /// Returns the first and the last cycle in which it can happen, if times count from `base`.
    pub fn window(&self, base: u64) -> (u64, u64) {
        let end = |within| base.saturating_add(within);
        match self.at {
            Some(at) => (end(at), end(at)),
            None => (end(self.from), self.within.map_or(u64::MAX, end)),
        }
    }

    /// Returns the expectation in words.
    pub fn words(&self, clock_hz: u64) -> String {
        let time = |cycles| in_words(cycles, clock_hz);
        let what = match &self.what {
            What::Line { text, is_whole, channel } => {
                let kind = if *is_whole { "line" } else { "line with" };
                let on = channel.as_ref().map(|name| format!(" on {name}")).unwrap_or_default();
                format!("{kind} \"{text}\"{on}")
            }
            What::Level { pin, level } => format!("{} is {}", pin.name, u8::from(*level)),
            What::Edge { pin, to } => {
                let verb = to.map_or("changes", |to| if to { "rises" } else { "falls" });
                format!("{} {verb}", pin.name)
            }
            What::Value { name, test, .. } => match test {
                Test::Is(_, value) => format!("{name} is {value}"),
                Test::AtLeast(value) => format!("{name} is {value} or more"),
                Test::AtMost(value) => format!("{name} is {value} or less"),
            },
            What::Job { task, ends } => {
                format!("{} {}", task.name, if *ends { "ends" } else { "starts" })
            }
            What::Response { task, most } => {
                format!(
                    "each job of {} ends {} after its arrival or earlier",
                    task.name,
                    time(*most)
                )
            }
            What::Exit { code } => format!("the firmware ends with code {code}"),
        };
        let mut words = if self.never { format!("never: {what}") } else { what };
        let of = self.after.as_ref().map(|name| format!(" after {name}")).unwrap_or_default();
        match (self.at, self.from, self.within) {
            (Some(at), ..) => words.push_str(&format!(", {}{of}", at_words(&time(at), &of))),
            (None, 0, None) => words.push_str(&of),
            (None, 0, Some(within)) => words.push_str(&format!(", within {}{of}", time(within))),
            (None, from, None) => words.push_str(&format!(", from {} on{of}", time(from))),
            (None, from, Some(within)) => {
                words.push_str(&format!(", between {} and {}{of}", time(from), time(within)));
            }
        }
        words
    }
}

/// A time since power-on is `at` that time, one after something just has its length.
fn at_words(time: &str, of: &str) -> String {
    if of.is_empty() { format!("at {time}") } else { time.to_owned() }
}
