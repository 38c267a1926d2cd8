//! The messages of a test that fails.
//!
//! ```text
//! other states were entered
//! event 2 `Press`, sent at tests/lamp.rs:30:6 in `On { left: 2 }`
//!
//!     expected   seen
//!     enter On   enter On
//!   > enter Off  -
//!
//! all steps:
//!     ..
//! now in `On { left: 2 }`
//!
//! before:
//!     start, at tests/lamp.rs:28:6: in `Off`
//!     event 1 `Tick`, sent at tests/lamp.rs:29:6: in `Off`
//! ```

use std::fmt::{self, Write};
use std::panic::Location;

/// What the machine was given.
#[derive(Clone, Copy, Debug)]
pub enum Given {
    Start,
    /// The event of this number, from 1 on.
    Event(usize),
    Stop,
}

/// A start, event or stop, with its line in the test, and the state before and after.
#[derive(Debug)]
pub struct Told {
    pub given: Given,
    pub event: Option<String>,
    pub at: &'static Location<'static>,
    pub from: Option<String>,
    pub to: Option<String>,
}

impl fmt::Display for Told {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let at = self.at;
        match (self.given, &self.event) {
            (Given::Start, _) => write!(formatter, "start, at {at}"),
            (Given::Stop, _) => write!(formatter, "stop, at {at}"),
            (Given::Event(number), Some(event)) => {
                write!(formatter, "event {number} `{event}`, sent at {at}")
            }
            (Given::Event(number), None) => write!(formatter, "event {number}, sent at {at}"),
        }
    }
}

/// The first lines of a message: what is wrong, and with which event.
pub fn head(what: &str, told: &[Told]) -> String {
    told.last().map_or_else(String::new, |last| format!("{what}\n{last}, {}\n", place(&last.from)))
}

/// The last lines of a message: all steps, and the events before.
pub fn tail(steps: &[String], told: &[Told]) -> String {
    let mut text = "\nall steps:\n".to_owned();
    for step in steps {
        let _ = writeln!(text, "    {step}");
    }
    if steps.is_empty() {
        text.push_str("    none\n");
    }
    let Some((last, before)) = told.split_last() else { return text };
    let _ = writeln!(text, "now {}", place(&last.to));
    if !before.is_empty() {
        text.push_str("\nbefore:\n");
    }
    for one in before {
        let _ = writeln!(text, "    {one}: {}", place(&one.to));
    }
    text
}

/// Returns two columns, with a sign before each line in which they differ.
pub fn beside(expected: &[String], seen: &[String]) -> String {
    let width = expected.iter().map(|line| line.chars().count()).max().unwrap_or(0);
    let width = width.max("expected".len());
    let mut text = format!("\n    {:width$}  seen\n", "expected");
    for index in 0..expected.len().max(seen.len()).max(1) {
        let [left, right] = [expected, seen].map(|lines| lines.get(index));
        let sign = if left == right { ' ' } else { '>' };
        let [left, right] = [left, right].map(|line| line.map_or("-", String::as_str));
        let _ = writeln!(text, "  {sign} {left:width$}  {right}");
    }
    text
}

fn place(state: &Option<String>) -> String {
    state.as_ref().map_or_else(|| "not started".to_owned(), |state| format!("in `{state}`"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &[&str]) -> Vec<String> {
        text.iter().map(|line| (*line).to_owned()).collect()
    }

    #[test]
    fn each_line_that_differs_has_a_sign() {
        let text = beside(&lines(&["exit A", "enter Below"]), &lines(&["exit A", "enter C", "x"]));
        let expected = "
    expected     seen
    exit A       exit A
  > enter Below  enter C
  > -            x
";
        assert_eq!(text, expected);
    }

    #[test]
    fn nothing_is_shown_as_a_dash() {
        assert_eq!(beside(&[], &[]), "\n    expected  seen\n    -         -\n");
    }
}
