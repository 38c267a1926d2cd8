//! The refusals that only actors have.

use syn::visit::{self, Visit};
use syn::{Block, Expr, ExprCall, ExprPath, Ident, Item, Stmt};

use super::heard::{PUBLISH, TRY_PUBLISH};
use crate::analysis::{Analysis, User};
use crate::errors::Errors;
use crate::model::{App, Body};

/// Checks actors.
pub fn check(analysis: &Analysis<'_>, errors: &mut Errors) {
    check_thresholds(analysis.app, errors);
    check_publish(analysis, errors);
    check_numbers(analysis, errors);
}

/// Refuses thresholds below the actor's own priority, and thresholds of handlers that wait: a
/// handler must not wait while it holds others off.
fn check_thresholds(app: &App, errors: &mut Errors) {
    for (task, actor) in app.actors() {
        let (name, priority) = (task.name(), task.priority.value);
        let Some((threshold, span)) = actor.threshold else { continue };
        if task.is_async() {
            let message = format!(
                "`{name}` is `async`, and others run while it waits, so it can't hold them off by \
                 `threshold`: make it a plain `fn`, or leave out `threshold`"
            );
            errors.at(span, message);
        } else if task.priority.known && threshold < priority {
            let message = format!(
                "the threshold {threshold} of `{name}` is below its priority {priority}, up to \
                 which nothing preempts it anyway: give it more, or leave out `threshold`"
            );
            errors.at(span, message);
        }
    }
}

/// Refuses calls of the functions of an actor with instances that say no instance, and calls that
/// say one of an actor without. The compiler would count the arguments, and not say which is meant.
fn check_numbers(analysis: &Analysis<'_>, errors: &mut Errors) {
    let mut calls = Calls::default();
    let app = analysis.app;
    let init = app.init.iter().map(|init| &init.function);
    let functions = init.chain(analysis.users.iter().map(|user| user.function));
    let bodies = functions.filter_map(|function| match &function.body {
        Body::Block(block) => Some(block),
        Body::Extern => None,
    });
    for body in bodies {
        calls.visit_block(body);
    }
    for item in &app.items {
        if let Item::Fn(function) = item {
            calls.visit_block(&function.block);
        }
    }
    for call in calls.0 {
        let Expr::Path(ExprPath { path, .. }) = &*call.func else { continue };
        let (Some(actor), Some(function)) = (path.segments.first(), path.segments.last()) else {
            continue;
        };
        let mut named = app.actors().filter(|(task, _)| *task.name() == actor.ident);
        let (Some((task, _)), None) = (named.next(), named.next()) else { continue };
        let known = FUNCTIONS.iter().find(|(name, _)| function.ident == name);
        let Some((_, arguments)) = known.filter(|_| path.segments.len() == 2) else { continue };
        let (actor, function) = (&actor.ident, &function.ident);
        let message = match task.instances {
            Some(count) if call.args.len() == *arguments => format!(
                "`{actor}` has {count} instances, so this call says which one first, from 0 to {}, \
                 as in `{actor}::{function}(0{})`",
                count - 1,
                if *arguments > 0 { ", .." } else { "" },
            ),
            None if call.args.len() == arguments + 1 => format!(
                "`{actor}` has no `instances`, so no number of an instance comes first: leave it \
                 out, or write `instances = n` into `#[actor(..)]`"
            ),
            _ => continue,
        };
        errors.at(function.span(), message);
    }
}

/// The functions of an actor, and how many arguments each has besides the number of an instance.
const FUNCTIONS: [(&str, usize); 10] = [
    ("post", 1),
    ("post_front", 1),
    ("try_post", 1),
    ("try_post_front", 1),
    ("try_post_margin", 2),
    ("handle", 0),
    ("start", 0),
    ("stop", 0),
    ("restart", 0),
    ("queue", 0),
];

/// Finds calls. Blocks with imports or modules of their own are left alone: a name may mean another
/// thing there.
#[derive(Default)]
struct Calls<'a>(Vec<&'a ExprCall>);

impl<'a> Visit<'a> for Calls<'a> {
    fn visit_block(&mut self, block: &'a Block) {
        let renames =
            |statement: &Stmt| matches!(statement, Stmt::Item(Item::Use(_) | Item::Mod(_)));
        if !block.stmts.iter().any(renames) {
            visit::visit_block(self, block);
        }
    }

    fn visit_expr_call(&mut self, call: &'a ExprCall) {
        self.0.push(call);
        visit::visit_expr_call(self, call);
    }

    /// Items of a block may be anything.
    fn visit_item(&mut self, _: &'a Item) {}
}

/// Refuses an item with the name of the generated `publish`, if actors subscribe to topics.
fn check_publish(analysis: &Analysis<'_>, errors: &mut Errors) {
    let mut actors = analysis.app.actors();
    let Some((task, _)) = actors.find(|(_, actor)| !actor.subscriptions.is_empty()) else { return };
    let refuse = |name: &Ident, errors: &mut Errors| {
        if name == PUBLISH || name == TRY_PUBLISH {
            let message = format!(
                "`{name}` is what the application publishes topics with, to which `{}` \
                 subscribes: give this another name",
                task.name()
            );
            errors.at(name.span(), message);
        }
    };
    for name in analysis.users.iter().map(User::name) {
        refuse(name, errors);
    }
    for item in &analysis.app.items {
        if let Item::Fn(function) = item {
            refuse(&function.sig.ident, errors);
        }
    }
}
