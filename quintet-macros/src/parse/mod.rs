//! Reads an application into the model.

use proc_macro2::TokenStream;

use crate::model::App;

/// Reads an application.
pub fn app(_arguments: TokenStream, item: TokenStream) -> syn::Result<App> {
    Err(syn::Error::new_spanned(item, "the grammar is not read yet"))
}
