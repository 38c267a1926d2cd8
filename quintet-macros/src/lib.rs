//! `#[quintet::app]`: from a module with tasks and resources to firmware.
//!
//! | step | what it does |
//! |---|---|
//! | `parse` | reads the module into the model; refuses what is not the grammar |
//! | `model` | the application as data, in the user's words |
//! | `check` | refuses what is the grammar but can't be an application |
//! | `line` | where each function runs, for `check` and `lower` |
//! | `lower` | decides: levels, slots, ceilings, storage |
//! | `emit` | writes it down as Rust that calls documented functions of `quintet` |
//! | `refused` | writes down instead what is wrong, and what is left of the module |
//!
//! Each step takes what the one before returns and nothing else, so each is tested without the
//! others. A refusal points at the user's own word, and all that can be found in one go are
//! reported in one go. `ui/` holds an application for every refusal, with its message beside it.

mod check;
mod emit;
mod errors;
mod line;
mod lower;
mod model;
mod parse;
mod refused;
#[cfg(test)]
mod tests;

/// Makes an application of a module.
///
/// The crate `quintet` exports it as `quintet::app` and documents it.
#[proc_macro_attribute]
pub fn app(
    arguments: proc_macro::TokenStream,
    item: proc_macro::TokenStream,
) -> proc_macro::TokenStream {
    expand(arguments.into(), item.into()).into()
}

/// The expansion, or everything that is wrong with the application.
fn expand(
    arguments: proc_macro2::TokenStream,
    item: proc_macro2::TokenStream,
) -> proc_macro2::TokenStream {
    let app = match analyse(arguments, item.clone()) {
        Ok(app) => app,
        Err(error) => return refused::emit(error, item),
    };
    let expansion = emit::emit(&app, &lower::lower(&app));
    // Which core it is for, the crate knows and the macro doesn't.
    match refused::without_threads(&app) {
        Some(error) => emit::with_threads(&expansion, &refused::emit(error, item)),
        None => expansion,
    }
}

/// The application, if nothing is wrong with it.
fn analyse(
    arguments: proc_macro2::TokenStream,
    item: proc_macro2::TokenStream,
) -> syn::Result<model::App> {
    let mut errors = errors::Errors::default();
    let app = parse::app(arguments, item, &mut errors);
    if let Some(app) = &app {
        check::check(app, &mut errors);
    }
    errors.finish(app)?.ok_or_else(|| {
        // Whatever leaves no application has said why.
        syn::Error::new(proc_macro2::Span::call_site(), "the application could not be read")
    })
}
