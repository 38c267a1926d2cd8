//! Levels: each needs an interrupt or a thread that runs it, and idle must leave time for them.
//!
//! Only the compiler knows whether the device has the vectors, and enough priorities; `emit`
//! asserts both.

use std::collections::BTreeSet;

use syn::Ident;

use super::enumerate;
use crate::analysis::Analysis;
use crate::errors::Errors;
use crate::exceptions::is_exception;
use crate::line::{PRIORITY_MAX, Place};
use crate::model::{App, Arguments, Part, Scheduler, Task};

/// Checks levels.
pub fn check(analysis: &Analysis<'_>, errors: &mut Errors) {
    check_dispatchers(analysis.app, errors);
    check_levels(analysis, errors);
    check_beside_idle(analysis.app, errors);
    check_hosted(analysis, errors);
    check_cooperative(analysis, errors);
    check_host_stack(analysis, errors);
    check_hooks(analysis, errors);
}

/// Refuses hooks of levels in an application without levels.
fn check_hooks(analysis: &Analysis<'_>, errors: &mut Errors) {
    let app = analysis.app;
    if !app.is_read(Part::Tasks)
        || analysis.users.iter().any(|user| matches!(user.place, Place::Level(_)))
    {
        return;
    }
    let Arguments { on_level_begin, on_level_end, .. } = &app.arguments;
    for (word, hook) in [("on_level_begin", on_level_begin), ("on_level_end", on_level_end)] {
        let Some(hook) = hook else { continue };
        let message = format!(
            "nothing would call this: levels are run by interrupts, and no task of this \
             application is. Leave out `{word}`, or add a task with `binds`, or one above the \
             threads"
        );
        errors.on(hook, message);
    }
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

/// Refuses more levels of software tasks than dispatchers. The error points at the task with the
/// lowest priority that gets no dispatcher.
fn check_levels(analysis: &Analysis<'_>, errors: &mut Errors) {
    let app = analysis.app;
    // A dispatcher, or a thread that hosts tasks, may be among the unreadable parts.
    if !app.is_read(Part::Arguments) || !app.is_read(Part::Tasks) {
        return;
    }
    let known = || app.jobs().filter(|task| task.priority.known);
    let priorities = known()
        .filter_map(|task| match analysis.place(task) {
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
    let Some(task) = known().find(|task| task.priority.value == *without) else { return };
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
        "no dispatcher is left for the {} `{}`: the software tasks have {need}, but \
         `dispatchers` {listed}. Add interrupts that the application doesn't use, or give tasks \
         the same priority",
        task.what,
        task.name(),
    );
    errors.at(task.priority.span, message);
}

/// Refuses software tasks of priority 0 where there is an idle function.
fn check_beside_idle(app: &App, errors: &mut Errors) {
    let Some(idle) = &app.idle else { return };
    let idle = &idle.function.name;
    let beside =
        |task: &&Task| task.priority.known && task.priority.value == 0 && task.name() != idle;
    for task in app.jobs().filter(beside) {
        errors.at(task.priority.span, beside_idle(task, idle));
    }
}

/// The refusal of a software task of priority 0 where there is an idle function.
fn beside_idle(task: &Task, idle: &Ident) -> String {
    let name = task.name();
    let cause = if task.priority.given { "has" } else { "names no priority, so it has" };
    format!(
        "`{name}` {cause} priority 0, which is that of `{idle}`, and `{idle}` never returns: the \
         {} would never run. Give it `priority = 1` or more, or make `{idle}` a task",
        task.what
    )
}

/// Refuses software tasks that a thread would host at a priority that no thread has. This happens
/// with a cooperative scheduler.
fn check_hosted(analysis: &Analysis<'_>, errors: &mut Errors) {
    for task in analysis.app.jobs() {
        let Place::Thread(priority) = analysis.place(task) else { continue };
        if priority > PRIORITY_MAX {
            let message = format!(
                "`scheduler = \"cooperative\"` lets a thread run the {} `{}`, but its priority \
                 is {priority}, and threads have priorities from 1 to {PRIORITY_MAX}",
                task.what,
                task.name()
            );
            errors.at(task.priority.span, message);
        }
    }
}

/// Refuses an idle function where the software tasks would run beside it.
fn check_cooperative(analysis: &Analysis<'_>, errors: &mut Errors) {
    let app = analysis.app;
    let may_have_threads = analysis.line.has_threads() || !app.is_read(Part::Tasks);
    if app.arguments.scheduler != Scheduler::Cooperative || may_have_threads {
        return;
    }
    let Some(idle) = &app.idle else { return };
    let beside = |task: &Task| task.priority.value > 0 && *task.name() != idle.function.name;
    if let Some(task) = app.jobs().find(|task| beside(task)) {
        errors.at(idle.function.name.span(), beside_tasks(&idle.function.name, task.name()));
    }
}

/// The refusal of an idle function beside software tasks.
fn beside_tasks(idle: &Ident, task: &Ident) -> String {
    format!(
        "`scheduler = \"cooperative\"` runs software tasks such as `{task}` where `{idle}` runs, \
         and `{idle}` never returns: make it a software task of priority 0, or leave it out, and \
         the processor sleeps when there is nothing to do"
    )
}

/// Refuses `host_stack` if no thread hosts tasks.
fn check_host_stack(analysis: &Analysis<'_>, errors: &mut Errors) {
    let app = analysis.app;
    let Some(host_stack) = &app.arguments.host_stack else { return };
    let is_hosted =
        |task: &Task| !task.priority.known || matches!(analysis.place(task), Place::Thread(_));
    let is_read = app.is_read(Part::Arguments) && app.is_read(Part::Tasks);
    if !is_read || app.jobs().any(is_hosted) {
        return;
    }
    let why = match (app.arguments.scheduler, analysis.line.top()) {
        (_, 0) => "the application has no threads".to_owned(),
        (Scheduler::Preemptive, top) => format!("none has a priority from 1 to {top}"),
        (Scheduler::Cooperative, _) => "none has a priority above 0".to_owned(),
    };
    let message = format!(
        "`host_stack` is how much stack each thread has that hosts software tasks, but {why}: \
         leave it out"
    );
    errors.on(host_stack, message);
}
