//! The stacks that have a guard, if guards are regions of the memory protection unit.
//!
//! A thread gets a guard at its first start, while there are free regions. Threads that nobody else
//! starts do so after `init`, one after the other. Each takes over at once, and may start manual
//! threads.

use super::line::{Entry, Start};
use serde::Serialize;

/// The regions of the memory protection unit of ARMv7-M in most chips.
pub const REGIONS: usize = 8;

/// Says if the stack of a thread has a guard.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Guard {
    /// It has a guard, however threads are started.
    Yes,
    /// It has no guard, unless `init` starts the thread by its handle.
    No,
    /// It depends on the order of starts.
    Depends,
}

/// Returns the guards of the stacks on the line, in its order; `None` for entries without a stack.
/// The first `regions` starts get one.
pub fn of(line: &[Entry], regions: usize) -> Vec<Option<Guard>> {
    let starts: Vec<Start> = line.iter().filter_map(|entry| entry.start).collect();
    let manual = starts.iter().filter(|start| **start == Start::Manual).count();
    let guard = |start: Start| {
        let others = starts.len() - 1;
        let before = match start {
            Start::Manual => 0,
            _ => starts.iter().filter(|other| **other < start).count(),
        };
        let before_at_most = if start == Start::Manual { others } else { before + manual };
        match (before, before_at_most) {
            (_, most) if most < regions => Guard::Yes,
            (least, _) if least >= regions => Guard::No,
            _ => Guard::Depends,
        }
    };
    line.iter().map(|entry| entry.start.map(guard)).collect()
}

/// Returns the message about stacks that have no guard, or may have none. The text is empty if all
/// have one.
pub fn text(line: &[Entry], guards: &[Option<Guard>]) -> String {
    let of = |wanted: Guard| {
        let entries = line.iter().zip(guards).filter(|(_, guard)| **guard == Some(wanted));
        let name = |entry: &Entry| match entry.start {
            Some(Start::Host(priority)) => format!("host of priority {priority}"),
            _ => entry.what.clone(),
        };
        entries.map(|(entry, _)| name(entry)).collect::<Vec<_>>()
    };
    let (without, depends) = (of(Guard::No), of(Guard::Depends));
    let mut text = String::new();
    if !without.is_empty() {
        text.push_str(&format!("Without a guard of the stack: {}.\n", without.join(", ")));
    }
    if !depends.is_empty() {
        let names = depends.join(", ");
        text.push_str(&format!("Without one, if they start late: {names}.\n"));
    }
    if text.is_empty() {
        return text;
    }
    format!(
        "\n{text}The memory protection unit of most chips has {REGIONS} regions, each of which \
         guards the stack of one thread, in\nthe order of their first starts. An overflow of \
         another one may write over what lies below its stack:\nwith the feature \
         `guard-every-stack` of quintet every stack has one, and `quintet threads` shows\nhow much \
         each uses.\n"
    )
}

#[cfg(test)]
mod tests {
    use super::super::line::read;
    use super::{Guard, REGIONS, of, text};
    use std::collections::BTreeMap;

    /// Guards of `automatic` threads, a host and `manual` threads.
    fn guards(automatic: usize, manual: usize) -> (Vec<(String, Guard)>, String) {
        guards_of(REGIONS, automatic, manual)
    }

    /// The same with so many regions.
    fn guards_of(
        regions: usize,
        automatic: usize,
        manual: usize,
    ) -> (Vec<(String, Guard)>, String) {
        let mut facts = "line\t9\tpreemptive\t3\nsoftware\th\t1\tfn\t1\t-\thost\t1\n".to_owned();
        (0..automatic).for_each(|n| facts.push_str(&format!("thread\ta{n}\t2\ta{n}\t{n}\t-\n")));
        (0..manual).for_each(|n| facts.push_str(&format!("thread\tm{n}\t3\tm{n}\tmanual\t-\n")));
        let line = read(&facts, &BTreeMap::new()).expect("the facts are complete").entries;
        let guards = of(&line, regions);
        let named = line.iter().zip(&guards).filter_map(|(entry, guard)| {
            guard.map(|guard| (entry.what.replace("thread ", ""), guard))
        });
        (named.collect(), text(&line, &guards))
    }

    #[test]
    fn a_guard_that_moves_guards_all() {
        let (guards, text) = guards_of(usize::MAX, 20, 9);
        assert!(guards.len() == 30 && guards.iter().all(|(_, guard)| *guard == Guard::Yes));
        assert_eq!(text, "");
    }

    #[test]
    fn eight_are_guarded() {
        let (guards, text) = guards(4, 3);
        assert!(guards.len() == 8 && guards.iter().all(|(_, guard)| *guard == Guard::Yes));
        assert_eq!(text, "");
    }

    #[test]
    fn those_behind_the_eighth_are_not() {
        let (guards, text) = guards(9, 0);
        let without = guards.iter().filter(|(_, guard)| *guard == Guard::No).map(|(name, _)| name);
        assert_eq!(without.collect::<Vec<_>>(), ["`a8`", "host of software tasks"]);
        assert!(guards.iter().all(|(_, guard)| *guard != Guard::Depends), "{guards:?}");
        let said = "Without a guard of the stack: thread `a8`, host of priority 1.";
        assert!(text.contains(said), "{text}");
    }

    #[test]
    fn who_is_started_by_hand_may_come_first() {
        let (guards, text) = guards(7, 2);
        let of = |wanted: &str| guards.iter().find(|(name, _)| name == wanted).map(|one| one.1);
        assert_eq!((of("`a5`"), of("`a6`")), (Some(Guard::Yes), Some(Guard::Depends)));
        assert_eq!((of("`m0`"), of("host of software tasks")), (of("`m1`"), of("`a6`")));
        let said = "Without one, if they start late: thread `m0`, thread `m1`, thread `a6`, host";
        assert!(text.contains(said) && !text.contains("Without a guard"), "{text}");
    }
}
