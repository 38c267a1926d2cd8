//! `period = "10 ms"` and `deadline = "5 ms"`: how often a task arrives, and when the task must be
//! done.
//!
//! None of this is in the image: the lab reads the times from the map, and compares them with a
//! run.

use proc_macro2::Span;
use syn::{Error, LitStr};

use crate::errors::Errors;
use crate::grammar::list::Argument;
use crate::model::Timing;

/// The argument for the least time between two arrivals.
pub const PERIOD: &str = "period";
/// The argument for the latest end.
pub const DEADLINE: &str = "deadline";

/// The units of a time.
const UNITS: [&str; 6] = ["cycles", "ns", "us", "µs", "ms", "s"];

/// The arguments that were read.
#[derive(Default)]
pub struct TimingArguments {
    period: Option<String>,
    deadline: Option<(String, Span)>,
    /// `true` if a period was there, even an unreadable one.
    has_period: bool,
}

impl TimingArguments {
    /// Reads one of the two arguments.
    pub fn read(&mut self, argument: &Argument) -> syn::Result<()> {
        if argument.name == PERIOD {
            self.has_period = true;
            self.period = Some(time(argument)?);
        } else {
            self.deadline = Some((time(argument)?, argument.name.span()));
        }
        Ok(())
    }

    /// Returns both arguments. `may_have_period`: an unreadable argument may have been meant for
    /// the period.
    pub fn finish(self, may_have_period: bool, errors: &mut Errors) -> Option<Timing> {
        if let (false, Some((_, span))) = (self.has_period || may_have_period, &self.deadline) {
            let message = "`deadline` needs the `period`, the least time between two arrivals, as \
                           in `period = \"10 ms\", deadline = \"5 ms\"`: without one, nothing \
                           bounds how often others are interrupted";
            errors.at(*span, message);
        }
        let deadline = self.deadline.map(|(deadline, _)| deadline);
        Some(Timing { period: self.period?, deadline })
    }
}

/// A time: a number above 0, with a unit.
fn time(argument: &Argument) -> syn::Result<String> {
    let name = &argument.name;
    let example = format!("{name} = \"10 ms\"");
    let message = format!("`{name}` is a time in quotes, as in `{example}`");
    let literal: LitStr = argument.parse(&example, &message)?;
    let text = literal.value();
    let refused = |why: &str| {
        let message = format!(
            "`{name}` {why}: write a number with `us`, `ms`, `s` or `cycles`, as in `{example}`"
        );
        Err(Error::new(literal.span(), message))
    };
    let text = text.trim();
    let Some((number, unit)) =
        UNITS.iter().find_map(|unit| Some((text.strip_suffix(unit)?.trim(), *unit)))
    else {
        return refused("needs a unit");
    };
    let number = number.replace('_', "");
    let is_decimal = number.starts_with(|first: char| first.is_ascii_digit())
        && number.chars().all(|one| one.is_ascii_digit() || one == '.');
    let value = number.parse::<f64>().ok().filter(|value| is_decimal && value.is_finite());
    match value {
        None => refused("is no time"),
        Some(_) if unit == "cycles" && number.contains('.') => {
            refused("is a whole number of cycles")
        }
        Some(0.0) => refused("is more than 0"),
        Some(_) => Ok(format!("{number} {unit}")),
    }
}
