//! Lists of local resources: each field has one owner, and no variable has the name of a field.

use syn::{Attribute, Ident};

use super::{enumerate, what_there_is};
use crate::analysis::alternatives::never_meet;
use crate::analysis::{Analysis, User, conditions};
use crate::errors::Errors;
use crate::model::{App, DeclaredLocal, Init, LocalAccess, Part, Resource};

/// The way out if a task declares a variable with the name of a field.
const OR_LIST: &str = "list it as `NAME` if the field is meant, else rename the variable";

/// Checks local resources.
pub fn check(analysis: &Analysis<'_>, errors: &mut Errors) {
    let app = analysis.app;
    check_fields(&app.local_resources().iter().collect::<Vec<_>>(), errors);
    check_init(app, errors);
    check_instances(app, errors);
    for user in &analysis.users {
        check_list(app, *user, errors);
    }
    let mut seen = Vec::<&Ident>::new();
    for resource in app.local_resources() {
        if !seen.contains(&&resource.name) {
            seen.push(&resource.name);
            check_owner(analysis, resource, errors);
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
    let Some(init) = &app.init else { return };
    for (index, declared) in init.local.iter().enumerate() {
        let mut earlier = init.local.iter().take(index).filter(|one| one.name == declared.name);
        if earlier.any(|earlier| !are_alternatives(earlier, declared)) {
            errors.at(declared.name.span(), twice(&init.function.name, &declared.name));
        }
    }
}

/// Refuses fields in the lists of tasks with instances: there is only one value of a field.
fn check_instances(app: &App, errors: &mut Errors) {
    for task in &app.tasks {
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

/// Returns `true` if two variables of one name are alternatives under `cfg`. If both conditions
/// hold, the compiler refuses the second.
fn are_alternatives(one: &DeclaredLocal, other: &DeclaredLocal) -> bool {
    !one.attributes.cfgs.is_empty() && !other.attributes.cfgs.is_empty()
}

/// The refusal of a second entry of one name.
fn twice(user: &Ident, name: &Ident) -> String {
    format!("`{user}` lists `{name}` twice; keep one of the two")
}

/// Refuses entries that name no field, and entries that repeat a name.
fn check_list(app: &App, user: User<'_>, errors: &mut Errors) {
    for (index, access) in user.local.iter().enumerate() {
        let name = access.name();
        let is_named = matches!(access, LocalAccess::Field(_)) && app.is_read(Part::Local);
        if is_named && !app.local_resources().iter().any(|field| field.name == *name) {
            errors.at(name.span(), undeclared(app, name));
        }
        let is_alternative = |earlier: &LocalAccess| match (earlier, access) {
            (LocalAccess::Declared(earlier), LocalAccess::Declared(access)) => {
                are_alternatives(earlier, access)
            }
            _ => false,
        };
        let mut earlier = user.local.iter().take(index).filter(|earlier| earlier.name() == name);
        if earlier.any(|earlier| !is_alternative(earlier)) {
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

/// Refuses a field with several owners, at each use. Refuses variables with the name of a field, at
/// the variable and at the field. `resource` is the first of the fields of its name.
fn check_owner(analysis: &Analysis<'_>, resource: &Resource, errors: &mut Errors) {
    let app = analysis.app;
    let name = &resource.name;
    let (mut owners, mut variables) = (Vec::new(), Vec::new());
    if let Some(Init { function, local }) = &app.init {
        let declared = local.iter().filter(|declared| declared.name == *name);
        let met = declared.filter_map(|one| Some((one, field_met(app, &[], one)?)));
        let way_out = "rename one of the two";
        variables.extend(met.map(|(one, field)| (&function.name, &one.name, field, way_out)));
    }
    for user in &analysis.users {
        for access in user.local.iter().filter(|access| access.name() == name) {
            match access {
                LocalAccess::Field(name) => owners.push((*user, name)),
                LocalAccess::Declared(declared) => {
                    if let Some(field) = field_met(app, user.cfgs(), declared) {
                        variables.push((&user.function.name, &declared.name, field, OR_LIST));
                    }
                }
            }
        }
    }
    check_owners(resource, &owners, errors);
    let Some((_, _, field, _)) = variables.first() else { return };
    let declarers = enumerate(variables.iter().map(|(user, ..)| *user));
    let declare = if variables.len() == 1 { "declares" } else { "declare" };
    let message = format!(
        "the field `{name}` has the name of a variable that {declarers} {declare}: rename one of \
         the two, so that it can be told which is meant"
    );
    errors.at(field.name.span(), message);
    for (user, place, _, way_out) in variables {
        let way_out = way_out.replace("NAME", &name.to_string());
        let message = format!(
            "`{user}` declares a variable `{name}`, but the struct `#[local]` has a field of this \
             name: {way_out}"
        );
        errors.at(place.span(), message);
    }
    for (user, place) in owners {
        let message = format!("`{}` uses the field `{name}` here", user.name());
        errors.at(place.span(), message);
    }
}

/// Returns the field that may exist together with a variable of the same name: the only field of
/// this name, or the first alternative.
fn field_met<'a>(
    app: &'a App,
    user: &[Attribute],
    variable: &DeclaredLocal,
) -> Option<&'a Resource> {
    let conditions = [user, &variable.attributes.cfgs].concat();
    let mut fields = app.local_resources().iter().filter(|field| field.name == variable.name);
    fields.find(|field| !conditions::exclude(&conditions, &field.attributes.cfgs))
}

/// Refuses several owners. A repeated name in one task's list, and two tasks of one name, have
/// refusals of their own.
fn check_owners(resource: &Resource, owners: &[(User<'_>, &Ident)], errors: &mut Errors) {
    let name = &resource.name;
    for (user, place) in owners {
        let mut others = owners.iter().filter(|(other, _)| !never_meet(*user, *other));
        if let Some((other, _)) = others.next() {
            let message = format!(
                "the local resource `{name}` is used by `{}` here and by `{}` too, but only one \
                 task can own it{} move it to the struct `#[shared]`, or give each task a field \
                 or variable of its own",
                user.name(),
                other.name(),
                at_a_time(*user, *other)
            );
            errors.at(place.span(), message);
        }
    }
}

/// Says, for the refusal of two owners, how their conditions matter.
fn at_a_time(user: User<'_>, other: User<'_>) -> String {
    match (user.cfgs(), other.cfgs()) {
        ([], []) => ":".into(),
        ([_, ..], [_, ..]) => {
            ", and their `#[cfg(..)]`s may hold together for all that can be told. If only one of \
             the two exists at a time, let one condition be the `not(..)` of the other; else"
                .into()
        }
        ([], _) => only_one_has_a_condition(user),
        (_, []) => only_one_has_a_condition(other),
    }
}

/// The same if `without` has no condition.
fn only_one_has_a_condition(without: User<'_>) -> String {
    if without.task.is_none() {
        return ":".into();
    }
    format!(
        ", and `{}` is there whether the other's `#[cfg(..)]` holds or not. If only one of the two \
         exists at a time, give it the opposite `#[cfg(not(..))]`; else",
        without.name()
    )
}
