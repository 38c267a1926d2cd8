//! Reads a task that has no `binds`.

use syn::{Error, Ident};

use crate::errors::Errors;
use crate::grammar::function::{
    IS_ABORTED, RETURNS, Source, at_output, refuse_static_context, refuse_surplus,
};
use crate::grammar::list::Argument;
use crate::grammar::{lifetimes, opaque};
use crate::model::{Form, RunBy, Software, Task, TaskKind};
use crate::roles::task::TaskArguments;

/// The most spawns of a software task that may wait.
const CAPACITY_MAX: u8 = 32;

/// A task that software starts.
pub fn finish(mut arguments: TaskArguments, source: Source, errors: &mut Errors) -> Option<Task> {
    let name = source.name().clone();
    let form = if source.is_async() { Form::Async } else { Form::Plain };
    let diverging = source.is_diverging();
    let expected = match form {
        Form::Async => format!(
            "async fn {name}(cx: {name}::Context, ..)` or `async fn {name}(cx: {name}::Context, \
             ..) -> !"
        ),
        Form::Plain => format!(
            "async fn {name}(cx: {name}::Context, ..)` or, to run to the end at once, `fn \
             {name}(cx: {name}::Context, ..)"
        ),
    };
    errors.ok(software_output(&source, form, &expected));
    refuse_combinations(&arguments, &name, form, errors);
    refuse_instances(&arguments, &name, form, errors);
    let (mut function, mut rest) = source.into_function(&expected, errors)?;
    errors.ok(refuse_surplus(&name, &rest, "spawn"));
    opaque::refuse(&name, &rest, &expected, errors);
    lifetimes::fill(&mut rest);
    let priority = arguments.priority(&name, 0);
    let timing = arguments.timing(errors);
    function.arguments = rest;
    let software = Software {
        local_task: arguments.local_task,
        capacity: arguments.capacity.map_or(1, |(capacity, _)| capacity),
        joinable: arguments.joinable,
    };
    let instances = match form {
        Form::Async => arguments.instances.map(|(count, _)| usize::from(count)),
        Form::Plain => None,
    };
    let never_ends = diverging && software.joinable.is_none();
    if !diverging {
        refuse_static_context(&function, RETURNS, errors);
    } else if !never_ends {
        refuse_static_context(&function, IS_ABORTED, errors);
    }
    let kind = TaskKind::Software(software);
    Some(Task {
        function,
        kind,
        what: "task",
        run_by: RunBy::Slots(instances.unwrap_or(1)),
        instances,
        never_ends,
        priority,
        timing,
        shared: arguments.shared,
        local: arguments.local,
    })
}

/// Checks the return type of a software task.
fn software_output(source: &Source, form: Form, expected: &str) -> syn::Result<()> {
    let name = source.name();
    if source.returns_unit() || (form == Form::Async && source.is_diverging()) {
        return Ok(());
    }
    let reason = if source.is_diverging() {
        format!("`{name}` would hold its level forever: only an `async` task may return `!`")
    } else {
        format!("nobody takes the value that `{name}` returns")
    };
    Err(at_output(source, format!("{reason}; it must be `{expected}`")))
}

/// Refuses arguments that contradict each other.
fn refuse_combinations(arguments: &TaskArguments, name: &Ident, form: Form, errors: &mut Errors) {
    let Some(span) = arguments.joinable else { return };
    if form == Form::Plain {
        let message = format!(
            "`{name}` is a plain `fn` and runs to the end at once, so there is nothing to join or \
             abort: make it `async`, or leave out `joinable`"
        );
        errors.at(span, message);
    }
    if let Some((_, word)) = arguments.capacity.as_ref().filter(|(capacity, _)| *capacity > 1) {
        let message = format!(
            "`joinable` gives a handle to the one instance of `{name}`, so its `capacity` is 1: \
             leave one of the two out"
        );
        errors.at(word.span(), message);
    }
}

/// Refuses `instances` for a task of which one instance would never run beside another. Refuses
/// arguments that contradict `instances`.
fn refuse_instances(arguments: &TaskArguments, name: &Ident, form: Form, errors: &mut Errors) {
    let Some((count, word)) = &arguments.instances else { return };
    if form == Form::Plain {
        let message = format!(
            "`{name}` is a plain `fn` and runs to the end at once, so one never runs beside \
             another: write `capacity = {count}` for the spawns that may wait, or make it `async`"
        );
        errors.at(word.span(), message);
    }
    if arguments.joinable.is_some() {
        let message = format!(
            "`joinable` gives a handle to the one instance of `{name}`, but `instances` makes it \
             several: leave one of the two out"
        );
        errors.at(word.span(), message);
    }
    if let Some((capacity, word)) = &arguments.capacity {
        let message = format!(
            "with `capacity`, {capacity} spawns of `{name}` wait for each other, and with \
             `instances`, {count} run at a time: leave one of the two out"
        );
        errors.at(word.span(), message);
    }
}

/// `capacity = n`.
pub fn capacity(argument: &Argument) -> syn::Result<u8> {
    let reason = "memory for their arguments is laid out before constants have values";
    let (value, literal) = argument.number(&(1..=CAPACITY_MAX), "capacity = 4", reason)?;
    if (1..=CAPACITY_MAX).contains(&value) {
        return Ok(value);
    }
    let message = format!(
        "`capacity` is from 1 to {CAPACITY_MAX}: so many spawns may wait, and run one after the \
         other; 1 is the default"
    );
    Err(Error::new_spanned(literal, message))
}
