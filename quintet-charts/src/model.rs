//! A state machine as data, with the user's tokens.

use std::collections::BTreeSet;

use proc_macro2::{Ident, TokenStream};
use quote::format_ident;
use syn::{Attribute, Expr, Generics, ImplItem, ImplItemFn, LitInt, Pat, Path, Type, Visibility};

use crate::generics;

/// A state machine.
pub struct Machine {
    /// The type of the `impl` block: the extended state.
    pub own: Type,
    /// The parameters of the block. Lifetimes that the type leaves out have names.
    pub generics: Generics,
    /// The name of the generated `enum` of leaves.
    pub state_name: Ident,
    /// The attributes of that `enum`: its `derive`s.
    pub derives: Vec<Path>,
    /// The visibility of the generated items.
    pub visibility: Visibility,
    /// The first transition.
    pub initial: Initial,
    /// States and superstates, in the order of the text.
    pub states: Vec<State>,
    /// The type of the parameter `event`: a reference, or a value.
    pub event: Type,
    /// The type of the parameter `context`.
    pub context: Option<Type>,
    /// `true` if a handler or an action waits.
    pub waits: bool,
    /// `true` if the code should be compact, `false` if it should be fast; `None` leaves it to the
    /// optimisation that the framework is built with.
    pub compact: Option<bool>,
    /// The number of events that the machine can keep.
    pub deferred: Option<LitInt>,
    /// The function that gets each event that no state handled.
    pub unhandled: Option<Call>,
    /// The functions that run before and after each event, with the state and the event.
    pub around_dispatch: [Option<Watcher>; 2],
    /// The functions that run before and after each transition, with its beginning and its end.
    pub around_transition: [Option<Watcher>; 2],
    /// The attributes of the block, without the macro's own.
    pub attributes: Vec<Attribute>,
    /// The types that handlers return, for the names in them.
    pub returned: Vec<Type>,
    /// The other items of the block, including actions, as written.
    pub items: Vec<ImplItem>,
}

/// A state, or a superstate.
pub struct State {
    /// The state's name.
    pub name: Ident,
    /// `true` if the state is a superstate.
    pub is_composite: bool,
    /// The superstate.
    pub parent: Option<usize>,
    /// The word that names the superstate.
    pub parent_name: Option<Ident>,
    /// The state's own data: names, and types.
    pub storage: Vec<(Ident, Type)>,
    /// The function that runs at the entry.
    pub entry: Option<Call>,
    /// The function that runs at the exit.
    pub exit: Option<Call>,
    /// The initial transition of a superstate.
    pub initial: Option<Initial>,
    /// The function that runs when the state has been entered completely; of a superstate, when a
    /// state inside that completes it has been entered.
    pub completion: Option<Handler>,
    /// The word of a leaf that names the superstate as completed by this leaf.
    pub completes: Option<Ident>,
    /// The timer that runs while the state is active.
    pub after: Option<After>,
    /// The events that the state defers.
    pub defer: Vec<Pat>,
    /// The function that gets events.
    pub handler: Handler,
}

/// A timer that a state arms when it is entered, and disarms when it is left.
pub struct After {
    /// The timer, which has the methods `arm` and `disarm`.
    pub timer: Expr,
    /// The argument of `arm`.
    pub delay: Expr,
}

/// A transition that is taken when a composite, or the machine, is entered.
#[derive(Clone)]
pub struct Initial {
    /// The state that is entered.
    pub target: usize,
    /// The word that names the target.
    pub word: Ident,
    /// The values of the target's storage.
    pub values: Vec<Expr>,
    /// The action that runs on the way.
    pub action: Option<Call>,
}

/// A function of the block, with its arguments.
#[derive(Clone)]
pub struct Call {
    /// The path by which the function is called.
    pub path: TokenStream,
    /// The word that names the function.
    pub name: Ident,
    /// The function's arguments in their order.
    pub arguments: Vec<Argument>,
    /// `true` if the function is `async`.
    pub waits: bool,
}

/// A function that sees each event, or each transition.
pub struct Watcher {
    /// The path by which the function is called.
    pub path: Path,
    /// `true` if the function gets events by reference, in whatever way handlers take them.
    pub by_reference: bool,
    /// `true` if the function gets the context, too.
    pub takes_context: bool,
    /// `true` if the function is `async`.
    pub waits: bool,
}

/// An argument that a function takes.
#[derive(Clone)]
pub enum Argument {
    /// `&mut self`, or `&self`.
    Own {
        /// `true` if the function may change the value.
        mutable: bool,
    },
    /// The event.
    Event,
    /// A reference to the event, in whatever way handlers take events.
    EventReference,
    /// The context.
    Context,
    /// A variable of the state's storage.
    Storage(Ident),
}

/// A function that returns outcomes.
pub struct Handler {
    /// How the handler is called.
    pub call: Call,
    /// The outcomes that the handler can return: each is a variant of an `enum` of the handler's
    /// own.
    pub outcomes: Vec<Outcome>,
    /// The function with rewritten outcomes. The return type is still the user's.
    pub function: ImplItemFn,
    /// The arms of the `match` in the handler's body, for pictures.
    pub arms: Vec<Arm>,
    /// The handler's parameter that is an event by value. Outcomes that leave the event to others
    /// give it back.
    pub takes: Option<Ident>,
}

/// An outcome that a handler returns.
pub struct Outcome {
    /// The kind of the outcome.
    pub what: What,
    /// The user's word.
    pub word: Ident,
    /// The number of values for the target's storage.
    pub values: usize,
    /// `true` if the outcome has an action.
    pub has_action: bool,
}

/// The kinds of outcomes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum What {
    /// The event is handled.
    Handled,
    /// The superstate is asked.
    Super,
    /// The machine keeps the event.
    Deferred,
    /// A transition to another state.
    To(Kind, usize),
}

/// The kinds of transitions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Leaves and enters also a composite that contains the other end.
    External,
    /// Stays inside a composite that contains the other end.
    Local,
    /// Goes to the state inside of the target that was active last.
    History,
    /// The same, down through all levels.
    DeepHistory,
}

/// The place of an outcome: when the handler returns it.
#[derive(Clone)]
pub struct Arm {
    /// The pattern of the event; `None` outside of a `match` of the event.
    pub event: Option<Pat>,
    /// The conditions, as written; `else` if the condition before doesn't hold.
    pub guards: Vec<String>,
    /// The actions on the way, as written.
    pub actions: Vec<String>,
    /// The place in [`Handler::outcomes`].
    pub outcome: usize,
}

impl Machine {
    /// Returns a state and the states that contain it, from inside out.
    pub fn chain(&self, state: usize) -> Vec<usize> {
        let mut chain = vec![state];
        let mut next = self.states[state].parent;
        // A circle has been refused, or will be.
        while let Some(parent) = next.filter(|parent| !chain.contains(parent)) {
            chain.push(parent);
            next = self.states[parent].parent;
        }
        chain
    }

    /// Returns `true` if a state is `outer`, or inside of `outer`.
    pub fn is_in(&self, state: usize, outer: usize) -> bool {
        // More steps than states mean a circle, which has been refused, or will be.
        let parents = std::iter::successors(Some(state), |state| self.states[*state].parent);
        parents.take(self.states.len() + 1).any(|state| state == outer)
    }

    /// Returns the completion that is asked when a leaf has been entered, and the state that it
    /// belongs to: the leaf, or the superstate that the leaf completes.
    pub fn completion_at(&self, leaf: usize) -> Option<(usize, &Handler)> {
        let own = &self.states[leaf];
        let source = if own.completes.is_some() { own.parent? } else { leaf };
        Some((source, self.states[source].completion.as_ref()?))
    }

    /// The states that have none inside.
    pub fn leaves(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.states.len()).filter(|state| !self.states[*state].is_composite)
    }

    /// The parameters of the `enum` of leaves: those that variables of states mention.
    pub fn generics_of_states(&self) -> Generics {
        let kinds = self.states.iter().flat_map(|state| &state.storage).map(|(_, kind)| kind);
        generics::mentioned(&self.generics, kinds)
    }

    /// Returns `true` if handlers take the event by reference.
    pub const fn by_reference(&self) -> bool {
        matches!(self.event, Type::Reference(_))
    }

    /// All handlers, with their states.
    pub fn handlers(&self) -> impl Iterator<Item = (usize, &Handler)> {
        self.states.iter().enumerate().flat_map(|(index, state)| {
            std::iter::once((index, &state.handler))
                .chain(state.completion.as_ref().map(|handler| (index, handler)))
        })
    }

    /// The actions that attributes name: of entries, exits, and initial transitions.
    pub fn actions(&self) -> impl Iterator<Item = &Call> {
        let of_states = self.states.iter().flat_map(|state| {
            let initial = state.initial.as_ref().and_then(|initial| initial.action.as_ref());
            [state.entry.as_ref(), state.exit.as_ref(), initial].into_iter().flatten()
        });
        self.initial.action.iter().chain(of_states)
    }

    /// The variant of a state.
    pub fn variant(&self, state: usize) -> Ident {
        variant_of(&self.states[state].name)
    }

    /// Returns the composites whose history some transition uses.
    pub fn remembered(&self) -> Vec<usize> {
        let said = self.handlers().flat_map(|(_, handler)| &handler.outcomes);
        let asked = said.filter_map(|outcome| match outcome.what {
            What::To(Kind::History | Kind::DeepHistory, target) => Some(target),
            _ => None,
        });
        asked.collect::<BTreeSet<_>>().into_iter().collect()
    }
}

/// The variant of a state of this name: `not_started` becomes `NotStarted`. The name must be fit
/// for a variant.
pub fn variant_of(name: &Ident) -> Ident {
    Ident::new(&variant_text(name), name.span())
}

/// The variant as text, even if the name is not fit for a variant.
pub fn variant_text(name: &Ident) -> String {
    let text = name.to_string();
    let words = text.trim_start_matches("r#").split('_').filter(|word| !word.is_empty());
    words
        .flat_map(|word| {
            let mut letters = word.chars();
            let first = letters.next().into_iter().flat_map(char::to_uppercase);
            first.chain(letters).collect::<Vec<_>>()
        })
        .collect()
}

/// The name of the `enum` of a handler's outcomes.
pub fn outcome_name(handler: &Ident) -> Ident {
    // A raw name loses its `r#` here.
    format_ident!("Outcome_of_{}", handler)
}
