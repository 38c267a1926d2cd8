//! How a software task is spawned, and run in its slot.

use crate::model::{Form, Software, Task};

/// How a software task is spawned and run: each task has the cheapest mechanism that suffices.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mechanism {
    /// A spawn builds the future, and the level polls the future.
    Future,
    /// The same, with a handle.
    Joinable,
    /// A spawn puts its arguments into a queue of this length. The level builds and polls one
    /// future after the other.
    Backlog(usize),
    /// A spawn builds the future in the first free place of this number of places. The level polls
    /// each place in a slot of its own.
    Pool(usize),
    /// A spawn stores its arguments, and the level calls the function.
    Single,
    /// A spawn puts its arguments into a queue of this length, and the level calls the function.
    Queue(usize),
}

impl Mechanism {
    /// Returns the cheapest mechanism for a task.
    pub fn of(task: &Task, software: &Software) -> Self {
        if let Some(count) = task.instances {
            return Self::Pool(count);
        }
        match (task.function.form, usize::from(software.capacity)) {
            (Form::Plain, 0 | 1) => Self::Single,
            (Form::Plain, capacity) => Self::Queue(capacity),
            (Form::Async, _) if software.joinable.is_some() => Self::Joinable,
            (Form::Async, 0 | 1) => Self::Future,
            (Form::Async, capacity) => Self::Backlog(capacity),
        }
    }
}
