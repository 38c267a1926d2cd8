//! The expansion of a refused application: the messages, and as much of the module as keeps the
//! compiler from adding messages of its own.
//!
//! An import may bring in the panic handler, and other code may name the module's items. So the
//! imports and the user's items stay as written. Each function with a role is replaced by its
//! module, in which each item has a type with an error: the compiler says nothing about the use of
//! a type that it knows to be wrong.
//!
//! ```text
//! type Refused = [(); compile_error!("..")];      the first message makes the type
//! pub mod blink {
//!     pub type Context<'a> = super::Refused;      `cx.local.led.toggle()` says nothing
//!     pub const spawn: super::Refused = [(); _];  nor does `blink::spawn(1)`
//! }
//! ```

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::quote;
use syn::{
    Attribute, Error, Fields, FnArg, ForeignItem, Item, ItemMod, ItemStruct, PatType, PathSegment,
    Signature, Type, parse_quote,
};

use crate::grammar::attributes::Word;
use crate::grammar::conditional::role_of;
use crate::grammar::opaque;
use crate::model::App;
use crate::parse::is_ours;
use crate::roles;
use crate::write::names;

/// Returns the error for an application with threads on a core that can't switch threads.
pub fn without_threads(app: &App) -> Option<Error> {
    let (task, _) = app.threads().next()?;
    let message = format!(
        "the thread `{}`: Quintet has no threads on this core, only on ARMv6-M, ARMv7-M, ARMv8-M \
         Mainline and RISC-V (thumbv6m, thumbv7m, thumbv7em, thumbv8m.main, riscv32i). Make the \
         threads `async` tasks, or build for such a core",
        task.name()
    );
    Some(Error::new(task.name().span(), message))
}

/// Returns the error for an application with processes on a core that can't have processes.
pub fn without_processes(app: &App) -> Option<Error> {
    let processes = app.arguments.processes.as_ref()?;
    let message = "`processes`: Quintet has no processes on this core, only on ARMv7-M, ARMv8-M \
                   Mainline, Cortex-M0+ and RISC-V with memory protection: build for such a core \
                   (thumbv6m, thumbv7m, thumbv7em, thumbv8m.main, riscv32i)";
    Some(Error::new(processes.priority.span, message))
}

/// Returns the messages of `error`, and the usable rest of the application `item`.
pub fn emit(error: Error, item: TokenStream) -> TokenStream {
    let Ok(ItemMod { mut attrs, ident, content: Some((_, items)), .. }) = syn::parse2(item) else {
        return error.into_compile_error();
    };
    let mut messages = error.into_iter().map(|error| error.to_compile_error());
    let (first, others) = (messages.next(), messages);
    // The module's lints would complain about the parts that are left out here.
    attrs.retain(|attribute| attribute.path().is_ident("cfg"));
    let mut left = Left::default();
    for item in items {
        left.sort(item);
    }
    let Left { items, functions, actors, resources } = left;
    let named = names_of_types(&items);
    let modules = functions.difference(&named).map(|name| module(name, actors.get(name)));
    let publishing = (!actors.is_empty()).then(publishing);
    let proxies = resources.iter().map(names::proxy);
    quote! {
        #(#others)*
        #(#attrs)*
        #[allow(unused, nonstandard_style, missing_docs)]
        pub mod #ident {
            type __QuintetRefused = [(); #first];
            #(#items)*
            #(#modules)*
            #publishing
            pub mod shared_resources {
                #(pub type #proxies<'a> = super::__QuintetRefused;)*
            }
        }
    }
}

/// The usable rest of an application.
#[derive(Default)]
struct Left {
    /// The user's items, and the structs of resources.
    items: Vec<Item>,
    /// The names of the functions with a role.
    functions: BTreeSet<Ident>,
    /// The names of actors, each with the actor's attribute.
    actors: BTreeMap<Ident, Attribute>,
    /// The names of the fields of the structs of resources.
    resources: BTreeSet<Ident>,
}

impl Left {
    /// Keeps the parts of an item that other code can name.
    fn sort(&mut self, item: Item) {
        match item {
            Item::Fn(item) if has_role(&item.attrs) || takes_its_context(&item.sig) => {
                let actor = item.attrs.into_iter().find(|one| Word::of(one) == Some(Word::Actor));
                self.actors.extend(actor.map(|attribute| (item.sig.ident.clone(), attribute)));
                self.functions.insert(item.sig.ident);
            }
            Item::Struct(item) if has_role(&item.attrs) => self.structure(item),
            Item::ForeignMod(block) if is_ours(&block) => {
                self.functions.extend(block.items.into_iter().filter_map(|item| match item {
                    ForeignItem::Fn(item) => Some(item.sig.ident),
                    _ => None,
                }));
            }
            Item::Type(mut item) if item.attrs.iter().any(is_monotonic) => {
                item.attrs.retain(|attribute| !is_monotonic(attribute));
                item.ty = parse_quote!(__QuintetRefused);
                self.items.push(Item::Type(item));
            }
            mut item => {
                if let Some(attributes) = attributes(&mut item) {
                    attributes.retain(|attribute| !is_role(attribute));
                }
                self.items.push(item);
            }
        }
    }

    /// Keeps a struct of resources, without repeated names.
    fn structure(&mut self, mut item: ItemStruct) {
        if let Fields::Named(fields) = &mut item.fields {
            let mut names = BTreeSet::new();
            let all = std::mem::take(&mut fields.named).into_iter();
            fields.named = all.filter(|field| names.insert(field.ident.clone())).collect();
        }
        for attributes in std::iter::once(&mut item.attrs)
            .chain(item.fields.iter_mut().map(|field| &mut field.attrs))
        {
            attributes.retain(|attribute| attribute.path().is_ident("cfg"));
        }
        // The compiler would refuse such a type once more.
        for field in item.fields.iter_mut().filter(|field| !opaque::find(&field.ty).is_empty()) {
            field.ty = parse_quote!(__QuintetRefused);
        }
        self.resources.extend(item.fields.iter().filter_map(|field| field.ident.clone()));
        self.items.push(Item::Struct(item));
    }
}

/// Returns `true` if one of the attributes is a role.
fn has_role(attributes: &[Attribute]) -> bool {
    attributes.iter().any(is_role)
}

/// Returns `true` if a function was meant to have a role: its first parameter is its own context,
/// which doesn't exist without the role. The missing role was refused.
fn takes_its_context(signature: &Signature) -> bool {
    let Some(FnArg::Typed(PatType { ty, .. })) = signature.inputs.first() else { return false };
    let Type::Path(path) = &**ty else { return false };
    let mut segments = path.path.segments.iter().rev();
    let is =
        |segment: Option<&PathSegment>, name: &Ident| segment.is_some_and(|one| one.ident == *name);
    is(segments.next(), &word("Context")) && is(segments.next(), &signature.ident)
}

/// Returns `true` if an attribute is a role, even if it is misspelled or under a condition.
fn is_role(attribute: &Attribute) -> bool {
    let is_bare = Word::of(attribute).or_else(|| Word::meant_by(attribute)).is_some();
    is_bare || role_of(attribute).is_some()
}

/// Returns `true` if an attribute is a role of RTIC's first version.
fn is_monotonic(attribute: &Attribute) -> bool {
    attribute.path().is_ident("monotonic")
}

/// Returns the attributes of an item that can't have a role, but may have been given one.
const fn attributes(item: &mut Item) -> Option<&mut Vec<Attribute>> {
    match item {
        Item::Const(item) => Some(&mut item.attrs),
        Item::Enum(item) => Some(&mut item.attrs),
        Item::Mod(item) => Some(&mut item.attrs),
        Item::Static(item) => Some(&mut item.attrs),
        Item::Type(item) => Some(&mut item.attrs),
        Item::Union(item) => Some(&mut item.attrs),
        _ => None,
    }
}

/// The names that the user gives to modules and types.
fn names_of_types(items: &[Item]) -> BTreeSet<Ident> {
    let name = |item: &Item| match item {
        Item::Enum(item) => Some(item.ident.clone()),
        Item::Mod(item) => Some(item.ident.clone()),
        Item::Struct(item) => Some(item.ident.clone()),
        Item::Trait(item) => Some(item.ident.clone()),
        Item::Type(item) => Some(item.ident.clone()),
        Item::Union(item) => Some(item.ident.clone()),
        _ => None,
    };
    items.iter().filter_map(name).collect()
}

/// The module of a function with a role, and with this attribute if it is an actor.
fn module(name: &Ident, actor: Option<&Attribute>) -> TokenStream {
    let types = ["Context", "SharedResources", "LocalResources"].map(|name| {
        let name = word(name);
        quote!(pub type #name<'a> = super::__QuintetRefused;)
    });
    let others = ["Handle", "LocalSpawner"].map(|name| {
        let name = word(name);
        quote!(pub type #name = super::__QuintetRefused;)
    });
    let functions = roles::FUNCTIONS.map(|name| {
        let name = word(name);
        quote!(pub const #name: super::__QuintetRefused = [(); _];)
    });
    let subscriptions = actor.into_iter().flat_map(|attribute| {
        let instance = has_instances(attribute).then(|| quote!(_: ::core::primitive::usize));
        ["subscribe", "unsubscribe"].map(|name| {
            let name = word(name);
            quote!(pub fn #name<T>(#instance) {})
        })
    });
    quote!(pub mod #name { #(#types)* #(#others)* #(#functions)* #(#subscriptions)* })
}

/// Returns `true` if an actor's attribute gives it instances.
fn has_instances(actor: &Attribute) -> bool {
    let tokens = actor.meta.require_list().map(|list| list.tokens.clone()).unwrap_or_default();
    let is_word = |token| matches!(token, TokenTree::Ident(one) if one == "instances");
    tokens.into_iter().any(is_word)
}

/// The function that publishes, if no other item has the name.
fn publishing() -> TokenStream {
    quote! {
        mod __quintet_publishing { pub fn publish<T>(_: T) {} }
        pub use __quintet_publishing::*;
    }
}

/// A name of the expansion's own.
fn word(name: &str) -> Ident {
    Ident::new(name, Span::call_site())
}
