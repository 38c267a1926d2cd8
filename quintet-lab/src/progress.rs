//! Progress on the terminal, for work that takes longer than a second.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal;
use std::time::{Duration, Instant};

/// Work shorter than this shows nothing.
const PATIENCE: Duration = Duration::from_secs(1);

/// A line on standard error with the progress of the work. Silent if standard error is not a
/// terminal.
pub struct Progress {
    bar: ProgressBar,
    limit: Option<u64>,
    unit: &'static str,
    /// `None` if nobody watches.
    started: Option<Instant>,
    visible: bool,
}

impl Progress {
    /// Progress of `what`, counted in `unit`, towards `limit` where there is one.
    pub fn new(what: &str, unit: &'static str, limit: Option<u64>) -> Self {
        let bar = ProgressBar::with_draw_target(limit, ProgressDrawTarget::hidden());
        bar.set_message(what.to_owned());
        Self { bar, limit, unit, started: Some(Instant::now()), visible: false }
    }

    /// Progress that is never shown, and asks no clock.
    pub fn silent() -> Self {
        Self { bar: ProgressBar::hidden(), limit: None, unit: "", started: None, visible: false }
    }

    /// The work has reached `position`.
    pub fn at(&mut self, position: u64) {
        let Some(started) = self.started else { return };
        self.bar.set_position(position);
        if !self.visible && started.elapsed() > PATIENCE && std::io::stderr().is_terminal() {
            self.visible = true;
            self.bar.set_style(self.style());
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
        }
    }

    /// Prints past the bar, without tearing it.
    pub fn suspend<R>(&self, print: impl FnOnce() -> R) -> R {
        if self.started.is_none() { print() } else { self.bar.suspend(print) }
    }

    /// Removes the line.
    pub fn finish(&self) {
        if self.started.is_some() {
            self.bar.finish_and_clear();
        }
    }

    fn style(&self) -> ProgressStyle {
        let template = match self.limit {
            Some(_) => format!("{{msg}} {{wide_bar}} {{human_pos}} of {{human_len}} {}", self.unit),
            None => format!("{{msg}} {{spinner}} {{human_pos}} {} {{elapsed}}", self.unit),
        };
        ProgressStyle::with_template(&template).unwrap_or_else(|_| ProgressStyle::default_bar())
    }
}
