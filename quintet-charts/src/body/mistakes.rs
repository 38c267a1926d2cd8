//! Code in a handler that the compiler refuses with names of the macro, or not at all: it gets a
//! message of its own.

use std::collections::BTreeMap;

use proc_macro2::Ident;
use syn::visit::{self, Visit};
use syn::{Block, Expr, ExprAssign, ExprCall, ExprClosure, ExprTry, Local, Pat};

use super::{of_word, path_of};
use crate::errors::Errors;
use crate::model::What;

/// Refuses what no handler may have in its body.
pub fn refuse(block: &Block, state_name: Option<&Ident>, errors: &mut Errors) {
    let mut borrows = Borrows::default();
    borrows.visit_block(block);
    let names = borrows.0.into_iter().filter(|(_, is_borrow)| *is_borrow);
    let borrows = names.map(|(name, _)| name).collect();
    Mistakes { state_name, borrows, errors }.visit_block(block);
}

/// The variables of a handler: `true` if each `let` of this name borrows from `self`.
#[derive(Default)]
struct Borrows(BTreeMap<String, bool>);

impl<'ast> Visit<'ast> for Borrows {
    fn visit_local(&mut self, local: &'ast Local) {
        let init = local.init.as_ref().map(|init| &*init.expr);
        if let (Pat::Ident(name), Some(init)) = (&local.pat, init) {
            let is_borrow = matches!(init, Expr::Reference(one) if is_of_self(&one.expr));
            let all = self.0.entry(name.ident.to_string()).or_insert(true);
            *all &= is_borrow;
        }
        visit::visit_local(self, local);
    }
}

/// Returns `true` for `self.a.b`, and the like.
fn is_of_self(expr: &Expr) -> bool {
    match expr {
        Expr::Field(one) => is_of_self(&one.base),
        Expr::Index(one) => is_of_self(&one.expr),
        Expr::Paren(one) => is_of_self(&one.expr),
        Expr::Path(one) => one.path.is_ident("self"),
        _ => false,
    }
}

struct Mistakes<'a> {
    state_name: Option<&'a Ident>,
    /// Variables that borrow from `self`.
    borrows: Vec<String>,
    errors: &'a mut Errors,
}

impl<'ast> Visit<'ast> for Mistakes<'_> {
    fn visit_expr_try(&mut self, one: &'ast ExprTry) {
        let message = "a handler returns an outcome, so `?` has no error to return: write `let \
                       Ok(value) = .. else { return Handled };`, or another outcome there";
        self.errors.push(syn::Error::new_spanned(one.question_token, message));
        visit::visit_expr_try(self, one);
    }

    fn visit_expr_assign(&mut self, one: &'ast ExprAssign) {
        if let Expr::Call(call) = &*one.right
            && let Some(path) = path_of(call).filter(|path| path.segments.len() == 2)
            && self.state_name.is_some_and(|name| path.segments[0].ident == *name)
        {
            let (state, name) = (&path.segments[0].ident, &path.segments[1].ident);
            let message = format!(
                "a state is entered by a transition, not by an assignment: let the handler end in \
                 `Transition({state}::{name}(..))`"
            );
            self.errors.push(syn::Error::new_spanned(one, message));
        }
        visit::visit_expr_assign(self, one);
    }

    fn visit_expr_call(&mut self, call: &'ast ExprCall) {
        let word = path_of(call).and_then(|path| path.segments.last());
        let is_transition =
            word.is_some_and(|word| matches!(of_word(&word.ident), Some(What::To(..))));
        if is_transition && let Some(Expr::Closure(action)) = call.args.iter().nth(1) {
            Action { mistakes: self }.visit_expr(&action.body);
        }
        visit::visit_expr_call(self, call);
    }

    // A `?` in these returns from them.
    fn visit_expr_closure(&mut self, _: &'ast ExprClosure) {}

    fn visit_expr_async(&mut self, _: &'ast syn::ExprAsync) {}

    fn visit_item(&mut self, _: &'ast syn::Item) {}
}

/// The body of a transition's action.
struct Action<'a, 'b> {
    mistakes: &'a mut Mistakes<'b>,
}

impl<'ast> Visit<'ast> for Action<'_, '_> {
    fn visit_expr_path(&mut self, path: &'ast syn::ExprPath) {
        let Some(name) = path.path.get_ident() else { return };
        let borrows = self.mistakes.borrows.iter().any(|one| name == one);
        let message = if name == "self" {
            "an action runs when the handler has ended, and gets the machine's struct as its first \
             parameter: write `this` in place of `self`"
                .to_owned()
        } else if borrows {
            format!(
                "`{name}` borrows from `self`, but an action runs when the handler has ended: \
                 reach the field by the action's first parameter, as in `this.{name}`"
            )
        } else {
            return;
        };
        self.mistakes.errors.push(syn::Error::new_spanned(name, message));
    }
}
