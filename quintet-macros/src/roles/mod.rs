//! The roles of tasks: a folder for each model, with all that it has of its own of the steps from
//! text to text.
//!
//! | file of a role | what it does |
//! |---|---|
//! | `mod.rs` | the trait [`Role`], which says what the role adds to what all tasks have |
//! | `parse.rs` | reads its functions |
//! | `check.rs` | what only its functions are refused for |
//! | `place.rs` | what is decided about one |
//! | `emit.rs` | what is written for one, and its line of the map |
//!
//! A role sees the steps' common part (`grammar`, `analysis`, `write`) and is called by the steps;
//! no role names another.

mod actor;
mod hardware;
mod software;
mod task;
mod thread;

use proc_macro2::TokenStream;
use quote::quote;
use syn::Attribute;

use crate::analysis::Analysis;
use crate::errors::Errors;
use crate::grammar::attributes::Word;
use crate::grammar::function::Source;
use crate::model::{App, Task, TaskKind};
#[cfg(test)]
pub use crate::roles::software::place::Mechanism;
use crate::write::Output;
use crate::write::contexts::Parts;
use crate::write::levels::Placed;
use crate::write::map::MapLine;

/// How everything but threads does without awaiting.
pub const AT_ONCE: &str = "use the form that doesn't wait, such as `try_take()` for `take().await`";

/// What the modules of functions with a role have, whatever the role: a name that one doesn't have
/// was refused, or is refused when the rest is mended.
pub const FUNCTIONS: [&str; 12] = [
    "spawn",
    "waker",
    "start",
    "handle",
    "post",
    "post_front",
    "try_post",
    "try_post_front",
    "try_post_margin",
    "stop",
    "restart",
    "queue",
];

/// What a role adds to what all tasks have.
pub trait Role {
    /// What a task is that can't wait, for a message: `is a task of ..`.
    fn what_it_is(&self, task: &Task) -> String;

    /// What the user writes instead of `.await`, if that is nothing that everyone does.
    fn instead_of_await(&self) -> Option<String> {
        None
    }

    /// What a vector calls.
    fn handler(&self, _output: &Output<'_>, _task: &Task) -> TokenStream {
        TokenStream::new()
    }

    /// What there is of one of its slots: its job, and what makes it ready.
    fn slot(&self, _output: &Output<'_>, _placed: &Placed<'_>) -> TokenStream {
        TokenStream::new()
    }

    /// What is done for it before `init` runs.
    fn begin(&self, _output: &Output<'_>, _task: &Task) -> TokenStream {
        TokenStream::new()
    }

    /// What a task's context has besides resources.
    fn add_to_context(&self, _output: &Output<'_>, _task: &Task, _parts: &mut Parts) {}

    /// What a task's module re-exports besides its context.
    fn exports(&self, _output: &Output<'_>, _task: &Task) -> TokenStream {
        TokenStream::new()
    }

    /// A task in the map.
    fn map_lines<'a>(&self, output: &Output<'_>, task: &'a Task) -> Vec<MapLine<'a>>;
}

/// The role of a task.
pub fn of(task: &Task) -> &dyn Role {
    match &task.kind {
        TaskKind::Hardware(hardware) => hardware,
        TaskKind::Software(software) => software,
        TaskKind::Thread(thread) => &**thread,
        TaskKind::Actor(actor) => &**actor,
    }
}

/// Reads a function with a role of tasks.
pub fn read(
    word: Word,
    attribute: &Attribute,
    source: Source,
    errors: &mut Errors,
) -> Option<Task> {
    match word {
        Word::Thread => thread::parse::read(attribute, source, errors),
        Word::Actor => actor::parse::read(attribute, source, errors),
        _ => task::read(attribute, source, errors),
    }
}

/// Finds what is wrong with tasks of each role.
pub fn check(analysis: &Analysis<'_>, errors: &mut Errors) {
    hardware::check::check(analysis, errors);
    thread::check::check(analysis, errors);
    actor::check::check(analysis, errors);
}

/// Rewrites what a role has to see in the bodies of all functions.
pub fn rewrite(app: &mut App) {
    actor::heard::rewrite(app);
}

/// The handlers of all vectors that tasks have.
pub fn handlers(output: &Output<'_>) -> TokenStream {
    let handlers = output.app.tasks.iter().map(|task| of(task).handler(output, task));
    quote!(#(#handlers)*)
}

/// All that tasks have that run in slots.
pub fn slots(output: &Output<'_>) -> TokenStream {
    let slots = output.placed().map(|placed| of(placed.slot.task).slot(output, &placed));
    let spawners = output.local_spawners();
    let publishing = output.publishing();
    quote!(#(#slots)* #spawners #publishing)
}
