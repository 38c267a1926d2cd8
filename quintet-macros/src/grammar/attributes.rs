//! Attributes: the roles of the grammar, and the use of all others.
//!
//! Only a bare word is a role: `#[task]` is ours, `#[other::task]` is the user's.

use proc_macro2::TokenStream;
use syn::{Attribute, Meta};

use super::list;
use crate::errors::Errors;
use crate::model::Attributes;

/// A word that gives an item its role in the application.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Word {
    /// `#[init]`, a function.
    Init,
    /// `#[idle]`, a function.
    Idle,
    /// `#[task]`, a function.
    Task,
    /// `#[thread]`, a function.
    Thread,
    /// `#[actor]`, a function.
    Actor,
    /// `#[shared]`, a struct.
    Shared,
    /// `#[local]`, a struct.
    Local,
}

impl Word {
    /// All words.
    const ALL: [Self; 7] =
        [Self::Init, Self::Idle, Self::Task, Self::Thread, Self::Actor, Self::Shared, Self::Local];

    /// Lists the words for functions, for a sentence.
    pub fn functions() -> String {
        let words = Self::ALL.into_iter().filter(|word| word.is_for_functions());
        let mut words = words.map(|word| format!("`#[{}]`", word.text())).collect::<Vec<_>>();
        let last = words.pop().unwrap_or_default();
        format!("{} or {last}", words.join(", "))
    }

    /// The role that an attribute gives.
    pub fn of(attribute: &Attribute) -> Option<Self> {
        let path = attribute.path();
        Self::ALL.into_iter().find(|role| path.is_ident(role.text()))
    }

    /// Returns the role that a misspelled attribute was meant for. Such an attribute is a bare word
    /// that differs from a role's word by one letter, or by two neighbours in the wrong order. No
    /// attribute of the compiler is so close to a role.
    pub fn meant_by(attribute: &Attribute) -> Option<Self> {
        let name = attribute.path().get_ident()?.to_string();
        let is_close = |role: &Self| {
            list::distance(&name, role.text()) == 1 || are_swapped(&name, role.text())
        };
        Self::ALL.into_iter().find(is_close)
    }

    /// The word itself.
    pub const fn text(self) -> &'static str {
        match self {
            Self::Init => "init",
            Self::Idle => "idle",
            Self::Task => "task",
            Self::Thread => "thread",
            Self::Actor => "actor",
            Self::Shared => "shared",
            Self::Local => "local",
        }
    }

    /// Returns `true` if the word is for functions. All other words are for structs.
    pub const fn is_for_functions(self) -> bool {
        !matches!(self, Self::Shared | Self::Local)
    }
}

/// Takes the attributes that are roles out of `attributes`.
pub fn take_roles(attributes: &mut Vec<Attribute>) -> Vec<(Word, Attribute)> {
    let (roles, others) = std::mem::take(attributes)
        .into_iter()
        .partition::<Vec<_>, _>(|attribute| Word::of(attribute).is_some());
    *attributes = others;
    roles
        .into_iter()
        .filter_map(|attribute| Word::of(&attribute).map(|role| (role, attribute)))
        .collect()
}

/// Returns `true` if two words differ only by two swapped neighbours.
fn are_swapped(one: &str, other: &str) -> bool {
    let (one, other) = (one.as_bytes(), other.as_bytes());
    let Some(at) = one.iter().zip(other).position(|(one, other)| one != other) else {
        return false;
    };
    match (&one[at..], &other[at..]) {
        ([a, b, rest @ ..], [c, d, others @ ..]) => (a, b, rest) == (d, c, others),
        _ => false,
    }
}

/// Takes a misspelled role out of `attributes` and refuses it. The caller reads the item on, as if
/// the role were spelled right.
pub fn take_misspelled(
    attributes: &mut Vec<Attribute>,
    errors: &mut Errors,
) -> Option<(Word, Attribute)> {
    let index = attributes.iter().position(|one| Word::meant_by(one).is_some())?;
    let attribute = attributes.remove(index);
    let (role, name) = (Word::meant_by(&attribute)?, attribute.path().get_ident()?);
    let message = format!(
        "there is no attribute `#[{name}]`; is `#[{}]` meant? One from elsewhere is written with \
         its path, as in `#[other::{name}]`",
        role.text()
    );
    errors.at(name.span(), message);
    Some((role, attribute))
}

/// Returns the content of the parentheses of `#[role(..)]`; nothing for `#[role]`.
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

/// Sorts attributes by their use.
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
