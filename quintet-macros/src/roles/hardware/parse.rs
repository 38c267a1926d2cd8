//! Reads a task that has `binds`.

use crate::errors::Errors;
use crate::exceptions::is_configurable;
use crate::grammar::function::{RETURNS, Source, at_output, refuse_static_context};
use crate::model::{Hardware, RunBy, Task, TaskKind};
use crate::roles::task::TaskArguments;

/// A task that hardware starts.
pub fn finish(mut arguments: TaskArguments, source: Source, errors: &mut Errors) -> Option<Task> {
    let name = source.name().clone();
    let expected = format!("fn {name}(cx: {name}::Context)");
    for (word, span) in [
        ("local_task", arguments.local_task),
        ("joinable", arguments.joinable),
        ("capacity", arguments.capacity.as_ref().map(|(_, word)| word.span())),
        ("instances", arguments.instances.as_ref().map(|(_, word)| word.span())),
    ] {
        if let Some(span) = span {
            let message = format!(
                "`{word}` says how software spawns a task, but `binds` gives `{name}` to the \
                 hardware: keep one of the two"
            );
            errors.at(span, message);
        }
    }
    if let Some(word) = &source.signature.asyncness {
        let message = format!(
            "`{name}` runs in its interrupt to the end, so it can't be `async`: it must be \
             `{expected}`, or a software task without `binds`"
        );
        errors.on(word, message);
    }
    if !source.returns_unit() {
        let message = format!(
            "`{name}` returns to what its interrupt preempted, with no value: it must be \
             `{expected}`"
        );
        errors.push(at_output(&source, message));
    }
    let (function, rest) = source.into_function(&expected, errors)?;
    errors.ok(Source::refuse_arguments(&name, &rest, &expected))?;
    refuse_static_context(&function, RETURNS, errors);
    let priority = arguments.priority(&name, 1);
    let timing = arguments.timing(errors);
    let binds = arguments.binds?;
    let exception = is_configurable(&binds);
    let kind = TaskKind::Hardware(Hardware { binds, exception });
    Some(Task {
        function,
        kind,
        what: "task",
        run_by: RunBy::Interrupt,
        instances: None,
        never_ends: false,
        priority,
        timing,
        shared: arguments.shared,
        local: arguments.local,
    })
}
