//! Vectors: each has one handler, a hardware task or the dispatcher of one level.

use crate::analysis::Analysis;
use crate::analysis::alternatives::are_alternatives;
use crate::errors::Errors;
use crate::exceptions::FIXED;
use crate::model::App;

/// Checks vectors and priorities.
pub fn check(analysis: &Analysis<'_>, errors: &mut Errors) {
    check_bindings(analysis.app, errors);
    check_priorities(analysis.app, errors);
}

/// Refuses vectors that a task can't have, or that have an owner already.
fn check_bindings(app: &App, errors: &mut Errors) {
    let tasks = app.hardware_tasks().collect::<Vec<_>>();
    for (index, (task, hardware)) in tasks.iter().enumerate() {
        let (name, binds) = (task.name(), &hardware.binds);
        if let Some((_, reason)) = FIXED.iter().find(|(fixed, _)| binds == fixed) {
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
        // Two tasks of one name have a refusal of their own.
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

/// Refuses the priority of idle.
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
}
