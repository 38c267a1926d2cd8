//! The roles of tasks: a folder for each model, with the code of each step that only this model
//! needs.
//!
//! | file of a role | what it does |
//! |---|---|
//! | `mod.rs` | the trait [`Role`]: the role's additions to the common code of tasks |
//! | `parse.rs` | reads the role's functions |
//! | `check.rs` | refusals of the role's functions |
//! | `place.rs` | decisions about one function |
//! | `emit.rs` | the code for one function, and its line of the map |
//!
//! A role uses the steps' common code (`grammar`, `analysis`, `write`), and the steps call the
//! role. No role names another.

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

/// How all code but threads and `async` tasks does without awaiting.
pub const AT_ONCE: &str = "use the form that doesn't wait, such as `try_take()` for `take().await`";

/// The items in the modules of functions, of all roles. If a function's role lacks such a name, its
/// use was refused, or will be when the other errors are mended.
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

/// The additions of a role to the common code of tasks.
pub trait Role {
    /// Describes, for a message, a task that can't wait: `is a task of ..`.
    fn what_it_is(&self, task: &Task) -> String;

    /// Returns the words that the user writes instead of `.await`, if the role has its own.
    fn instead_of_await(&self) -> Option<String> {
        None
    }

    /// The function that a vector calls.
    fn handler(&self, _output: &Output<'_>, _task: &Task) -> TokenStream {
        TokenStream::new()
    }

    /// The items of one slot: its job, and the functions that make the slot ready.
    fn slot(&self, _output: &Output<'_>, _placed: &Placed<'_>) -> TokenStream {
        TokenStream::new()
    }

    /// The code that runs for a task before `init`.
    fn begin(&self, _output: &Output<'_>, _task: &Task) -> TokenStream {
        TokenStream::new()
    }

    /// Adds the parts of a task's context besides resources.
    fn add_to_context(&self, _output: &Output<'_>, _task: &Task, _parts: &mut Parts) {}

    /// The items that a task's module re-exports besides its context.
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

/// Rewrites bodies of functions for the roles that need this.
pub fn rewrite(app: &mut App) {
    actor::heard::rewrite(app);
}

/// The handlers of all vectors that tasks have.
pub fn handlers(output: &Output<'_>) -> TokenStream {
    let handlers = output.app.tasks.iter().map(|task| of(task).handler(output, task));
    quote!(#(#handlers)*)
}

/// The items of all slots.
pub fn slots(output: &Output<'_>) -> TokenStream {
    let slots = output.placed().map(|placed| of(placed.slot.task).slot(output, &placed));
    let spawners = output.local_spawners();
    let publishing = output.publishing();
    quote!(#(#slots)* #spawners #publishing)
}
