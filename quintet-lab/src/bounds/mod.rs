//! Bounds of execution time and of stack, from the image alone.
//!
//! ```text
//!  image ── graph: functions, blocks ── values: constants, the stack pointer
//!                    │                      │
//!                    ├── states: every state of the simulator's pipeline, cycles of each way
//!                    │     routes: each block as steps ── class: all that a step depends on
//!                    │     atlas: states and steps, each followed once ── cost: the pipeline
//!                    │     fronts: the states behind a handler, with their cycles
//!                    ├── loops: rounds, from the code, from annotations, from a run
//!                    └── stack: bytes of each function
//!                              │
//!           path: the longest way ── verdict: BOUNDED, or what is open
//! ```
//!
//! A bound holds for a function that nothing interrupts: an exception's handler has a bound of its
//! own. The cycles are those of the simulator's pipeline, each in the worst state that any code of
//! the image can bring about.

mod aliases;
#[cfg(test)]
mod alignment_tests;
pub mod annotations;
mod atlas;
#[cfg(test)]
mod attacks;
pub mod bound;
pub mod check;
mod class;
#[cfg(test)]
mod constant_tests;
mod constants;
mod cost;
mod float;
mod front;
mod fronts;
mod graph;
mod hidden;
mod interruption;
mod knowledge;
mod loops;
mod main_stack;
#[cfg(test)]
mod mask_tests;
mod masks;
pub mod observe;
mod path;
mod recursion;
pub mod report;
pub mod riscv;
mod routes;
pub mod sections;
mod slots;
pub mod spans;
mod stack;
mod states;
mod steps;
pub mod system;
#[cfg(test)]
mod table_tests;
mod targets;
#[cfg(test)]
mod tests;
mod unseen;
mod value;
mod values;
#[cfg(test)]
mod vector_tests;
mod vectors;
pub mod verdict;
mod ways;
mod whole;
mod words;

pub use bound::{Bound, Cause, Conditions, Open};
pub use graph::Obstacle;
pub use interruption::Interruption;
pub use verdict::Analysis;
