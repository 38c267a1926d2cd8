//! What was seen instead of what was expected: the last of it, each with its time.

use crate::trace::span::in_words;
use std::collections::VecDeque;

/// So many are shown.
const SHOWN_MAX: usize = 4;

/// The last things that were seen, and how many there were.
#[derive(Clone, Debug, Default)]
pub struct History {
    last: VecDeque<(u64, String)>,
    count: u64,
}

impl History {
    /// Notes a thing.
    pub fn note(&mut self, cycle: u64, text: String) {
        self.count += 1;
        if self.last.len() == SHOWN_MAX {
            self.last.pop_front();
        }
        self.last.push_back((cycle, text));
    }

    /// Returns the things in words; `None` if nothing was seen.
    pub fn words(&self, clock_hz: u64) -> Option<String> {
        if self.last.is_empty() {
            return None;
        }
        let one =
            |(cycle, text): &(u64, String)| format!("{text} at {}", in_words(*cycle, clock_hz));
        let all: Vec<_> = self.last.iter().map(one).collect();
        let more = self.count - all.len() as u64;
        let before = if more > 0 { format!("{more} before, then ") } else { String::new() };
        Some(format!("{before}{}", all.join(", ")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_are_shown_and_the_others_counted() {
        let mut history = History::default();
        assert_eq!(history.words(1_000_000), None);
        for cycle in 1..=6 {
            history.note(cycle * 1000, format!("it was {cycle}"));
        }
        let words = history.words(1_000_000).unwrap();
        assert!(words.starts_with("2 before, then it was 3 at 3.000 ms, "), "{words}");
        assert!(words.ends_with("it was 6 at 6.000 ms"), "{words}");
    }
}
