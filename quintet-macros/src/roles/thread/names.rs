//! The names by which messages and the lab tell threads apart.

use proc_macro2::Span;
use syn::Ident;

use crate::analysis::Analysis;
use crate::errors::Errors;
use crate::line::{self, Place};
use crate::model::{App, Task, Thread};

/// The name, in messages and in the lab, of the code that runs when no thread does, whatever its
/// function is called.
const IDLE: &str = "idle";

impl Thread {
    /// Returns the thread's name in messages and in the lab. `task` is the thread's function, and
    /// `instance` the number of the instance.
    pub fn shown_as(&self, task: &Task, instance: usize) -> String {
        let name = self.label.as_ref().map_or_else(|| task.name().to_string(), syn::LitStr::value);
        match task.instances {
            None => name,
            Some(_) => format!("{name} {instance}"),
        }
    }

    /// Returns the names of all instances.
    pub fn all_shown_as(&self, task: &Task) -> Vec<String> {
        let instances = 0..task.instances.unwrap_or(1);
        instances.map(|instance| self.shown_as(task, instance)).collect()
    }
}

/// Checks names of threads.
pub fn check(analysis: &Analysis<'_>, errors: &mut Errors) {
    for (task, thread) in analysis.app.threads() {
        check_reserved(analysis, task, thread, errors);
    }
    check_threads(analysis.app, errors);
}

/// Returns the place of a thread's name: the place of the function's name, if the thread has no
/// other.
fn place(task: &Task, thread: &Thread) -> Span {
    thread.label.as_ref().map_or_else(|| task.name().span(), syn::LitStr::span)
}

/// Refuses names of threads that are empty, or that the kernel uses.
fn check_reserved(analysis: &Analysis<'_>, task: &Task, thread: &Thread, errors: &mut Errors) {
    let app = analysis.app;
    let (function, name) = (task.name(), thread.shown_as(task, 0));
    if thread.label.as_ref().is_some_and(|label| label.value().is_empty()) {
        let message = format!(
            "the name of the thread `{function}` is empty, but messages and the lab show it: give \
             it a text, or leave out `name`, and it is `{function}`"
        );
        return errors.at(place(task, thread), message);
    }
    let hosts = |hosted: &&Task| {
        let place = analysis.place(hosted);
        matches!(place, Place::Thread(at) if line::host_name(at) == name)
    };
    let owner = if name == IDLE {
        let main = "idle, which runs when no thread does".to_owned();
        app.idle.as_ref().map_or(main, |idle| format!("idle, here `{}`", idle.function.name))
    } else if let Some(hosted) = app.jobs().find(hosts) {
        format!("the thread that hosts the task `{}`", hosted.name())
    } else {
        return;
    };
    errors.at(place(task, thread), name_of_another(function, &name, &owner));
}

/// Refuses two threads of one name, at the later name that the user gave. A thread can't have the
/// name of another thread's function either. Of two threads under conditions, only one may exist.
fn check_threads(app: &App, errors: &mut Errors) {
    let threads = app.threads().collect::<Vec<_>>();
    for (index, (task, thread)) in threads.iter().enumerate() {
        if thread.label.is_none() && task.instances.is_none() {
            continue;
        }
        let names = thread.all_shown_as(task);
        for (number, (other, its)) in threads.iter().enumerate() {
            let is_same = |name: &&String| {
                other.name() == name.as_str()
                    || number < index && its.all_shown_as(other).contains(name)
            };
            let may_meet = task.cfgs().is_empty() || other.cfgs().is_empty();
            let same = names.iter().find(is_same).filter(|_| number != index && may_meet);
            if let Some(name) = same {
                let owner = format!("the thread `{}`", other.name());
                errors.at(place(task, thread), name_of_another(task.name(), name, &owner));
                break;
            }
        }
    }
}

/// The refusal of a name that another thread has.
fn name_of_another(thread: &Ident, name: &str, owner: &str) -> String {
    format!(
        "the thread `{thread}` has the name \"{name}\", but that is the name of {owner}: messages \
         and the lab tell threads apart by their names, so give it another"
    )
}
