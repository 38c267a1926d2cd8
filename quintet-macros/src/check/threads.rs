//! What threads demand: their priorities and slices, and that everything the hardware starts is
//! above them.

use syn::Ident;

use crate::errors::Errors;
use crate::line::{Line, PRIORITY_MAX, Place};
use crate::model::{App, Part, Scheduler, Task};

/// The exceptions by which threads are switched, each with what it does.
const SWITCHING: [(&str, &str); 2] = [
    ("PendSV", "switches from one thread to another"),
    ("SVCall", "resumes threads that were interrupted"),
];

/// Checks threads, and what depends on there being any.
pub fn check(app: &App, errors: &mut Errors) {
    check_priorities(app, errors);
    check_slices(app, errors);
    check_hardware(app, errors);
    check_hosted(app, errors);
    check_cooperative(app, errors);
    check_host_stack(app, errors);
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

/// Refuses hardware tasks that are not above all threads, or that take the scheduler's exceptions.
fn check_hardware(app: &App, errors: &mut Errors) {
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
            let message = format!(
                "`{binds}` starts the task `{name}` at priority {priority}, but the thread \
                 `{thread}` has {top}, and every interrupt preempts every thread: give `{name}` \
                 {} or more{below}",
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

/// Refuses software tasks that a thread would host at a priority that no thread has: a cooperative
/// scheduler's.
fn check_hosted(app: &App, errors: &mut Errors) {
    let line = Line::of(app);
    for (task, _) in app.software_tasks() {
        let Place::Thread(priority) = line.place(task) else { continue };
        if priority > PRIORITY_MAX {
            let message = format!(
                "`scheduler = \"cooperative\"` lets a thread run the task `{}`, but its priority \
                 is {priority}, and threads have priorities from 1 to {PRIORITY_MAX}",
                task.name()
            );
            errors.at(task.priority.span, message);
        }
    }
}

/// Refuses an idle function where the software tasks would run beside it.
fn check_cooperative(app: &App, errors: &mut Errors) {
    let may_have_threads = Line::of(app).has_threads() || !app.is_read(Part::Tasks);
    if app.arguments.scheduler != Scheduler::Cooperative || may_have_threads {
        return;
    }
    let Some(idle) = &app.idle else { return };
    let beside = |task: &Task| task.priority.value > 0 && *task.name() != idle.function.name;
    let mut tasks = app.software_tasks().filter(|(task, _)| beside(task));
    if let Some((task, _)) = tasks.next() {
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

/// Refuses a size of the stacks of threads that there are not.
fn check_host_stack(app: &App, errors: &mut Errors) {
    let Some(host_stack) = &app.arguments.host_stack else { return };
    let line = Line::of(app);
    let is_hosted =
        |task: &Task| !task.priority.known || matches!(line.place(task), Place::Thread(_));
    let is_read = app.is_read(Part::Arguments) && app.is_read(Part::Tasks);
    if !is_read || app.software_tasks().any(|(task, _)| is_hosted(task)) {
        return;
    }
    let why = match (app.arguments.scheduler, line.top()) {
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
