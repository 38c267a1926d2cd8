//! Hierarchical state machines: values that take events, in any model and on the host.
//!
//! [`state_machine`](crate::state_machine) makes one of an `impl` block, and teaches the language.
//! A [`Machine`] holds the struct that the block is of, and the active state.
//!
//! All of it is resolved at compile time: what a transition exits and enters is straight code, so a
//! machine costs what a `match` over state and event costs that is written by hand.

mod kept;
mod lines;
mod machine;
mod outcome;

pub use kept::{Full, Kept, NeverKeeps};
pub use machine::{Chart, Machine, Plain, Taken, Waits, WaitsWith, With};
#[doc(hidden)]
pub use machine::{DispatchPlain, DispatchWaits};
pub use outcome::{DeepHistory, Deferred, Handled, History, Local, Outcome, Super, Transition};

/// What a machine's module uses: `use quintet::chart::prelude::*`.
pub mod prelude {
    pub use super::{
        DeepHistory, Deferred, Handled, History, Local, Machine, Outcome, Super, Transition,
    };
}
