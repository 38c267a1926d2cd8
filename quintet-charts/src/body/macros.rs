//! Macros in handlers. Their expansion is unknown here, so no outcome may come from a macro.

use proc_macro2::{Ident, TokenStream, TokenTree};
use syn::Macro;

use super::of_word;

/// Macros that never return, so that they are no outcome.
const DIVERGE: [&str; 5] = ["panic", "unreachable", "todo", "unimplemented", "compile_error"];

/// Returns the error for a macro in the place of a handler's value.
pub fn as_a_value(one: &Macro) -> Option<syn::Error> {
    let name = &one.path.segments.last()?.ident;
    if DIVERGE.iter().any(|known| name == known) {
        return None;
    }
    let message = format!(
        "what `{name}!` makes can't be seen here, so it can't be the value of a handler: write \
         `Handled`, `Super`, `Transition(State::name())` or another outcome behind it. Behind a \
         macro that never returns, `Handled` does"
    );
    Some(syn::Error::new_spanned(&one.path, message))
}

/// Returns the error for a macro whose arguments contain `return` with an outcome.
pub fn with_a_return(one: &Macro) -> Option<syn::Error> {
    let word = returned(one.tokens.clone())?;
    let name = &one.path.segments.last()?.ident;
    let message = format!(
        "`return {word}` inside of `{name}!` can't be seen: write it outside of the macro, as in \
         `if condition {{ return {word}; }}`"
    );
    Some(syn::Error::new(word.span(), message))
}

/// The outcome behind a `return`, somewhere in tokens.
fn returned(tokens: TokenStream) -> Option<Ident> {
    let mut is_behind_return = false;
    for token in tokens {
        match token {
            TokenTree::Ident(word) if is_behind_return && of_word(&word).is_some() => {
                return Some(word);
            }
            TokenTree::Ident(word) => is_behind_return = word == "return",
            TokenTree::Group(group) => {
                if let Some(word) = returned(group.stream()) {
                    return Some(word);
                }
                is_behind_return = false;
            }
            _ => is_behind_return = false,
        }
    }
    None
}
