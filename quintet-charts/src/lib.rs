//! State machines as data: read from source, checked, and lowered to straight sequences.
//!
//! | step | what it does |
//! |---|---|
//! | `parse` | reads the `impl` block into the model; refuses what is not the grammar |
//! | `body` | finds the outcomes in the body of a handler, and rewrites them |
//! | `model` | the machine as data, with the user's tokens |
//! | `check` | refuses what is the grammar but can't be a machine |
//! | `siblings` | refuses a second machine of a module whose states have one name |
//! | `tree` | what is looked up in the tree of states again and again |
//! | `lower` | decides what each transition does: exits, action, entries, initial transitions |
//!
//! The macro `quintet::state_machine` writes the result down as Rust. A refusal points at the
//! user's own word.

mod body;
mod check;
mod errors;
pub mod lower;
pub mod model;
mod parse;
pub mod siblings;
#[cfg(test)]
mod tests;
pub mod text;
pub mod tree;

use proc_macro2::{Ident, TokenStream};

/// The machine that an `impl` block describes, of the attribute's arguments and the block.
///
/// # Errors
/// All that is wrong with it, at the words that are wrong.
pub fn read(arguments: TokenStream, block: TokenStream) -> syn::Result<model::Machine> {
    let mut errors = errors::Errors::default();
    let machine = parse::machine(arguments, block, &mut errors);
    if errors.is_empty()
        && let Some(machine) = &machine
    {
        check::check(machine, &mut errors);
    }
    errors.finish(machine)?.ok_or_else(|| {
        // Whatever leaves no machine has said why.
        syn::Error::new(proc_macro2::Span::call_site(), "the machine could not be read")
    })
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
