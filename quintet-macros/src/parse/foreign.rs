//! `extern "Rust"` blocks: `init`, `idle`, tasks and threads whose body is a function elsewhere. An
//! import brings the function into the module.
//!
//! A block of another ABI without roles declares the user's own foreign functions, and stays
//! unchanged.

use syn::{Abi, Attribute, Error, ForeignItem, ForeignItemFn, ItemForeignMod};

use crate::errors::Errors;
use crate::grammar::attributes::{self, Word};
use crate::grammar::conditional;
use crate::grammar::function::Source;
use crate::model::Body;

/// The two kinds of blocks.
pub enum Block {
    /// The user's own declarations.
    User(ItemForeignMod),
    /// Functions with a role.
    Tasks(Vec<(Word, Attribute, Source)>),
}

/// Reads a block.
pub fn read(block: ItemForeignMod, errors: &mut Errors) -> Block {
    let is_rust = is_rust(&block);
    if !is_ours(&block) {
        return Block::User(block);
    }
    // `extern { .. }` means C in the language, but here the attributes tell the meaning.
    if let Some(name) = block.abi.name.as_ref().filter(|_| !is_rust) {
        errors.push(wrong_abi(&block.abi, &name.value()));
        return Block::Tasks(Vec::new());
    }
    Block::Tasks(block.items.into_iter().filter_map(|item| function(item, errors)).collect())
}

/// Returns `true` if a block says that its functions are Rust's.
fn is_rust(block: &ItemForeignMod) -> bool {
    block.abi.name.as_ref().is_some_and(|name| name.value() == "Rust")
}

/// Returns `true` if a block is there for functions with a role.
pub fn is_ours(block: &ItemForeignMod) -> bool {
    let has_role = |item: &ForeignItem| match item {
        ForeignItem::Fn(item) => {
            let has_role =
                |one: &Attribute| Word::of(one).is_some() || conditional::role_of(one).is_some();
            item.attrs.iter().any(has_role)
        }
        _ => false,
    };
    is_rust(block) || block.items.iter().any(has_role)
}

/// The refusal of a block of another ABI.
fn wrong_abi(abi: &Abi, name: &str) -> Error {
    let message = format!(
        "tasks are Rust functions, but this block declares functions of the ABI \"{name}\": write \
         `extern \"Rust\"`"
    );
    Error::new_spanned(abi, message)
}

/// Reads a declaration.
fn function(item: ForeignItem, errors: &mut Errors) -> Option<(Word, Attribute, Source)> {
    let ForeignItem::Fn(ForeignItemFn { mut attrs, vis: visibility, sig: signature, .. }) = item
    else {
        let message = "this block declares `init`, `idle` and tasks whose body is elsewhere, so it \
                       holds functions only";
        errors.on(item, message);
        return None;
    };
    let name = &signature.ident;
    let conditional = conditional::take(&mut attrs, name, errors);
    let mut roles = attributes::take_roles(&mut attrs).into_iter();
    let first = roles.next().or(conditional);
    let first = first.or_else(|| attributes::take_misspelled(&mut attrs, errors));
    let Some((role, attribute)) = first.filter(|(role, _)| role.is_for_functions()) else {
        let message = format!(
            "`{name}` has no role: this block declares functions with {}; declare others in a \
             block outside of the application",
            Word::functions()
        );
        errors.at(name.span(), message);
        return None;
    };
    let second = roles.next().map(|(_, attribute)| attribute);
    let other = attributes::sort(attrs.clone()).others.into_iter().next();
    if let Some(surplus) = second.or(other) {
        let message = format!(
            "the body of `{name}` is elsewhere, so this attribute wouldn't reach it: put it on the \
             function itself. Here only `#[{}]`, `#[cfg(..)]` and comments can stand",
            role.text()
        );
        errors.on(&surplus.meta, message);
    }
    let source = Source { attributes: attrs, visibility, signature, body: Body::Extern };
    Some((role, attribute, source))
}
