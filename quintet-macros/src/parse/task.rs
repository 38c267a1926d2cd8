//! The functions `#[task(..)]`.
//!
//! With `binds` a task is started by hardware, without by software. The priority is a literal: it
//! decides which tasks share a level and a dispatcher, and a macro sees the name of a constant but
//! not its value.

use proc_macro2::Span;
use syn::{Attribute, Error, Ident, LitInt, PatType};

use super::entry::at_output;
use super::function::{IS_ABORTED, RETURNS, Source, refuse_static_context};
use super::list::Argument;
use super::{access, attributes, lifetimes, list, opaque};
use crate::errors::Errors;
use crate::model::{Form, Hardware, LocalAccess, Priority, SharedAccess, Software, Task, TaskKind};

/// Exceptions of the core with a priority that can be set.
pub const CONFIGURABLE_EXCEPTIONS: [&str; 8] = [
    "MemoryManagement",
    "BusFault",
    "UsageFault",
    "SecureFault",
    "SVCall",
    "DebugMonitor",
    "PendSV",
    "SysTick",
];
/// The arguments of a task.
const ARGUMENTS: [&str; 7] =
    ["binds", "priority", "shared", "local", "local_task", "capacity", "joinable"];
/// The most parameters of a software task besides its context.
const ARGUMENTS_MAX: usize = 15;
/// The most instances of a software task that may wait.
const CAPACITY_MAX: u8 = 32;

/// What stands in `#[task(..)]`.
#[derive(Default)]
struct TaskArguments {
    binds: Option<Ident>,
    priority: Option<(u8, LitInt)>,
    shared: Vec<SharedAccess>,
    local: Vec<LocalAccess>,
    local_task: Option<Span>,
    capacity: Option<(u8, Ident)>,
    joinable: Option<Span>,
    /// Whether `binds` was there, even unreadable.
    is_hardware: bool,
    /// Whether there was one that can't be read, or that tasks don't have: what it was meant for is
    /// missing.
    has_unknown: bool,
    /// Whether `priority` was there, even unreadable.
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
    // Where `binds` may be what is misspelled, a plain function says that it is.
    if arguments.is_hardware || (arguments.has_unknown && !source.is_async()) {
        hardware(arguments, source, errors)
    } else {
        software(arguments, source, errors)
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
            "local_task" => self.local_task = argument.flag()?.then(|| name.span()),
            "joinable" => self.joinable = argument.flag()?.then(|| name.span()),
            "capacity" => self.capacity = Some((capacity(argument)?, name.clone())),
            _ => {
                self.has_unknown = true;
                return Err(unknown(name));
            }
        }
        Ok(())
    }

    /// The priority, or the default at the task's name. A default in the place of what was meant
    /// isn't known: it would be refused for what the user didn't write.
    fn priority(&self, name: &Ident, default: u8) -> Priority {
        let Some((value, literal)) = &self.priority else {
            let known = !self.has_priority && !self.has_unknown;
            return Priority { value: default, span: name.span(), given: false, known };
        };
        Priority { value: *value, span: literal.span(), given: true, known: true }
    }
}

/// `capacity = n`.
fn capacity(argument: &Argument) -> syn::Result<u8> {
    let reason = "memory for the instances is laid out before constants have values";
    let (value, literal) = argument.number(&(1..=CAPACITY_MAX), "capacity = 4", reason)?;
    if (1..=CAPACITY_MAX).contains(&value) {
        return Ok(value);
    }
    let message = format!(
        "`capacity` is from 1 to {CAPACITY_MAX}: so many spawned instances may wait; 1 is the \
         default"
    );
    Err(Error::new_spanned(literal, message))
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
            let all = "`binds`, `priority`, `shared` and `local`, and without `binds` also \
                       `local_task`, `capacity` and `joinable`";
            list::advice(name, &ARGUMENTS, all)
        }
    };
    Error::new(name.span(), format!("a task has no argument `{name}`; {advice}"))
}

/// A task that hardware starts.
fn hardware(arguments: TaskArguments, source: Source, errors: &mut Errors) -> Option<Task> {
    let name = source.name().clone();
    let expected = format!("fn {name}(cx: {name}::Context)");
    for (word, span) in [
        ("local_task", arguments.local_task),
        ("joinable", arguments.joinable),
        ("capacity", arguments.capacity.as_ref().map(|(_, word)| word.span())),
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
    let binds = arguments.binds?;
    let exception = CONFIGURABLE_EXCEPTIONS.iter().any(|exception| binds == exception);
    let kind = TaskKind::Hardware(Hardware { binds, exception });
    Some(Task { function, kind, priority, shared: arguments.shared, local: arguments.local })
}

/// A task that software starts.
fn software(arguments: TaskArguments, source: Source, errors: &mut Errors) -> Option<Task> {
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
    let (function, mut rest) = source.into_function(&expected, errors)?;
    errors.ok(refuse_surplus(&name, &rest, "spawn"));
    opaque::refuse(&name, &rest, &expected, errors);
    lifetimes::fill(&mut rest);
    let priority = arguments.priority(&name, 0);
    let software = Software {
        form,
        diverging,
        arguments: rest,
        local_task: arguments.local_task,
        capacity: arguments.capacity.map_or(1, |(capacity, _)| capacity),
        joinable: arguments.joinable,
    };
    if !diverging {
        refuse_static_context(&function, RETURNS, errors);
    } else if !software.never_ends() {
        refuse_static_context(&function, IS_ABORTED, errors);
    }
    let kind = TaskKind::Software(software);
    Some(Task { function, kind, priority, shared: arguments.shared, local: arguments.local })
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

/// Refuses more parameters than can be passed to `act`, a spawn or a start.
pub fn refuse_surplus(name: &Ident, arguments: &[PatType], act: &str) -> syn::Result<()> {
    arguments.get(ARGUMENTS_MAX).map_or(Ok(()), |surplus| {
        let message = format!(
            "`{name}` has {} parameters besides its context; at most {ARGUMENTS_MAX} can be passed \
             to a {act}: pass some of them together, in a struct or a tuple",
            arguments.len()
        );
        Err(Error::new_spanned(surplus, message))
    })
}
