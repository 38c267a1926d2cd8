//! How the run ended, and what the firmware printed.

use super::Content;
use crate::exit::Outcome;
use crate::output;
use crate::report::page::Section;

/// Of one channel's output, so many bytes are shown.
const SHOWN: usize = 64 * 1024;

pub fn section(content: &Content) -> anyhow::Result<Option<Section>> {
    let now = &content.now;
    let mut section = Section::new("end", "How it ended");
    let ended = format!("The run ended: {}.", in_words(now.outcome));
    section = match now.outcome {
        Outcome::Firmware(0) | Outcome::Done | Outcome::Limit => section.says(&ended),
        _ => section.warns(&ended),
    };
    for line in now.broken() {
        section = section.warns(&line);
    }
    let is_dead = now.outcome == Outcome::Died;
    for remark in &now.remarks {
        let name = remark.lines().next().unwrap_or_default();
        section = match (remark.contains('\n'), is_dead) {
            (false, _) => section.says(remark),
            (true, true) => section.text(name, remark),
            (true, false) => section.folded(name, remark),
        };
    }
    if now.output.is_empty() {
        section = section.lacks(
            "It printed nothing. Output of semihosting, RTT, ITM and of UARTs would stand here.",
        );
    }
    for (channel, text) in &now.output {
        section = section.text(&format!("Printed on {channel}"), shown(text));
        if text.len() > SHOWN {
            let all = text.len();
            section = section.says(&format!(
                "That is the beginning: {SHOWN} of {all} bytes. `quintet run` prints all."
            ));
        }
    }
    if let Some(limit) = now.output_cut {
        section = section.warns(&output::cut(limit));
    }
    Ok(Some(section))
}

/// The beginning.
fn shown(text: &str) -> &str {
    let mut end = text.len().min(SHOWN);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// How the command ends: a run that is above a bound is an error.
pub fn of_report(run: Outcome, is_broken: bool) -> Outcome {
    match (run, is_broken) {
        (Outcome::Died, _) => Outcome::Died,
        (_, true) => Outcome::Failed,
        _ => Outcome::Done,
    }
}

/// How a run ended.
pub fn in_words(outcome: Outcome) -> String {
    match outcome {
        Outcome::Firmware(code) => format!("the firmware ended with code {code}"),
        Outcome::Died => "the firmware died".to_owned(),
        Outcome::Limit => "the limit of cycles or instructions was reached".to_owned(),
        Outcome::Asleep => "the firmware sleeps, and nothing will ever wake it".to_owned(),
        Outcome::Interrupted => "Ctrl-C has cut it, so that all here is of a part".to_owned(),
        other => other.word().to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_output_is_cut_between_letters() {
        assert_eq!(shown("short"), "short");
        let long = "ä".repeat(SHOWN);
        assert_eq!(shown(&long).len(), SHOWN);
        let odd = format!("x{long}");
        assert_eq!(shown(&odd).len(), SHOWN - 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_above_a_bound_is_an_error() {
        let all = [Outcome::Done, Outcome::Firmware(0), Outcome::Firmware(3), Outcome::Limit];
        assert!(all.iter().all(|one| of_report(*one, true) == Outcome::Failed));
        assert!(all.iter().all(|one| of_report(*one, false) == Outcome::Done));
        assert_eq!(of_report(Outcome::Died, true), Outcome::Died);
    }
}
