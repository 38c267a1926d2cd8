//! Contexts of bodies in other modules, which can't live forever if they have proxies.
//!
//! In a function of the module itself, `NAME::Context<'static>` stands for `NAME::Context<'_>`. The
//! signature of a body in another module stays as it is.

use crate::analysis::Analysis;
use crate::errors::Errors;
use crate::model::Body;

/// Refuses `NAME::Context<'static>` of such a body.
pub fn check(analysis: &Analysis<'_>, errors: &mut Errors) {
    let users = analysis.users.iter().filter(|user| user.never_ends());
    for user in users.filter(|user| matches!(user.function.body, Body::Extern)) {
        let lifetime = user.function.context.lifetime.as_ref();
        let Some(lifetime) = lifetime.filter(|lifetime| lifetime.ident == "static") else {
            continue;
        };
        let Some(resource) = analysis.proxies(user.shared).next() else { continue };
        let name = user.name();
        let message = format!(
            "what `{name}` locks `{resource}` by can't leave `{name}`, so its context doesn't live \
             forever: write `{name}::Context<'_>` here and where the body is; everything else in \
             the context is `'static` all the same"
        );
        errors.on(lifetime, message);
    }
}
