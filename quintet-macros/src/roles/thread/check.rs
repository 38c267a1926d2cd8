//! The demands of threads: their priorities and slices, and that hardware starts only tasks above
//! the threads.

use super::names;
use crate::analysis::Analysis;
use crate::errors::Errors;
use crate::line::PRIORITY_MAX;
use crate::model::{App, Task};

/// The exceptions that switch threads, each with its work.
const SWITCHING: [(&str, &str); 2] = [
    ("PendSV", "switches from one thread to another"),
    ("SVCall", "resumes threads that were interrupted"),
];

/// Checks threads, and the rules that apply if there are threads.
pub fn check(analysis: &Analysis<'_>, errors: &mut Errors) {
    let app = analysis.app;
    names::check(analysis, errors);
    check_priorities(app, errors);
    check_slices(app, errors);
    check_hardware(app, errors);
}

/// Refuses priorities that no thread can have.
fn check_priorities(app: &App, errors: &mut Errors) {
    for (task, _) in app.threads() {
        let (name, priority) = (task.name(), task.priority.value);
        if priority == 0 {
            let message = format!(
                "priority 0 is that of idle, which needs no stack of its own: give the thread \
                 `{name}` one from 1 to {PRIORITY_MAX}, or make it `#[idle]`"
            );
            errors.at(task.priority.span, message);
        } else if priority > PRIORITY_MAX {
            let message = format!(
                "the thread `{name}` has the priority {priority}, but threads have priorities from \
                 1 to {PRIORITY_MAX}"
            );
            errors.at(task.priority.span, message);
        }
    }
}

/// Refuses different slices at one priority, at the later one.
fn check_slices(app: &App, errors: &mut Errors) {
    let slices =
        app.threads().filter_map(|(task, thread)| Some((task, thread.slice?))).collect::<Vec<_>>();
    for (index, (task, slice)) in slices.iter().enumerate() {
        let same = |other: &&(&Task, _)| other.0.priority.value == task.priority.value;
        let Some((earlier, other)) = slices.iter().take(index).find(same) else { continue };
        if other.microseconds != slice.microseconds {
            let message = format!(
                "the slice of `{}` is {} microseconds, but that of `{}` is {}, and both have the \
                 priority {}: threads of one priority take turns of one length",
                task.name(),
                slice.microseconds,
                earlier.name(),
                other.microseconds,
                task.priority.value
            );
            errors.at(slice.span, message);
        }
    }
}

/// The exceptions that processes need: for switches, for calls, and to stop a process.
const OF_PROCESSES: [&str; 6] =
    ["MemoryManagement", "BusFault", "UsageFault", "DebugMonitor", "SVCall", "PendSV"];

/// Refuses hardware tasks that are not above the processes, or that take exceptions which processes
/// need.
fn check_under_processes(app: &App, errors: &mut Errors) {
    let Some(processes) = &app.arguments.processes else { return };
    let top = processes.priority.value;
    if !app.arguments.stack_guard {
        let message = "processes need the memory protection unit, which `stack_guard = false` \
                       leaves to the program: leave out one of the two";
        errors.at(processes.priority.span, message);
    }
    for (task, hardware) in app.hardware_tasks() {
        let (name, binds, priority) = (task.name(), &hardware.binds, task.priority.value);
        if task.priority.known && priority <= top && priority > 0 {
            let message = format!(
                "`{binds}` starts the task `{name}` at priority {priority}, but the processes have \
                 {top}, and every interrupt preempts every process: give `{name}` {} or more",
                top.saturating_add(1)
            );
            errors.at(task.priority.span, message);
        }
        if OF_PROCESSES.iter().any(|exception| binds == exception) {
            let message = format!(
                "`{binds}` is one of the exceptions by which processes are switched, call, and are \
                 stopped, so it can't start the task `{name}`: bind an interrupt that the \
                 application doesn't use"
            );
            errors.at(binds.span(), message);
        }
    }
}

/// Refuses hardware tasks that are not above all threads, or that take the scheduler's exceptions.
fn check_hardware(app: &App, errors: &mut Errors) {
    check_under_processes(app, errors);
    let Some((highest, _)) = app.threads().max_by_key(|(task, _)| task.priority.value) else {
        return;
    };
    let (top, thread) = (highest.priority.value, highest.name());
    for (task, hardware) in app.hardware_tasks() {
        let (name, binds, priority) = (task.name(), &hardware.binds, task.priority.value);
        if task.priority.known && name != thread && priority <= top && priority > 0 {
            let below = match priority {
                1 => String::new(),
                _ => format!(", or `{thread}` less than {priority}"),
            };
            let condition = match highest.cfgs() {
                [] => String::new(),
                _ => format!(
                    ". `{thread}` counts also in builds without it: macros run before `#[cfg]` is \
                     decided"
                ),
            };
            let message = format!(
                "`{binds}` starts the task `{name}` at priority {priority}, but the thread \
                 `{thread}` has {top}, and every interrupt preempts every thread: give `{name}` \
                 {} or more{below}{condition}",
                top.saturating_add(1)
            );
            errors.at(task.priority.span, message);
        }
        if binds == "MemoryManagement" && app.arguments.stack_guard {
            let message = format!(
                "`{binds}` reports the overflow of a thread's stack, so it can't start the task \
                 `{name}`: add `stack_guard = false` to the application if that is to handle it"
            );
            errors.at(binds.span(), message);
        }
        if let Some((_, what)) = SWITCHING.iter().find(|(exception, _)| binds == exception) {
            let message = format!(
                "`{binds}` {what}, such as `{thread}`, so it can't start the task `{name}`: bind \
                 an interrupt that the application doesn't use"
            );
            errors.at(binds.span(), message);
        }
    }
}
