//! The exceptions that are handled between the two places.

use quintet_sim::cores::{Core, Passage};
use serde::Serialize;

/// An exception that was handled during the occurrence, wholly or partly.
#[derive(Serialize, Clone, PartialEq, Eq, Debug)]
pub struct ExceptionInside {
    exception: u16,
    name: String,
    /// The cycle in which the processor began the entry; null if the exception was active before.
    entry_cycle: Option<u64>,
    /// The cycle in which the handler returned; null if it had not returned at the end.
    exit_cycle: Option<u64>,
    tail_chained: bool,
}

/// The exceptions by the order of their entry.
pub fn exceptions<M: Core>(passages: &[Passage]) -> Vec<ExceptionInside> {
    let mut inside: Vec<ExceptionInside> = Vec::new();
    for passage in passages {
        let new = ExceptionInside {
            exception: passage.handler,
            name: M::handler_name(passage.handler),
            entry_cycle: passage.is_entry.then_some(passage.cycle),
            exit_cycle: (!passage.is_entry).then_some(passage.cycle),
            tail_chained: passage.is_chained,
        };
        let is_open = |one: &&mut ExceptionInside| {
            one.exception == passage.handler && one.exit_cycle.is_none()
        };
        match inside.iter_mut().rev().find(is_open).filter(|_| !passage.is_entry) {
            Some(open) => open.exit_cycle = Some(passage.cycle),
            None => inside.push(new),
        }
    }
    inside
}

impl ExceptionInside {
    /// Returns the exception in words.
    pub fn text(&self) -> String {
        let chained = if self.tail_chained { ", tail-chained" } else { "" };
        match (self.entry_cycle, self.exit_cycle) {
            (Some(entry), Some(exit)) => {
                format!("{} ({} cycles{chained})", self.name, exit.saturating_sub(entry))
            }
            (Some(_), None) => format!("{} (entered{chained})", self.name),
            (None, _) => format!("{} (left)", self.name),
        }
    }
}
