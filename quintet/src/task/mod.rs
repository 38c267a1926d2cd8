//! Software tasks that are plain functions. The arguments of a spawn wait here for the task's
//! level, if the task has room for one spawn. The arguments of tasks with more room wait in a
//! [queue](crate::core::queue).
//!
//! Hardware tasks are here by name only: the interrupt's handler is the user's function, and the
//! macro writes all the rest.

pub mod single;
