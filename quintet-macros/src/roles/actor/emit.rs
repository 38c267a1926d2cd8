//! Actors: their queues, the jobs that take events out, and their lines of the map. The functions
//! that others call are in [`posts`](super::posts).

use proc_macro2::TokenStream;
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::Type;
use syn::spanned::Spanned;

use super::names::part;
use super::place::threshold;
use super::posts::{FILL, definition};
use super::publish::subscriptions;
use crate::line::Place;
use crate::model::{Actor, Form, Task};
use crate::write::functions::{arguments, context_variable, instance_variable, maker, own_number};
use crate::write::levels::{Caller, Placed, job};
use crate::write::map::MapLine;
use crate::write::{Output, names};

/// The functions that each actor's module has. [`publish`](super::publish) has two more.
const FUNCTIONS: [&str; 9] = [
    "post",
    "post_front",
    "try_post",
    "try_post_front",
    "try_post_margin",
    "handle",
    "start",
    "stop",
    "restart",
];

/// The type of an actor's events.
pub fn event(task: &Task) -> Option<&Type> {
    task.function.arguments.first().map(|argument| &*argument.ty)
}

impl Output<'_> {
    /// The items of a slot. The first slot of an actor has the actor's items too.
    pub fn actor(&self, placed: &Placed<'_>, actor: &Actor) -> TokenStream {
        let task = placed.slot.task;
        let items = (placed.slot.instance == 0).then(|| {
            let (queue, posts) = (self.event_queue(task, actor), self.posts(placed, actor));
            let hears = subscriptions(task, actor);
            let run = if task.is_async() { self.cell(task) } else { self.handler_of(task, actor) };
            let first = Self::first_event(task, actor);
            let assertion = self.event_assertion(task);
            let cfgs = task.cfgs();
            quote! {
                #queue
                #posts
                #first
                #hears
                #run
                #(#cfgs)*
                const _: () = { #assertion };
            }
        });
        let (job_of_slot, waker) = if task.is_async() {
            let name = placed.own_name();
            (self.poll(placed), Some(self.own_waker(placed, &name)))
        } else {
            let (handle, instance) = (part(task.name(), "take"), placed.slot.instance);
            let instance = task.instances.map(|_| quote!(#instance));
            (quote!(#handle(#instance)), None)
        };
        let job = job(&self.quintet, placed, &job_of_slot);
        quote!(#items #waker #job)
    }

    /// The assertion that an event isn't too large.
    fn event_assertion(&self, task: &Task) -> Option<TokenStream> {
        event(task).map(|event| {
            let quintet = self.quintet_at(event.span());
            let message = format!(
                "an event has at most 16 bytes, but one of the actor `{}` has more: let what is \
                 large go by a handle (`quintet::actor::EventPool`) or by `&'static`",
                task.name()
            );
            quote_spanned! {event.span()=>
                const _: () = ::core::assert!(
                    ::core::mem::size_of::<#event>() <= #quintet::actor::EVENT_MAX, #message
                );
            }
        })
    }

    /// The queue, or those of all instances.
    fn event_queue(&self, task: &Task, actor: &Actor) -> TokenStream {
        let (quintet, cfgs, event) = (&self.quintet, task.cfgs(), event(task));
        let (queue, places) = (names::queue(task.name()), usize::from(actor.queue));
        let is_stopped = actor.manual;
        let ty = quote!(#quintet::export::actor::Queue<#event, #places>);
        let value = quote!(#quintet::export::actor::Queue::of_actor(#is_stopped));
        let (ty, value) = match task.instances {
            None => (ty, value),
            Some(count) => (quote!([#ty; #count]), quote!([const { #value }; #count])),
        };
        let place = quote!(#quintet::export::actor::Static);
        // SAFETY (of the expansion): the events are those of the actor's definition.
        quote! {
            #(#cfgs)*
            #[allow(non_upper_case_globals)]
            static #queue: #place<#ty> = unsafe { #place::new(#value) };
        }
    }

    /// The function that makes the first event of an actor.
    fn first_event(task: &Task, actor: &Actor) -> TokenStream {
        let Some(value) = &actor.first else { return TokenStream::new() };
        let (cfgs, event, make) = (task.cfgs(), event(task), part(task.name(), "make_first"));
        let number = task.instances.and_then(|_| own_number(value));
        let number = number.map_or_else(|| quote!(_), ToTokens::into_token_stream);
        quote! {
            #(#cfgs)*
            #[allow(non_snake_case)]
            #[inline(always)]
            fn #make(#number: ::core::primitive::usize) -> #event { #value }
        }
    }

    /// The function that takes an event and calls the handler. If more events wait, it makes the
    /// slot ready before the call, so that the level's other slots have their turns in between.
    fn handler_of(&self, task: &Task, actor: &Actor) -> TokenStream {
        let quintet = &self.quintet;
        let (name, cfgs, maker) = (task.name(), task.cfgs(), maker(task));
        let (take, definition) = (part(name, "take"), definition(name, actor));
        let (arguments, _) = arguments(&task.function.arguments);
        let instance = task.instances.map(|_| instance_variable());
        let parameter =
            instance.as_ref().map(|instance| quote!(#instance: ::core::primitive::usize));
        let number = instance.as_ref().map_or_else(|| quote!(0), |instance| quote!(#instance));
        let build = self.build_context_of(name, false, name.span(), instance.as_ref());
        let context = context_variable();
        // One for all instances, unless the function is so short that each can have a copy.
        let inline = task.instances.is_none().then(|| quote!(#[inline(always)]));
        let call = quote!(#maker(#context, #(#arguments),*));
        let (resource, call) = self.held_off(task, actor, call);
        quote! {
            #resource
            #(#cfgs)*
            #inline
            #[allow(non_snake_case)]
            fn #take(#parameter) {
                if let ::core::option::Option::Some(#(#arguments)*) =
                    #quintet::export::actor::take::<#definition>(#number)
                {
                    #build
                    #call
                }
            }
        }
    }

    /// A call of the handler under the actor's threshold. The call is a section of a resource of
    /// its own, of which nobody else has a proxy.
    fn held_off(
        &self,
        task: &Task,
        actor: &Actor,
        call: TokenStream,
    ) -> (TokenStream, TokenStream) {
        let (quintet, device) = (&self.quintet, &self.app.arguments.device);
        let Some(place) = threshold(self.analysis, task, actor) else {
            return (TokenStream::new(), call);
        };
        let (cfgs, ty) = (task.cfgs(), part(task.name(), "Threshold"));
        let value = quote!(::core::ptr::dangling_mut::<()>());
        let (implementation, call) = if let Place::Level(priority) = place {
            // No code of the application runs above its highest priority.
            let hardware = self.analysis.line.hardware(priority).min(self.plan.kernel_ceiling);
            let interrupts = names::interrupts();
            // A thread may host the actor: then the switch is held off too.
            let ceiling = if self.analysis.line.has_threads() {
                quote!(with_threads(#hardware, #device::NVIC_PRIO_BITS))
            } else {
                quote!(new(#hardware, #device::NVIC_PRIO_BITS, #interrupts))
            };
            let implementation = quote! {
                impl #quintet::export::Resource for #ty {
                    type Value = ();
                    const CEILING: #quintet::export::Ceiling = #quintet::export::Ceiling::#ceiling;
                    const ALONE: ::core::primitive::bool = false;
                }
            };
            (implementation, quote!(#quintet::export::resource::<#ty, _>(true, #value, |()| #call)))
        } else {
            let ceiling = place.priority();
            let implementation = quote! {
                impl #quintet::export::threads::ThreadResource for #ty {
                    type Value = ();
                    const CEILING: ::core::primitive::u8 = #ceiling;
                }
            };
            let section = quote!(#quintet::export::threads::thread_resource::<#ty, _>);
            (implementation, quote!(#section(#value, |()| #call)))
        };
        let resource = quote! {
            #(#cfgs)*
            #[allow(non_camel_case_types)]
            enum #ty {}
            #(#cfgs)*
            #implementation
        };
        // SAFETY (of the expansion): nobody else has this resource, whose value has no size.
        (resource, quote!(unsafe { #call }))
    }

    /// Polls the handler that is alive. If none is alive, takes an event and builds the handler's
    /// future first.
    fn poll(&self, placed: &Placed<'_>) -> TokenStream {
        let (task, instance) = (placed.slot.task, placed.slot.instance);
        let (name, maker, call) = (task.name(), maker(task), self.call());
        let (cell, queue) = (names::cell(name), names::queue(name));
        let waker = names::own_waker(&placed.own_name());
        let wake = self.make_ready_from(Caller::Known, placed.level, placed.slot);
        let (arguments, _) = arguments(&task.function.arguments);
        let index = task.instances.map(|_| quote!([#instance]));
        let number = task.instances.map(|_| quote!(#instance,));
        // The event may have any name.
        let (cell, queue) = (quote!(#cell #index), quote!(#queue.get() #index));
        quote! {
            if !#cell.is_alive() {
                let ::core::option::Option::Some((#(#arguments)*, _)) = #queue.take() else {
                    return;
                };
                // SAFETY: nobody else fills the cell: posts put their events into the queue.
                unsafe { #cell.fill(#maker, move || #maker(#call, #number #(#arguments),*)) };
            }
            // SAFETY: the level runs it, and a future is alive now.
            if unsafe { #cell.poll_alive(#maker, #waker()) } && #queue.fill().len > 0 {
                #wake
            }
        }
    }

    /// An actor in the map.
    pub fn actor_line<'b>(&self, task: &'b Task, actor: &Actor) -> MapLine<'b> {
        let form = match task.function.form {
            Form::Async => "async",
            Form::Plain => "fn",
        };
        let [runner, its_priority] = self.runner(task);
        let words = vec![
            "actor".into(),
            task.name().to_string(),
            task.priority.value.to_string(),
            form.into(),
            actor.queue.to_string(),
            task.instances.map_or_else(|| "-".to_owned(), |count| count.to_string()),
            runner,
            its_priority,
        ];
        MapLine { cfgs: task.cfgs(), words, operands: Vec::new() }
    }
}

/// Posts the first event, before `init` may post others.
pub fn begin(task: &Task, actor: &Actor) -> TokenStream {
    if actor.first.is_none() || actor.manual {
        return TokenStream::new();
    }
    let (cfgs, [post, make]) =
        (task.cfgs(), ["post", "make_first"].map(|one| part(task.name(), one)));
    match task.instances {
        None => quote!(#(#cfgs)* #post(#make(0));),
        Some(count) => quote! {
            #(#cfgs)*
            for __quintet_instance in 0..#count {
                #post(__quintet_instance, #make(__quintet_instance));
            }
        },
    }
}

/// The items that an actor's module re-exports.
pub fn exports(task: &Task, actor: &Actor) -> TokenStream {
    let subscribes = !actor.subscriptions.is_empty();
    let more: &[&str] = if subscribes { &["subscribe", "unsubscribe"] } else { &[] };
    let functions = FUNCTIONS.iter().chain(more).map(|function| {
        let (inner, outer) = (part(task.name(), function), format_ident!("{function}"));
        quote!(pub use super::#inner as #outer;)
    });
    let fill = part(task.name(), FILL);
    quote!(#(#functions)* pub use super::#fill as queue;)
}
