//! Calls of `publish` in the application: that of a topic which nobody subscribes to is a warning,
//! and what is published is dropped.
//!
//! Types are known to the compiler only, so each call becomes that of a method of which there are
//! two: the application's, of topics, is found first; that of all types, which is deprecated, takes
//! a reference, so it is found only where there is no other.

use syn::visit_mut::{self, VisitMut};
use syn::{Expr, ExprMethodCall, Item, ItemMod, parse_quote_spanned};

use crate::model::{App, Body, Function};
use crate::write::framework;

/// The function that publishes.
pub const PUBLISH: &str = "publish";

/// Rewrites the calls, if there is a function to publish with.
pub fn rewrite(app: &mut App) {
    if !app.actors().any(|(_, actor)| !actor.subscriptions.is_empty()) {
        return;
    }
    let tasks = app.tasks.iter_mut().map(|task| &mut task.function);
    let others = [
        app.init.as_mut().map(|init| &mut init.function),
        app.idle.as_mut().map(|idle| &mut idle.function),
    ];
    for Function { body, .. } in tasks.chain(others.into_iter().flatten()) {
        if let Body::Block(block) = body {
            Calls.visit_block_mut(block);
        }
    }
    for item in &mut app.items {
        if let Item::Fn(function) = item {
            Calls.visit_block_mut(&mut function.block);
        }
    }
}

struct Calls;

impl VisitMut for Calls {
    fn visit_expr_mut(&mut self, expr: &mut Expr) {
        visit_mut::visit_expr_mut(self, expr);
        let Expr::Call(call) = expr else { return };
        let (Expr::Path(path), Some(topic)) = (&*call.func, call.args.first()) else { return };
        if call.args.len() > 1 || !path.path.is_ident(PUBLISH) {
            return;
        }
        let Some(word) = path.path.get_ident() else { return };
        let quintet = framework();
        let mut method: ExprMethodCall = parse_quote_spanned! {word.span()=>
            #quintet::export::actor::Published(#topic).#word()
        };
        method.attrs.clone_from(&call.attrs);
        *expr = Expr::MethodCall(method);
    }

    /// What another module calls is another function, or a path to it.
    fn visit_item_mod_mut(&mut self, _: &mut ItemMod) {}
}
