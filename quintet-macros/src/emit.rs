//! Writes an application down as Rust. Its mechanisms follow; so far the user's items come back.

use proc_macro2::TokenStream;
use quote::quote;

use crate::lower::Plan;
use crate::model::App;

/// The application's module.
pub fn emit(app: &App, _plan: &Plan) -> TokenStream {
    let App { attributes, name, imports, items, .. } = app;
    quote!(#(#attributes)* pub mod #name { #(#imports)* #(#items)* })
}
