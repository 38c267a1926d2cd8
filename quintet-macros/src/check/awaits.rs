//! Only `async` tasks await.
//!
//! Without this check, the compiler would say that the function isn't `async`, and point at the
//! attribute of the whole application. The check finds `.await` outside of `async` blocks, closures
//! and functions. The check doesn't look into the arguments of macros.

use syn::token::Await;
use syn::visit::{self, Visit};
use syn::{ExprAsync, ExprAwait, ExprClosure, Item};

use crate::errors::Errors;
use crate::model::{App, Body, Function, Init};
use crate::roles::{self, AT_ONCE};

/// Checks the bodies of all functions but `async` tasks.
pub fn check(app: &App, errors: &mut Errors) {
    let spawn = format!("{AT_ONCE}, or do the waiting in an `async` task");
    if let Some(Init { function: init, .. }) = &app.init {
        check_body(init, "runs before all tasks", &spawn, errors);
    }
    if let Some(idle) = &app.idle {
        check_body(&idle.function, "is what runs while nothing else does", &spawn, errors);
    }
    for task in app.tasks.iter().filter(|task| !task.is_async()) {
        let role = roles::of(task);
        let way_out = role.instead_of_await().unwrap_or_else(|| spawn.clone());
        check_body(&task.function, &role.what_it_is(task), &way_out, errors);
    }
}

/// Refuses `.await` in a function. `what` describes the function.
fn check_body(function: &Function, what: &str, way_out: &str, errors: &mut Errors) {
    let Body::Block(block) = &function.body else { return };
    let mut search = Search::default();
    search.visit_block(block);
    for place in search.0 {
        let name = &function.name;
        errors.on(place, format!("only an `async` task awaits, but `{name}` {what}: {way_out}"));
    }
}

/// Finds `.await` in a function that isn't `async`.
#[derive(Default)]
struct Search(Vec<Await>);

impl Visit<'_> for Search {
    fn visit_expr_await(&mut self, expression: &ExprAwait) {
        self.0.push(expression.await_token);
        visit::visit_expr_await(self, expression);
    }

    fn visit_expr_async(&mut self, _: &ExprAsync) {}

    fn visit_expr_closure(&mut self, closure: &ExprClosure) {
        if closure.asyncness.is_none() {
            visit::visit_expr_closure(self, closure);
        }
    }

    fn visit_item(&mut self, _: &Item) {}
}
