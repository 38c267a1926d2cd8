//! The refusals that only actors have.

use syn::{Ident, Item};

use super::heard::PUBLISH;
use crate::analysis::{Analysis, User};
use crate::errors::Errors;
use crate::model::App;

/// Checks actors.
pub fn check(analysis: &Analysis<'_>, errors: &mut Errors) {
    check_thresholds(analysis.app, errors);
    check_publish(analysis, errors);
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

/// Refuses an item with the name of the generated `publish`, if actors subscribe to topics.
fn check_publish(analysis: &Analysis<'_>, errors: &mut Errors) {
    let mut actors = analysis.app.actors();
    let Some((task, _)) = actors.find(|(_, actor)| !actor.subscriptions.is_empty()) else { return };
    let refuse = |name: &Ident, errors: &mut Errors| {
        if name == PUBLISH {
            let message = format!(
                "`{PUBLISH}` is what the application publishes topics with, to which `{}` \
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
