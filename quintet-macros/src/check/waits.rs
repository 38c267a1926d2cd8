//! Only threads wait: the contexts of all other functions have no `thread`.
//!
//! Without this check, the compiler would say that there is no such field, and not why. The check
//! finds the words `cx.thread`, also in the arguments of macros. If a body binds the context's name
//! again, only the compiler knows which value the name means, so the check is silent.

use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::ToTokens;
use syn::visit::{self, Visit};
use syn::{Block, Pat, PatIdent};

use crate::errors::Errors;
use crate::model::{App, Body, Function, Init};
use crate::roles;

/// The way out for a job, which can't wait.
const AT_ONCE: &str = "use the form that doesn't wait, such as `try_take()` for `take().block(..)`";
/// The way out for an `async` task.
const ASYNC: &str = "await the operation, as `take().await` for `take().block(..)`";

/// Checks the bodies of all functions but threads.
pub fn check(app: &App, errors: &mut Errors) {
    if let Some(Init { function: init, .. }) = &app.init {
        let what = format!("`{}` runs before all threads, with interrupts off", init.name);
        check_body(init, &what, AT_ONCE, errors);
    }
    if let Some(idle) = &app.idle {
        let what = format!("`{}` is idle, what runs while all threads wait", idle.function.name);
        check_body(&idle.function, &what, AT_ONCE, errors);
    }
    for task in app.tasks.iter().filter(|task| !task.is_thread()) {
        let way_out = if task.is_async() { ASYNC } else { AT_ONCE };
        let what = format!("`{}` {}", task.name(), roles::of(task).what_it_is(task));
        check_body(&task.function, &what, way_out, errors);
    }
}

/// Refuses `cx.thread` in a function. `what` describes the function.
fn check_body(function: &Function, what: &str, way_out: &str, errors: &mut Errors) {
    let (Body::Block(block), Pat::Ident(context)) = (&function.body, &function.context.pattern)
    else {
        return;
    };
    let mut places = Vec::new();
    find(block.to_token_stream(), &context.ident, &mut places);
    if places.is_empty() || is_bound_anew(block, &context.ident) {
        return;
    }
    for place in places {
        let message = format!(
            "only a thread waits, so only its context has `thread`, but {what}: {way_out}, or do \
             the waiting in a `#[thread]`"
        );
        errors.on(place, message);
    }
}

/// Finds `context.thread`, also in groups.
fn find(tokens: TokenStream, context: &Ident, places: &mut Vec<TokenStream>) {
    let tokens = tokens.into_iter().collect::<Vec<_>>();
    for (index, token) in tokens.iter().enumerate() {
        if let TokenTree::Group(group) = token {
            find(group.stream(), context, places);
            continue;
        }
        let (before, from) = tokens.split_at(index);
        if let [TokenTree::Ident(name), dot, TokenTree::Ident(field), ..] = from
            && name == context
            && is(dot, '.')
            && field == "thread"
            && !is_part_of_another(before)
        {
            places.push(from.iter().take(3).cloned().collect());
        }
    }
}

/// Returns `true` if the word after `before` is a field, or the end of a path: `x.` or `x::` stands
/// before the word. Two dots are a range.
fn is_part_of_another(before: &[TokenTree]) -> bool {
    match before {
        [.., second, last] if is(last, '.') => !is(second, '.'),
        [.., second, last] => is(last, ':') && is(second, ':'),
        _ => false,
    }
}

/// Returns `true` if a token is a sign.
fn is(token: &TokenTree, sign: char) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == sign)
}

/// Returns `true` if a pattern in `block` binds the name again.
fn is_bound_anew(block: &Block, name: &Ident) -> bool {
    struct Search<'a>(&'a Ident, bool);

    impl Visit<'_> for Search<'_> {
        fn visit_pat_ident(&mut self, pattern: &PatIdent) {
            self.1 |= pattern.ident == *self.0;
            visit::visit_pat_ident(self, pattern);
        }
    }

    let mut search = Search(name, false);
    search.visit_block(block);
    search.1
}
