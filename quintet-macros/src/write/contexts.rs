//! The structs of contexts, while they are put together.

use proc_macro2::{Ident, TokenStream};
use quote::quote;
use syn::Attribute;

/// A struct of a context, while it is put together.
#[derive(Default)]
pub struct Parts {
    /// The declarations of the struct's fields.
    pub fields: Vec<TokenStream>,
    /// The initial values of the struct's fields.
    pub values: Vec<TokenStream>,
    /// Statics that the values refer to.
    pub statics: Vec<TokenStream>,
    /// `true` if a field that is always there uses the struct's lifetime.
    pub lifetime: bool,
}

impl Parts {
    /// Adds a field.
    pub fn push(
        &mut self,
        cfgs: &[&Attribute],
        name: &Ident,
        ty: &TokenStream,
        value: &TokenStream,
        documentation: &str,
    ) {
        self.fields.push(quote!(#(#cfgs)* #[doc = #documentation] pub #name: #ty));
        self.values.push(quote!(#(#cfgs)* #name: #value));
    }

    /// Adds a hidden field if nothing else uses the lifetime.
    pub fn complete(mut self) -> Self {
        if !self.lifetime {
            let marker = quote!(::core::marker::PhantomData);
            self.fields.push(quote!(#[doc(hidden)] pub __quintet_lifetime: #marker<&'a ()>));
            self.values.push(quote!(__quintet_lifetime: #marker));
        }
        self
    }
}
