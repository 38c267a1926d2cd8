//! Publishing. Topics are types, and the subscribers of each topic are known. So publishing a topic
//! is straight code: a post for each subscriber, by priority, then in the order of the text.
//!
//! A byte for each subscription says whether it is on: subscribing at run time is a store.

use std::cmp::Reverse;

use proc_macro2::TokenStream;
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::Type;
use syn::spanned::Spanned;

use super::emit::event;
use super::names::{self, hears, part, topic};
use super::posts::definition;
use crate::model::{Actor, Task};
use crate::write::Output;
use crate::write::functions::instance_variable;
use crate::write::levels::condition;

/// A subscriber of a topic.
struct Subscriber<'a> {
    task: &'a Task,
    actor: &'a Actor,
    /// The number of the topic in the subscriber's list.
    number: usize,
}

/// A topic, with its subscribers.
struct Topic<'a> {
    ty: &'a Type,
    subscribers: Vec<Subscriber<'a>>,
}

impl Topic<'_> {
    /// The condition under which the type is a topic: at least one subscriber exists.
    fn condition(&self) -> Option<TokenStream> {
        let each = self.subscribers.iter().map(|one| {
            let conditions = one.task.cfgs().iter().map(condition);
            quote!(all(#(#conditions),*))
        });
        let is_always = self.subscribers.iter().any(|one| one.task.cfgs().is_empty());
        (!is_always).then(|| quote!(#[cfg(any(#(#each),*))]))
    }
}

impl<'a> Output<'a> {
    /// The topics of the application, the most urgent subscribers of each first.
    fn topics(&self) -> Vec<Topic<'a>> {
        let mut topics = Vec::<(String, Topic<'a>)>::new();
        for (task, actor) in self.app.actors() {
            for (number, subscription) in actor.subscriptions.iter().enumerate() {
                let ty = &subscription.topic;
                let text = ty.to_token_stream().to_string();
                let subscriber = Subscriber { task, actor, number };
                match topics.iter_mut().find(|(other, _)| *other == text) {
                    Some((_, topic)) => topic.subscribers.push(subscriber),
                    None => topics.push((text, Topic { ty, subscribers: vec![subscriber] })),
                }
            }
        }
        for (_, topic) in &mut topics {
            topic.subscribers.sort_by_key(|one| Reverse(one.task.priority.value));
        }
        topics.into_iter().map(|(_, topic)| topic).collect()
    }

    /// `publish`, and the code of all topics. If no actor lists a topic, `publish` drops
    /// everything, and any other item may have the name.
    pub fn publishing(&self) -> TokenStream {
        let (topics, quintet) = (self.topics(), &self.quintet);
        if topics.is_empty() {
            return self
                .app
                .actors()
                .next()
                .map_or_else(TokenStream::new, |_| publishing_nothing(quintet));
        }
        let name = topic();
        let implementations = topics.iter().map(|topic| self.topic(topic));
        let [publishes, tries] =
            ["publish", "try_publish"].map(|function| self.as_topics(&topics, function));
        let heard = self.heard();
        quote! {
            /// A topic, to which actors subscribe.
            #[allow(non_camel_case_types)]
            pub trait #name {
                /// Posts the topic to all subscribers.
                #[track_caller]
                fn publish(self);
                /// As `publish`, but says who had no room.
                fn try_publish(self) -> ::core::result::Result<(), #quintet::actor::Missed>;
            }

            /// Publishes a topic: posts it to each subscribed actor, by priority, then in the order
            /// of the text. A stopped actor gets nothing. A topic that no actor lists is dropped.
            ///
            /// You may call this from every context.
            ///
            /// # Panics
            /// If the queue of a subscriber is full.
            #[allow(dead_code)]
            #[inline(always)]
            #[track_caller]
            pub fn publish<T: 'static>(topic: T) {
                #publishes
            }

            /// Publishes a topic as `publish` does, but leaves out the subscribers whose queue is
            /// full.
            ///
            /// You may call this from every context.
            ///
            /// # Errors
            /// If queues of subscribers were full: the error counts those, which missed the topic.
            #[allow(dead_code)]
            #[inline(always)]
            pub fn try_publish<T: 'static>(
                topic: T
            ) -> ::core::result::Result<(), #quintet::actor::Missed> {
                #tries
                ::core::result::Result::Ok(())
            }
            #heard
            #(#implementations)*
        }
    }

    /// Finds out which topic a value is, and hands it to a function of this topic. Drops a value
    /// that is none.
    fn as_topics(&self, topics: &[Topic<'_>], function: &str) -> TokenStream {
        let (quintet, name, function) = (&self.quintet, topic(), format_ident!("{function}"));
        let each = topics.iter().map(|topic| {
            let (ty, cfg) = (topic.ty, topic.condition());
            let as_topic = quote_spanned!(ty.span()=> as_topic::<#ty, T>);
            quote! {
                #cfg
                let topic = match #quintet::export::actor::#as_topic(topic) {
                    ::core::result::Result::Ok(topic) => return #name::#function(topic),
                    ::core::result::Result::Err(topic) => topic,
                };
            }
        });
        quote!(#(#each)* ::core::mem::drop(topic);)
    }

    /// The method that replaces `publish` in the application's own calls.
    fn heard(&self) -> TokenStream {
        let (name, quintet) = (topic(), &self.quintet);
        quote! {
            #[allow(unused_imports)]
            use #quintet::export::actor::NobodySubscribes as _;

            #[allow(non_camel_case_types, dead_code)]
            trait __quintet_Heard {
                #[track_caller]
                fn publish(self);
            }

            impl<T: #name> __quintet_Heard for #quintet::export::actor::Published<T> {
                #[inline(always)]
                #[track_caller]
                fn publish(self) {
                    #name::publish(self.0);
                }
            }
        }
    }

    /// The code that publishes a topic.
    fn topic(&self, topic: &Topic<'_>) -> TokenStream {
        let Topic { ty, .. } = topic;
        let (quintet, name, cfg) = (&self.quintet, names::topic(), topic.condition());
        let publishes = Self::deliveries(topic, |definition, number, value| {
            let deliver = quote!(#quintet::export::actor::deliver::<#definition>);
            quote!(#deliver(#number, #value);)
        });
        let tries = Self::deliveries(topic, |definition, number, value| {
            let deliver = quote!(#quintet::export::actor::try_deliver::<#definition>);
            quote!(missed += ::core::primitive::usize::from(#deliver(#number, #value));)
        });
        let functions = quote! {
            #[inline]
            #[track_caller]
            fn publish(self) { #publishes }

            #[inline]
            fn try_publish(self) -> ::core::result::Result<(), #quintet::actor::Missed> {
                #[allow(unused_mut)]
                let mut missed = 0;
                #tries
                #quintet::actor::Missed::check(missed)
            }
        };
        // If a topic is written in two ways, the compiler points at the second.
        let mut located = name;
        located.set_span(ty.span());
        let implementation = quote_spanned!(ty.span()=> impl #located for #ty { #functions });
        quote! {
            #cfg
            #[allow(clippy::useless_conversion)]
            #implementation
        }
    }

    /// What `deliver` writes for each subscriber that hears the topic, with the definition of the
    /// actor, the number of the instance and the event.
    fn deliveries(
        Topic { ty, subscribers }: &Topic<'_>,
        deliver: impl Fn(&TokenStream, TokenStream, TokenStream) -> TokenStream,
    ) -> TokenStream {
        let last = subscribers.len().saturating_sub(1);
        let each = subscribers.iter().enumerate().map(|(index, subscriber)| {
            let Subscriber { task, actor, number } = subscriber;
            let (cfgs, event) = (task.cfgs(), event(task));
            let (hears, definition) = (hears(task.name(), *number), definition(task.name(), actor));
            let is_last = index == last && task.instances.is_none();
            let value = if is_last {
                quote!(self)
            } else {
                quote_spanned!(ty.span()=> ::core::clone::Clone::clone(&self))
            };
            let value =
                quote_spanned!(ty.span()=> <#event as ::core::convert::From<#ty>>::from(#value));
            let is_on = quote!(load(::core::sync::atomic::Ordering::Relaxed));
            let Some(count) = task.instances else {
                let delivery = deliver(&definition, quote!(0), value);
                return quote!(#(#cfgs)* if #hears[0].#is_on { #delivery });
            };
            let instance = instance_variable();
            let delivery = deliver(&definition, quote!(#instance), value);
            quote! {
                #(#cfgs)*
                for #instance in 0..#count {
                    if #hears[#instance].#is_on { #delivery }
                }
            }
        });
        quote!(#(#each)*)
    }
}

/// `publish` for an application without topics, so that a call before the first subscription is
/// written, or after the last one is removed, is no error. It stands behind a glob: any other item
/// of this name comes first.
fn publishing_nothing(quintet: &TokenStream) -> TokenStream {
    let publish = quote!(
        pub fn publish<T>(_topic: T) {}
    );
    let try_publish = quote! {
        pub fn try_publish<T>(_topic: T) -> ::core::result::Result<(), #quintet::actor::Missed> {
            ::core::result::Result::Ok(())
        }
    };
    // A module for each: the compiler warns of an item of the user's that hides a name of several.
    let modules = [("publishing", publish), ("trying", try_publish)].map(|(module, function)| {
        let module = format_ident!("__quintet_{module}");
        quote! {
            #[allow(dead_code)]
            mod #module {
                /// Drops the topic.
                #[inline]
                #[deprecated(note = "no actor subscribes to any topic, so what is published is \
                             dropped: list it under `subscribe` of an actor, or leave this call \
                             out")]
                #function
            }
            #[allow(unused_imports)]
            pub use #module::*;
        }
    });
    quote!(#(#modules)*)
}

/// The statics that say to which topics an actor is subscribed, and the functions that change them.
pub fn subscriptions(task: &Task, actor: &Actor) -> TokenStream {
    if actor.subscriptions.is_empty() {
        return TokenStream::new();
    }
    let (cfgs, name) = (task.cfgs(), task.name().to_string());
    let count = task.instances.unwrap_or(1);
    let [trait_name, subscribe, unsubscribe] =
        ["Topic", "subscribe", "unsubscribe"].map(|one| part(task.name(), one));
    let flag = quote!(::core::sync::atomic::AtomicBool);
    let topics = actor.subscriptions.iter().enumerate().map(|(number, subscription)| {
        let (hears, ty, on) = (hears(task.name(), number), &subscription.topic, subscription.on);
        quote! {
            #(#cfgs)*
            #[allow(non_upper_case_globals)]
            static #hears: [#flag; #count] = [const { #flag::new(#on) }; #count];

            #(#cfgs)*
            impl #trait_name for #ty {
                #[inline(always)]
                fn subscriptions() -> &'static [#flag; #count] { &#hears }
            }
        }
    });
    let instance = task.instances.map(|_| instance_variable());
    let parameter = instance.as_ref().map(|instance| quote!(#instance: ::core::primitive::usize));
    let index = instance.map_or_else(|| quote!(0), ToTokens::into_token_stream);
    let functions =
        [(subscribe, "Subscribes", "to", true), (unsubscribe, "Unsubscribes", "from", false)];
    let functions = functions.map(|(function, does, from, on)| {
        let documentation =
            format!("{does} the actor `{name}` {from} a topic of its list: `::<Topic>(..)`.");
        quote! {
            #(#cfgs)*
            #[doc = #documentation]
            ///
            /// You may call this from every context.
            #[allow(dead_code, non_snake_case)]
            #[inline]
            #[track_caller]
            pub fn #function<T: #trait_name>(#parameter) {
                T::subscriptions()[#index]
                    .store(#on, ::core::sync::atomic::Ordering::Relaxed);
            }
        }
    });
    let documentation = format!("What the actor `{name}` subscribes to.");
    let message = format!("the actor `{name}` has no topic `{{Self}}`");
    quote! {
        #(#cfgs)*
        #[doc = #documentation]
        #[allow(non_camel_case_types)]
        #[diagnostic::on_unimplemented(
            message = #message,
            label = "this isn't in its list `subscribe`",
        )]
        pub trait #trait_name {
            #[doc(hidden)]
            fn subscriptions() -> &'static [#flag; #count];
        }
        #(#topics)*
        #(#functions)*
    }
}
