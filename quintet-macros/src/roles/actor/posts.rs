//! The functions by which others use an actor: they post, look, start and stop. All of them follow
//! from the actor's definition, which says where the queue is and what wakes the actor.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};

use super::emit::event;
use super::names::part;
use crate::model::{Actor, Task};
use crate::write::functions::instance_variable;
use crate::write::levels::{Caller, Placed};
use crate::write::{Output, names};

/// The name of the function `queue`, because the static of the queue has that name.
pub const FILL: &str = "fill";

/// The common parts of an actor's functions.
struct Common<'a> {
    /// The actor.
    task: &'a Task,
    /// `instance: usize,`, if the actor has instances.
    parameter: Option<TokenStream>,
    /// The actor's instance: the variable, or 0.
    instance: TokenStream,
    /// The actor's definition, with the length of its queue, as parameters of a function.
    definition: TokenStream,
    /// The type of the actor's events.
    event: TokenStream,
    /// The attributes of each function.
    attributes: TokenStream,
}

impl Output<'_> {
    /// All functions by which others use an actor.
    pub fn posts(&self, placed: &Placed<'_>, actor: &Actor) -> TokenStream {
        let definition = self.definition(placed, actor);
        let common = common(placed.slot.task, actor);
        let (posts, starts) = (self.posting(&common), self.starting(&common, actor));
        let handle = self.actor_handle(&common);
        quote!(#definition #posts #starts #handle)
    }

    /// The definition of an actor, for the crate.
    fn definition(&self, placed: &Placed<'_>, actor: &Actor) -> TokenStream {
        let (quintet, task) = (&self.quintet, placed.slot.task);
        let (name, queue, cfgs) = (task.name().to_string(), names::queue(task.name()), task.cfgs());
        let (ty, places) = (part(task.name(), "Actor"), usize::from(actor.queue));
        let (event, instance) = (event(task), instance_variable());
        let (queue, wake) = if task.instances.is_some() {
            let queue = quote!(#quintet::export::actor::instance(#queue.get(), #instance, #name));
            (queue, self.make_instance_ready(Caller::Known, placed.level, placed.slot, &instance))
        } else {
            (quote!(#queue.get()), self.make_ready_from(Caller::Known, placed.level, placed.slot))
        };
        quote! {
            #(#cfgs)*
            #[allow(non_camel_case_types)]
            enum #ty {}

            #(#cfgs)*
            impl #quintet::export::actor::Definition<#places> for #ty {
                type Event = #event;
                const NAME: &'static ::core::primitive::str = #name;

                #[inline(always)]
                #[track_caller]
                fn queue(
                    #instance: ::core::primitive::usize
                ) -> &'static #quintet::export::actor::Queue<#event, #places> {
                    let _ = #instance;
                    #queue
                }

                #[inline(always)]
                fn wake(#instance: ::core::primitive::usize) {
                    let _ = #instance;
                    #wake
                }
            }
        }
    }

    /// `post` and its variants.
    fn posting(&self, common: &Common<'_>) -> TokenStream {
        let Common { task, parameter, instance, definition, event, attributes, .. } = common;
        let (quintet, name) = (&self.quintet, task.name());
        let margin = part(name, "try_post_margin");
        let posts = [("post", "behind"), ("post_front", "before")].map(|(function, place)| {
            let (post, posted) = (part(name, function), format_ident!("{function}"));
            let try_function = format_ident!("try_{function}");
            let try_post = part(name, &format!("try_{function}"));
            let documentation =
                format!("Posts an event to the actor `{name}`, {place} the others.");
            quote! {
                #attributes
                #[doc = #documentation]
                ///
                /// You may call this from every context.
                ///
                /// # Panics
                /// If the actor's queue is full, or the actor is stopped.
                #[track_caller]
                pub fn #post(#parameter event: #event) {
                    #quintet::export::actor::#posted::<#definition>(#instance, event);
                }

                #attributes
                #[doc = #documentation]
                ///
                /// You may call this from every context.
                ///
                /// # Errors
                /// If the actor's queue is full, or the actor is stopped, the event comes back.
                #[track_caller]
                pub fn #try_post(
                    #parameter event: #event
                ) -> ::core::result::Result<(), #event> {
                    #quintet::export::actor::#try_function::<#definition>(#instance, event)
                }
            }
        });
        let documentation = format!(
            "Posts an event to the actor `{name}` if at least `free` places of its queue stay free."
        );
        quote! {
            #(#posts)*
            #attributes
            #[doc = #documentation]
            ///
            /// You may call this from every context.
            ///
            /// # Errors
            /// If fewer places would stay free, or the actor is stopped, the event comes back.
            #[track_caller]
            pub fn #margin(
                #parameter event: #event, free: ::core::primitive::u8
            ) -> ::core::result::Result<(), #event> {
                #quintet::export::actor::try_post_margin::<#definition>(#instance, event, free)
            }
        }
    }

    /// `start`, `stop`, `restart`, and `queue`.
    fn starting(&self, common: &Common<'_>, actor: &Actor) -> TokenStream {
        let Common { task, parameter, instance, definition, attributes, .. } = common;
        let (quintet, name) = (&self.quintet, task.name());
        let [start, stop, restart, fill] =
            ["start", "stop", "restart", FILL].map(|function| part(name, function));
        let [starts, restarts] = ["start", "restart"].map(|function| {
            let (with, first) = match &actor.first {
                Some(_) => {
                    let make = part(name, "make_first");
                    ("_with", Some(quote!(, #make(#instance))))
                }
                None => ("", None),
            };
            let function = format_ident!("{function}{with}");
            quote!(#quintet::export::actor::#function::<#definition>(#instance #first);)
        });
        let of_start =
            format!("Starts the actor `{name}` if it is stopped: it accepts posts from now on.");
        let of_stop =
            format!("Stops the actor `{name}`: its events are dropped, and none is accepted.");
        let of_restart =
            format!("Drops the events of the actor `{name}`, and starts it if it is stopped.");
        let of_fill =
            format!("How many events wait for the actor `{name}`, can wait, and ever did at once.");
        quote! {
            #attributes
            #[doc = #of_start]
            ///
            /// You may call this from every context.
            #[track_caller]
            pub fn #start(#parameter) { #starts }

            #attributes
            #[doc = #of_stop]
            ///
            /// You may call this from every context. If the actor handles an event, it handles the
            /// event to its end.
            #[track_caller]
            pub fn #stop(#parameter) {
                #quintet::export::actor::stop::<#definition>(#instance);
            }

            #attributes
            #[doc = #of_restart]
            ///
            /// You may call this from every context. A post at the same time isn't refused: its
            /// event is dropped with the earlier events, or comes behind the first event.
            #[track_caller]
            pub fn #restart(#parameter) { #restarts }

            #attributes
            #[doc = #of_fill]
            #[track_caller]
            pub fn #fill(#parameter) -> #quintet::actor::Fill {
                #quintet::export::actor::fill::<#definition>(#instance)
            }
        }
    }

    /// `handle`, and the static that it refers to.
    fn actor_handle(&self, common: &Common<'_>) -> TokenStream {
        let Common { task, parameter, instance, definition, event, attributes, .. } = common;
        let (quintet, cfgs, name) = (&self.quintet, task.cfgs(), task.name());
        let (address, handle) = (part(name, "address"), part(name, "handle"));
        let queue = names::queue(name);
        let of = |queue: TokenStream, number: usize| {
            let of = quote!(#quintet::actor::Address::of::<#definition>);
            quote!(#of(#queue, #number))
        };
        let ty = quote!(#quintet::actor::Address<#event>);
        let (ty, value, which) = match task.instances {
            None => (ty, of(quote!(#queue.get()), 0), quote!(#address.get())),
            Some(count) => {
                let all = (0..count).map(|number| of(quote!(&#queue.get()[#number]), number));
                (quote!([#ty; #count]), quote!([#(#all),*]), quote!(#address.get()[#instance]))
            }
        };
        let place = quote!(#quintet::export::actor::Static);
        let documentation = format!("A handle of the actor `{name}`, for replies and time events.");
        // SAFETY (of the expansion): the events are those of the actor's definition.
        quote! {
            #(#cfgs)*
            #[allow(non_upper_case_globals, dead_code)]
            static #address: #place<#ty> = unsafe { #place::new(#value) };

            #attributes
            #[doc = #documentation]
            pub const fn #handle(#parameter) -> #quintet::actor::Handle<#event> {
                #which.handle()
            }
        }
    }
}

/// The common parts of an actor's functions.
fn common<'a>(task: &'a Task, actor: &Actor) -> Common<'a> {
    let (name, cfgs, event) = (task.name(), task.cfgs(), event(task));
    let instance = task.instances.map(|_| instance_variable());
    Common {
        task,
        parameter: instance.as_ref().map(|instance| quote!(#instance: ::core::primitive::usize,)),
        instance: instance.map_or_else(|| quote!(0), |instance| quote!(#instance)),
        definition: definition(name, actor),
        event: quote!(#event),
        attributes: quote! {
            #(#cfgs)*
            #[inline]
            #[allow(dead_code, non_snake_case, private_interfaces, clippy::result_unit_err)]
        },
    }
}

/// An actor's definition, with the length of its queue, as parameters of a function.
pub fn definition(name: &proc_macro2::Ident, actor: &Actor) -> TokenStream {
    let (ty, places) = (part(name, "Actor"), usize::from(actor.queue));
    quote!(#ty, #places)
}
