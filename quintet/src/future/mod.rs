//! Async tasks: where a task's future is stored, how it is spawned, and how a level polls it.

pub mod cell;
