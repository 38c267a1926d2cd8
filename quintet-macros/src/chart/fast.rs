//! The fast form of a machine: for each leaf, one straight line of handlers and steps.

use proc_macro2::TokenStream;
use quintet_charts::lower;
use quote::quote;

use super::emit::Output;

impl Output<'_> {
    /// The fast form: a straight line of handlers and steps for each leaf.
    pub fn fast(&self) -> TokenStream {
        let own = &self.machine.own;
        let (generics, _, bounds) = self.machine.generics.split_for_impl();
        let (quintet, asynchronous, event) = (&self.quintet, self.asynchronous(), self.event());
        let outcomes = self.distinct_handlers().map(|(_, handler)| self.outcomes(handler));
        let context = self.machine.context.iter().map(|kind| quote!(, context: #kind));
        let context = quote!(#(#context)*);
        let (begin, body) = self.begin(&event);
        let by_leaf = self.machine.waits.then(|| self.functions_of_leaves(&event, &context));
        let exits = self.exits();
        let inline = match self.machine.deferred {
            Some(_) => quote!(#[inline]),
            None => quote!(#[inline(always)]),
        };
        quote! {
            #(#outcomes)*
            impl #generics #own #bounds {
                #begin

                #by_leaf

                #[inline(always)]
                #asynchronous fn __end(__machine: &mut #quintet::chart::Machine<Self> #context) {
                    #exits
                }

                #inline
                #asynchronous fn __handle<'__event, const __OFFERED: bool>(
                    mut __machine: &mut #quintet::chart::Machine<Self>,
                    mut event: #event
                    #context
                ) -> #quintet::chart::Taken {
                    #body
                }
            }
        }
    }

    /// The exits from each leaf to the outside.
    fn exits(&self) -> TokenStream {
        let arms = self.machine.leaves().map(|leaf| {
            let (pattern, steps) = (self.pattern(leaf), lower::stop(&self.tree, leaf));
            let steps = self.steps(&steps, false, false);
            quote!(#pattern => { #steps })
        });
        quote!(match &mut __machine.__state { ::core::option::Option::None => {} #(#arms)* })
    }

    /// For machines that wait: the functions that handle an event, one for each leaf. With one
    /// `async` function for all leaves, a machine of 264 states took more than 24 GB to compile.
    fn functions_of_leaves(&self, event: &syn::Type, context: &TokenStream) -> TokenStream {
        let quintet = &self.quintet;
        let functions = self.machine.leaves().map(|leaf| {
            let (name, arm) = (self.leaf_name(leaf), self.leaf(leaf));
            quote! {
                #[inline]
                async fn #name<'__event, const __OFFERED: bool>(
                    __machine: &mut #quintet::chart::Machine<Self>,
                    event: #event
                    #context
                ) -> #quintet::chart::Taken {
                    match &mut __machine.__state { #arm _ => #quintet::chart::Taken::Done }
                }
            }
        });
        quote!(#(#functions)*)
    }

    /// The code that starts a machine with its first event, and the `match` over the leaf.
    ///
    /// The function returns its arguments in the same registers, so that the dispatch has nothing
    /// to save. With a context, there are too many arguments for that.
    fn begin(&self, event: &syn::Type) -> (Option<TokenStream>, TokenStream) {
        let (quintet, lent, wait) = (&self.quintet, self.context(), self.wait());
        let arms = self.machine.leaves().map(|leaf| match self.machine.waits {
            true => {
                let (pattern, name) = (self.pattern_of(leaf), self.leaf_name(leaf));
                quote!(#pattern => Self::#name::<__OFFERED>(__machine, event, #lent).await,)
            }
            false => self.leaf(leaf),
        });
        if self.machine.waits || self.machine.context.is_some() {
            let body = quote! {
                if __machine.__state.is_none() {
                    Self::__first(__machine, #lent)#wait;
                }
                match &mut __machine.__state {
                    ::core::option::Option::None => #quintet::chart::Taken::Done,
                    #(#arms)*
                }
            };
            return (None, body);
        }
        let function = quote! {
            #[cold]
            #[inline(never)]
            fn __begin<'__machine, '__event>(
                __machine: &'__machine mut #quintet::chart::Machine<Self>,
                event: #event
            ) -> (&'__machine mut #quintet::chart::Machine<Self>, #event) {
                Self::__first(__machine);
                (__machine, event)
            }
        };
        let body = quote! {
            loop {
                break match &mut __machine.__state {
                    ::core::option::Option::None => {
                        (__machine, event) = Self::__begin(__machine, event);
                        continue;
                    }
                    #(#arms)*
                };
            }
        };
        (Some(function), body)
    }

    /// The code that handles an event in a leaf.
    fn leaf(&self, leaf: usize) -> TokenStream {
        let pattern = self.pattern(leaf);
        let quintet = &self.quintet;
        let unhandled = self.unhandled();
        // From outside in: the code that follows if a handler answers `Super`.
        let note = self.note(&quote!(Ignored));
        // Only an offer asks for the outcome: the code of a dispatch doesn't grow.
        let taken = quote! {
            if __OFFERED { #quintet::chart::Taken::Ignored } else { #quintet::chart::Taken::Done }
        };
        let mut next = quote!({ #note #unhandled #taken });
        for source in self.tree.chain(leaf).iter().rev().copied() {
            let state = &self.machine.states[source];
            next = self.asked(leaf, source, &state.handler, Some(&next));
            if !state.defer.is_empty() {
                let (patterns, keep) = (&state.defer, self.keep_at(source));
                next = quote!(match event { #(#patterns)|* => #keep, _ => #next });
            }
        }
        quote!(#pattern => #next,)
    }
}
