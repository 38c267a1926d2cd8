//! Software tasks that are plain functions: where the arguments of a spawn wait for the task's
//! level, if there is room for one. Those of more wait in a [queue](crate::core::queue).
//!
//! Hardware tasks are here by name only: their handler is the user's function, and the macro writes
//! all that there is of them.

pub mod single;
