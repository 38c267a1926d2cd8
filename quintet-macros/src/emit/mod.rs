//! Writes an application down as Rust: its module, with what is generated behind the user's items.
//!
//! What is generated calls documented functions of `quintet::export`; a decision that is left to
//! make stands in [`Plan`]. Items that users name are public and documented, all others are private
//! and their names begin with `__quintet_`, or they stand in a `const _` where nothing can collide
//! with them. `docs/expansion.md` in the repository shows one whole expansion.
//!
//! | file | what it writes |
//! |---|---|
//! | [`functions`] | the user's functions |
//! | [`resources`] | statics and proxies of resources |
//! | [`contexts`] | the modules named like functions, with their contexts |
//! | [`tasks`] | handlers; `spawn`, `waker` and jobs of software tasks |
//! | [`mechanisms`] | what spawns and jobs do, and the memory behind them |
//! | [`levels`] | ready bits, dispatchers and wakers of levels |
//! | [`threads`] | control blocks, stacks and first functions of threads |
//! | [`start`] | `main` |
//! | [`map`] | what the lab shows of all this |

mod contexts;
mod functions;
mod levels;
mod map;
mod mechanisms;
pub mod names;
mod resources;
mod start;
mod tasks;
mod threads;

use proc_macro_crate::FoundCrate;
use proc_macro2::{Ident, Span, TokenStream};
use quote::{quote, quote_spanned};

use crate::lower::Plan;
use crate::model::App;

/// What writing needs.
struct Output<'a> {
    /// What the user wrote.
    app: &'a App,
    /// What was decided.
    plan: &'a Plan<'a>,
    /// The path of the framework's crate.
    quintet: TokenStream,
}

impl Output<'_> {
    /// The path of the framework's crate, where errors about what follows it point at `place`.
    fn quintet_at(&self, place: Span) -> TokenStream {
        let tokens = self.quintet.clone().into_iter().map(|mut token| {
            token.set_span(token.span().located_at(place));
            token
        });
        tokens.collect()
    }
}

/// The application's module.
pub fn emit(app: &App, plan: &Plan<'_>) -> TokenStream {
    let output = Output { app, plan, quintet: framework() };
    let App { attributes, name, items, .. } = app;
    let generated = [
        output.resource_structs(),
        output.functions(),
        output.contexts(),
        output.interrupts(),
        output.resource_statics(),
        output.proxies(),
        output.resource_assertions(),
        output.handlers(),
        output.levels(),
        output.software_tasks(),
        output.threads(),
        output.vector_assertions(),
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

/// An application with threads, and what stands in its place on a core that can't switch them.
pub fn with_threads(application: &TokenStream, refused: &TokenStream) -> TokenStream {
    let quintet = framework();
    quote!(#quintet::__with_threads! { { #application } { #refused } })
}

/// What is there once in an image, so that a second application is refused. The compiler reports
/// the first of the names that are there twice, in alphabetical order: this one says what is wrong.
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

/// The path of the framework's crate, also if the manifest renames it.
pub fn framework() -> TokenStream {
    let name = match proc_macro_crate::crate_name("quintet") {
        Ok(FoundCrate::Name(name)) => Ident::new(&name, Span::call_site()),
        // The application's crate doesn't name it, or can't be read: some other crate hands it on.
        Ok(FoundCrate::Itself) | Err(_) => Ident::new("quintet", Span::call_site()),
    };
    quote!(::#name)
}
