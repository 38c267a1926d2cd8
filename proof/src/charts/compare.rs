//! A machine beside the interpreter, step by step.

use std::collections::BTreeMap;
use std::fmt::Write;

use anyhow::Result;

use super::build::{Built, Ran, Step};
use super::chart::{Action, Arm, Branch, Chart, NAMES, Outcome};
use super::interpret::{Machine, SEEN, VALUE};
use super::print::{FORMS, Form};

/// A difference between a machine and the interpreter.
#[derive(Clone, Debug)]
pub struct Difference {
    /// The form of the machine that differs.
    pub form: Form,
    /// The index of the step.
    pub step: usize,
    /// The interpreter's observations.
    pub expected: Vec<u16>,
    /// The machine's observations, or its end.
    pub got: Result<Vec<u16>, String>,
}

/// The first difference of the runs of a built chart, if there is one: of either form.
pub fn compare(
    built: &Built,
    index: usize,
    chart: &Chart,
    steps: &[Step],
) -> Result<Option<Difference>> {
    for form in FORMS {
        let difference = first(chart, steps, &built.run(index, form, steps)?);
        if let Some(difference) = difference {
            return Ok(Some(Difference { form, ..difference }));
        }
    }
    Ok(None)
}

/// Returns the first difference between a machine's run and the rules.
pub fn first(chart: &Chart, steps: &[Step], ran: &Ran) -> Option<Difference> {
    let mut machine = Machine::new(chart);
    for (step, event) in steps.iter().enumerate() {
        let expected = machine.observe(step, *event);
        let got = match ran.seen.get(step) {
            Some(seen) if *seen == expected => continue,
            Some(seen) => Ok(seen.clone()),
            None => Err(ran.failure.clone().unwrap_or_else(|| "the run ended early".into())),
        };
        return Some(Difference { form: Form::Default, step, expected, got });
    }
    None
}

impl Difference {
    /// In words: the steps before, and both logs side by side from the first line that differs.
    pub fn report(&self, chart: &Chart, steps: &[Step]) -> String {
        let names = names(chart);
        let mut text = String::new();
        let from = self.step.saturating_sub(4);
        let step = |step: &Step| step.map_or_else(|| "start".to_owned(), |event| event.to_string());
        let last: Vec<_> = steps[from..=self.step].iter().map(step).collect();
        // Writing to a string doesn't fail.
        let _ = writeln!(
            text,
            "{} form, step {} of {}: ... {}",
            self.form.name(),
            self.step,
            steps.len(),
            last.join(", ")
        );
        let expected = words(&self.expected, &names);
        let got = match &self.got {
            Ok(got) => words(got, &names),
            Err(how) => vec![how.trim().replace('\n', "; ")],
        };
        let _ = writeln!(text, "  {:50} the machine", "the rules");
        for line in 0..expected.len().max(got.len()) {
            let [one, other] =
                [&expected, &got].map(|all| all.get(line).map_or("", String::as_str));
            let mark = if one == other { ' ' } else { '!' };
            let _ = writeln!(text, "{mark} {one:50} {other}");
        }
        text
    }
}

/// Returns the observations, a line each.
fn words(seen: &[u16], names: &BTreeMap<u16, String>) -> Vec<String> {
    let (log, state) = seen.split_at(seen.len().saturating_sub(SEEN - 1));
    let mut lines = Vec::new();
    for entry in log.iter().skip(1) {
        lines.push(match names.get(entry) {
            Some(name) => format!("{entry} {name}"),
            None => format!("= {}", entry.wrapping_sub(VALUE)),
        });
    }
    if let [leaf, own, a, b, c, sum, room, is_in] = state {
        lines.push(format!("state s{leaf} own {own}"));
        lines.push(format!("variables {a} {b} {c} sum {sum} room {room} probe {is_in}"));
    }
    lines
}

/// Returns the meaning of each number.
pub fn names(chart: &Chart) -> BTreeMap<u16, String> {
    let mut names: BTreeMap<_, _> =
        chart.unhandled.map(|number| (number, "unhandled".to_owned())).into_iter().collect();
    let mut add = |action: Option<Action>, name: String| {
        names.extend(action.map(|action| (action.number, name)));
    };
    let mut guards = Vec::new();
    for (index, state) in chart.states.iter().enumerate() {
        add(state.entry, format!("s{index} entry"));
        add(state.exit, format!("s{index} exit"));
        if let Some(initial) = &state.initial {
            add(initial.action, format!("s{index} initial"));
        }
        let arms = state.arms.iter().map(|Arm { pattern, branches, .. }| {
            let event = NAMES[pattern.event];
            (format!("s{index} on {event}"), branches)
        });
        for (place, branches) in arms.chain([(format!("s{index} completion"), &state.completion)]) {
            for (number, Branch { guard, action, outcome }) in branches.iter().enumerate() {
                add(*action, format!("{place}, branch {number}"));
                guards
                    .extend(guard.map(|guard| (guard.number, format!("{place}, guard {number}"))));
                if let Outcome::Transition { action, .. } = outcome {
                    add(*action, format!("{place}, transition {number}"));
                }
            }
        }
    }
    names.extend(guards);
    names
}
