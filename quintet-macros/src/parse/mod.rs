//! Reads an application into the model.
//!
//! Items of the module without a role stay unchanged. Each group of rules has a file: [`arguments`]
//! of the application, [`resources`], [`entry`] for `init` and `idle`, [`foreign`] for bodies that
//! are elsewhere, [`reserved`] for names that nobody may use. The rules of the tasks' roles are in
//! `roles`, and `grammar` has the rules that all share.

mod arguments;
mod entry;
mod foreign;
mod processes;
mod reserved;
mod resources;

use proc_macro2::TokenStream;
use syn::{AttrStyle, Attribute, Error, Ident, Item, ItemFn, ItemMod, ItemStruct};

use self::entry::Resources;
pub use self::foreign::is_ours;
use crate::errors::Errors;
use crate::grammar::attributes::{self, Word};
use crate::grammar::conditional;
use crate::grammar::function::Source;
use crate::model::{App, Body, Part};
use crate::roles;

/// Reads an application. Returns `None` if the item isn't a module. After any other error, the rest
/// of the application is still checked.
pub fn app(arguments: TokenStream, item: TokenStream, errors: &mut Errors) -> Option<App> {
    let mut found = Found::default();
    let arguments = arguments::read(arguments, errors);
    if errors.count() > 0 {
        found.unread.push(Part::Arguments);
    }
    reserved::refuse(item.clone(), errors);
    let (module, content) = errors.ok(module(item))?;
    for item in content {
        found.sort(item, errors);
    }
    Some(found.into_app(arguments, module, errors))
}

/// The module, and its content apart.
fn module(item: TokenStream) -> syn::Result<(ItemMod, Vec<Item>)> {
    let advice = "write the application as `mod app { .. }`";
    match syn::parse2::<Item>(item)? {
        Item::Mod(mut module) => {
            if let Some(word) = &module.unsafety {
                return Err(Error::new_spanned(word, format!("a module isn't `unsafe`: {advice}")));
            }
            if let Some((_, content)) = module.content.take() {
                return Ok((module, content));
            }
            let name = &module.ident;
            let message = format!(
                "the content of `{name}` is in another file, which a macro can't see: {advice}, \
                 and call from it what is elsewhere"
            );
            Err(Error::new_spanned(&module, message))
        }
        item => Err(Error::new_spanned(
            &item,
            format!("an application is a module with its tasks in it: {advice}"),
        )),
    }
}

/// The items of the module, sorted by their roles.
#[derive(Default)]
struct Found {
    items: Vec<Item>,
    shared: Option<(Attribute, ItemStruct)>,
    local: Option<(Attribute, ItemStruct)>,
    init: Option<(Attribute, Source)>,
    idle: Option<(Attribute, Source)>,
    tasks: Vec<(Word, Attribute, Source)>,
    unread: Vec<Part>,
}

impl Found {
    /// Puts an item where it belongs.
    fn sort(&mut self, item: Item, errors: &mut Errors) {
        match item {
            Item::Fn(mut item) => match role(&mut item.attrs, &item.sig.ident, errors) {
                Ok(None) => self.items.push(Item::Fn(item)),
                Ok(Some((role, attribute))) => self.function(role, attribute, item, errors),
                Err(()) => self.unread.push(Part::Tasks),
            },
            Item::Struct(mut item) => match role(&mut item.attrs, &item.ident, errors) {
                Ok(None) => self.items.push(Item::Struct(item)),
                Ok(Some((role, attribute))) => self.structure(role, attribute, item, errors),
                Err(()) => self.unread.extend([Part::Shared, Part::Local]),
            },
            Item::ForeignMod(block) => {
                let before = errors.count();
                match foreign::read(block, errors) {
                    foreign::Block::User(block) => self.items.push(Item::ForeignMod(block)),
                    foreign::Block::Tasks(functions) => {
                        if errors.count() > before {
                            self.unread.push(Part::Tasks);
                        }
                        for (role, attribute, source) in functions {
                            self.add(role, attribute, source, errors);
                        }
                    }
                }
            }
            item => {
                refuse_misplaced(&item, errors);
                self.items.push(item);
            }
        }
    }

    /// A function with a role and a body.
    fn function(&mut self, role: Word, attribute: Attribute, item: ItemFn, errors: &mut Errors) {
        if !role.is_for_functions() {
            let word = role.text();
            let message = format!(
                "`#[{word}]` marks the struct whose fields are resources, but `{}` is a function",
                item.sig.ident
            );
            errors.on(&attribute.meta, message);
            return;
        }
        let source = Source {
            attributes: item.attrs,
            visibility: item.vis,
            signature: item.sig,
            body: Body::Block(item.block),
        };
        self.add(role, attribute, source, errors);
    }

    /// A function with a role for functions.
    fn add(&mut self, role: Word, attribute: Attribute, source: Source, errors: &mut Errors) {
        let place = match role {
            Word::Init => &mut self.init,
            Word::Idle => &mut self.idle,
            _ => return self.tasks.push((role, attribute, source)),
        };
        match place {
            None => *place = Some((attribute, source)),
            Some((_, earlier)) => {
                let (word, earlier, name) = (role.text(), earlier.name(), source.name());
                let message = format!(
                    "an application has one `#[{word}]`, and that is `{earlier}`: `{name}` can't \
                     be another"
                );
                errors.on(&attribute.meta, message);
            }
        }
    }

    /// A struct with a role.
    fn structure(
        &mut self,
        role: Word,
        attribute: Attribute,
        item: ItemStruct,
        errors: &mut Errors,
    ) {
        let (word, name) = (role.text(), &item.ident);
        let (place, part) = match role {
            Word::Shared => (&mut self.shared, Part::Shared),
            Word::Local => (&mut self.local, Part::Local),
            _ => {
                let message = format!("`#[{word}]` marks a function, but `{name}` is a struct");
                errors.on(&attribute.meta, message);
                return;
            }
        };
        match place {
            None => *place = Some((attribute, item)),
            Some((_, earlier)) => {
                let message = format!(
                    "an application has one struct `#[{word}]`, and that is `{}`: move the fields \
                     of `{name}` there",
                    earlier.ident
                );
                errors.on(&attribute.meta, message);
                self.unread.push(part);
            }
        }
    }

    /// Reads all items that have a role.
    fn into_app(
        self,
        arguments: crate::model::Arguments,
        module: ItemMod,
        errors: &mut Errors,
    ) -> App {
        let name_of = |item: &Option<(Attribute, ItemStruct)>| {
            item.as_ref().map(|(_, item)| item.ident.clone())
        };
        let names = Resources { shared: name_of(&self.shared), local: name_of(&self.local) };
        let mut unread = self.unread;
        let (was_shared, was_local) = (self.shared.is_some(), self.local.is_some());
        let shared =
            self.shared.and_then(|(role, item)| resources::read_shared(&role, item, errors));
        let local = self.local.and_then(|(role, item)| resources::read_local(&role, item, errors));
        let init = match self.init {
            Some((role, source)) => entry::init(&role, source, &names, errors),
            None => {
                errors.push(missing_init(&module.ident));
                None
            }
        };
        let idle = self.idle.and_then(|(role, source)| entry::idle(&role, source, errors));
        let written = self.tasks.len();
        let tasks = self
            .tasks
            .into_iter()
            .filter_map(|(role, attribute, source)| roles::read(role, &attribute, source, errors))
            .collect::<Vec<_>>();
        for (part, is_lost) in [
            (Part::Shared, was_shared && shared.is_none()),
            (Part::Local, was_local && local.is_none()),
            (Part::Tasks, tasks.len() < written),
        ] {
            if is_lost {
                unread.push(part);
            }
        }
        App {
            arguments,
            attributes: module.attrs.into_iter().map(outer).collect(),
            name: module.ident,
            items: self.items,
            shared,
            local,
            init,
            idle,
            tasks,
            unread,
        }
    }
}

/// Returns the one role of an item. Refuses a second role, a misspelled role, and a role under a
/// condition.
fn role(
    attributes: &mut Vec<Attribute>,
    name: &Ident,
    errors: &mut Errors,
) -> Result<Option<(Word, Attribute)>, ()> {
    let conditional = conditional::take(attributes, name, errors);
    let mut roles = attributes::take_roles(attributes).into_iter();
    let first = roles.next().or(conditional);
    match (&first, roles.next()) {
        (Some((first, _)), Some((second, attribute))) => {
            let message = format!(
                "`{name}` is `#[{}]` already, so it can't be `#[{}]` too: keep one of them",
                first.text(),
                second.text()
            );
            errors.on(&attribute.meta, message);
            Err(())
        }
        (None, _) => Ok(attributes::take_misspelled(attributes, errors)),
        _ => Ok(first),
    }
}

/// Refuses roles on items that can have none. Without this check, the compiler would say that there
/// is no such attribute.
fn refuse_misplaced(item: &Item, errors: &mut Errors) {
    let attributes = match item {
        Item::Const(item) => &item.attrs,
        Item::Enum(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Static(item) => &item.attrs,
        Item::Type(item) => &item.attrs,
        Item::Union(item) => &item.attrs,
        _ => return,
    };
    for attribute in attributes {
        if let Some(role) = Word::of(attribute) {
            let what = if role.is_for_functions() { "a function" } else { "a struct" };
            errors.on(&attribute.meta, format!("`#[{}]` marks {what}, not this", role.text()));
        } else if attribute.path().is_ident("monotonic") {
            let message = "there is no `#[monotonic]`: time is a library, not part of the grammar";
            errors.on(attribute.path(), message);
        }
    }
}

/// The refusal of an application without `init`.
fn missing_init(name: &Ident) -> Error {
    let message = format!(
        "the application `{name}` has no `#[init]`, which starts it: add `#[init] fn init(cx: \
         init::Context) -> (Shared, Local) {{ .. }}`"
    );
    Error::new(name.span(), message)
}

/// An attribute in the form in which it stands before its item.
fn outer(mut attribute: Attribute) -> Attribute {
    attribute.style = AttrStyle::Outer;
    attribute
}
