//! What surrounds the dispatch: the states, the handlers with their outcomes, the traits.

use std::collections::BTreeSet;

use proc_macro2::{Ident, Span, TokenStream};
use quintet_charts::generics;
use quintet_charts::model::{Handler, Initial, Machine, What};
use quintet_charts::numbers::Numbers;
use quintet_charts::tree::Tree;
use quote::{format_ident, quote};
use syn::{FnArg, GenericParam, Generics, Lifetime, Type, parse_quote};

use super::{dispatch, lines};
use crate::write::framework;

/// The lifetime of events.
pub const EVENT: &str = "'__event";
/// How long a context is lent.
pub const LENT: &str = "'__lent";
/// How long that lasts what a context borrows.
pub const INSIDE: &str = "'__inside";

/// The data that all parts of an expansion use.
pub struct Output<'a> {
    pub machine: &'a Machine,
    /// The machine's tree of states.
    pub tree: Tree<'a>,
    /// The machine's states as numbers.
    pub numbers: Numbers,
    /// The path of the crate.
    pub quintet: TokenStream,
    /// The parameters of the `enum` of leaves.
    pub of_states: Generics,
}

/// The machine as Rust.
pub fn emit(machine: &Machine) -> TokenStream {
    let (tree, of_states) = (Tree::of(machine), machine.generics_of_states());
    let numbers = Numbers::of(&tree);
    let output = Output { machine, tree, numbers, quintet: framework(), of_states };
    let (states, inside) = (output.states(), output.inside());
    let lines = lines::emit(&output);
    quote!(#states #inside #lines)
}

impl Output<'_> {
    /// The `enum`s of leaves, and of all states.
    fn states(&self) -> TokenStream {
        let Machine { state_name, derives, visibility, states, .. } = self.machine;
        let leaves = self.machine.leaves().map(|leaf| {
            let variant = self.variant(leaf);
            let fields = states[leaf].storage.iter().map(|(name, kind)| {
                let text = format!("The variable `{name}`.");
                quote!(#[doc = #text] #name: #kind)
            });
            let text = format!("`{}`.", states[leaf].name);
            let fields = (!states[leaf].storage.is_empty()).then(|| quote!({ #(#fields),* }));
            quote!(#[doc = #text] #variant #fields)
        });
        let constructors = self.machine.leaves().map(|leaf| {
            let (name, variant) = (&states[leaf].name, self.variant(leaf));
            let names: Vec<_> = states[leaf].storage.iter().map(|(name, _)| name).collect();
            let kinds = states[leaf].storage.iter().map(|(_, kind)| kind);
            let fields = (!names.is_empty()).then(|| quote!({ #(#names),* }));
            let text = format!("The state `{name}`.");
            quote! {
                #[doc = #text]
                pub const fn #name(#(#names: #kinds),*) -> Self { Self::#variant #fields }
            }
        });
        let within = self.within();
        let all = (0..states.len()).map(|state| {
            let (variant, text) = (self.variant(state), format!("`{}`.", states[state].name));
            quote!(#[doc = #text] #variant)
        });
        let derives = (!derives.is_empty()).then(|| quote!(#[derive(#(#derives),*)]));
        let (of_states, types, bounds) = self.of_states.split_for_impl();
        let parameters = &self.of_states.params;
        let name = &self.own_name();
        let (leaf_text, all_text) =
            (format!("The states of `{name}`."), format!("States and superstates of `{name}`."));
        quote! {
            #[doc = #leaf_text]
            #derives
            #[allow(private_interfaces, missing_debug_implementations, reason = "as asked for")]
            #visibility enum #state_name <#parameters> #bounds { #(#leaves),* }

            #[allow(dead_code, missing_docs, clippy::use_self, reason = "not all are used")]
            impl #of_states #state_name #types #bounds { #(#constructors)* }

            #[doc = #all_text]
            #[derive(Clone, Copy, PartialEq, Eq, Debug)]
            #[allow(dead_code, reason = "not all are used")]
            #visibility enum #within { #(#all),* }
        }
    }

    /// Functions and traits, in a scope where their names can't collide with the user's.
    fn inside(&self) -> TokenStream {
        let Machine { own, visibility, items, returned, attributes, .. } = self.machine;
        let functions = self.distinct_handlers().map(|(_, handler)| self.function(handler));
        let starts = std::iter::once((None, &self.machine.initial)).chain(
            (self.machine.states.iter().enumerate())
                .filter_map(|(index, state)| Some((Some(index), state.initial.as_ref()?))),
        );
        let values = starts.map(|(of, initial)| self.values(of, initial));
        let (chart, dispatch) = (self.chart(), dispatch::emit(self));
        let (quintet, new) = (&self.quintet, self.fresh());
        let named = self.machine.actions().map(|call| &call.name);
        let (of_own, _, bounds) = self.machine.generics.split_for_impl();
        quote! {
            #[allow(
                dead_code, unused_variables, unused_mut, non_camel_case_types, clippy::all,
                clippy::pedantic, clippy::nursery, clippy::restriction, missing_docs,
                reason = "what the macro writes"
            )]
            const _: () = {
                fn __names #of_own (_: &#own) #bounds {
                    #(let _: ::core::option::Option<#returned> = None;)*
                    // Names an action as used, even if no transition leads to it.
                    #(let _ = <#own>::#named;)*
                }
                impl #of_own #own #bounds { #(#functions)* #(#values)* }
                #chart
                #dispatch
            };

            #(#attributes)*
            impl #of_own #own #bounds {
                #(#items)*

                /// The state machine. It enters its first state at `start`, or with its
                /// first event.
                #[must_use]
                #visibility const fn machine(self) -> #quintet::chart::Machine<Self> { #new }
            }
        }
    }

    /// The handlers, with the first state that has each: several states may name one completion.
    pub fn distinct_handlers(&self) -> impl Iterator<Item = (usize, &Handler)> {
        let mut names = BTreeSet::new();
        self.machine.handlers().filter(move |(_, one)| names.insert(&one.call.name))
    }

    /// The `enum` of a handler's outcomes.
    pub fn outcomes(&self, handler: &Handler) -> TokenStream {
        let name = outcome_name(handler);
        let event = given_back(handler).then(|| format_ident!("E"));
        let of_values = self.of_values(handler);
        let bounds = &of_values.where_clause;
        let mut generics = of_values.params.clone();
        generics.extend(event.iter().map(|name| -> GenericParam { parse_quote!(#name) }));
        generics.extend(actions(handler).map(|name| -> GenericParam { parse_quote!(#name) }));
        let variants = handler.outcomes.iter().enumerate().map(|(index, outcome)| {
            let What::To(_, target) = outcome.what else {
                let (word, event) = (&outcome.word, event.iter());
                let fields = (outcome.what != What::Handled).then(|| quote!(#((#event))*));
                return quote!(#word #fields);
            };
            let variant = format_ident!("To{index}");
            let kinds = self.given(target).map(|(_, kind)| quote!(#kind));
            let action = outcome.has_action.then(|| format_ident!("A{index}"));
            let fields: Vec<_> = kinds.chain(action.map(|action| quote!(#action))).collect();
            let fields = (!fields.is_empty()).then(|| quote!((#(#fields),*)));
            quote!(#variant #fields)
        });
        quote!(enum #name<#generics> #bounds { #(#variants),* })
    }

    /// The parameters of the block that the values of a handler's transitions mention.
    fn of_values(&self, handler: &Handler) -> Generics {
        let targets = handler.outcomes.iter().filter_map(|outcome| match outcome.what {
            What::To(_, target) => Some(target),
            _ => None,
        });
        let kinds = targets.flat_map(|target| self.given(target)).map(|(_, kind)| kind);
        generics::mentioned(&self.machine.generics, kinds)
    }

    /// A handler, which returns its `enum`.
    fn function(&self, handler: &Handler) -> TokenStream {
        let mut function = handler.function.clone();
        let name = outcome_name(handler);
        let mut has_event = false;
        for argument in &mut function.sig.inputs {
            if let FnArg::Typed(typed) = argument
                && let syn::Pat::Ident(one) = &*typed.pat
                && one.ident.to_string().trim_start_matches('_') == "event"
            {
                has_event = generics::name_all_lifetimes(&mut typed.ty, EVENT);
            }
        }
        let lifetime = has_event.then(|| Lifetime::new(EVENT, Span::call_site()));
        if let Some(lifetime) = &lifetime {
            function.sig.generics = parse_quote!(<#lifetime>);
        }
        let context = self.machine.context.iter();
        let parameters = quote!(&mut Self #(, #context)*);
        let lifetime = lifetime.iter().map(|lifetime| quote!(#lifetime));
        let used: Vec<_> = lifetime.chain(generics::names(&self.machine.generics)).collect();
        let actions = actions(handler)
            .map(|_| quote!(impl ::core::ops::FnOnce(#parameters) + use<#(#used),*>));
        let event = given_back(handler).then(|| self.event());
        let types = generics::names(&self.of_values(handler)).into_iter();
        let types = types.chain(event.map(|event| quote!(#event))).chain(actions);
        function.sig.output = parse_quote!(-> #name<#(#types),*>);
        quote!(#[inline(always)] #function)
    }

    /// The values that an initial transition gives to a leaf.
    fn values(&self, of: Option<usize>, initial: &Initial) -> TokenStream {
        let storage = &self.machine.states[initial.target].storage;
        if storage.is_empty() {
            return TokenStream::new();
        }
        let name = self.values_name(of);
        let kinds = storage.iter().map(|(_, kind)| kind);
        let values = &initial.values;
        let context = self.machine.context.iter();
        quote! {
            #[inline(always)]
            fn #name(&mut self #(, context: #context)*) -> (#(#kinds,)*) { (#(#values,)*) }
        }
    }

    /// The machine as a value.
    fn fresh(&self) -> TokenStream {
        let (quintet, record, kept) = (&self.quintet, self.fresh_record(), self.fresh_kept());
        quote!(#quintet::chart::Machine::__new(self, #record, #kept))
    }

    /// The machine's record before its start.
    pub fn fresh_record(&self) -> TokenStream {
        let count = self.tree.remembered().len();
        quote!([0; #count])
    }

    /// The machine's kept events before its start: none.
    pub fn fresh_kept(&self) -> TokenStream {
        let quintet = &self.quintet;
        match self.machine.deferred {
            Some(_) => quote!(#quintet::chart::Kept::new()),
            None => quote!(#quintet::chart::NeverKeeps),
        }
    }

    /// The trait that describes the struct.
    fn chart(&self) -> TokenStream {
        let Machine { own, state_name, states, deferred, waits, context, .. } = self.machine;
        let (quintet, within, count) = (&self.quintet, self.within(), self.tree.remembered().len());
        let width = if states.len() < 255 { quote!(u8) } else { quote!(u16) };
        let form = match (waits, context) {
            (false, None) => quote!(Plain),
            (false, Some(_)) => quote!(With),
            (true, None) => quote!(Waits),
            (true, Some(_)) => quote!(WaitsWith),
        };
        let kept = match deferred {
            Some(bound) => {
                let event = self.kept_event();
                quote!(#quintet::chart::Kept<#event, #bound>)
            }
            None => quote!(#quintet::chart::NeverKeeps),
        };
        let text = self.state_text();
        let (_, of_states, _) = self.of_states.split_for_impl();
        let (of_own, _, bounds) = self.machine.generics.split_for_impl();
        let arms = (0..states.len()).map(|state| {
            let name = self.variant(state);
            let inside = self.tree.leaves(state).iter().map(|leaf| self.variant(*leaf));
            quote!(#within::#name => ::core::matches!(state, #(#state_name::#inside { .. })|*))
        });
        quote! {
            impl #of_own #quintet::chart::Chart for #own #bounds {
                type State = #state_name #of_states;
                type Within = #within;
                type Record = [#width; #count];
                type Kept = #kept;
                type Form = #quintet::chart::#form;

                fn is_within(state: &#state_name #of_states, within: #within) -> bool {
                    match within { #(#arms),* }
                }

                #text
            }
        }
    }

    /// The type of events, whose lifetimes have the name [`EVENT`].
    pub fn event(&self) -> Type {
        let mut event = self.machine.event.clone();
        generics::name_all_lifetimes(&mut event, EVENT);
        event
    }

    /// The type of the context: what is lent for a dispatch, and what that borrows for longer. With
    /// one lifetime for both, a `&mut Context<'_>` would be lent until its end.
    pub fn context_type(&self) -> Type {
        let Some(mut context) = self.machine.context.clone() else { return parse_quote!(()) };
        if let Type::Reference(outer) = &mut context
            && outer.lifetime.as_ref().is_none_or(|lifetime| lifetime.ident == "_")
        {
            outer.lifetime = Some(Lifetime::new(LENT, Span::call_site()));
        }
        generics::name_all_lifetimes(&mut context, INSIDE);
        context
    }

    /// The type of events that are kept.
    pub fn kept_event(&self) -> Type {
        match &self.machine.event {
            Type::Reference(reference) => (*reference.elem).clone(),
            other => other.clone(),
        }
    }

    /// The `enum` of all states: `Within`, or `SWithin` of states named `S`.
    pub fn within(&self) -> Ident {
        within(&self.machine.state_name)
    }

    /// The variant of a state.
    pub fn variant(&self, state: usize) -> &Ident {
        self.tree.variant(state)
    }

    /// The function that makes the values of an initial transition.
    pub fn values_name(&self, of: Option<usize>) -> Ident {
        match of {
            Some(state) => format_ident!("__values_{}", self.machine.states[state].name),
            None => format_ident!("__values"),
        }
    }

    /// The values that a transition gives to its target.
    pub fn given(&self, target: usize) -> impl Iterator<Item = &(Ident, Type)> {
        self.machine.states[target].storage.iter()
    }

    fn own_name(&self) -> String {
        let own = &self.machine.own;
        quote!(#own).to_string()
    }
}

/// The `enum` of all states beside that of the leaves.
pub fn within(states: &Ident) -> Ident {
    if states == "State" { format_ident!("Within") } else { format_ident!("{states}Within") }
}

/// The name of the `enum` of a handler.
pub fn outcome_name(handler: &Handler) -> Ident {
    quintet_charts::model::outcome_name(&handler.call.name)
}

/// The parameters of that `enum`: the types of actions.
fn actions(handler: &Handler) -> impl Iterator<Item = Ident> + '_ {
    let with_action = handler.outcomes.iter().enumerate().filter(|(_, one)| one.has_action);
    with_action.map(|(index, _)| format_ident!("A{index}"))
}

/// Returns `true` if a handler takes an event by value and gives the event back, for other
/// handlers.
pub fn given_back(handler: &Handler) -> bool {
    let gives = |what: What| matches!(what, What::Super | What::Deferred);
    handler.takes.is_some() && handler.outcomes.iter().any(|one| gives(one.what))
}
