//! The ways of transitions in the compact form: loops over the table of parents.

use std::collections::BTreeMap;

use proc_macro2::TokenStream;
use quintet_charts::model::{Argument, Call, Kind};
use quote::{format_ident, quote};

use super::Compact;

impl Compact<'_> {
    /// The table of parents, and the functions that take ways.
    pub fn ways(&self) -> TokenStream {
        let (number, within) = (self.number_of_leaf(), self.within());
        let exits = self.exits();
        let transitions = (!self.is_straight)
            .then(|| [self.take(), self.leave(), self.arrive()])
            .into_iter()
            .flatten();
        let states = &self.output.machine.states;
        let parents = self.table("__PARENTS", |state| states[state].parent);
        quote! {
            #parents

            #number

            #within

            #exits

            #(#transitions)*
        }
    }

    /// A table with a state for each state: a power of two of them, the rest being the outside.
    pub fn table(&self, name: &str, of: impl Fn(usize) -> Option<usize>) -> TokenStream {
        let (name, kind) = (format_ident!("{name}"), self.kind());
        let states = self.numbers.states();
        let length = (states.len() + 1).next_power_of_two();
        let rest = (states.len()..length).map(|_| self.number(None));
        let all = states.iter().map(|state| self.number(of(*state))).chain(rest);
        quote!(const #name: &'static [#kind; #length] = &[#(#all),*];)
    }

    /// A transition without an action of its own.
    fn take(&self) -> TokenStream {
        let output = self.output;
        let (quintet, context) = (&output.quintet, output.context_parameter());
        let (asynchronous, wait, lent) = (output.asynchronous(), output.wait(), output.context());
        let state = self.state_type();
        let slot = self.has_storage.then(|| quote!(__next: ::core::option::Option<#state>,));
        let next = self.has_storage.then(|| quote!(__next,));
        quote! {
            #[inline(never)]
            #asynchronous fn __take(
                __machine: &mut #quintet::chart::Machine<Self>,
                __source: usize,
                __code: usize,
                #slot
                #context
            ) {
                let __stays = Self::__leave(__machine, __source, __code, #lent)#wait;
                Self::__arrive(__machine, __stays, __code, #next #lent)#wait;
            }
        }
    }

    /// The number of the active leaf. Before the start, that of no leaf.
    fn number_of_leaf(&self) -> TokenStream {
        let state = self.state_type();
        let arms = self.output.machine.leaves().map(|leaf| {
            let (pattern, number) = (self.output.pattern_of(leaf), self.number(Some(leaf)));
            quote!(#pattern => #number,)
        });
        // Behind the leaves: so the numbers are the values that stand for them in memory.
        let none = proc_macro2::Literal::usize_unsuffixed(self.output.machine.leaves().count());
        quote! {
            #[inline(always)]
            fn __number(__state: &::core::option::Option<#state>) -> usize {
                match __state { #(#arms)* ::core::option::Option::None => #none }
            }
        }
    }

    /// The name of the state with a number.
    fn within(&self) -> TokenStream {
        let within = self.output.within();
        let states = self.numbers.states();
        let (last, others) = states.split_last().unwrap_or((&0, &[]));
        let arms = others.iter().map(|state| {
            let (number, variant) = (self.number(Some(*state)), self.output.variant(*state));
            quote!(#number => #within::#variant,)
        });
        let last = self.output.variant(*last);
        quote! {
            fn __within(__at: usize) -> #within { match __at { #(#arms)* _ => #within::#last } }
        }
    }

    /// The exits from a leaf up to a state that isn't left.
    fn exits(&self) -> TokenStream {
        let output = self.output;
        let (quintet, context) = (&output.quintet, output.context_parameter());
        let (asynchronous, wait) = (output.asynchronous(), output.wait());
        let (lent, none) = (output.context(), self.number(None));
        let note = output.note(&quote!(Exit(Self::__within(__at))));
        let arms = self.arms(|state| {
            let call = output.machine.states[state].exit.as_ref();
            let statement = call.map(|call| {
                let (place, statement) =
                    (quote!(__machine.__state), output.statement(Some(call), false));
                self.with_storage(state, call, &place, &quote!({ #statement }), &quote!({}))
            });
            let disarm = output.timer(state, 1);
            let record = output
                .tree
                .place(state)
                .map(|place| quote!(__machine.__record[#place] = (__leaf + 1) as _;));
            quote!(#disarm #statement #record)
        });
        quote! {
            #asynchronous fn __exits(
                __machine: &mut #quintet::chart::Machine<Self>,
                __leaf: usize,
                __stays: usize,
                #context
            ) {
                let mut __at = __leaf;
                while __at != __stays {
                    #note
                    #arms
                    __at = #quintet::chart::compact::parent(Self::__PARENTS, __at);
                }
            }

            #[inline(always)]
            #asynchronous fn __end(__machine: &mut #quintet::chart::Machine<Self>, #context) {
                let __leaf = Self::__number(&__machine.__state);
                Self::__exits(__machine, __leaf, #none, #lent)#wait;
            }
        }
    }

    /// The first half of a transition: its exits. Returns the state that stays.
    fn leave(&self) -> TokenStream {
        let output = self.output;
        let (quintet, context) = (&output.quintet, output.context_parameter());
        let (asynchronous, wait, lent) = (output.asynchronous(), output.wait(), output.context());
        let common = |parent: TokenStream| {
            let paths = quote!(#quintet::chart::compact);
            quote! {
                #paths::common(
                    Self::__PARENTS,
                    #paths::parent(Self::__PARENTS, __source),
                    #parent
                )
            }
        };
        let arms = self.specials.iter().enumerate().map(|(index, special)| {
            let (code, target) = (self.special(index), self.number(Some(special.target)));
            let stays = match special.kind {
                Kind::Local => {
                    let stays = self.number(special.stays);
                    quote!(#stays)
                }
                _ => {
                    let parent = self.number(output.machine.states[special.target].parent);
                    common(quote!(#parent))
                }
            };
            quote!(#code => (#target, #stays),)
        });
        let external = common(quote!(#quintet::chart::compact::parent(Self::__PARENTS, __code)));
        let note = output.note(&quote!(Transition(Self::__within(__source), Self::__within(__to))));
        let [before, _] = self.around();
        quote! {
            #asynchronous fn __leave(
                __machine: &mut #quintet::chart::Machine<Self>,
                __source: usize,
                __code: usize,
                #context
            ) -> usize {
                let (__to, __stays): (usize, usize) = match __code {
                    #(#arms)*
                    _ => (__code, #external),
                };
                let __leaf = Self::__number(&__machine.__state);
                #note
                #before
                Self::__exits(__machine, __leaf, __stays, #lent)#wait;
                __stays
            }
        }
    }

    /// The calls around a transition, of the leaf that was active and the target.
    fn around(&self) -> [TokenStream; 2] {
        self.output.around_way(&quote!(Self::__within(__leaf)), &quote!(Self::__within(__to)))
    }

    /// The second half of a transition: entries, initial transitions, and the new leaf.
    fn arrive(&self) -> TokenStream {
        let output = self.output;
        let (quintet, context) = (&output.quintet, output.context_parameter());
        let asynchronous = output.asynchronous();
        let state = self.state_type();
        let slot = self.has_storage.then(|| quote!(mut __next: ::core::option::Option<#state>,));
        let targets = self.specials.iter().enumerate().map(|(index, special)| {
            let (code, target) = (self.special(index), self.number(Some(special.target)));
            quote!(#code => #target,)
        });
        let note = output.note(&quote!(Enter(Self::__within(__at))));
        let entries = self.arms(|state| {
            let call = output.machine.states[state].entry.as_ref();
            let statement = call.map(|call| {
                let (place, statement) = (quote!(__next), output.statement(Some(call), false));
                self.with_storage(state, call, &place, &quote!({ #statement }), &quote!({}))
            });
            let arm = output.timer(state, 0);
            quote!(#arm #statement)
        });
        let (histories, initials) = (self.histories(), self.initials());
        let (store, complete) = (self.store(), self.complete());
        let leaves = proc_macro2::Literal::usize_unsuffixed(output.machine.leaves().count());
        let [_, after] = self.around();
        quote! {
            #asynchronous fn __arrive(
                __machine: &mut #quintet::chart::Machine<Self>,
                __stays: usize,
                mut __code: usize,
                #slot
                #context
            ) {
                let __leaf = Self::__number(&__machine.__state);
                let __to: usize = match __code { #(#targets)* _ => __code };
                let (mut __at, mut __inner) = (__stays, __to);
                loop {
                    while __at != __inner {
                        __at = #quintet::chart::compact::inner(Self::__PARENTS, __at, __inner);
                        #note
                        #entries
                    }
                    #histories
                    if __at < #leaves {
                        break;
                    }
                    #initials
                }
                #store
                #complete
                #after
            }
        }
    }

    /// The way back into a composite that was entered as a history.
    fn histories(&self) -> Option<TokenStream> {
        let quintet = &self.output.quintet;
        let is_history = |kind: Kind| matches!(kind, Kind::History | Kind::DeepHistory);
        let special = self.specials.iter().enumerate().filter(|(_, one)| is_history(one.kind));
        let arms: Vec<_> = special
            .map(|(index, special)| {
                let (code, place) = (self.special(index), self.output.place(special.target));
                let inner = match special.kind {
                    Kind::DeepHistory => quote!(__last),
                    _ => quote!(#quintet::chart::compact::inner(Self::__PARENTS, __at, __last)),
                };
                quote! {
                    #code => {
                        __code = __at;
                        if let ::core::option::Option::Some(__last) =
                            __machine.__record[#place].checked_sub(1)
                        {
                            let __last = usize::from(__last);
                            __inner = #inner;
                            continue;
                        }
                    }
                }
            })
            .collect();
        (!arms.is_empty()).then(|| quote!(match __code { #(#arms)* _ => {} }))
    }

    /// The initial transition of the state that was entered last. Without one, the way ends.
    fn initials(&self) -> TokenStream {
        let output = self.output;
        let states = &output.machine.states;
        let with_initial = self.numbers.states().iter().copied();
        let arms = with_initial.filter_map(|state| {
            let initial = states[state].initial.as_ref()?;
            let (number, target) = (self.number(Some(state)), self.number(Some(initial.target)));
            let storage = &states[initial.target].storage;
            let values = (!storage.is_empty()).then(|| {
                let (function, context) = (output.values_name(Some(state)), output.context());
                let (kind, variant) = (&output.machine.state_name, output.variant(initial.target));
                let names: Vec<_> = storage.iter().map(|(name, _)| name).collect();
                quote! {
                    let (#(#names,)*) = Self::#function(&mut __machine.__chart, #context);
                    __next = ::core::option::Option::Some(#kind::#variant { #(#names),* });
                }
            });
            let statement = initial.action.as_ref().map(|call| {
                let (place, statement) = (quote!(__next), output.statement(Some(call), false));
                let target = initial.target;
                self.with_storage(target, call, &place, &quote!({ #statement }), &quote!({}))
            });
            Some(quote!(#number => { #values #statement __inner = #target; }))
        });
        quote!(match __at { #(#arms)* _ => break })
    }

    /// Stores the leaf at the end of the way.
    fn store(&self) -> TokenStream {
        let output = self.output;
        let leaves = output.machine.leaves();
        let arms = leaves.filter(|leaf| output.machine.states[*leaf].storage.is_empty());
        let arms = arms.map(|leaf| {
            let (kind, variant) = (&output.machine.state_name, output.variant(leaf));
            let number = self.number(Some(leaf));
            quote!(#number => ::core::option::Option::Some(#kind::#variant),)
        });
        let leaf = quote!(match __at { #(#arms)* _ => ::core::option::Option::None });
        if self.has_storage {
            return quote! {
                __machine.__state = match __next {
                    ::core::option::Option::Some(__next) => ::core::option::Option::Some(__next),
                    ::core::option::Option::None => #leaf,
                };
            };
        }
        quote!(__machine.__state = #leaf;)
    }

    /// The completion of the new leaf.
    fn complete(&self) -> Option<TokenStream> {
        let output = self.output;
        let with_completion =
            output.machine.leaves().filter(|leaf| output.machine.completion_at(*leaf).is_some());
        let (lent, wait) = (output.context(), output.wait());
        let arms: Vec<_> = with_completion
            .map(|leaf| {
                let (number, function) = (self.number(Some(leaf)), output.completion(leaf));
                quote!(#number => Self::#function(__machine, #lent)#wait,)
            })
            .collect();
        (!arms.is_empty()).then(|| quote!(match __at { #(#arms)* _ => {} }))
    }

    /// A `match` over `__at`, with one arm for all states that do the same.
    fn arms(&self, does: impl Fn(usize) -> TokenStream) -> Option<TokenStream> {
        let mut bodies = Vec::new();
        let mut places = BTreeMap::new();
        for state in self.numbers.states() {
            let body = does(*state);
            if body.is_empty() {
                continue;
            }
            let place = *places.entry(body.to_string()).or_insert(bodies.len());
            if place == bodies.len() {
                bodies.push((Vec::new(), body));
            }
            bodies[place].0.push(self.number(Some(*state)));
        }
        let arms = bodies.iter().map(|(numbers, body)| quote!(#(#numbers)|* => { #body }));
        (!bodies.is_empty()).then(|| quote!(match __at { #(#arms)* _ => {} }))
    }

    /// Code with the variables that a call takes, of whichever leaf inside of a state is in a
    /// place. `other` is for a place without such a leaf, which there never is.
    pub fn with_storage(
        &self,
        state: usize,
        call: &Call,
        place: &TokenStream,
        code: &TokenStream,
        other: &TokenStream,
    ) -> TokenStream {
        let takes = call.arguments.iter().filter_map(|argument| match argument {
            Argument::Storage(name) => Some(name),
            _ => None,
        });
        let names: Vec<_> = takes.collect();
        if names.is_empty() {
            return code.clone();
        }
        let kind = &self.output.machine.state_name;
        // Leaves whose variables have the same types share the code.
        let mut alike = BTreeMap::<String, Vec<TokenStream>>::new();
        for leaf in self.output.tree.leaves(state) {
            let storage = &self.output.machine.states[*leaf].storage;
            let taken = storage.iter().filter(|(name, _)| names.contains(&name));
            let kinds: Vec<_> = taken.map(|(name, kind)| quote!(#name: #kind)).collect();
            let variant = self.output.variant(*leaf);
            alike
                .entry(quote!(#(#kinds),*).to_string())
                .or_default()
                .push(quote!(::core::option::Option::Some(#kind::#variant { #(#names),*, .. })));
        }
        let arms = alike.values().map(|patterns| quote!(#(#patterns)|* => #code,));
        quote!(match &mut #place { #(#arms)* _ => #other })
    }
}
