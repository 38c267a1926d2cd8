//! From the `impl` block to the model.

mod arguments;
mod functions;
mod names;
mod refusals;

use std::collections::{HashMap, HashSet};

use proc_macro2::{Ident, Span, TokenStream};
use quote::format_ident;
use syn::{
    Attribute, Expr, FnArg, Generics, ImplItem, ImplItemFn, ItemImpl, Pat, ReturnType, Type,
};

use self::arguments::Arguments;
use self::functions::{Parameters, call_of, event_by_value, parameters};
use self::names::{Names, functions, near};
use self::refusals::refuse_block;
use crate::body::{self, Reader};
use crate::errors::Errors;
use crate::generics::name_lifetimes;
use crate::model::{Argument, Call, Handler, Initial, Machine, State, Watcher, outcome_name};

/// A state or superstate of the block, with its arguments.
struct Marked {
    arguments: Arguments,
    is_composite: bool,
    function: ImplItemFn,
}

/// The result of reading a block.
pub struct Parsed {
    /// The machine, with at least one state.
    pub machine: Machine,
    /// `true` if the machine's first state is known.
    pub begins: bool,
}

/// The machine, as far as it can be read.
pub fn machine(arguments: TokenStream, block: TokenStream, errors: &mut Errors) -> Option<Parsed> {
    let arguments = errors.ok(Arguments::of_machine(arguments));
    let block: ItemImpl = errors.ok(syn::parse2(block).map_err(|error| {
        syn::Error::new(error.span(), "a state machine is an `impl` block: `impl Name { .. }`")
    }))?;
    refuse_block(&block, errors);
    let (mut marked, mut items) = (Vec::new(), Vec::new());
    for item in block.items {
        match item {
            ImplItem::Fn(function) => sort(function, &mut marked, &mut items, errors),
            other => items.push(other),
        }
    }
    let is_initial_due = arguments.as_ref().is_some_and(|all| all.initial.is_none());
    let functions = functions(&items);
    // Without the arguments, the name is unknown.
    let state_name = arguments
        .as_ref()
        .map(|all| all.state_name.clone().unwrap_or_else(|| format_ident!("State")));
    let arguments = arguments.unwrap_or_default();
    let (mut own, mut generics, attributes) = (*block.self_ty, block.generics, block.attrs);
    name_lifetimes(&mut own, &mut generics);
    Reading { arguments, own, generics, marked, items, functions, state_name, attributes, errors }
        .read(is_initial_due)
}

/// Returns the name of the states' `enum`, if the arguments give one, and the traits that it
/// derives.
pub fn names_of_states(arguments: TokenStream) -> Option<(Option<Ident>, Vec<syn::Path>)> {
    let arguments = Arguments::of_machine(arguments).ok()?;
    Some((arguments.state_name, arguments.derives))
}

/// The attributes of functions.
const OURS: [&str; 3] = ["state", "superstate", "action"];

/// Returns `true` if an attribute is one of these words, directly or under a condition.
pub fn is_role(attribute: &Attribute, words: &[&str]) -> bool {
    words.iter().any(|word| attribute.path().is_ident(word))
        || has_under_condition(attribute, words)
}

/// Returns `true` if an attribute is an argument of a state in the wrong place.
pub fn is_misplaced(attribute: &Attribute) -> bool {
    attribute.path().get_ident().is_some_and(arguments::is_argument)
}

/// Returns `true` if an attribute has one of these words under a condition.
fn has_under_condition(attribute: &Attribute, words: &[&str]) -> bool {
    let syn::Meta::List(list) = &attribute.meta else { return false };
    let is_one = |token: proc_macro2::TokenTree| words.contains(&token.to_string().as_str());
    attribute.path().is_ident("cfg_attr") && list.tokens.clone().into_iter().any(is_one)
}

/// Sorts a function by its role.
fn sort(
    mut function: ImplItemFn,
    marked: &mut Vec<Marked>,
    items: &mut Vec<ImplItem>,
    errors: &mut Errors,
) {
    let ours = |attribute: &syn::Attribute| OURS.iter().any(|name| attribute.path().is_ident(name));
    let conditional = function.attrs.iter().position(|one| has_under_condition(one, &OURS));
    if let Some(place) = conditional {
        let condition = function.attrs.remove(place);
        let message = "a machine's attributes hold in every build, as transitions are resolved \
                       before conditions are: write this one without `cfg_attr`";
        errors.push(syn::Error::new_spanned(&condition, message));
        if has_under_condition(&condition, &OURS[..2]) {
            // The function is still a state that others name.
            let is_composite = has_under_condition(&condition, &OURS[1..2]);
            marked.push(Marked { arguments: Arguments::default(), is_composite, function });
            return;
        }
    }
    let Some(place) = function.attrs.iter().position(ours) else {
        items.push(ImplItem::Fn(function));
        return;
    };
    let attribute = function.attrs.remove(place);
    if attribute.path().is_ident("action") {
        items.push(ImplItem::Fn(function));
        return;
    }
    if let Some(condition) = function.attrs.iter().find(|one| one.path().is_ident("cfg")) {
        errors.push(syn::Error::new_spanned(
            condition,
            "a state is there in every build, as transitions are resolved before conditions \
             are: put the `#[cfg]` on what its handler does, or on the whole machine",
        ));
    }
    let is_composite = attribute.path().is_ident("superstate");
    let role = if is_composite { "superstate" } else { "state" };
    function.attrs.retain(|one| {
        let error = arguments::misplaced(one, role);
        let is_kept = error.is_none();
        error.into_iter().for_each(|error| errors.push(error));
        is_kept
    });
    // With wrong arguments, the function is still a state that others name.
    let arguments = errors.ok(Arguments::of_state(&attribute, is_composite)).unwrap_or_default();
    marked.push(Marked { arguments, is_composite, function });
}

struct Reading<'a> {
    arguments: Arguments,
    own: Type,
    generics: Generics,
    marked: Vec<Marked>,
    items: Vec<ImplItem>,
    /// The places of functions among the items.
    functions: HashMap<String, usize>,
    /// The name of the `enum` of states, if the arguments could be read.
    state_name: Option<Ident>,
    attributes: Vec<Attribute>,
    errors: &'a mut Errors,
}

impl Reading<'_> {
    fn read(mut self, is_initial_due: bool) -> Option<Parsed> {
        self.mark_superstates();
        let names = self.marked.iter().map(|one| one.function.sig.ident.clone());
        let names = Names::of(names.collect());
        names::refuse(&names, &self.items, self.errors);
        let shared = self.types();
        self.refuse_other_names(&shared);
        self.refuse_outcomes_of_actions();
        let mut states = Vec::new();
        let mut returned = Vec::new();
        for one in std::mem::take(&mut self.marked) {
            if let ReturnType::Type(_, returns) = &one.function.sig.output {
                returned.push((**returns).clone());
            }
            states.push(self.state(one, &names, &shared));
        }
        let initial = self.initial(&names, is_initial_due);
        let begins = initial.is_some();
        let word = names.all().first()?.clone();
        let initial =
            initial.unwrap_or_else(|| Initial { target: 0, word, values: vec![], action: None });
        let arguments = std::mem::take(&mut self.arguments);
        // The rewritten completions are in the states.
        let completions: HashSet<_> = states
            .iter()
            .filter_map(|state| state.completion.as_ref().map(|one| one.call.name.to_string()))
            .collect();
        let unhandled = arguments.unhandled.as_ref().map(|path| self.unhandled(path));
        let [around_dispatch, around_transition] =
            [arguments.around_dispatch, arguments.around_transition]
                .map(|both| both.map(|path| path.map(|path| self.watcher(path))));
        let mut watchers = around_dispatch.iter().chain(&around_transition).flatten();
        let waits = states.iter().any(State::waits)
            || initial.waits()
            || watchers.any(|watcher| watcher.waits)
            || unhandled.as_ref().is_some_and(|call| call.waits);
        self.items.retain(|item| match item {
            ImplItem::Fn(function) => !completions.contains(&function.sig.ident.to_string()),
            _ => true,
        });
        let machine = Machine {
            own: self.own,
            generics: self.generics,
            state_name: self.state_name.unwrap_or_else(|| format_ident!("State")),
            attributes: self.attributes,
            derives: arguments.derives,
            visibility: arguments.visibility.unwrap_or_else(|| syn::parse_quote!(pub)),
            initial,
            states,
            event: shared.event,
            context: shared.context,
            waits,
            compact: arguments.compact,
            deferred: arguments.deferred,
            unhandled,
            around_dispatch,
            around_transition,
            returned,
            items: self.items,
        };
        Some(Parsed { machine, begins })
    }

    /// The types of event and context, which all functions share.
    fn types(&mut self) -> Parameters {
        let mut shared = Parameters::default_for(&self.own);
        let mut found = (None, None);
        for one in &self.marked {
            if let Some(parameters) = self.errors.ok(parameters(&one.function.sig)) {
                shared.merge(&parameters, &mut found, self.errors);
            }
        }
        let named = self.named();
        for item in &self.items {
            if let ImplItem::Fn(function) = item
                && named.contains(&function.sig.ident.to_string())
                && let Ok(parameters) = parameters(&function.sig)
            {
                shared.merge(&parameters, &mut found, self.errors);
            }
        }
        if found.0.is_none() && self.errors.is_empty() {
            let message = "no handler has a parameter `event`: a state machine takes events, as \
                           in `fn idle(&mut self, event: &Event) -> Outcome<State>`";
            self.errors.at(syn::spanned::Spanned::span(&self.own), message);
        }
        shared
    }

    /// The functions that arguments name.
    fn named(&self) -> HashSet<String> {
        let of_machine = self.arguments.initial_action.iter();
        let of_states = self.marked.iter().flat_map(|Marked { arguments: one, .. }| {
            [&one.entry, &one.exit, &one.initial_action, &one.completion].into_iter().flatten()
        });
        of_machine.chain(of_states).map(Ident::to_string).collect()
    }

    fn state(&mut self, one: Marked, names: &Names, shared: &Parameters) -> State {
        let Marked { arguments, is_composite, function } = one;
        let name = function.sig.ident.clone();
        // The errors of the parameters were reported with the types.
        let storage = parameters(&function.sig).map_or_else(|_| Vec::new(), |all| all.storage);
        let storage = if is_composite { Vec::new() } else { storage };
        let parent_name = arguments.superstate.or_else(|| arguments.completes.clone());
        let parent = parent_name.as_ref().map(|word| names.state(word));
        let parent = parent.and_then(|result| self.errors.ok(result));
        let initial = arguments
            .initial
            .as_ref()
            .and_then(|target| self.initial_of(target, arguments.initial_action.as_ref(), names));
        let completion = arguments.completion.as_ref().and_then(|word| {
            let function = self.function(word)?.clone();
            let handler = self.handler(function, names, shared);
            if handler.call.arguments.iter().any(|one| matches!(one, Argument::Event)) {
                let message = format!(
                    "the completion `{word}` has a parameter `event`, but it is asked when a state \
                     has been entered, without an event: store what it needs in the handler"
                );
                self.errors.at(word.span(), message);
            }
            Some(handler)
        });
        State {
            is_composite,
            parent,
            parent_name,
            storage,
            entry: arguments.entry.as_ref().map(|word| self.call(word)),
            exit: arguments.exit.as_ref().map(|word| self.call(word)),
            initial,
            completion,
            completes: arguments.completes,
            after: arguments.after,
            defer: arguments.defer,
            handler: self.handler(function, names, shared),
            name,
        }
    }

    fn handler(&mut self, mut function: ImplItemFn, names: &Names, shared: &Parameters) -> Handler {
        let call = self.called(&function.sig, names);
        if matches!(function.sig.output, ReturnType::Default) {
            let name = &function.sig.ident;
            let message = format!(
                "`{name}` says what is done with an event: write `-> Outcome<State>` behind its \
                 parameters"
            );
            self.errors.at(function.sig.ident.span(), message);
        }
        let outcome = outcome_name(&function.sig.ident);
        let find = |word: &Ident| names.state(word);
        let takes = event_by_value(&function.sig);
        let mut reader = Reader {
            outcome: &outcome,
            context: shared.context.as_ref(),
            event: takes.as_ref(),
            state_name: self.state_name.as_ref(),
            state: &find,
            found: Vec::new(),
            arms: Vec::new(),
            errors: self.errors,
        };
        reader.body(&mut function.block);
        let (outcomes, arms) = (reader.found, reader.arms);
        Handler { call, outcomes, function, arms, takes }
    }

    /// How a handler is called. Without arguments, if they are unreadable.
    fn called(&mut self, signature: &syn::Signature, names: &Names) -> Call {
        call_of(signature).unwrap_or_else(|error| {
            // The errors of a state's other parameters were reported with the types.
            if parameters(signature).is_ok() || names.place(&signature.ident).is_none() {
                self.errors.push(error);
            }
            uncallable(&signature.ident)
        })
    }

    fn initial(&mut self, names: &Names, is_due: bool) -> Option<Initial> {
        let action = self.arguments.initial_action.clone();
        match self.arguments.initial.clone() {
            Some(target) => self.initial_of(&target, action.as_ref(), names),
            None if !is_due => None,
            None => {
                let message = "the machine's first state is missing: write \
                               `#[state_machine(initial = State::name())]`";
                self.errors.at(Span::call_site(), message);
                None
            }
        }
    }

    fn initial_of(
        &mut self,
        target: &Expr,
        action: Option<&Ident>,
        names: &Names,
    ) -> Option<Initial> {
        let read = body::target_of(target, self.state_name.as_ref());
        let (word, values) = self.errors.ok(read)?;
        let target = self.errors.ok(names.state(&word))?;
        let action = action.map(|word| self.call(word));
        Some(Initial { target, word, values, action })
    }

    fn function(&mut self, word: &Ident) -> Option<&ImplItemFn> {
        let found = self.functions.get(&word.to_string()).map(|place| &self.items[*place]);
        if let Some(ImplItem::Fn(function)) = found {
            return Some(function);
        }
        let names = self.items.iter().filter_map(|item| match item {
            ImplItem::Fn(function) => Some(function.sig.ident.clone()),
            _ => None,
        });
        let near = near(&names.collect::<Vec<_>>(), word);
        let message = format!(
            "there is no function `{word}` in this block{near}: write \
             `#[action] fn {word}(&mut self) {{ .. }}`"
        );
        self.errors.at(word.span(), message);
        None
    }

    /// How an action is called. Only its name, if the action doesn't exist or can't be called.
    fn call(&mut self, word: &Ident) -> Call {
        let signature = self.function(word).map(|function| function.sig.clone());
        let call = signature.and_then(|signature| self.errors.ok(call_of(&signature)));
        let mut call = call.unwrap_or_else(|| uncallable(word));
        call.name = word.clone();
        if call.arguments.iter().any(|one| matches!(one, Argument::Event)) {
            let message = format!(
                "the action `{word}` has a parameter `event`, which entries, exits and initial \
                 transitions have not: store what it needs in the handler"
            );
            self.errors.at(word.span(), message);
        }
        call
    }

    /// A function that sees each event, behind `&mut self` and the state, or each transition. A
    /// function of this block may take the event by value, take the context as its last parameter,
    /// and be `async`. Of others, the signature is unknown.
    fn watcher(&self, path: syn::Path) -> Watcher {
        let name = path.segments.last().map(|last| &last.ident);
        let inside = self.items.iter().find_map(|item| match item {
            ImplItem::Fn(function) if Some(&function.sig.ident) == name => Some(&function.sig),
            _ => None,
        });
        let is_reference = |argument: &FnArg| match argument {
            FnArg::Typed(typed) => matches!(*typed.ty, Type::Reference(_)),
            FnArg::Receiver(_) => false,
        };
        Watcher {
            by_reference: inside.and_then(|one| one.inputs.get(2)).is_none_or(is_reference),
            takes_context: inside.is_some_and(|one| one.inputs.len() > 3),
            waits: inside.is_some_and(|one| one.asyncness.is_some()),
            path,
        }
    }

    /// The function for events that no state handled: of this block, or from elsewhere.
    fn unhandled(&self, path: &syn::Path) -> Call {
        let name = path.segments.last().map(|last| last.ident.clone());
        let inside = self.items.iter().find_map(|item| match item {
            ImplItem::Fn(function) if Some(&function.sig.ident) == name.as_ref() => {
                let mut call = call_of(&function.sig).ok()?;
                let is_event = |one: &&mut Argument| matches!(one, Argument::Event);
                let event = call.arguments.iter_mut().find(is_event);
                if let Some(event) = event.filter(|_| ends_with_a_reference(&function.sig)) {
                    *event = Argument::EventReference;
                }
                Some(call)
            }
            _ => None,
        });
        inside.unwrap_or_else(|| Call {
            path: quote::quote!(#path),
            name: name.unwrap_or_else(|| format_ident!("unhandled")),
            arguments: vec![Argument::Own { mutable: true }, Argument::EventReference],
            waits: false,
        })
    }
}

/// A call in a draft, in the place of a function that can't be called.
fn uncallable(name: &Ident) -> Call {
    let path = quote::quote!(Self::#name);
    Call { path, name: name.clone(), arguments: vec![], waits: false }
}

/// Returns `true` if the last parameter is a reference. In a function that sees each event, this
/// parameter is the event.
fn ends_with_a_reference(signature: &syn::Signature) -> bool {
    let last = signature.inputs.last();
    matches!(last, Some(syn::FnArg::Typed(typed)) if matches!(*typed.ty, Type::Reference(_)))
}

impl State {
    fn waits(&self) -> bool {
        let calls = [&self.entry, &self.exit].into_iter().flatten().any(|call| call.waits);
        let completes = self.completion.as_ref().is_some_and(|handler| handler.call.waits);
        calls
            || completes
            || self.handler.call.waits
            || self.initial.as_ref().is_some_and(Initial::waits)
    }
}

impl Initial {
    fn waits(&self) -> bool {
        self.action.as_ref().is_some_and(|call| call.waits)
    }
}

/// A pattern, of an element of a list of events.
fn pattern(expr: &Expr) -> syn::Result<Pat> {
    let tokens = quote::quote!(#expr);
    syn::parse::Parser::parse2(Pat::parse_multi_with_leading_vert, tokens).map_err(|_| {
        syn::Error::new_spanned(
            expr,
            "`defer` lists patterns of events, as in \
            `defer = [Event::A, Event::B(..)]`",
        )
    })
}
