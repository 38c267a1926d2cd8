//! Reads the functions `#[actor(..)]`.
//!
//! An actor's function runs for one event after the other. So the function has one parameter
//! besides the context: the event. The length of the queue is a literal, as a priority is, because
//! the queue's memory is laid out before constants have values.

use proc_macro2::{Span, TokenStream};
use quote::ToTokens;
use syn::parse::{ParseStream, Parser};
use syn::{Attribute, Error, Expr, Ident, LitInt, PatType, Token, Type};

use crate::errors::Errors;
use crate::grammar::function::{Source, at_output, refuse_static_context};
use crate::grammar::list::Argument;
use crate::grammar::timing::{DEADLINE, PERIOD, TimingArguments};
use crate::grammar::{access, attributes, lifetimes, list, opaque};
use crate::model::{
    Actor, LocalAccess, Priority, RunBy, SharedAccess, Subscription, Task, TaskKind, Timing,
};

/// The arguments of an actor.
const ARGUMENTS: [&str; 11] = [
    "priority",
    "queue",
    PERIOD,
    DEADLINE,
    "instances",
    "threshold",
    "first",
    "manual",
    "subscribe",
    "shared",
    "local",
];
/// The most events that a queue has room for.
const QUEUE_MAX: u8 = 255;
/// Of an actor's handler: why its context ends, and the way out.
const HANDLES_EACH: [&str; 2] =
    ["is called for each event anew", "keep what outlives one in `local`"];

/// The content of `#[actor(..)]`.
#[derive(Default)]
struct ActorArguments {
    priority: Option<(u8, LitInt)>,
    queue: Option<u8>,
    instances: Option<u8>,
    threshold: Option<(u8, Span)>,
    first: Option<Expr>,
    manual: bool,
    subscriptions: Vec<Subscription>,
    shared: Vec<SharedAccess>,
    local: Vec<LocalAccess>,
    timing: TimingArguments,
    /// Where `period` stands, or `deadline`.
    timed: Option<Span>,
    /// `true` if `priority` was there, or an argument that may have been meant for it.
    may_have_priority: bool,
    /// `true` if `queue` was there, or an argument that may have been meant for it.
    may_have_queue: bool,
}

/// Reads an actor.
pub fn read(role: &Attribute, source: Source, errors: &mut Errors) -> Option<Task> {
    let tokens = errors.ok(attributes::arguments(role))?;
    let name = source.name().clone();
    let mut arguments = ActorArguments::default();
    let before = errors.count();
    let list = list::read(tokens, errors);
    if errors.count() > before {
        (arguments.may_have_priority, arguments.may_have_queue) = (true, true);
    }
    for argument in list {
        let result = arguments.read(&argument, &name, errors);
        errors.ok(result);
    }
    let word = if source.is_async() { "async fn" } else { "fn" };
    let expected = format!("{word} {name}(cx: {name}::Context, event: Event)");
    if !source.returns_unit() {
        let message = format!(
            "`{name}` is an actor, which returns when it has handled an event, with no value: it \
             must be `{expected}`"
        );
        errors.push(at_output(&source, message));
    }
    let function = source.into_function(&expected, errors);
    if arguments.queue.is_none() && !arguments.may_have_queue {
        let message = format!(
            "`{name}` has no `queue`: say how many events can wait for it, from 1 to {QUEUE_MAX}, \
             as in `#[actor(priority = 2, queue = 4)]`; the lab shows how many ever did"
        );
        errors.on(&role.meta, message);
    }
    let (mut function, mut rest) = function?;
    errors.ok(refuse_parameters(&name, &rest, &expected))?;
    opaque::refuse(&name, &rest, &expected, errors);
    refuse_static_context(&function, HANDLES_EACH, errors);
    lifetimes::fill(&mut rest);
    function.arguments = rest;
    if let (Some(span), Some(_)) = (arguments.timed, arguments.instances) {
        let message = format!(
            "`{name}` has several `instances`, whose events the lab can't tell apart: it has no \
             `period` and no `deadline`; declare those of what posts the events"
        );
        errors.at(span, message);
    }
    let timing = std::mem::take(&mut arguments.timing);
    let timing = timing.finish(arguments.may_have_queue && arguments.queue.is_none(), errors);
    Some(arguments.into_task(function, timing))
}

impl ActorArguments {
    /// Reads one argument.
    fn read(&mut self, argument: &Argument, actor: &Ident, errors: &mut Errors) -> syn::Result<()> {
        match argument.name.to_string().as_str() {
            "priority" => {
                self.may_have_priority = true;
                let reason = "which tasks share a level is decided before constants have values";
                self.priority = Some(argument.number(&(0..=u8::MAX), "priority = 2", reason)?);
            }
            "queue" => {
                self.may_have_queue = true;
                let says = "so many events can wait for the actor";
                self.queue = Some(argument.count(QUEUE_MAX, "queue = 4", says)?);
            }
            "instances" => self.instances = Some(argument.instances("actor")?),
            "threshold" => {
                let reason = "who may preempt whom is decided before constants have values";
                let (value, literal) = argument.number(&(0..=u8::MAX), "threshold = 3", reason)?;
                self.threshold = Some((value, literal.span()));
            }
            "first" => {
                let message = "`first` is the event with which each start begins, as in `first = \
                               Event::Start`";
                self.first = Some(argument.parse("first = Event::Start", message)?);
            }
            "manual" => self.manual = argument.flag()?,
            PERIOD | DEADLINE => {
                self.timed.get_or_insert(argument.name.span());
                self.timing.read(argument)?;
            }
            "subscribe" => {
                let content = argument.list("subscribe = [Topic, Other: off]")?;
                self.subscriptions = subscriptions(content)?;
            }
            "shared" => {
                let content = argument.list("shared = [x, &y]")?;
                self.shared = access::read_shared(content, errors);
            }
            "local" => {
                let content = argument.list("local = [a, count: u32 = 0]")?;
                self.local = access::read_local(content, errors);
            }
            _ => {
                (self.may_have_priority, self.may_have_queue) = (true, true);
                return Err(unknown(&argument.name, actor));
            }
        }
        Ok(())
    }

    /// The actor.
    fn into_task(self, function: crate::model::Function, timing: Option<Timing>) -> Task {
        let priority = match &self.priority {
            Some((value, literal)) => Priority::written(*value, literal),
            None => Priority::left_out(0, &function.name, !self.may_have_priority),
        };
        let instances = self.instances.map(usize::from);
        let actor = Actor {
            // An unreadable argument has been refused.
            queue: self.queue.unwrap_or(1),
            threshold: self.threshold,
            first: self.first,
            manual: self.manual,
            subscriptions: self.subscriptions,
        };
        Task {
            function,
            kind: TaskKind::Actor(Box::new(actor)),
            what: "actor",
            run_by: RunBy::Slots(instances.unwrap_or(1)),
            instances,
            never_ends: false,
            priority,
            timing,
            shared: self.shared,
            local: self.local,
        }
    }
}

/// Reads the content of `subscribe = [..]`.
fn subscriptions(content: TokenStream) -> syn::Result<Vec<Subscription>> {
    let read = |input: ParseStream<'_>| {
        let list = input.parse_terminated(subscription, Token![,])?;
        Ok(list.into_iter().collect::<Vec<_>>())
    };
    let list = read.parse2(content)?;
    let text = |one: &Subscription| one.topic.to_token_stream().to_string();
    for (index, one) in list.iter().enumerate() {
        if list.iter().take(index).any(|earlier| text(earlier) == text(one)) {
            let message = "this topic is in the list already; keep one of the two";
            return Err(Error::new_spanned(&one.topic, message));
        }
    }
    Ok(list)
}

/// `Topic` or `Topic: off`.
fn subscription(input: ParseStream<'_>) -> syn::Result<Subscription> {
    let message = "an entry of this list is a topic, which is a type, or `Topic: off` for one that \
                   is subscribed to later, by `subscribe`";
    let topic = match input.parse::<Type>() {
        Ok(topic @ (Type::Path(_) | Type::Tuple(_) | Type::Reference(_))) => topic,
        Ok(other) => return Err(Error::new_spanned(other, message)),
        Err(error) => return Err(Error::new(error.span(), message)),
    };
    if !input.peek(Token![:]) {
        return Ok(Subscription { topic, on: true });
    }
    input.parse::<Token![:]>()?;
    let word = input.parse::<Ident>().map_err(|error| Error::new(error.span(), message))?;
    if word == "off" {
        return Ok(Subscription { topic, on: false });
    }
    Err(Error::new(word.span(), message))
}

/// Refuses anything but one parameter, the event.
fn refuse_parameters(name: &Ident, arguments: &[PatType], expected: &str) -> syn::Result<()> {
    match arguments {
        [_] => Ok(()),
        [] => {
            let message = format!(
                "`{name}` is an actor, which is called with an event, but it takes none: it must \
                 be `{expected}`, with the type of its events"
            );
            Err(Error::new(name.span(), message))
        }
        [_, second, ..] => {
            let message = format!(
                "`{name}` is an actor, which is called with one event, so this parameter has no \
                 value: put it into the event, whose type may be an enumeration with fields"
            );
            Err(Error::new_spanned(second, message))
        }
    }
}

/// The refusal of an argument that actors don't have.
fn unknown(name: &Ident, actor: &Ident) -> Error {
    let message = match name.to_string().as_str() {
        "binds" => format!(
            "hardware starts tasks, not actors: write `#[task(binds = ..)]` for what the interrupt \
             does, and let it `{actor}::post(..)` an event"
        ),
        "capacity" => {
            format!("`capacity` is a task's; how many events wait for `{actor}` is `queue`")
        }
        "stack" | "slice_us" => format!(
            "`{name}` is a thread's, but `{actor}` is an actor, which runs on the stack of what \
             runs its level: leave it out"
        ),
        "local_task" | "joinable" => format!(
            "`{name}` says how a software task is spawned, but `{actor}` is an actor, to which \
             events are posted: leave it out"
        ),
        _ => {
            let all = "`priority`, `queue`, `period`, `deadline`, `instances`, `threshold`, \
                       `first`, `manual`, `subscribe`, `shared` and `local`";
            let advice = list::advice(name, &ARGUMENTS, all);
            format!("an actor has no argument `{name}`; {advice}")
        }
    };
    Error::new(name.span(), message)
}
