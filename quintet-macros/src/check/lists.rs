//! Resources that a function uses, and its lists don't have.
//!
//! Without this check, the compiler would name a type of the expansion. The check doesn't look into
//! the arguments of macros, and leaves functions alone that give the name of the context to another
//! variable.

use syn::visit::{self, Visit};
use syn::{Expr, ExprField, Ident, Item, Member, Pat, PatIdent};

use super::what_there_is;
use crate::analysis::{Analysis, User};
use crate::errors::Errors;
use crate::model::{Body, LocalAccess};

/// Checks the bodies of tasks, and of idle.
pub fn check(analysis: &Analysis<'_>, errors: &mut Errors) {
    for user in &analysis.users {
        check_body(user, errors);
    }
}

/// Checks a body.
fn check_body(user: &User<'_>, errors: &mut Errors) {
    let Body::Block(block) = &user.function.body else { return };
    let Pat::Ident(PatIdent { ident: context, .. }) = &user.function.context.pattern else {
        return;
    };
    let mut search = Search { context, is_another: false, uses: Vec::new() };
    for argument in &user.function.arguments {
        search.visit_pat(&argument.pat);
    }
    search.visit_block(block);
    if search.is_another {
        return;
    }
    let shared: Vec<_> = user.shared.iter().map(|access| &access.name).collect();
    let local: Vec<_> = user.local.iter().map(LocalAccess::name).collect();
    let mut refused = Vec::new();
    for Use { list, name } in search.uses {
        let has = if *list == "shared" { &shared } else { &local };
        if !has.contains(&name) && !refused.contains(&(list, name)) {
            refused.push((list, name));
            errors.at(name.span(), lacks(user.name(), list, name, has));
        }
    }
}

/// The message for a resource that a list lacks.
fn lacks(function: &Ident, list: &Ident, name: &Ident, has: &[&Ident]) -> String {
    let list_has = if has.is_empty() {
        format!("it has no list `{list}`")
    } else {
        what_there_is(has.iter().copied())
    };
    let way_out = if list == "shared" {
        format!("write `shared = [{name}]`, for a field of the struct `#[shared]`")
    } else {
        format!(
            "write `local = [{name}: Type = value]` for a variable of its own, or `local = \
             [{name}]` for a field of the struct `#[local]`"
        )
    };
    format!("`{function}` has no {list} resource `{name}`, as {list_has}: {way_out}")
}

/// A use of a resource: `cx.list.name`.
struct Use<'a> {
    list: &'a Ident,
    name: &'a Ident,
}

/// Finds uses of resources.
struct Search<'a> {
    /// The variable of the context.
    context: &'a Ident,
    /// `true` if another variable has this name.
    is_another: bool,
    uses: Vec<Use<'a>>,
}

impl<'a> Visit<'a> for Search<'a> {
    fn visit_expr_field(&mut self, field: &'a ExprField) {
        if let (Expr::Field(inner), Member::Named(name)) = (&*field.base, &field.member)
            && let (Expr::Path(path), Member::Named(list)) = (&*inner.base, &inner.member)
            && path.path.is_ident(self.context)
            && (list == "shared" || list == "local")
        {
            self.uses.push(Use { list, name });
        }
        visit::visit_expr_field(self, field);
    }

    fn visit_pat_ident(&mut self, pattern: &'a PatIdent) {
        self.is_another |= pattern.ident == *self.context;
        visit::visit_pat_ident(self, pattern);
    }

    /// An item doesn't know the context.
    fn visit_item(&mut self, _: &'a Item) {}
}
