//! Attributes: which of them are roles of the grammar, and what becomes of the others.
//!
//! A role is recognised as a bare word only: `#[task]` is ours, `#[other::task]` is the user's.

use proc_macro2::TokenStream;
use syn::{Attribute, Meta};

use crate::model::Attributes;

/// What an item is in the application.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// `#[init]`, a function.
    Init,
    /// `#[idle]`, a function.
    Idle,
    /// `#[task]`, a function.
    Task,
    /// `#[thread]`, a function.
    Thread,
    /// `#[shared]`, a struct.
    Shared,
    /// `#[local]`, a struct.
    Local,
}

impl Role {
    /// The role that an attribute gives.
    pub fn of(attribute: &Attribute) -> Option<Self> {
        let path = attribute.path();
        [Self::Init, Self::Idle, Self::Task, Self::Thread, Self::Shared, Self::Local]
            .into_iter()
            .find(|role| path.is_ident(role.word()))
    }

    /// The word of the attribute.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Init => "init",
            Self::Idle => "idle",
            Self::Task => "task",
            Self::Thread => "thread",
            Self::Shared => "shared",
            Self::Local => "local",
        }
    }

    /// Whether it is for functions; the others are for structs.
    pub const fn is_for_functions(self) -> bool {
        matches!(self, Self::Init | Self::Idle | Self::Task | Self::Thread)
    }
}

/// Takes the attributes that are roles out of `attributes`.
pub fn take_roles(attributes: &mut Vec<Attribute>) -> Vec<(Role, Attribute)> {
    let (roles, others) = std::mem::take(attributes)
        .into_iter()
        .partition::<Vec<_>, _>(|attribute| Role::of(attribute).is_some());
    *attributes = others;
    roles
        .into_iter()
        .filter_map(|attribute| Role::of(&attribute).map(|role| (role, attribute)))
        .collect()
}

/// What stands in the parentheses of `#[role(..)]`; nothing for `#[role]`.
pub fn arguments(attribute: &Attribute) -> syn::Result<TokenStream> {
    match &attribute.meta {
        Meta::Path(_) => Ok(TokenStream::new()),
        Meta::List(list) if matches!(list.delimiter, syn::MacroDelimiter::Paren(_)) => {
            Ok(list.tokens.clone())
        }
        meta => Err(syn::Error::new_spanned(
            meta,
            "arguments of this attribute stand in parentheses, as in `#[task(priority = 2)]`",
        )),
    }
}

/// Sorts attributes by what becomes of them.
pub fn sort(attributes: Vec<Attribute>) -> Attributes {
    let mut sorted = Attributes::default();
    for attribute in attributes {
        if attribute.path().is_ident("cfg") {
            sorted.cfgs.push(attribute);
        } else if attribute.path().is_ident("doc") {
            sorted.docs.push(attribute);
        } else {
            sorted.others.push(attribute);
        }
    }
    sorted
}
