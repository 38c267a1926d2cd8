//! The compact form of a machine: each handler and each action stands in the code once, and loops
//! look up the ways between states while the machine runs.
//!
//! | function of the expansion | what it does |
//! |---|---|
//! | `__ask` | asks the handler of the active leaf |
//! | `__above` | asks the handler of a superstate |
//! | `__take` | takes a transition: calls the next two |
//! | `__leave` | makes the exits of a transition |
//! | `__arrive` | makes the entries, takes initial transitions and histories, stores the leaf |
//!
//! A handler's outcome is a number: that of the target, or one behind those of all states. The
//! start and completions have the straight code of the fast form, as there is one of each.

use std::collections::BTreeSet;

use proc_macro2::{Literal, TokenStream};
use quintet_charts::lower;
use quintet_charts::model::{Handler, Kind, Outcome, What};
use quintet_charts::numbers::Numbers;
use quote::{format_ident, quote};
use syn::{Expr, Stmt};

use super::emit::{Output, given_back, outcome_name};
use super::sequence::value;

mod handle;
mod straight;
mod ways;

/// The outcomes that no number of a state stands for.
#[derive(Clone, Copy)]
enum Said {
    Super,
    Handled,
    Deferred,
    /// The transition has been taken: it had an action of its own.
    Moved,
}

/// A transition whose way doesn't follow from its source and its target alone.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Special {
    kind: Kind,
    target: usize,
    /// Of a local transition: the innermost state that is neither left nor entered.
    stays: Option<usize>,
}

/// A machine, with the numbers of its states and outcomes.
pub struct Compact<'a> {
    pub output: &'a Output<'a>,
    pub numbers: &'a Numbers,
    pub specials: Vec<Special>,
    /// `true` if the ways of transitions are written out.
    is_straight: bool,
    /// `true` if transitions hand the variables of leaves on.
    pub has_storage: bool,
}

/// The enums of the outcomes, and the functions of the form.
pub fn emit(output: &Output<'_>) -> TokenStream {
    let compact = Compact::of(output);
    let outcomes = output.distinct_handlers().map(|(source, handler)| {
        let is_coded = compact.is_coded(source, handler);
        if is_coded { compact.codes(source, handler) } else { output.outcomes(handler) }
    });
    let own = &output.machine.own;
    let (generics, _, bounds) = output.machine.generics.split_for_impl();
    let (handle, asks, ways) = (compact.handle(), compact.asks(), compact.ways());
    quote! {
        #(#outcomes)*
        impl #generics #own #bounds { #handle #asks #ways }
    }
}

impl<'a> Compact<'a> {
    fn of(output: &'a Output<'a>) -> Self {
        let states = &output.machine.states;
        let mut specials = Vec::new();
        for (source, state) in states.iter().enumerate() {
            for outcome in &state.handler.outcomes {
                if let Some(special) = special(output, source, outcome)
                    && !specials.contains(&special)
                {
                    specials.push(special);
                }
            }
        }
        let is_straight = straight::is_better(output);
        let has_storage = !is_straight && states.iter().any(|state| !state.storage.is_empty());
        Self { output, numbers: &output.numbers, specials, is_straight, has_storage }
    }

    /// The type of numbers.
    pub fn kind(&self) -> TokenStream {
        let last = self.said(Said::Moved) + self.specials.len();
        if last <= usize::from(u8::MAX) { quote!(u8) } else { quote!(u16) }
    }

    fn said(&self, said: Said) -> usize {
        self.numbers.states().len() + said as usize
    }

    /// The number of a special transition.
    pub fn special(&self, index: usize) -> Literal {
        Literal::usize_unsuffixed(self.said(Said::Moved) + 1 + index)
    }

    /// The number of a state, or that of the outside.
    pub fn number(&self, state: Option<usize>) -> Literal {
        Literal::usize_unsuffixed(self.numbers.number(state))
    }

    /// The number of an outcome.
    fn code(&self, source: usize, outcome: &Outcome) -> Literal {
        if let Some(special) = special(self.output, source, outcome) {
            let index = self.specials.iter().position(|one| *one == special);
            return self.special(index.unwrap_or_default());
        }
        match outcome.what {
            What::Handled => self.literal(Said::Handled),
            What::Super => self.literal(Said::Super),
            What::Deferred => self.literal(Said::Deferred),
            What::To(_, target) => self.number(Some(target)),
        }
    }

    fn literal(&self, said: Said) -> Literal {
        Literal::usize_unsuffixed(self.said(said))
    }

    /// Returns `true` if the handler's outcomes are numbers and nothing more, each another one. An
    /// `enum` without outcomes has none. Completions have straight code.
    fn is_coded(&self, source: usize, handler: &Handler) -> bool {
        let is_alone = |outcome: &Outcome| match outcome.what {
            What::To(_, target) => {
                !self.is_straight
                    && !outcome.has_action
                    && self.output.given(target).next().is_none()
            }
            _ => true,
        };
        let is_handler =
            std::ptr::eq(handler, &raw const self.output.machine.states[source].handler);
        let outcomes = &handler.outcomes;
        let codes = outcomes.iter().map(|outcome| self.code(source, outcome).to_string());
        let distinct: BTreeSet<String> = codes.collect();
        is_handler
            && !given_back(handler)
            && !outcomes.is_empty()
            && distinct.len() == outcomes.len()
            && outcomes.iter().all(is_alone)
    }

    /// The `enum` of a handler's outcomes, with their numbers. The handler returns a number then,
    /// and nothing is left to translate.
    fn codes(&self, source: usize, handler: &Handler) -> TokenStream {
        let (name, kind) = (outcome_name(handler), self.kind());
        let variants = handler.outcomes.iter().enumerate().map(|(index, outcome)| {
            let (word, code) = (&outcome.word, self.code(source, outcome));
            match outcome.what {
                What::To(..) => {
                    let variant = format_ident!("To{index}");
                    quote!(#variant = #code)
                }
                _ => quote!(#word = #code),
            }
        });
        quote!(#[repr(#kind)] enum #name { #(#variants),* })
    }

    /// The functions that ask handlers.
    ///
    /// If the framework is optimised for size, they aren't inlined: where the outcomes are nothing
    /// but numbers, the compiler makes tables of them, unless it follows each outcome into the code
    /// that takes it.
    fn asks(&self) -> TokenStream {
        let output = self.output;
        let quintet = &output.quintet;
        let (event, context, kind) = (output.event(), output.context_parameter(), self.kind());
        let (asynchronous, slot) = (output.asynchronous(), self.slot_parameter());
        let leaves: Vec<_> = output.machine.leaves().collect();
        let leaves = leaves.iter().enumerate().map(|(place, leaf)| {
            let is_last = place + 1 == leaves.len();
            let number = self.number(Some(*leaf));
            // Each number is one of these: without an arm for others, all arms may be alike.
            let number = if is_last { quote!(_) } else { quote!(#number) };
            let asked = self.asked(*leaf);
            if output.machine.states[*leaf].storage.is_empty() {
                return quote!(#number => #asked,);
            }
            let (pattern, above) = (output.pattern(*leaf), self.asks_above());
            quote!(#number => match &mut __machine.__state { #pattern => #asked, _ => #above },)
        });
        let composites = self.numbers.states().iter().copied().filter(|state| {
            output.machine.states[*state].is_composite && !is_silent(output, *state)
        });
        let composites = composites.map(|state| {
            let number = self.number(Some(state));
            let call = &output.machine.states[state].handler.call;
            let (place, asked) = (quote!(__machine.__state), self.asked(state));
            let asked = self.with_storage(state, call, &place, &asked, &self.asks_above());
            quote!(#number => #asked,)
        });
        let given = match output.machine.by_reference() {
            true => quote!(#kind),
            false => quote!(#quintet::chart::compact::Asked<#kind, #event>),
        };
        let above = self.asks_above();
        quote! {
            #quintet::__apart_if_small! { #asynchronous fn __ask<'__event>(
                __machine: &mut #quintet::chart::Machine<Self>,
                __at: usize,
                event: #event,
                #slot
                #context
            ) -> #given {
                match __at { #(#leaves)* }
            } }

            #quintet::__apart_if_small! { #asynchronous fn __above<'__event>(
                __machine: &mut #quintet::chart::Machine<Self>,
                __at: usize,
                event: #event,
                #slot
                #context
            ) -> #given {
                match __at { #(#composites)* _ => #above }
            } }
        }
    }

    /// The table of the states that are asked next: of parents, but without those that say `Super`
    /// to everything.
    fn asked_next(&self) -> TokenStream {
        let output = self.output;
        let composites =
            || output.machine.states.iter().enumerate().filter(|(_, one)| one.is_composite);
        if composites().all(|(state, _)| !is_silent(output, state)) {
            return quote!(Self::__PARENTS);
        }
        let next = |state| {
            let mut around = output.tree.chain(state).iter().skip(1).copied();
            around.find(|state| !is_silent(output, *state))
        };
        let table = self.table("ASKED", next);
        quote!({ #table ASKED })
    }

    /// The answer of a state that leaves an event to the states around it.
    fn asks_above(&self) -> TokenStream {
        let (quintet, code) = (&self.output.quintet, self.literal(Said::Super));
        match self.output.machine.by_reference() {
            true => quote!(#code),
            false => quote!(#quintet::chart::compact::Asked::Super(event)),
        }
    }

    /// The answer of a state to an event.
    fn asked(&self, source: usize) -> TokenStream {
        let (machine, quintet) = (&self.output.machine, &self.output.quintet);
        let state = &machine.states[source];
        let asked = self.answer(source, &state.handler);
        if state.defer.is_empty() {
            return asked;
        }
        let (patterns, code) = (&state.defer, self.literal(Said::Deferred));
        let deferred = match machine.by_reference() {
            true => quote!(#code),
            false => quote!(#quintet::chart::compact::Asked::Deferred(event)),
        };
        quote!(match event { #(#patterns)|* => #deferred, _ => #asked })
    }

    /// An outcome as an answer, or as the pattern of one.
    fn answered(&self, code: &Literal) -> TokenStream {
        let quintet = &self.output.quintet;
        match self.output.machine.by_reference() {
            true => quote!(#code),
            false => quote!(#quintet::chart::compact::Asked::Said(#code)),
        }
    }

    /// The answer of a handler.
    fn answer(&self, source: usize, handler: &Handler) -> TokenStream {
        let (name, quintet) = (outcome_name(handler), &self.output.quintet);
        let (call, kind) = (self.output.call(&handler.call, false), self.kind());
        let by_reference = self.output.machine.by_reference();
        if by_reference && self.is_coded(source, handler) {
            return quote!(#call as #kind);
        }
        let said = |code: Literal| self.answered(&code);
        let given = handler.takes.as_ref().filter(|_| given_back(handler)).map(|_| quote!((event)));
        let arms = handler.outcomes.iter().enumerate().map(|(index, outcome)| {
            let code = self.code(source, outcome);
            match outcome.what {
                What::Handled => {
                    let code = said(code);
                    quote!(#name::Handled => #code)
                }
                What::Super => {
                    let above = self.asks_above();
                    quote!(#name::Super #given => #above)
                }
                What::Deferred if by_reference => quote!(#name::Deferred => #code),
                What::Deferred => {
                    let asked = quote!(#quintet::chart::compact::Asked);
                    quote!(#name::Deferred #given => #asked::Deferred(event))
                }
                What::To(_, target) => {
                    let variant = format_ident!("To{index}");
                    let values = (0..self.output.given(target).count()).map(value);
                    let action = outcome.has_action.then(|| format_ident!("__action"));
                    let fields: Vec<_> = values.chain(action).collect();
                    let fields = (!fields.is_empty()).then(|| quote!((#(#fields),*)));
                    let (values, way) = match self.is_straight {
                        true => (None, self.straight(source, outcome)),
                        false => (self.values(target), self.with_action(source, outcome)),
                    };
                    let code = match self.is_straight || outcome.has_action {
                        true => said(self.literal(Said::Moved)),
                        false => said(code),
                    };
                    quote!(#name::#variant #fields => { #values #way #code })
                }
            }
        });
        quote!(match #call { #(#arms,)* })
    }

    /// The values of a target's variables go into the next leaf.
    fn values(&self, target: usize) -> Option<TokenStream> {
        let storage = &self.output.machine.states[target].storage;
        let (kind, variant) = (&self.output.machine.state_name, self.output.variant(target));
        let fields = storage.iter().enumerate().map(|(index, (name, _))| {
            let value = value(index);
            quote!(#name: #value)
        });
        (!storage.is_empty()).then(
            || quote!(*__next = ::core::option::Option::Some(#kind::#variant { #(#fields),* });),
        )
    }

    /// A transition with an action of its own, which is taken where the action is.
    fn with_action(&self, source: usize, outcome: &Outcome) -> Option<TokenStream> {
        let (output, code) = (self.output, self.code(source, outcome));
        let (source, lent, wait) = (self.number(Some(source)), output.context(), output.wait());
        let note = output.note(&quote!(Action));
        let next = self.has_storage.then(|| quote!(__next.take(),));
        outcome.has_action.then(|| {
            quote! {
                let __stays = Self::__leave(__machine, #source, #code, #lent)#wait;
                #note
                __action(&mut __machine.__chart, #lent);
                Self::__arrive(__machine, __stays, #code, #next #lent)#wait;
            }
        })
    }

    fn has_actions(&self) -> bool {
        let states = self.output.machine.states.iter();
        states.flat_map(|state| &state.handler.outcomes).any(|outcome| outcome.has_action)
    }

    /// The place of the next leaf, if leaves have variables.
    fn slot(&self) -> Option<TokenStream> {
        let kind = self.state_type();
        let none = quote!(::core::option::Option::None);
        self.has_storage.then(|| quote!(let mut __next: ::core::option::Option<#kind> = #none;))
    }

    fn lent_slot(&self) -> Option<TokenStream> {
        self.has_storage.then(|| quote!(&mut __next,))
    }

    fn slot_parameter(&self) -> Option<TokenStream> {
        let kind = self.state_type();
        self.has_storage.then(|| quote!(__next: &mut ::core::option::Option<#kind>,))
    }

    fn next(&self) -> Option<TokenStream> {
        self.has_storage.then(|| quote!(__next,))
    }

    /// The type of leaves.
    pub fn state_type(&self) -> TokenStream {
        let (kind, (_, types, _)) =
            (&self.output.machine.state_name, self.output.of_states.split_for_impl());
        quote!(#kind #types)
    }
}

/// A transition that isn't external, or whose end a history says.
fn special(output: &Output<'_>, source: usize, outcome: &Outcome) -> Option<Special> {
    let What::To(kind, target) = outcome.what else { return None };
    match kind {
        Kind::External => None,
        Kind::Local => {
            let [local, external] = [Kind::Local, Kind::External]
                .map(|kind| lower::stays(&output.tree, source, kind, target));
            (local != external).then_some(Special { kind, target, stays: local })
        }
        Kind::History | Kind::DeepHistory => Some(Special { kind, target, stays: None }),
    }
}

/// Returns `true` if a state says `Super` to all events, and does nothing else.
fn is_silent(output: &Output<'_>, state: usize) -> bool {
    let state = &output.machine.states[state];
    let says = |outcome: &Outcome| outcome.what == What::Super;
    state.defer.is_empty()
        && !state.handler.outcomes.is_empty()
        && state.handler.outcomes.iter().all(says)
        && matches!(
            state.handler.function.block.stmts.as_slice(),
            [Stmt::Expr(Expr::Path(_) | Expr::Call(_), None)]
        )
}
