//! The functions `#[task(..)]`.
//!
//! Hardware starts a task with `binds`, and software a task without. The priority is a literal: it
//! decides which tasks share a level and a dispatcher, and a macro sees the name of a constant but
//! not its value.

use proc_macro2::Span;
use syn::{Attribute, Error, Ident, LitInt};

use super::{hardware, software};
use crate::errors::Errors;
use crate::grammar::function::Source;
use crate::grammar::list::Argument;
use crate::grammar::timing::{DEADLINE, PERIOD, TimingArguments};
use crate::grammar::{access, attributes, list};
use crate::model::{LocalAccess, Priority, SharedAccess, Task, Timing};

/// The arguments of a task.
const ARGUMENTS: [&str; 10] = [
    "binds",
    "priority",
    PERIOD,
    DEADLINE,
    "shared",
    "local",
    "local_task",
    "capacity",
    "instances",
    "joinable",
];

/// The content of `#[task(..)]`.
#[derive(Default)]
pub struct TaskArguments {
    pub binds: Option<Ident>,
    pub priority: Option<(u8, LitInt)>,
    pub shared: Vec<SharedAccess>,
    pub local: Vec<LocalAccess>,
    pub local_task: Option<Span>,
    pub capacity: Option<(u8, Ident)>,
    pub instances: Option<(u8, Ident)>,
    pub joinable: Option<Span>,
    timing: TimingArguments,
    /// `true` if `binds` was there, even unreadable.
    is_hardware: bool,
    /// `true` if one argument was unreadable, or is none that tasks have. The argument that the
    /// user meant is missing then.
    has_unknown: bool,
    /// `true` if `priority` was there, even unreadable.
    has_priority: bool,
}

/// Reads a task.
pub fn read(role: &Attribute, source: Source, errors: &mut Errors) -> Option<Task> {
    let tokens = errors.ok(attributes::arguments(role))?;
    let mut arguments = TaskArguments::default();
    let before = errors.count();
    let list = list::read(tokens, errors);
    arguments.has_unknown = errors.count() > before;
    for argument in list {
        let result = arguments.read(&argument, errors);
        errors.ok(result);
    }
    // If `binds` may be the misspelled argument, a plain function is a hardware task.
    if arguments.is_hardware || (arguments.has_unknown && !source.is_async()) {
        hardware::parse::finish(arguments, source, errors)
    } else {
        software::parse::finish(arguments, source, errors)
    }
}

impl TaskArguments {
    /// Reads one argument.
    fn read(&mut self, argument: &Argument, errors: &mut Errors) -> syn::Result<()> {
        let name = &argument.name;
        match name.to_string().as_str() {
            "binds" => {
                self.is_hardware = true;
                let message = "`binds` is the bare name of an interrupt or exception, as in \
                               `binds = UART0`";
                self.binds = Some(argument.parse("binds = UART0", message)?);
            }
            "priority" => {
                self.has_priority = true;
                let reason = "which tasks share a level is decided before constants have values";
                self.priority = Some(argument.number(&(0..=u8::MAX), "priority = 2", reason)?);
            }
            "shared" => {
                let content = argument.list("shared = [x, &y]")?;
                self.shared = access::read_shared(content, errors);
            }
            "local" => {
                let content = argument.list("local = [a, count: u32 = 0]")?;
                self.local = access::read_local(content, errors);
            }
            PERIOD | DEADLINE => self.timing.read(argument)?,
            "local_task" => self.local_task = argument.flag()?.then(|| name.span()),
            "joinable" => self.joinable = argument.flag()?.then(|| name.span()),
            "capacity" => {
                self.capacity = Some((software::parse::capacity(argument)?, name.clone()));
            }
            "instances" => self.instances = Some((argument.instances("task")?, name.clone())),
            _ => {
                self.has_unknown = true;
                return Err(unknown(name));
            }
        }
        Ok(())
    }

    /// Returns how often the task arrives, and when it must be done.
    pub fn timing(&mut self, errors: &mut Errors) -> Option<Timing> {
        std::mem::take(&mut self.timing).finish(self.has_unknown, errors)
    }

    /// Returns the priority, or the default at the task's name. A default in the place of an
    /// unreadable priority isn't known: otherwise it would be refused, although the user didn't
    /// write it.
    pub fn priority(&self, name: &Ident, default: u8) -> Priority {
        match &self.priority {
            Some((value, literal)) => Priority::written(*value, literal),
            None => Priority::left_out(default, name, !self.has_priority && !self.has_unknown),
        }
    }
}

/// The refusal of an argument that tasks don't have.
fn unknown(name: &Ident) -> Error {
    let advice = match name.to_string().as_str() {
        "resources" => "list resources in `shared` and `local`".to_owned(),
        "schedule" => "time is a library: delay in an `async` task".to_owned(),
        "spawn" => "every task may spawn every software task, so leave it out".to_owned(),
        "stack" | "slice_us" | "manual" => {
            "a thread has, `#[thread(..)]`, which may wait in the middle of what it does".to_owned()
        }
        _ => {
            let all = "`binds`, `priority`, `period`, `deadline`, `shared` and `local`, and \
                       without `binds` also `local_task`, `capacity`, `instances` and \
                       `joinable`";
            list::advice(name, &ARGUMENTS, all)
        }
    };
    Error::new(name.span(), format!("a task has no argument `{name}`; {advice}"))
}
