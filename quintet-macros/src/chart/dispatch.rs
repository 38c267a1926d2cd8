//! The dispatch: the functions by which a machine is called, and the parts that both forms of its
//! code have.

use proc_macro2::TokenStream;
use quintet_charts::lower::{self, Resumed, Resumption};
use quintet_charts::model::{Handler, Watcher, What};
use quote::{format_ident, quote, quote_spanned};
use syn::spanned::Spanned;

use super::compact;
use super::emit::{Output, outcome_name};
use super::sequence::value;

/// The functions of the dispatch, and the trait by which the machine calls them.
pub fn emit(output: &Output<'_>) -> TokenStream {
    let own = &output.machine.own;
    let (generics, _, bounds) = output.machine.generics.split_for_impl();
    let (functions, dispatch) = (output.functions(), output.dispatch());
    let form = match output.machine.compact {
        Some(true) => compact::emit(output),
        Some(false) => output.fast(),
        None => {
            let (quintet, compact, fast) = (&output.quintet, compact::emit(output), output.fast());
            quote!(#quintet::__by_size! { { #compact } { #fast } })
        }
    };
    quote!(impl #generics #own #bounds { #functions } #form #dispatch)
}

impl Output<'_> {
    /// The functions of both forms.
    fn functions(&self) -> TokenStream {
        let quintet = &self.quintet;
        let asynchronous = self.asynchronous();
        let context = self.machine.context.iter().map(|kind| quote!(, context: #kind));
        let context = quote!(#(#context)*);
        let start = self.steps(&lower::start(&self.tree), false, false);
        let completions = self.machine.leaves().filter_map(|leaf| {
            let (source, handler) = self.machine.completion_at(leaf)?;
            let (name, pattern) = (self.completion(leaf), self.pattern(leaf));
            let asked = self.asked(leaf, source, handler, None);
            Some(quote! {
                #[inline]
                #asynchronous fn #name(__machine: &mut #quintet::chart::Machine<Self> #context) {
                    if let #pattern = &mut __machine.__state { #asked; }
                }
            })
        });
        let resumptions = lower::resumptions(&self.tree);
        let resumptions = resumptions.iter().map(|one| self.resumption(*one, &context));
        let timers = self.timers();
        quote! {
            #[cold]
            #asynchronous fn __first(__machine: &mut #quintet::chart::Machine<Self> #context) {
                #start
            }

            #(#completions)*

            #(#resumptions)*

            #timers
        }
    }

    /// The function that gets an event which no state has handled.
    pub fn unhandled(&self) -> Option<TokenStream> {
        self.machine.unhandled.as_ref().map(|call| {
            let call = self.call(call, false);
            quote!(#call;)
        })
    }

    /// The word before functions that wait.
    pub fn asynchronous(&self) -> Option<TokenStream> {
        self.machine.waits.then(|| quote!(async))
    }

    /// The context as a parameter.
    pub fn context_parameter(&self) -> TokenStream {
        let context = self.machine.context.iter();
        quote!(#(context: #context)*)
    }

    /// The way back into a composite. If only one transition takes the way, the compiler inlines
    /// it.
    fn resumption(&self, resumption: Resumption, context: &TokenStream) -> TokenStream {
        let quintet = &self.quintet;
        let asynchronous = self.machine.waits.then(|| quote!(async));
        let (name, place) = (self.resumption_name(resumption), self.place(resumption.of));
        let Resumed { by_leaf, never } = lower::resumed(&self.tree, resumption);
        let arms = by_leaf.iter().map(|(leaf, steps)| {
            let (number, steps) = (self.remembered(*leaf), self.steps(steps, false, false));
            quote!(#number => { #steps })
        });
        let never = self.steps(&never, false, false);
        quote! {
            #[inline]
            #asynchronous fn #name(__machine: &mut #quintet::chart::Machine<Self> #context) {
                match __machine.__record[#place] { #(#arms)* _ => { #never } }
            }
        }
    }

    /// The pattern of a leaf, without its variables.
    pub fn pattern_of(&self, leaf: usize) -> TokenStream {
        let (kind, variant) = (&self.machine.state_name, self.variant(leaf));
        quote!(::core::option::Option::Some(#kind::#variant { .. }))
    }

    /// The pattern of a leaf, with its variables.
    pub fn pattern(&self, leaf: usize) -> TokenStream {
        let (kind, variant) = (&self.machine.state_name, self.variant(leaf));
        let names: Vec<_> =
            self.machine.states[leaf].storage.iter().map(|(name, _)| name).collect();
        let fields = (!names.is_empty()).then(|| quote!({ #(#names),* }));
        quote!(::core::option::Option::Some(#kind::#variant #fields))
    }

    /// Keeps the event for later, because a state defers it.
    pub fn keep_at(&self, source: usize) -> TokenStream {
        self.keep(["Deferred", "Full"].map(|step| self.note_at(step, source)))
    }

    /// Keeps the event, with the notes for a kept event and for one without room.
    pub fn keep(&self, [kept, full]: [TokenStream; 2]) -> TokenStream {
        let quintet = &self.quintet;
        let event = match self.machine.by_reference() {
            true => quote!(::core::clone::Clone::clone(event)),
            false => quote!(event),
        };
        quote! {
            match __machine.__kept.push(#event) {
                ::core::result::Result::Ok(()) => { #kept #quintet::chart::Taken::Kept }
                ::core::result::Result::Err(_) => { #full #quintet::chart::Taken::Full }
            }
        }
    }

    /// Asks a handler, and does the outcome that the handler returns. `next` follows if the handler
    /// answers `Super`. A completion has no `next`: the dispatch ends there.
    pub fn asked(
        &self,
        leaf: usize,
        source: usize,
        handler: &Handler,
        next: Option<&TokenStream>,
    ) -> TokenStream {
        let (name, quintet) = (outcome_name(handler), &self.quintet);
        let done = quote!(#quintet::chart::Taken::Done);
        let call = self.call(&handler.call, false);
        let given = handler.takes.as_ref().map(|_| quote!((event)));
        let arms = handler.outcomes.iter().enumerate().map(|(index, outcome)| match outcome.what {
            What::Handled => {
                let note = next.map(|_| self.note_at("Handled", source));
                quote!(#name::Handled => { #note #done })
            }
            What::Super => {
                let next = next.unwrap_or(&done);
                quote!(#name::Super #given => #next)
            }
            What::Deferred => {
                let keep = self.keep_at(source);
                quote!(#name::Deferred #given => #keep)
            }
            What::To(kind, target) => {
                let variant = format_ident!("To{index}");
                let values = (0..self.given(target).count()).map(value);
                let action = outcome.has_action.then(|| format_ident!("__action"));
                let fields: Vec<_> = values.chain(action).collect();
                let fields = (!fields.is_empty()).then(|| quote!((#(#fields),*)));
                let steps = lower::transition(&self.tree, leaf, source, kind, target);
                let steps = self.steps(&steps, outcome.has_action, false);
                let [before, after] = self.around_transition(leaf, target);
                let note = self.note_transition(source, target);
                quote! {
                    #name::#variant #fields => {
                        #note #before #steps #after
                        #quintet::chart::Taken::Moved
                    }
                }
            }
        });
        quote!(match #call { #(#arms,)* })
    }

    fn around_transition(&self, leaf: usize, target: usize) -> [TokenStream; 2] {
        let (within, from, to) = (self.within(), self.variant(leaf), self.variant(target));
        self.around_way(&quote!(#within::#from), &quote!(#within::#to))
    }

    /// The calls before and after a transition, from its beginning to its end.
    pub fn around_way(&self, from: &TokenStream, to: &TokenStream) -> [TokenStream; 2] {
        self.machine.around_transition.each_ref().map(|watcher| {
            let calls = watcher.iter().map(|watcher| {
                let (path, (context, wait)) = (&watcher.path, self.rest(watcher));
                quote!(#path(&mut __machine.__chart, #from, #to #context)#wait;)
            });
            quote!(#(#calls)*)
        })
    }

    /// The context and the `.await` of a function that watches, if the function has them.
    fn rest(&self, watcher: &Watcher) -> (Option<TokenStream>, Option<TokenStream>) {
        let context = self.context();
        (watcher.takes_context.then(|| quote!(, #context)), watcher.waits.then(|| quote!(.await)))
    }

    /// The calls before and after an event. An event that comes by value is gone by the second
    /// call, so this call gets a copy.
    fn around_dispatch(&self) -> [TokenStream; 2] {
        let by_reference = self.machine.by_reference();
        let told = |watcher: &Option<Watcher>, event: &TokenStream| {
            let calls = watcher.iter().map(|watcher| {
                let (path, (context, wait)) = (&watcher.path, self.rest(watcher));
                let event = match (by_reference, watcher.by_reference) {
                    (false, true) => quote!(&#event),
                    (false, false) => copied(path, event),
                    (true, _) => event.clone(),
                };
                quote! {
                    if let ::core::option::Option::Some(state) = &__machine.__state {
                        #path(&mut __machine.__chart, state, #event #context)#wait;
                    }
                }
            });
            quote!(#(#calls)*)
        };
        let [before, after] = &self.machine.around_dispatch;
        let event = quote!(event);
        if by_reference {
            return [told(before, &event), told(after, &event)];
        }
        let kept = after.iter().map(|watcher| {
            let copy = copied(&watcher.path, &event);
            quote!(let __told = #copy;)
        });
        let before = told(before, &event);
        [quote!(#before #(#kept)*), told(after, &quote!(__told))]
    }

    /// The trait.
    fn dispatch(&self) -> TokenStream {
        let (own, quintet) = (&self.machine.own, &self.quintet);
        let (event, context) = (self.event(), self.context_type());
        let (generics, _, bounds) = self.machine.generics.split_for_impl();
        let asynchronous = self.machine.waits.then(|| quote!(async));
        let form = if self.machine.waits { quote!(DispatchWaits) } else { quote!(DispatchPlain) };
        let alone = self.machine.context.is_none().then(|| {
            quote! {
                impl #generics #quintet::chart::WithoutContext for #own #bounds {
                    #[inline(always)]
                    fn none<'__lent, '__inside: '__lent>() where Self: '__lent {}
                }
            }
        });
        let (answer, end) = self.answer();
        let (first, stop) = (self.first(), self.stop());
        let [dispatched, offered] = [false, true].map(|offered| self.taken(offered));
        quote! {
            #alone

            impl #generics #quintet::chart::Takes for #own #bounds {
                type Event<'__event> = #event where Self: '__event;
                type Context<'__lent, '__inside: '__lent> = #context where Self: '__lent;
                type Answer = #answer;
            }

            impl #generics #quintet::chart::#form for #own #bounds {
                #[inline]
                #asynchronous fn start<'__lent, '__inside: '__lent>(
                    __machine: &mut #quintet::chart::Machine<Self>,
                    context: #context,
                ) where Self: '__lent {
                    #first
                }

                #[inline(always)]
                #asynchronous fn dispatch<'__event, '__lent, '__inside: '__lent>(
                    __machine: &mut #quintet::chart::Machine<Self>,
                    event: #event,
                    context: #context,
                ) -> #answer where Self: '__event + '__lent {
                    #dispatched #end
                }

                #[inline(always)]
                #asynchronous fn offer<'__event, '__lent, '__inside: '__lent>(
                    __machine: &mut #quintet::chart::Machine<Self>,
                    event: #event,
                    context: #context,
                ) -> bool where Self: '__event + '__lent {
                    #offered
                    !::core::matches!(
                        taken,
                        #quintet::chart::Taken::Ignored | #quintet::chart::Taken::Full
                    )
                }

                #[inline]
                #asynchronous fn stop<'__lent, '__inside: '__lent>(
                    __machine: &mut #quintet::chart::Machine<Self>,
                    context: #context,
                ) where Self: '__lent {
                    #stop
                }
            }
        }
    }

    /// The answer of a dispatch: its type, and the expression that finds the answer.
    fn answer(&self) -> (TokenStream, Option<TokenStream>) {
        let quintet = &self.quintet;
        if self.machine.deferred.is_none() {
            return (quote!(()), None);
        }
        let end = quote! {
            match taken {
                #quintet::chart::Taken::Full => ::core::result::Result::Err(#quintet::chart::Full),
                _ => ::core::result::Result::Ok(()),
            }
        };
        (quote!(::core::result::Result<(), #quintet::chart::Full>), Some(end))
    }

    /// The first transition, unless the machine has begun.
    pub fn first(&self) -> TokenStream {
        let (lent, wait) = (self.context(), self.wait());
        quote!(if __machine.__state.is_none() { Self::__first(__machine, #lent)#wait; })
    }

    /// Takes an event, which was dispatched or offered, with the calls around. `taken` tells what
    /// happened to the event.
    fn taken(&self, offered: bool) -> TokenStream {
        let (lent, wait, note) = (self.context(), self.wait(), self.note_event("event"));
        let [before, after] = self.around_dispatch();
        let started = self.machine.around_dispatch[0].as_ref().map(|_| self.first());
        let recalled = self.machine.deferred.as_ref().map(|_| self.recalled(offered));
        quote! {
            #note #started #before
            let taken = Self::__handle::<#offered>(__machine, event, #lent)#wait;
            #recalled #after
        }
    }

    /// Makes all exits. After that, the machine is as before its start.
    fn stop(&self) -> TokenStream {
        let (lent, wait) = (self.context(), self.wait());
        let (record, kept) = (self.fresh_record(), self.fresh_kept());
        quote! {
            if __machine.__state.is_none() {
                return;
            }
            Self::__end(__machine, #lent)#wait;
            __machine.__state = ::core::option::Option::None;
            __machine.__record = #record;
            __machine.__kept = #kept;
        }
    }

    /// After an event: takes the kept events that can be taken now, the oldest first.
    fn recalled(&self, offered: bool) -> TokenStream {
        let (quintet, lent, wait) = (&self.quintet, self.context(), self.wait());
        let event = if self.machine.by_reference() { quote!(&event) } else { quote!(event) };
        let note = self.note_event("recalled");
        let deferring = self.machine.leaves().filter_map(|leaf| {
            let (patterns, pattern) = (&self.machine.states[leaf].defer, self.pattern_of(leaf));
            let is_deferred = quote!(::core::matches!(event, #(#patterns)|*));
            (!patterns.is_empty()).then(|| quote!(#pattern => { #is_deferred }))
        });
        quote! {
            let mut next = if taken == #quintet::chart::Taken::Moved { 0 } else { usize::MAX };
            while let ::core::option::Option::Some(event) = __machine.__kept.get(next) {
                let stays = match &__machine.__state { #(#deferring)* _ => false };
                if stays {
                    next += 1;
                    continue;
                }
                let ::core::option::Option::Some(event) = __machine.__kept.remove(next) else {
                    break;
                };
                #note
                match Self::__handle::<#offered>(__machine, #event, #lent)#wait {
                    #quintet::chart::Taken::Moved => next = 0,
                    #quintet::chart::Taken::Kept => {
                        // Back to its place: the event keeps its age.
                        let last = __machine.__kept.count() - 1;
                        if let ::core::option::Option::Some(event) = __machine.__kept.remove(last) {
                            let _ = __machine.__kept.insert(next, event);
                        }
                        next += 1;
                    }
                    _ => {}
                }
            }
        }
    }
}

/// The copy of an event that a function gets. If the event can't be copied, the error points at the
/// function.
fn copied(path: &syn::Path, event: &TokenStream) -> TokenStream {
    let last = path.segments.last().map_or_else(|| path.span(), |last| last.ident.span());
    quote_spanned!(last=> ::core::clone::Clone::clone(&#event))
}
