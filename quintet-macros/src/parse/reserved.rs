//! The names of generated items, which the application's own code can't use.
//!
//! Much of the generated code has to lie in the application's module, where every function reaches
//! it: the memory of tasks, the spawners of each priority, the threads that host tasks. This code
//! is sound because only the expansion names it.

use std::collections::BTreeSet;

use proc_macro2::{Ident, TokenStream, TokenTree};
use syn::ext::IdentExt;

use crate::errors::Errors;

/// How the names of generated items begin.
const PREFIX: &str = "__quintet_";

/// Refuses such names, each at its first place.
pub fn refuse(item: TokenStream, errors: &mut Errors) {
    let mut names = Vec::new();
    find(item, &mut names);
    let mut seen = BTreeSet::new();
    for name in names {
        if seen.insert(name.unraw()) {
            let message = format!(
                "`{name}` begins with `{PREFIX}`, as the names of what is generated do, and \
                 nothing else may say those: give it another name, or use what the task's module \
                 has"
            );
            errors.at(name.span(), message);
        }
    }
}

/// Finds such names, also in groups.
fn find(tokens: TokenStream, names: &mut Vec<Ident>) {
    for token in tokens {
        match token {
            TokenTree::Group(group) => find(group.stream(), names),
            TokenTree::Ident(name) if name.unraw().to_string().starts_with(PREFIX) => {
                names.push(name);
            }
            _ => {}
        }
    }
}
