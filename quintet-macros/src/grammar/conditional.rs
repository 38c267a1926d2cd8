//! Roles under `cfg_attr`, which are refused. The macro runs before conditions are decided, so the
//! macro can't tell whether the item has the role.

use proc_macro2::{Ident, TokenStream};
use quote::ToTokens;
use syn::parse::{ParseStream, Parser};
use syn::punctuated::Punctuated;
use syn::{Attribute, Meta, Token};

use super::attributes::Word;
use crate::errors::Errors;

/// Takes the `cfg_attr`s out of `attributes` that give a role to the item `name`, and refuses them.
/// The caller reads the role of the first one on, as if it had no condition.
pub fn take(
    attributes: &mut Vec<Attribute>,
    name: &Ident,
    errors: &mut Errors,
) -> Option<(Word, Attribute)> {
    let mut first = None;
    attributes.retain(|attribute| {
        let Some((role, inner)) = role_of(attribute) else { return true };
        errors.on(&inner.meta, refusal(role, &inner, name));
        first.get_or_insert((role, inner));
        false
    });
    first
}

/// The role that an attribute gives under a condition, and the attribute behind the condition.
pub fn role_of(attribute: &Attribute) -> Option<(Word, Attribute)> {
    all_in(attribute).into_iter().find_map(|inner| Word::of(&inner).map(|role| (role, inner)))
}

/// Returns the attributes in a `cfg_attr`, and nothing for other attributes.
pub fn all_in(attribute: &Attribute) -> Vec<Attribute> {
    let Meta::List(list) = &attribute.meta else { return Vec::new() };
    if !attribute.path().is_ident("cfg_attr") {
        return Vec::new();
    }
    let read = |input: ParseStream<'_>| {
        input.parse::<Meta>()?;
        input.parse::<Token![,]>()?;
        Punctuated::<Meta, Token![,]>::parse_terminated(input)
    };
    // The compiler refuses an unreadable condition.
    let metas = read.parse2(list.tokens.clone()).unwrap_or_default();
    let attributes = metas.into_iter().map(|meta| Attribute { meta, ..attribute.clone() });
    attributes
        .flat_map(|inner| {
            let nested = all_in(&inner);
            if nested.is_empty() { vec![inner] } else { nested }
        })
        .collect()
}

/// The refusal, with the way out that this role has.
fn refusal(role: Word, inner: &Attribute, name: &Ident) -> String {
    let word = role.text();
    let way_out = match role {
        Word::Init | Word::Idle => format!(
            "write `#[{word}]` without a condition, and put `#[cfg(..)]` on statements of `{name}`"
        ),
        Word::Shared | Word::Local => format!(
            "write `#[{word}]` without a condition, and put `#[cfg(..)]` on fields of `{name}`"
        ),
        _ => {
            let written = text(&inner.meta.to_token_stream());
            format!(
                "write `{name}` once for each alternative, with `#[cfg(..)]` and `#[{written}]` in \
                 two attributes; what they have in common can be a function that both call"
            )
        }
    };
    format!(
        "`cfg_attr` is decided after the application is read, so it can't make `{name}` a \
         `#[{word}]`: {way_out}"
    )
}

/// Tokens as a user would write them.
fn text(tokens: &TokenStream) -> String {
    tokens.to_string().replace(" (", "(").replace(" ,", ",")
}
