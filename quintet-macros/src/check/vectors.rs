//! Who owns which vector, and whether every level of software tasks has one.
//!
//! A vector has one handler: a hardware task, or the dispatcher of one level. Whether the device
//! has the vector, and enough priorities, only the compiler knows; `emit` asks it.

use std::collections::BTreeSet;

use syn::Ident;

use super::{are_alternatives, enumerate};
use crate::errors::Errors;
use crate::line::{Line, Place};
use crate::model::{App, Part, Task};
use crate::parse::CONFIGURABLE_EXCEPTIONS;

/// Exceptions whose priority is fixed, each with what it is for.
const FIXED_EXCEPTIONS: [(&str, &str); 2] =
    [("NonMaskableInt", "no mask holds it off"), ("HardFault", "it preempts everything else")];

/// Checks vectors and priorities.
pub fn check(app: &App, errors: &mut Errors) {
    check_dispatchers(app, errors);
    check_bindings(app, errors);
    check_levels(app, errors);
    check_priorities(app, errors);
}

/// Whether `name` is an exception of the core.
fn is_exception(name: &Ident) -> bool {
    CONFIGURABLE_EXCEPTIONS.iter().any(|exception| name == exception)
        || FIXED_EXCEPTIONS.iter().any(|(exception, _)| name == exception)
}

/// Refuses dispatchers that are exceptions, or that are listed twice.
fn check_dispatchers(app: &App, errors: &mut Errors) {
    let dispatchers = &app.arguments.dispatchers;
    for (index, dispatcher) in dispatchers.iter().enumerate() {
        let name = &dispatcher.name;
        if is_exception(name) {
            let message = format!(
                "`{name}` is an exception of the core, and only an interrupt of the device can be \
                 a dispatcher: list one that the application doesn't use otherwise"
            );
            errors.at(name.span(), message);
        }
        if dispatchers.iter().take(index).any(|earlier| earlier.name == *name) {
            let message = format!(
                "`{name}` is in the list already: every dispatcher serves one priority, so each \
                 needs an interrupt of its own"
            );
            errors.at(name.span(), message);
        }
    }
}

/// Refuses vectors that a task can't have, or that have an owner already.
fn check_bindings(app: &App, errors: &mut Errors) {
    let tasks = app.hardware_tasks().collect::<Vec<_>>();
    for (index, (task, hardware)) in tasks.iter().enumerate() {
        let (name, binds) = (task.name(), &hardware.binds);
        if let Some((_, reason)) = FIXED_EXCEPTIONS.iter().find(|(fixed, _)| binds == fixed) {
            let message = format!(
                "`{binds}` can't start a task: its priority is fixed and {reason}, so nothing \
                 could be shared with `{name}`. Handle it outside of the application, with \
                 `#[cortex_m_rt::exception]`"
            );
            errors.at(binds.span(), message);
        }
        if app.arguments.dispatchers.iter().any(|dispatcher| dispatcher.name == *binds) {
            let message = format!(
                "`{binds}` starts the task `{name}`, so it can't be a dispatcher too: take it out \
                 of `dispatchers`, or bind another interrupt"
            );
            errors.at(binds.span(), message);
        }
        let earlier = tasks.iter().take(index).find(|(earlier, hardware)| {
            hardware.binds == *binds && !are_alternatives(earlier, task)
        });
        // Two tasks of one name are refused for that.
        if let Some((earlier, _)) = earlier.filter(|(earlier, _)| earlier.name() != name) {
            let message = format!(
                "`{binds}` starts the task `{}` already, and a vector starts one task: bind \
                 another interrupt, or, if only one of the two exists at a time, give each a \
                 `#[cfg(..)]`",
                earlier.name()
            );
            errors.at(binds.span(), message);
        }
    }
}

/// Refuses more levels of software tasks than there are dispatchers, at the task of the lowest
/// priority that gets none: the others have theirs.
fn check_levels(app: &App, errors: &mut Errors) {
    // A dispatcher may be among what can't be read, or a thread that hosts tasks.
    if !app.is_read(Part::Arguments) || !app.is_read(Part::Tasks) {
        return;
    }
    let line = Line::of(app);
    let known = || app.software_tasks().filter(|(task, _)| task.priority.known);
    let priorities = known()
        .filter_map(|(task, _)| match line.place(task) {
            Place::Level(priority) => Some(priority),
            Place::Idle | Place::Thread(_) => None,
        })
        .collect::<BTreeSet<_>>();
    let dispatchers = &app.arguments.dispatchers;
    let (needed, given) = (priorities.len(), dispatchers.len());
    if needed <= given {
        return;
    }
    // The highest priorities take their dispatchers first.
    let Some(without) = priorities.iter().nth(needed - given - 1) else { return };
    let Some((task, _)) = known().find(|(task, _)| task.priority.value == *without) else {
        return;
    };
    let listed = match given {
        0 => "lists none".to_owned(),
        1 => format!("lists {}", enumerate(dispatchers.iter().map(|one| &one.name))),
        _ => format!("lists {given}: {}", enumerate(dispatchers.iter().map(|one| &one.name))),
    };
    let values = priorities.iter().map(u8::to_string).collect::<Vec<_>>().join(", ");
    let need = match needed {
        1 => format!("the priority {values} and need a dispatcher"),
        _ => format!("the priorities {values} and need {needed} dispatchers, one each"),
    };
    let message = format!(
        "no dispatcher is left for the task `{}`: the software tasks have {need}, but \
         `dispatchers` {listed}. Add interrupts that the application doesn't use, or give tasks \
         the same priority",
        task.name(),
    );
    errors.at(task.priority.span, message);
}

/// Refuses priorities that the kind of the task can't have.
fn check_priorities(app: &App, errors: &mut Errors) {
    for (task, hardware) in app.hardware_tasks() {
        if task.priority.value == 0 {
            let message = format!(
                "`{}` is started by `{}`, and an interrupt is more urgent than `idle`, which has \
                 priority 0: give it 1 or more",
                task.name(),
                hardware.binds
            );
            errors.at(task.priority.span, message);
        }
    }
    let Some(idle) = &app.idle else { return };
    let idle = &idle.function.name;
    let beside =
        |task: &Task| task.priority.known && task.priority.value == 0 && task.name() != idle;
    for (task, _) in app.software_tasks().filter(|(task, _)| beside(task)) {
        errors.at(task.priority.span, beside_idle(task, idle));
    }
}

/// The refusal of a software task of priority 0 where there is an idle function.
fn beside_idle(task: &Task, idle: &Ident) -> String {
    let name = task.name();
    let cause = if task.priority.given { "has" } else { "names no priority, so it has" };
    format!(
        "`{name}` {cause} priority 0, which is that of `{idle}`, and `{idle}` never returns: the \
         task would never run. Give it `priority = 1` or more, or make `{idle}` a task"
    )
}
