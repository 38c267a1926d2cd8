//! Contexts that can't live forever, because their proxies could be handed on.

use crate::analysis::{Analysis, SecondProxy};
use crate::errors::Errors;

/// Refuses `NAME::Context<'static>` where the context can't live forever.
pub fn check(analysis: &Analysis<'_>, errors: &mut Errors) {
    for SecondProxy { task, resource, other } in &analysis.second_proxies {
        let written = task.function.context.lifetime.as_ref();
        if let Some(lifetime) = written.filter(|lifetime| lifetime.ident == "static") {
            let name = task.name();
            let message = format!(
                "`{name}` could hand what it locks `{resource}` by to `{}`, which could lock \
                 `{resource}` twice at a time, so its context can't live forever: write \
                 `{name}::Context` or `{name}::Context<'_>`",
                other.name()
            );
            errors.on(lifetime, message);
        }
    }
}
