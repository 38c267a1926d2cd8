//! What happens in a run, and whether it is what is expected.

use super::expectation::{Task, What};
use crate::deadlines::declare::Jobs;
use crate::trace::kernel::Who;
use quintet_sim::cores::Core;

/// Something that happens at a moment.
pub enum Event<'e> {
    /// A line was printed.
    Line {
        /// The channel.
        channel: &'e str,
        /// The line without its end.
        text: &'e str,
    },
    /// A pin has changed.
    Pin {
        /// The number of the GPIO among the board's devices.
        device: usize,
        /// The pin.
        pin: u8,
        /// Its new level.
        level: bool,
    },
    /// A job has begun or ended.
    Job {
        /// What has the job.
        who: Who,
        /// The name of a thread.
        thread: &'e str,
        /// It has ended.
        ends: bool,
        /// The cycles since its arrival, if it has ended.
        taken: u64,
    },
    /// The firmware has ended.
    Exit {
        /// The code.
        code: u32,
    },
}

/// Returns `true` if an event is what is expected, and what it is in words if it is about the same
/// thing.
pub fn meets(what: &What, event: &Event<'_>) -> (bool, Option<String>) {
    match (what, event) {
        (What::Line { text, is_whole, channel }, Event::Line { channel: on, text: line }) => {
            let is_there = channel.as_deref().is_none_or(|channel| channel == *on);
            let is_it = if *is_whole { line == text } else { line.contains(text.as_str()) };
            (is_there && is_it, None)
        }
        (What::Edge { pin, to }, Event::Pin { device, pin: number, level })
            if (pin.device, pin.number) == (*device, *number) =>
        {
            let note = if *level { "rose" } else { "fell" };
            (to.is_none_or(|to| to == *level), Some(note.to_owned()))
        }
        (What::Job { task, ends: wanted }, Event::Job { who, thread, ends, taken })
            if is_of(task, *who, thread) =>
        {
            let note = match ends {
                false => "started".to_owned(),
                true => format!("ended after {taken} cycles"),
            };
            (wanted == ends, Some(note))
        }
        (What::Exit { code: wanted }, Event::Exit { code }) => {
            (wanted == code, Some(format!("it ended with code {code}")))
        }
        _ => (false, None),
    }
}

/// Returns `true` if a job is one of the task.
pub fn is_of(task: &Task, who: Who, thread: &str) -> bool {
    match (&task.jobs, who) {
        (Jobs::Exception(wanted), Who::Exception(exception)) => *wanted == exception,
        (Jobs::Unit(wanted), Who::Unit(unit)) => *wanted == unit,
        (Jobs::Thread(label), Who::Thread(_)) => label == thread,
        _ => false,
    }
}

/// A level or a value in words.
pub fn state_words(what: &What, value: Option<u64>) -> String {
    let Some(value) = value else { return "can't be read".to_owned() };
    match what {
        What::Value { size, .. } => {
            let sign = 1_u64 << (8 * size - 1);
            if value & sign == 0 {
                return format!("was {value}");
            }
            let signed = (value | !(sign | (sign - 1))) as i64;
            format!("was {value} (signed: {signed})")
        }
        _ => format!("was {value}"),
    }
}

/// Reads 1 to 8 bytes of memory.
pub fn value(machine: &impl Core, address: u32, size: u32) -> Option<u64> {
    let mut bytes = [0; 8];
    machine.read_memory(address, bytes.get_mut(..size as usize)?).ok()?;
    Some(u64::from_le_bytes(bytes))
}
