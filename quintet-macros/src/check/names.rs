//! Names: which functions of the application and which of the user's items may share one.
//!
//! A task `x` becomes a function and a module `x`, so nothing else in the application can have the
//! name `x`. Resources have a name space of their own.

use syn::{Attribute, Ident, Item};

use crate::analysis::Analysis;
use crate::analysis::alternatives::are_alternatives;
use crate::errors::Errors;
use crate::model::{App, Function, Task};

/// A function, and its task if the function is one.
type Named<'a> = (&'a Function, Option<&'a Task>);

/// Checks names.
pub fn check(analysis: &Analysis<'_>, errors: &mut Errors) {
    let functions = functions(analysis);
    check_functions(&functions, errors);
    check_items(analysis.app, &functions, errors);
}

/// Refuses two functions of one name, at the second.
fn check_functions(functions: &[Named<'_>], errors: &mut Errors) {
    for (index, (function, task)) in functions.iter().enumerate() {
        let name = &function.name;
        let Some((_, earlier)) =
            functions.iter().take(index).find(|(earlier, _)| earlier.name == *name)
        else {
            continue;
        };
        let (Some(task), Some(earlier)) = (task, earlier) else {
            let message = format!(
                "`{name}` is the name of another function of the application already: `init`, \
                 `idle`, tasks and threads need a name each"
            );
            errors.at(name.span(), message);
            continue;
        };
        if !are_alternatives(task, earlier) {
            let article =
                if earlier.what.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
            let message = format!(
                "there is {article} {} `{name}` already: give one of the two another name, or, if \
                 only one of them exists at a time, a `#[cfg(..)]` to each",
                earlier.what
            );
            errors.at(name.span(), message);
        }
    }
}

/// All functions of the application.
fn functions<'a>(analysis: &Analysis<'a>) -> Vec<Named<'a>> {
    let init = analysis.app.init.iter().map(|init| (&init.function, None));
    init.chain(analysis.users.iter().map(|user| (user.function, user.task))).collect()
}

/// Refuses items of the user with the name of a function of the application. An item under a
/// condition may exclude the function; the compiler judges such items.
fn check_items(app: &App, functions: &[Named<'_>], errors: &mut Errors) {
    for (name, attributes) in app.items.iter().filter_map(named) {
        let clash = functions
            .iter()
            .any(|(function, _)| function.name == *name && function.attributes.cfgs.is_empty());
        if clash && !attributes.iter().any(|one| one.path().is_ident("cfg")) {
            let message = format!(
                "`{name}` is a function of the application, for which a module and a function \
                 `{name}` are generated: give this item another name"
            );
            errors.at(name.span(), message);
        }
    }
}

/// Returns the name of an item, if the name can clash with a function or a module.
fn named(item: &Item) -> Option<(&Ident, &[Attribute])> {
    Some(match item {
        Item::Const(item) => (&item.ident, &item.attrs),
        Item::Enum(item) => (&item.ident, &item.attrs),
        Item::Fn(item) => (&item.sig.ident, &item.attrs),
        Item::Mod(item) => (&item.ident, &item.attrs),
        Item::Static(item) => (&item.ident, &item.attrs),
        Item::Struct(item) => (&item.ident, &item.attrs),
        Item::Trait(item) => (&item.ident, &item.attrs),
        Item::Type(item) => (&item.ident, &item.attrs),
        Item::Union(item) => (&item.ident, &item.attrs),
        _ => return None,
    })
}
