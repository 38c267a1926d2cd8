//! Tests of the macro's front: the applications in `ui/` are refused with the messages beside them,
//! and every form of the grammar is accepted.

mod accepted;
mod actors;
mod expansion;
mod hygiene;
mod lowered;
mod mutated;
mod refusals;
mod render;

use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::{Attribute, Item};

use crate::errors::Errors;
use crate::model::App;

/// An application as the compiler hands it to the macro.
struct Input {
    arguments: TokenStream,
    item: TokenStream,
}

impl Input {
    /// Finds the item with `#[app]` or `#[quintet::app]` in a file.
    fn of_file(text: &str) -> Self {
        let file = syn::parse_file(text).expect("the file is Rust");
        for mut item in file.items {
            let attributes = match &mut item {
                Item::Mod(item) => &mut item.attrs,
                Item::Struct(item) => &mut item.attrs,
                Item::Fn(item) => &mut item.attrs,
                _ => continue,
            };
            let Some(index) = attributes.iter().position(is_app) else { continue };
            let attribute = attributes.remove(index);
            let arguments = match attribute.meta {
                syn::Meta::List(list) => list.tokens,
                _ => TokenStream::new(),
            };
            return Self { arguments, item: item.to_token_stream() };
        }
        panic!("no item has the attribute `app`");
    }

    /// Runs the macro up to the model.
    fn analyse(self) -> syn::Result<App> {
        analyse(self.arguments, self.item)
    }
}

/// The application, if nothing is wrong with it.
fn analyse(arguments: TokenStream, item: TokenStream) -> syn::Result<App> {
    let mut errors = Errors::default();
    let app = crate::parse::app(arguments, item, &mut errors);
    crate::judged(app.as_ref(), errors)?;
    Ok(app.expect("what leaves no application is refused"))
}

/// Returns `true` if an attribute is the macro's.
fn is_app(attribute: &Attribute) -> bool {
    attribute.path().segments.last().is_some_and(|segment| segment.ident == "app")
}
