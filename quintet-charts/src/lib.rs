//! State machines as data: read from source, checked, and lowered to straight sequences.
//!
//! | step | what it does |
//! |---|---|
//! | `parse` | reads the `impl` block into the model; refuses text that is not in the grammar |
//! | `body` | finds the outcomes in the body of a handler, and rewrites them |
//! | `model` | the machine as data, with the user's tokens |
//! | `check` | refuses machines that the grammar allows but that can't work |
//! | `generics` | the parameters of the block, and those that the states have |
//! | `siblings` | refuses a second machine of a module whose states have the same name |
//! | `lines` | describes the machine for pictures |
//! | `tree` | properties of the tree of states that many functions look up |
//! | `numbers` | the states as numbers, for code that looks ways up while the machine runs |
//! | `lower` | decides what each transition does: exits, action, entries, initial transitions |
//!
//! The macro `quintet::state_machine` writes the result as Rust. The command `quintet chart` draws
//! the machine, even a refused one. A refusal points at the user's own word.

/// The examples of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}

mod body;
mod check;
mod errors;
pub mod generics;
pub mod lines;
pub mod lower;
pub mod model;
pub mod numbers;
mod parse;
pub mod siblings;
#[cfg(test)]
mod tests;
pub mod text;
pub mod tree;

use proc_macro2::{Ident, TokenStream};

/// A machine as the user wrote it, even with errors.
pub struct Draft {
    /// The readable part of the machine. `None` if there is no state.
    pub machine: Option<model::Machine>,
    /// `true` if the machine's first state is known. If not, `machine.initial` means nothing.
    pub begins: bool,
    /// All errors of the machine, at the wrong words. If there are errors, you may only draw
    /// `machine`.
    pub refusal: Option<syn::Error>,
}

impl Draft {
    /// Returns the known part of the machine as [`lines`]. The text is empty if there is no state.
    pub fn lines(&self) -> String {
        let machine = self.machine.as_ref();
        machine.map_or_else(String::new, |machine| lines::of_draft(machine, self.begins))
    }
}

/// Returns the machine that an `impl` block describes, from the attribute's arguments and the
/// block.
///
/// # Errors
/// All errors of the machine, at the wrong words.
pub fn read(arguments: TokenStream, block: TokenStream) -> syn::Result<model::Machine> {
    let Draft { machine, refusal, .. } = draft(arguments, block);
    match (refusal, machine) {
        (None, Some(machine)) => Ok(machine),
        // A machine that can't be read has an error already.
        (refusal, _) => Err(refusal.unwrap_or_else(|| {
            syn::Error::new(proc_macro2::Span::call_site(), "the machine could not be read")
        })),
    }
}

/// Reads a machine. After errors, the draft has the readable part of the machine.
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

/// Returns the name of the states' `enum`, which the attribute's arguments give.
pub fn state_name(arguments: TokenStream) -> Ident {
    names_of_states(arguments).0
}

/// Returns the name of the states' `enum`, and the traits that the `enum` derives.
pub fn names_of_states(arguments: TokenStream) -> (Ident, Vec<syn::Path>) {
    let (name, derives) = parse::names_of_states(arguments).unwrap_or_default();
    (name.unwrap_or_else(|| quote::format_ident!("State")), derives)
}

/// Returns `true` if a function's attribute is one of these words. A word under a condition, which
/// is refused, counts too.
pub fn is_role(attribute: &syn::Attribute, words: &[&str]) -> bool {
    parse::is_role(attribute, words)
}

/// Returns `true` if a function's attribute is an argument of a state in the wrong place, which is
/// refused.
pub fn is_misplaced(attribute: &syn::Attribute) -> bool {
    parse::is_misplaced(attribute)
}
