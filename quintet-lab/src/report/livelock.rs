//! Async tasks that wake each other forever, and let nothing less urgent run.
//!
//! An object with room for one waker wakes the waiting task when another one comes. The woken task
//! is polled, takes the place back, and so on. No task makes progress: the processor and its memory
//! return to the same state again and again. The search looks for this in a copy of the machine
//! that goes on for a while. Tasks with work to do change the state.

use std::collections::{BTreeMap, BTreeSet};

use quintet_sim::machine::Machine;

use crate::debug::backtrace::places;
use crate::firmware::Firmware;
use crate::firmware::facts::async_tasks;

/// For how many instructions the copy goes on.
const STEPS: u32 = 200_000;
/// At so many visits of one place the machine is compared with the first of them, before another
/// visit is the first.
const VISITS: u32 = 64;

/// What to do where two tasks or more wake each other; none where they don't.
pub fn advice(firmware: &Firmware, machine: &Machine) -> Option<String> {
    let tasks = async_tasks(&firmware.path);
    if tasks.len() < 2 {
        return None;
    }
    let mut names = Names { firmware, tasks: &tasks, known: BTreeMap::new() };
    let round = round(machine, &mut names)?;
    let named: Vec<String> = round.iter().map(|name| format!("`{name}`")).collect();
    let (last, others) = named.split_last().filter(|(_, others)| !others.is_empty())?;
    Some(format!(
        "the tasks {} and {last} wake each other for ever, and nothing less urgent runs: they \
         await one object that keeps one waker (as embassy-sync's `Channel` and `Mutex` do) from \
         two priorities, and each takes the other's place. Let one task a side await it, give the \
         tasks one priority, or use an object of `quintet::sync`, which keeps all wakers",
        others.join(", ")
    ))
}

/// Which task an address belongs to.
struct Names<'a> {
    firmware: &'a Firmware,
    tasks: &'a [String],
    known: BTreeMap<u32, Option<usize>>,
}

impl Names<'_> {
    fn task_at(&mut self, address: u32) -> Option<usize> {
        let (firmware, tasks) = (self.firmware, self.tasks);
        *self.known.entry(address).or_insert_with(|| {
            let places = places(firmware, address);
            // From what was called first: a task may spawn another, but is not within that.
            let functions = places.iter().rev().filter_map(|place| place.function.as_deref());
            functions.filter_map(|name| tasks.iter().position(|task| is_of(name, task))).next()
        })
    }
}

/// Returns `true` if the function is the body of an async task, or made for it: what an `async fn`
/// returns is called a closure, or by a word of its own.
fn is_of(function: &str, task: &str) -> bool {
    let bodies = ["::{{closure}}", "::{closure", "::{async_fn"];
    function.match_indices(task).any(|(at, _)| {
        let (before, behind) = (&function[..at], &function[at + task.len()..]);
        before.ends_with("::") && bodies.iter().any(|body| behind.starts_with(body))
    })
}

/// The tasks that run from one state of the machine to the same state again, by their names; none
/// where no state comes again.
fn round(machine: &Machine, names: &mut Names<'_>) -> Option<BTreeSet<String>> {
    let mut copy = machine.clone();
    copy.clear_watches();
    let mut first: Option<(u32, State)> = None;
    let mut visits = 0;
    let mut seen = BTreeSet::new();
    for _ in 0..STEPS {
        let pc = copy.pc();
        if let Some(task) = names.task_at(pc) {
            match &first {
                Some((at, state)) if *at == pc => {
                    if *state == State::of(&copy) {
                        return Some(seen);
                    }
                    visits += 1;
                }
                Some(_) => {}
                None => first = Some((pc, State::of(&copy))),
            }
            if visits == VISITS {
                (first, visits) = (Some((pc, State::of(&copy))), 0);
                seen.clear();
            }
            seen.extend(names.tasks.get(task).cloned());
        }
        if copy.step().is_some() {
            return None;
        }
    }
    None
}

/// What decides how a machine goes on, apart from its devices.
#[derive(PartialEq)]
struct State {
    registers: [u32; 16],
    other_stack: u32,
    status: u32,
    memory: Vec<u8>,
}

impl State {
    fn of(machine: &Machine) -> Self {
        let registers = &machine.processor.registers;
        let mut memory = Vec::new();
        for range in machine.board().memory_ranges().iter().filter(|range| range.writable) {
            let start = memory.len();
            memory.resize(start + range.size as usize, 0);
            // A range of the board is there.
            let _ = machine.read_memory(range.start, &mut memory[start..]);
        }
        Self {
            registers: registers.r,
            other_stack: registers.other_sp,
            status: registers.xpsr(),
            memory,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_made_for_a_task_is_told_from_what_it_calls() {
        for name in [
            "app::sender::{{closure}}",
            "app::sender::{closure#0}",
            "poll<12, fn() -> app::sender::{async_fn_env#0}, One>",
        ] {
            assert!(is_of(name, "sender"), "{name}");
        }
        for name in ["app::sender", "app::sender::inner::{{closure}}", "app::a_sender::{{closure}}"]
        {
            assert!(!is_of(name, "sender"), "{name}");
        }
    }
}
