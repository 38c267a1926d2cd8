//! State machines as data: read from source, checked, and lowered to straight sequences.
//!
//! | step | what it does |
//! |---|---|
//! | `parse` | reads the `impl` block into the model; refuses what is not the grammar |
//! | `body` | finds the outcomes in the body of a handler, and rewrites them |
//! | `model` | the machine as data, with the user's tokens |
//! | `check` | refuses what is the grammar but can't be a machine |
//! | `lines` | describes it for pictures |
//! | `lower` | decides what each transition does: exits, action, entries, initial transitions |
//!
//! The macro `quintet::state_machine` writes the result down as Rust; the command `quintet chart`
//! draws it, also of a machine that is refused. A refusal points at the user's own word.

mod body;
mod check;
mod errors;
pub mod lines;
pub mod lower;
pub mod model;
mod parse;
#[cfg(test)]
mod tests;
pub mod text;

use proc_macro2::TokenStream;

/// A machine as it is written, whether or not anything is wrong with it.
pub struct Draft {
    /// What could be read of it: nothing, where there is no state.
    pub machine: Option<model::Machine>,
    /// Whether its first state is known. If not, `machine.initial` means nothing.
    pub begins: bool,
    /// All that is wrong with it, at the words that are wrong. Then `machine` must only be shown.
    pub refusal: Option<syn::Error>,
}

impl Draft {
    /// What is known of it, in [`lines`]: nothing, where there is no state.
    pub fn lines(&self) -> String {
        let machine = self.machine.as_ref();
        machine.map_or_else(String::new, |machine| lines::of_draft(machine, self.begins))
    }
}

/// The machine that an `impl` block describes, of the attribute's arguments and the block.
///
/// # Errors
/// All that is wrong with it, at the words that are wrong.
pub fn read(arguments: TokenStream, block: TokenStream) -> syn::Result<model::Machine> {
    let Draft { machine, refusal, .. } = draft(arguments, block);
    match (refusal, machine) {
        (None, Some(machine)) => Ok(machine),
        // Whatever leaves no machine has said why.
        (refusal, _) => Err(refusal.unwrap_or_else(|| {
            syn::Error::new(proc_macro2::Span::call_site(), "the machine could not be read")
        })),
    }
}

/// The same with what could be read of a machine that is refused.
pub fn draft(arguments: TokenStream, block: TokenStream) -> Draft {
    let mut errors = errors::Errors::default();
    let parsed = parse::machine(arguments, block, &mut errors);
    let (machine, begins) = match parsed {
        Some(parsed) => (Some(parsed.machine), parsed.begins),
        None => (None, false),
    };
    if errors.is_empty()
        && let Some(machine) = &machine
    {
        check::check(machine, &mut errors);
    }
    Draft { machine, begins, refusal: errors.finish(()).err() }
}
