//! What only actors are refused for.

use syn::{Ident, Item};

use crate::analysis::Analysis;
use crate::errors::Errors;
use crate::model::{App, LocalAccess};

/// The function that publishes.
const PUBLISH: &str = "publish";

/// Checks actors.
pub fn check(analysis: &Analysis<'_>, errors: &mut Errors) {
    check_instances(analysis.app, errors);
    check_publish(analysis, errors);
}

/// Refuses fields of the struct `#[local]` in the lists of actors that are several: a field is one.
fn check_instances(app: &App, errors: &mut Errors) {
    for (task, _) in app.actors() {
        let Some(count) = task.instances else { continue };
        for local in &task.local {
            let LocalAccess::Field(name) = local else { continue };
            let message = format!(
                "`{}` has `instances = {count}`, but there is one field `{name}`: write `{name}: \
                 Type = value`, of which each instance has its own, or move the field to the \
                 struct `#[shared]`",
                task.name()
            );
            errors.at(name.span(), message);
        }
    }
}

/// Refuses the name of what is generated where actors subscribe to topics.
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
    for name in analysis.users.iter().map(|user| user.name()) {
        refuse(name, errors);
    }
    for item in &analysis.app.items {
        if let Item::Fn(function) = item {
            refuse(&function.sig.ident, errors);
        }
    }
}
