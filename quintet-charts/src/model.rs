//! A state machine as data, with the user's tokens.

use std::collections::BTreeSet;

use proc_macro2::{Ident, TokenStream};
use quote::format_ident;
use syn::{Attribute, Expr, ImplItem, ImplItemFn, LitInt, Pat, Path, Type, Visibility};

/// A state machine.
pub struct Machine {
    /// The type that the `impl` block is of: the extended state.
    pub own: Type,
    /// The name of the generated `enum` of leaves.
    pub state_name: Ident,
    /// The attributes of that `enum`: its `derive`s.
    pub derives: Vec<Path>,
    /// The visibility of what is generated.
    pub visibility: Visibility,
    /// The first transition.
    pub initial: Initial,
    /// States and superstates, in the order of the text.
    pub states: Vec<State>,
    /// The type of the parameter `event`: a reference, or a value.
    pub event: Type,
    /// The type of the parameter `context`.
    pub context: Option<Type>,
    /// Whether a handler or an action waits.
    pub waits: bool,
    /// How many events can be kept.
    pub deferred: Option<LitInt>,
    /// What is called with an event that nobody handled.
    pub unhandled: Option<Call>,
    /// What is called before and after each event, with the state and the event.
    pub around_dispatch: [Option<Watcher>; 2],
    /// What is called before and after each transition, with where it begins and ends.
    pub around_transition: [Option<Path>; 2],
    /// The attributes of the block, without the macro's own.
    pub attributes: Vec<Attribute>,
    /// The types that handlers return, for the names in them.
    pub returned: Vec<Type>,
    /// What else is in the block, actions with it, as written.
    pub items: Vec<ImplItem>,
}

/// A state, or a superstate.
pub struct State {
    /// Its name.
    pub name: Ident,
    /// Whether it is a superstate.
    pub is_composite: bool,
    /// The superstate.
    pub parent: Option<usize>,
    /// The word that names the superstate.
    pub parent_name: Option<Ident>,
    /// Its own data: names, and types.
    pub storage: Vec<(Ident, Type)>,
    /// What runs when it is entered.
    pub entry: Option<Call>,
    /// What runs when it is left.
    pub exit: Option<Call>,
    /// Where a superstate begins.
    pub initial: Option<Initial>,
    /// What it does when it has been entered completely.
    pub completion: Option<Handler>,
    /// The events that are put off.
    pub defer: Vec<Pat>,
    /// What it does with an event.
    pub handler: Handler,
}

/// A transition that is taken when a composite, or the machine, is entered.
#[derive(Clone)]
pub struct Initial {
    /// What is entered.
    pub target: usize,
    /// The word that names it.
    pub word: Ident,
    /// The values of its storage.
    pub values: Vec<Expr>,
    /// What runs on the way.
    pub action: Option<Call>,
}

/// A function of the block, and what it wants.
#[derive(Clone)]
pub struct Call {
    /// How it is called.
    pub path: TokenStream,
    /// The word that names it.
    pub name: Ident,
    /// Its arguments in their order.
    pub arguments: Vec<Argument>,
    /// Whether it is `async`.
    pub waits: bool,
}

/// A function that is told of each event.
pub struct Watcher {
    /// How it is called.
    pub path: Path,
    /// Whether it gets events by reference, in whatever way handlers take them.
    pub by_reference: bool,
}

/// What a function wants.
#[derive(Clone)]
pub enum Argument {
    /// `&mut self`, or `&self`.
    Own {
        /// Whether it may change it.
        mutable: bool,
    },
    /// The event.
    Event,
    /// A reference to the event, in whatever way handlers take it.
    EventReference,
    /// The context.
    Context,
    /// A variable of the state's storage.
    Storage(Ident),
}

/// A function that says what is done.
pub struct Handler {
    /// How it is called.
    pub call: Call,
    /// What it can say: each is a variant of an `enum` of its own.
    pub outcomes: Vec<Outcome>,
    /// The function, its outcomes rewritten. The return type is still the user's.
    pub function: ImplItemFn,
    /// The arms of the `match` that is its body, for pictures.
    pub arms: Vec<Arm>,
    /// Its parameter that is an event by value: outcomes that leave the event to others give it
    /// back.
    pub takes: Option<Ident>,
}

/// What a handler says in one place.
pub struct Outcome {
    /// What it is.
    pub what: What,
    /// The user's word.
    pub word: Ident,
    /// How many values it gives to the target's storage.
    pub values: usize,
    /// Whether it has an action.
    pub has_action: bool,
}

/// What a handler can say.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum What {
    /// The event is done with.
    Handled,
    /// The superstate is asked.
    Super,
    /// The event is kept.
    Deferred,
    /// Another state.
    To(Kind, usize),
}

/// How a transition goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// It leaves and enters also a composite that contains the other end.
    External,
    /// It stays inside that composite.
    Local,
    /// To the state inside of the target that was active last.
    History,
    /// The same, through all levels below.
    DeepHistory,
}

/// Where an outcome is: when a handler says it.
#[derive(Clone)]
pub struct Arm {
    /// The pattern of the event; none outside of a `match` of the event.
    pub event: Option<Pat>,
    /// The conditions, as written; `else` where the one before doesn't hold.
    pub guards: Vec<String>,
    /// What is done on the way, as written.
    pub actions: Vec<String>,
    /// The place in [`Handler::outcomes`].
    pub outcome: usize,
}

impl Machine {
    /// A state and what contains it, from inside out.
    pub fn chain(&self, state: usize) -> Vec<usize> {
        let mut chain = vec![state];
        let mut next = self.states[state].parent;
        // A cycle has been refused, or will be.
        while let Some(parent) = next.filter(|parent| !chain.contains(parent)) {
            chain.push(parent);
            next = self.states[parent].parent;
        }
        chain
    }

    /// Whether a state is `outer` or inside of it.
    pub fn is_in(&self, state: usize, outer: usize) -> bool {
        // More steps than states are a cycle, which has been refused, or will be.
        let parents = std::iter::successors(Some(state), |state| self.states[*state].parent);
        parents.take(self.states.len() + 1).any(|state| state == outer)
    }

    /// The states that have none inside.
    pub fn leaves(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.states.len()).filter(|state| !self.states[*state].is_composite)
    }

    /// Whether the event is handed on by reference.
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

    /// The composites whose last state is asked for.
    pub fn remembered(&self) -> Vec<usize> {
        let said = self.handlers().flat_map(|(_, handler)| &handler.outcomes);
        let asked = said.filter_map(|outcome| match outcome.what {
            What::To(Kind::History | Kind::DeepHistory, target) => Some(target),
            _ => None,
        });
        asked.collect::<BTreeSet<_>>().into_iter().collect()
    }
}

/// The variant of a state of this name: `not_started` as `NotStarted`. The name has to be fit.
pub fn variant_of(name: &Ident) -> Ident {
    Ident::new(&variant_text(name), name.span())
}

/// The same as text, also of a name of which no variant can be made.
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
