//! The parts of the written application, for `emit` and the roles. Nothing here knows the roles.
//!
//! | file | what it writes |
//! |---|---|
//! | [`names`] | the names of generated items |
//! | [`functions`] | calls of the user's functions: arguments and contexts |
//! | [`contexts`] | the structs of contexts, while they are put together |
//! | [`levels`] | the code that makes a slot ready, and runs the ready slots |
//! | [`futures`] | the memory and the wakers of `async` functions |
//! | [`map`] | lines of the map |

pub mod contexts;
pub mod functions;
pub mod futures;
pub mod levels;
pub mod map;
pub mod names;

use proc_macro_crate::FoundCrate;
use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;

use crate::analysis::Analysis;
use crate::lower::Plan;
use crate::model::App;

/// The data from which the application is written.
pub struct Output<'a> {
    /// The user's application.
    pub app: &'a App,
    /// The properties of the application as a whole.
    pub analysis: &'a Analysis<'a>,
    /// The decisions.
    pub plan: &'a Plan<'a>,
    /// The path of the framework's crate.
    pub quintet: TokenStream,
}

impl<'a> Output<'a> {
    /// Makes the data from which the application is written.
    pub fn new(analysis: &'a Analysis<'a>, plan: &'a Plan<'a>) -> Self {
        Self { app: analysis.app, analysis, plan, quintet: framework() }
    }

    /// The path of the framework's crate. Errors about the code behind the path point at `place`.
    pub fn quintet_at(&self, place: Span) -> TokenStream {
        let tokens = self.quintet.clone().into_iter().map(|mut token| {
            token.set_span(token.span().located_at(place));
            token
        });
        tokens.collect()
    }
}

/// The path of the framework's crate, also if the manifest renames it.
pub fn framework() -> TokenStream {
    let name = match proc_macro_crate::crate_name("quintet") {
        Ok(FoundCrate::Name(name)) => Ident::new(&name, Span::call_site()),
        // The application's crate doesn't name the framework, or its manifest is unreadable: some
        // other crate passes the framework on.
        Ok(FoundCrate::Itself) | Err(_) => Ident::new("quintet", Span::call_site()),
    };
    quote!(::#name)
}
