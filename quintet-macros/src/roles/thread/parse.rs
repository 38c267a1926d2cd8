//! The functions `#[thread(..)]`.
//!
//! A thread has a stack of its own, so a thread may wait in the middle of its work. The priority is
//! a literal, as a task's is. The size of the stack is an expression, because the macro needs no
//! value of it.

use quote::ToTokens;
use syn::{Attribute, Error, Expr, Ident, LitInt, LitStr};

use crate::errors::Errors;
use crate::grammar::function::{RETURNS, Source, at_output, refuse_static_context, refuse_surplus};
use crate::grammar::list::Argument;
use crate::grammar::timing::{DEADLINE, PERIOD, TimingArguments};
use crate::grammar::{access, attributes, list, opaque};
use crate::line::PRIORITY_MAX;
use crate::model::{LocalAccess, Priority, RunBy, SharedAccess, Slice, Task, TaskKind, Thread};

/// The arguments of a thread.
const ARGUMENTS: [&str; 10] = [
    "priority",
    "stack",
    PERIOD,
    DEADLINE,
    "shared",
    "local",
    "name",
    "slice_us",
    "manual",
    "instances",
];

/// The content of `#[thread(..)]`.
#[derive(Default)]
struct ThreadArguments {
    priority: Given<(u8, LitInt)>,
    stack: Given<Expr>,
    shared: Vec<SharedAccess>,
    local: Vec<LocalAccess>,
    label: Option<LitStr>,
    slice: Option<Slice>,
    manual: bool,
    timing: TimingArguments,
    has_unknown: bool,
    instances: Option<u8>,
}

/// An argument that must be there.
#[derive(Default)]
enum Given<T> {
    /// The argument is missing.
    #[default]
    No,
    /// The argument is there, but unreadable. It has been refused.
    Unreadable,
    /// The argument is there.
    Yes(T),
}

impl<T> Given<T> {
    /// Makes a value of the result of a read.
    fn of(result: syn::Result<T>, errors: &mut Errors) -> Self {
        errors.ok(result).map_or(Self::Unreadable, Self::Yes)
    }

    /// Lets the argument be missing without an error.
    fn excuse(&mut self) {
        if matches!(self, Self::No) {
            *self = Self::Unreadable;
        }
    }

    /// Returns the value, or an error at the attribute if the value is missing.
    fn or_missing(self, role: &Attribute, message: &str, errors: &mut Errors) -> Option<T> {
        match self {
            Self::Yes(value) => Some(value),
            Self::Unreadable => None,
            Self::No => {
                errors.on(&role.meta, message);
                None
            }
        }
    }
}

/// Reads a thread.
pub fn read(role: &Attribute, source: Source, errors: &mut Errors) -> Option<Task> {
    let tokens = errors.ok(attributes::arguments(role))?;
    let name = source.name().clone();
    let mut arguments = ThreadArguments::default();
    for argument in list::read(tokens, errors) {
        let result = arguments.read(&argument, &name, errors);
        errors.ok(result);
    }
    let expected = format!("fn {name}(cx: {name}::Context, ..)");
    refuse_async(&source, &expected, errors);
    let diverging = source.is_diverging();
    if !diverging && !source.returns_unit() {
        let message = format!(
            "nobody takes the value that `{name}` returns: it must be `{expected}`, or `{expected} \
             -> !`"
        );
        errors.push(at_output(&source, message));
    }
    let function = source.into_function(&expected, errors);
    let timing = arguments.timing.finish(arguments.has_unknown, errors);
    let ThreadArguments { priority, stack, shared, local, label, slice, manual, instances, .. } =
        arguments;
    let message = format!(
        "`{name}` has no `priority`: give it one from 1 to 31, as in `#[thread(priority = 3, stack \
         = 1024)]`; 0 is idle's"
    );
    let priority = priority.or_missing(role, &message, errors);
    let message = format!(
        "`{name}` has no `stack`: say how many bytes it needs, as in `#[thread(priority = 3, stack \
         = 1024)]`; the lab shows how much of it is used"
    );
    let stack = stack.or_missing(role, &message, errors);
    let (mut function, rest) = function?;
    errors.ok(refuse_surplus(&name, &rest, "start"));
    opaque::refuse(&name, &rest, &expected, errors);
    if !diverging {
        refuse_static_context(&function, RETURNS, errors);
    }
    let (value, literal) = priority?;
    let priority = Priority::written(value, &literal);
    let manual = manual || !rest.is_empty();
    function.arguments = rest;
    let thread = Thread { stack: stack?, label, slice, manual };
    Some(Task {
        function,
        kind: TaskKind::Thread(Box::new(thread)),
        what: "thread",
        run_by: RunBy::Thread,
        instances: instances.map(usize::from),
        never_ends: diverging,
        priority,
        timing,
        shared,
        local,
    })
}

impl ThreadArguments {
    /// Reads one argument.
    fn read(
        &mut self,
        argument: &Argument,
        thread: &Ident,
        errors: &mut Errors,
    ) -> syn::Result<()> {
        match argument.name.to_string().as_str() {
            "priority" => {
                let reason = "who may preempt whom is decided before constants have values";
                let priority = argument.number(&(1..=PRIORITY_MAX), "priority = 3", reason);
                self.priority = Given::of(priority, errors);
            }
            "stack" => {
                let message = "`stack` is the size of the stack in bytes, as in `stack = 1024`";
                self.stack = Given::of(argument.parse("stack = 1024", message), errors);
            }
            "shared" => {
                let content = argument.list("shared = [x, &y]")?;
                self.shared = access::read_shared(content, errors);
            }
            "local" => {
                let content = argument.list("local = [a, count: u32 = 0]")?;
                self.local = access::read_local(content, errors);
            }
            "name" => {
                let message = "`name` is a text, as in `name = \"worker\"`: messages and the lab \
                               show it";
                self.label = Some(argument.parse("name = \"worker\"", message)?);
            }
            "slice_us" => self.slice = Some(slice(argument)?),
            "manual" => self.manual = argument.flag()?,
            PERIOD | DEADLINE => self.timing.read(argument)?,
            "instances" => self.instances = Some(argument.instances("thread")?),
            _ => {
                // The argument may have been meant for one that must be there.
                self.priority.excuse();
                self.stack.excuse();
                self.has_unknown = true;
                return Err(unknown(&argument.name, thread));
            }
        }
        Ok(())
    }
}

/// `slice_us = n`.
fn slice(argument: &Argument) -> syn::Result<Slice> {
    let reason = "the slices of a priority are compared before constants have values";
    let (microseconds, literal) = argument.number(&(1..=u32::MAX), "slice_us = 1000", reason)?;
    if microseconds == 0 {
        let message = "a slice of 0 microseconds would be over before it begins: give it some, or \
                       leave out `slice_us`, and threads of one priority run until they wait";
        return Err(Error::new_spanned(literal, message));
    }
    Ok(Slice { microseconds, span: literal.span() })
}

/// The refusal of an argument that threads don't have.
fn unknown(name: &Ident, thread: &Ident) -> Error {
    let message = match name.to_string().as_str() {
        "binds" => format!(
            "hardware starts tasks, not threads: write `#[task(binds = ..)]` for what the \
             interrupt does, and let `{thread}` wait for what that gives"
        ),
        "local_task" | "capacity" | "joinable" => format!(
            "`{name}` says how a software task is spawned, but `{thread}` is a thread, which runs \
             once at a time: leave it out"
        ),
        _ => {
            let all = "`priority`, `stack`, `period`, `deadline`, `shared`, `local`, `name`, \
                       `slice_us`, `manual` and `instances`";
            let advice = list::advice(name, &ARGUMENTS, all);
            format!("a thread has no argument `{name}`; {advice}")
        }
    };
    Error::new(name.span(), message)
}

/// Refuses an `async fn`.
fn refuse_async(source: &Source, expected: &str, errors: &mut Errors) {
    let Some(word) = &source.signature.asyncness else { return };
    let name = source.name();
    let message = format!(
        "`{name}` is a thread, which waits by blocking, so it isn't `async`: write `{expected}`, \
         or make it a `#[task]`"
    );
    errors.on(word.to_token_stream(), message);
}
