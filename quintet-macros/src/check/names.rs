//! What may have one name: functions of the application, and the user's own items.
//!
//! A task `x` becomes a function and a module `x`, so nothing else in the application can be called
//! `x`. Resources have a name space of their own, and so do the names by which messages and the lab
//! tell threads apart.

use proc_macro2::Span;
use syn::{Attribute, Ident, Item};

use super::are_alternatives;
use crate::errors::Errors;
use crate::line::{self, Line, Place};
use crate::model::{App, Function, Task, Thread};

/// What messages and the lab call what runs when no thread does, whatever its function is called.
const IDLE: &str = "idle";

/// Checks names.
pub fn check(app: &App, errors: &mut Errors) {
    check_functions(app, errors);
    check_items(app, errors);
    for (task, thread) in app.threads() {
        check_reserved(app, task, thread, errors);
    }
    check_threads(app, errors);
}

/// Refuses two functions of one name, at the second.
fn check_functions(app: &App, errors: &mut Errors) {
    let functions = functions(app);
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
            let message = format!(
                "there is a {} `{name}` already: give one of the two another name, or, if only \
                 one of them exists at a time, a `#[cfg(..)]` to each",
                earlier.what()
            );
            errors.at(name.span(), message);
        }
    }
}

/// All functions of the application.
fn functions(app: &App) -> Vec<(&Function, Option<&Task>)> {
    let init = app.init.iter().map(|init| (&init.function, None));
    init.chain(app.users().map(|user| (user.function, user.task))).collect()
}

/// Refuses items of the user's that are called like a function of the application. Items under a
/// condition may exclude it, and are left to the compiler.
fn check_items(app: &App, errors: &mut Errors) {
    let functions = functions(app);
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

/// The name of an item, if it can clash with a function or a module.
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

/// Where a thread's name stands: its function's, if it has no other.
fn place(task: &Task, thread: &Thread) -> Span {
    thread.label.as_ref().map_or_else(|| task.name().span(), syn::LitStr::span)
}

/// Refuses names of threads that say nothing, or are the kernel's own.
fn check_reserved(app: &App, task: &Task, thread: &Thread, errors: &mut Errors) {
    let (function, name) = (task.name(), thread.shown_as(task.name()));
    if name.is_empty() {
        let message = format!(
            "the name of the thread `{function}` is empty, but messages and the lab show it: give \
             it a text, or leave out `name`, and it is `{function}`"
        );
        return errors.at(place(task, thread), message);
    }
    let line = Line::of(app);
    let hosts = |(hosted, _): &(&Task, _)| {
        let place = line.place(hosted);
        matches!(place, Place::Thread(at) if line::host_name(at) == name)
    };
    let owner = if name == IDLE {
        let main = "idle, which runs when no thread does".to_owned();
        app.idle.as_ref().map_or(main, |idle| format!("idle, here `{}`", idle.function.name))
    } else if let Some((hosted, _)) = app.software_tasks().find(hosts) {
        format!("the thread that hosts the task `{}`", hosted.name())
    } else {
        return;
    };
    errors.at(place(task, thread), name_of_another(function, &name, &owner));
}

/// Refuses two threads of one name, at the later of those that are given. The name of another's
/// function is no name either. Of two under conditions, only one may exist.
fn check_threads(app: &App, errors: &mut Errors) {
    let threads = app.threads().collect::<Vec<_>>();
    for (index, (task, thread)) in threads.iter().enumerate() {
        let Some(name) = thread.label.as_ref().map(syn::LitStr::value) else { continue };
        let has_it = |(number, (other, its)): &(usize, &(&Task, &Thread))| {
            *number != index
                && (other.name() == &name || *number < index && its.shown_as(other.name()) == name)
                && (task.cfgs().is_empty() || other.cfgs().is_empty())
        };
        if let Some((_, (other, _))) = threads.iter().enumerate().find(has_it) {
            let owner = format!("the thread `{}`", other.name());
            errors.at(place(task, thread), name_of_another(task.name(), &name, &owner));
        }
    }
}

/// The refusal of a name that something else has.
fn name_of_another(thread: &Ident, name: &str, owner: &str) -> String {
    format!(
        "the thread `{thread}` has the name \"{name}\", but that is the name of {owner}: messages \
         and the lab tell threads apart by their names, so give it another"
    )
}
