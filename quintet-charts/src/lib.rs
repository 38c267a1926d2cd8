//! State machines as data: read from source, checked, and lowered to straight sequences.
//!
//! | step | what it does |
//! |---|---|
//! | `parse` | reads the `impl` block into the model; refuses what is not the grammar |
//! | `body` | finds the outcomes in the body of a handler, and rewrites them |
//! | `model` | the machine as data, with the user's tokens |
//! | `check` | refuses what is the grammar but can't be a machine |
//! | `siblings` | refuses a second machine of a module whose states have one name |
//! | `lines` | describes it for pictures |
//! | `tree` | what is looked up in the tree of states again and again |
//! | `lower` | decides what each transition does: exits, action, entries, initial transitions |
//!
//! The macro `quintet::state_machine` writes the result down as Rust; the command `quintet chart`
//! draws it, also of a machine that is refused. A refusal points at the user's own word.

/// The examples of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}

mod body;
mod check;
mod errors;
pub mod lines;
pub mod lower;
pub mod model;
mod parse;
pub mod siblings;
#[cfg(test)]
mod tests;
pub mod text;
pub mod tree;

use proc_macro2::{Ident, TokenStream};

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

/// The name of the `enum` of states that the attribute's arguments ask for.
pub fn state_name(arguments: TokenStream) -> Ident {
    names_of_states(arguments).0
}

/// The same, and the traits that it derives.
pub fn names_of_states(arguments: TokenStream) -> (Ident, Vec<syn::Path>) {
    let (name, derives) = parse::names_of_states(arguments).unwrap_or_default();
    (name.unwrap_or_else(|| quote::format_ident!("State")), derives)
}

/// Whether a function's attribute is one of these words, or has it under a condition, which is
/// refused.
pub fn is_role(attribute: &syn::Attribute, words: &[&str]) -> bool {
    parse::is_role(attribute, words)
}
