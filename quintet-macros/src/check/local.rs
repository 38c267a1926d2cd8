//! Lists of local resources: each field has one owner, and no variable is called like a field.

use syn::Ident;

use super::{are_alternative_users, enumerate, what_there_is};
use crate::errors::Errors;
use crate::model::{App, LocalAccess, Resource, User};

/// Checks local resources.
pub fn check(app: &App, errors: &mut Errors) {
    check_fields(&app.local_resources().iter().collect::<Vec<_>>(), errors);
    check_init(app, errors);
    for user in app.users() {
        check_list(app, user, errors);
    }
    let mut seen = Vec::<&Ident>::new();
    for resource in app.local_resources() {
        if !seen.contains(&&resource.name) {
            seen.push(&resource.name);
            check_owner(app, resource, errors);
        }
    }
}

/// Refuses two fields of one name that don't exclude each other by `cfg`.
pub fn check_fields(fields: &[&Resource], errors: &mut Errors) {
    for (index, field) in fields.iter().enumerate() {
        let has_condition = |field: &Resource| !field.attributes.cfgs.is_empty();
        let earlier = fields.iter().take(index).find(|earlier| earlier.name == field.name);
        if earlier.is_some_and(|earlier| !(has_condition(earlier) && has_condition(field))) {
            let message = format!(
                "there is a field `{}` already: give one of the two another name, or, if only one \
                 of them exists at a time, a `#[cfg(..)]` to each",
                field.name
            );
            errors.at(field.name.span(), message);
        }
    }
}

/// Refuses variables of `init` that are declared twice.
fn check_init(app: &App, errors: &mut Errors) {
    for (index, declared) in app.init.local.iter().enumerate() {
        if app.init.local.iter().take(index).any(|earlier| earlier.name == declared.name) {
            errors.at(declared.name.span(), twice(&app.init.function.name, &declared.name));
        }
    }
}

/// The refusal of a second entry of one name.
fn twice(user: &Ident, name: &Ident) -> String {
    format!("`{user}` lists `{name}` twice; keep one of the two")
}

/// Refuses entries that name no field, or that name one again.
fn check_list(app: &App, user: User<'_>, errors: &mut Errors) {
    for (index, access) in user.local.iter().enumerate() {
        let name = access.name();
        let is_field = matches!(access, LocalAccess::Field(_));
        if is_field && !app.local_resources().iter().any(|field| field.name == *name) {
            errors.at(name.span(), undeclared(app, name));
        }
        if user.local.iter().take(index).any(|earlier| earlier.name() == name) {
            errors.at(name.span(), twice(user.name(), name));
        }
    }
}

/// The refusal of a name without a field.
fn undeclared(app: &App, name: &Ident) -> String {
    if app.shared_resources().iter().any(|shared| shared.resource.name == *name) {
        return format!(
            "`{name}` is a field of the struct `#[shared]`: list it in `shared`, or move the field \
             to the struct `#[local]`"
        );
    }
    let own = format!("write `{name}: Type = value` for a variable of this task");
    let Some(local) = &app.local else {
        return format!(
            "there is no local resource `{name}`: the application has no struct `#[local]`; {own}"
        );
    };
    let fields = what_there_is(local.resources.iter().map(|field| &field.name));
    format!(
        "there is no local resource `{name}`: add the field to the struct `{}`, or {own}; {fields}",
        local.head.name
    )
}

/// Refuses a field with several owners, at each use; and variables that are called like a field, at
/// both.
fn check_owner(app: &App, resource: &Resource, errors: &mut Errors) {
    let name = &resource.name;
    let uses = app
        .users()
        .flat_map(|user| user.local.iter().map(move |access| (user, access)))
        .filter(|(_, access)| access.name() == name)
        .collect::<Vec<_>>();
    let owners = uses
        .iter()
        .filter(|(_, access)| matches!(access, LocalAccess::Field(_)))
        .map(|(user, access)| (*user, access.name()))
        .collect::<Vec<_>>();
    check_owners(name, &owners, errors);
    let variables = uses
        .iter()
        .filter(|(_, access)| matches!(access, LocalAccess::Declared(_)))
        .map(|(user, access)| (user.name(), access.name()))
        .collect::<Vec<_>>();
    if variables.is_empty() {
        return;
    }
    let declarers = enumerate(variables.iter().map(|(user, _)| *user));
    let message = format!(
        "the field `{name}` has the name of a variable that {declarers} declares: rename one of \
         the two, so that it can be told which is meant"
    );
    errors.at(name.span(), message);
    for (user, place) in variables {
        let message = format!(
            "`{user}` declares a variable `{name}`, but the struct `#[local]` has a field of this \
             name: list it as `{name}` if the field is meant, else rename the variable"
        );
        errors.at(place.span(), message);
    }
    for (user, place) in owners {
        let message = format!("`{}` uses the field `{name}` here", user.name());
        errors.at(place.span(), message);
    }
}

/// Refuses several owners. The same task twice is refused as a repetition in its list.
fn check_owners(name: &Ident, owners: &[(User<'_>, &Ident)], errors: &mut Errors) {
    let same = |one: &User<'_>, other: &User<'_>| {
        std::ptr::eq(one.function, other.function) || are_alternative_users(*one, *other)
    };
    for (user, place) in owners {
        let mut others = owners.iter().filter(|(other, _)| !same(user, other));
        if let Some((other, _)) = others.next() {
            let message = format!(
                "the local resource `{name}` is used by `{}` here and by `{}` too, but only one \
                 task can own it: move it to the struct `#[shared]`, or give each task a field or \
                 variable of its own",
                user.name(),
                other.name()
            );
            errors.at(place.span(), message);
        }
    }
}
