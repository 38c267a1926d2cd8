//! Writes an application as Rust: its module, with the generated items behind the user's items.
//!
//! The generated code calls documented functions of `quintet::export`. All decisions stand in
//! [`Plan`]. Items that users name are public and documented. All other items are private; their
//! names begin with `__quintet_`, or they stand in a `const _`, where nothing can collide with
//! them. `docs/expansion.md` in the repository shows one whole expansion.
//!
//! | file | what it writes |
//! |---|---|
//! | [`functions`] | the user's functions |
//! | [`resources`] | statics and proxies of resources |
//! | [`contexts`] | the modules named like functions, with their contexts |
//! | [`levels`] | ready bits, dispatchers and wakers of levels |
//! | [`start`] | `main` |
//! | [`map`] | the lines from which the lab shows the application |
//!
//! Each role writes the items that only its tasks have.

mod contexts;
mod functions;
mod levels;
mod map;
mod processes;
mod resources;
mod start;

use proc_macro2::{Ident, Span, TokenStream};
use quote::{quote, quote_spanned};

use crate::analysis::Analysis;
use crate::lower::Plan;
use crate::model::App;
use crate::roles;
use crate::write::{Output, framework};

/// The application's module.
pub fn emit(analysis: &Analysis<'_>, plan: &Plan<'_>) -> TokenStream {
    let output = Output::new(analysis, plan);
    let App { attributes, name, items, .. } = analysis.app;
    let generated = [
        output.resource_structs(),
        output.functions(),
        output.contexts(),
        output.interrupts(),
        output.resource_statics(),
        output.proxies(),
        output.resource_assertions(),
        roles::handlers(&output),
        output.levels(),
        output.routines(),
        roles::slots(&output),
        output.threads(),
        output.processes(),
        output.vector_assertions(),
        output.hook_assertions(),
        output.not_the_clocks(),
        output.kernel(),
        output.main(),
        output.map(),
        one_application(name),
    ];
    let documented = attributes.iter().any(|attribute| attribute.path().is_ident("doc"));
    let documentation = (!documented).then(|| quote!(#[doc = "The application."]));
    quote! {
        #(#attributes)*
        #documentation
        pub mod #name {
            #(#items)*
            #(#generated)*
        }
    }
}

/// An application with threads or processes, and the expansion in its place on a core that can't
/// switch them.
pub fn with_threads(application: &TokenStream, refused: &TokenStream) -> TokenStream {
    let quintet = framework();
    quote!(#quintet::__with_threads! { { #application } { #refused } })
}

/// Items that exist once in an image, so that a second application is refused. Of the names that
/// exist twice, the compiler reports the first in alphabetical order: this name says what is wrong.
fn one_application(name: &Ident) -> TokenStream {
    let item = quote_spanned! {Span::call_site().located_at(name.span())=>
        static AN_IMAGE_HAS_ONE_APPLICATION: () = ();
    };
    quote!(const _: () = {
        #[doc(hidden)]
        #[unsafe(no_mangle)]
        #item
    };)
}
