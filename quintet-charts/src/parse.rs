//! From the `impl` block to the model.

mod arguments;
mod functions;
mod names;

use proc_macro2::{Ident, Span, TokenStream};
use quote::format_ident;
use syn::{Expr, ImplItem, ImplItemFn, ItemImpl, Pat, ReturnType, Type};

use self::arguments::Arguments;
use self::functions::{Parameters, call_of, parameters};
use self::names::state_named;
use crate::body::{self, Reader};
use crate::errors::Errors;
use crate::model::{Argument, Call, Handler, Initial, Machine, State, outcome_name};

/// What a function of the block is.
struct Marked {
    arguments: Arguments,
    is_composite: bool,
    function: ImplItemFn,
}

/// What was read.
pub struct Parsed {
    /// The machine, with at least one state.
    pub machine: Machine,
    /// Whether its first state is known.
    pub begins: bool,
}

/// The machine, as far as it can be read.
pub fn machine(arguments: TokenStream, block: TokenStream, errors: &mut Errors) -> Option<Parsed> {
    let arguments = errors.ok(Arguments::of_machine(arguments));
    let block: ItemImpl = errors.ok(syn::parse2(block).map_err(|error| {
        syn::Error::new(error.span(), "a state machine is an `impl` block: `impl Name { .. }`")
    }))?;
    if let Some((_, path, _)) = &block.trait_ {
        errors.push(syn::Error::new_spanned(
            path,
            "a state machine implements no trait: \
            write `impl Name`",
        ));
    }
    if !block.generics.params.is_empty() {
        errors.push(syn::Error::new_spanned(
            &block.generics,
            "a state machine has no generic \
            parameters: name the types, or wrap the generic part in a field",
        ));
    }
    let (mut marked, mut items) = (Vec::new(), Vec::new());
    for item in block.items {
        match item {
            ImplItem::Fn(function) => sort(function, &mut marked, &mut items, errors),
            other => items.push(other),
        }
    }
    let is_initial_due = arguments.as_ref().is_some_and(|all| all.initial.is_none());
    let arguments = arguments.unwrap_or_default();
    Reading { arguments, own: *block.self_ty, marked, items, errors }.read(is_initial_due)
}

/// The attributes of functions.
const OURS: [&str; 3] = ["state", "superstate", "action"];

/// Whether an attribute has one of these words under a condition.
fn has_under_condition(attribute: &syn::Attribute, words: &[&str]) -> bool {
    let syn::Meta::List(list) = &attribute.meta else { return false };
    let is_one = |token: proc_macro2::TokenTree| words.contains(&token.to_string().as_str());
    attribute.path().is_ident("cfg_attr") && list.tokens.clone().into_iter().any(is_one)
}

/// Puts a function where it belongs.
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
            // It is still a state that others name.
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
    // With wrong arguments, it is still a state that others name.
    let arguments = errors.ok(Arguments::of_state(&attribute, is_composite)).unwrap_or_default();
    marked.push(Marked { arguments, is_composite, function });
}

struct Reading<'a> {
    arguments: Arguments,
    own: Type,
    marked: Vec<Marked>,
    items: Vec<ImplItem>,
    errors: &'a mut Errors,
}

impl Reading<'_> {
    fn read(mut self, is_initial_due: bool) -> Option<Parsed> {
        let names: Vec<_> = self.marked.iter().map(|one| one.function.sig.ident.clone()).collect();
        names::refuse(&names, &self.items, self.errors);
        let shared = self.types();
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
        let word = names.first()?.clone();
        let initial =
            initial.unwrap_or_else(|| Initial { target: 0, word, values: vec![], action: None });
        let arguments = std::mem::take(&mut self.arguments);
        // Rewritten, they are in the states.
        let completions: Vec<_> = states
            .iter()
            .filter_map(|state| state.completion.as_ref().map(|one| one.call.name.clone()))
            .collect();
        self.items.retain(|item| match item {
            ImplItem::Fn(function) => !completions.contains(&function.sig.ident),
            _ => true,
        });
        let waits = states.iter().any(State::waits) || initial.waits();
        let unhandled = arguments.unhandled.as_ref().map(|path| self.unhandled(path));
        let machine = Machine {
            own: self.own,
            state_name: arguments.state_name.unwrap_or_else(|| format_ident!("State")),
            derives: arguments.derives,
            visibility: arguments.visibility.unwrap_or_else(|| syn::parse_quote!(pub)),
            initial,
            states,
            event: shared.event,
            context: shared.context,
            waits,
            deferred: arguments.deferred,
            unhandled,
            around_dispatch: arguments.around_dispatch,
            around_transition: arguments.around_transition,
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
        for item in &self.items {
            if let ImplItem::Fn(function) = item
                && let Ok(parameters) = parameters(&function.sig)
                && self.is_named(&function.sig.ident)
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

    /// Whether an argument of a state names this function.
    fn is_named(&self, name: &Ident) -> bool {
        let of_machine = self.arguments.initial_action.as_ref();
        let named = |one: &Arguments| {
            [&one.entry, &one.exit, &one.initial_action, &one.completion]
                .into_iter()
                .flatten()
                .any(|word| word == name)
        };
        of_machine.is_some_and(|word| word == name)
            || self.marked.iter().any(|one| named(&one.arguments))
    }

    fn state(&mut self, one: Marked, names: &[Ident], shared: &Parameters) -> State {
        let Marked { arguments, is_composite, function } = one;
        let name = function.sig.ident.clone();
        // What is wrong with them has been said with their types.
        let storage = parameters(&function.sig).map_or_else(|_| Vec::new(), |all| all.storage);
        let storage = if is_composite { Vec::new() } else { storage };
        let parent = arguments.superstate.as_ref().map(|word| state_named(names, word));
        let parent = parent.and_then(|result| self.errors.ok(result));
        let initial = arguments
            .initial
            .as_ref()
            .and_then(|target| self.initial_of(target, arguments.initial_action.as_ref(), names));
        let completion = arguments.completion.as_ref().and_then(|word| {
            let function = self.function(word)?.clone();
            Some(self.handler(function, names, shared))
        });
        State {
            is_composite,
            parent,
            parent_name: arguments.superstate.clone(),
            storage,
            entry: arguments.entry.as_ref().map(|word| self.call(word)),
            exit: arguments.exit.as_ref().map(|word| self.call(word)),
            initial,
            completion,
            defer: arguments.defer,
            handler: self.handler(function, names, shared),
            name,
        }
    }

    fn handler(
        &mut self,
        mut function: ImplItemFn,
        names: &[Ident],
        shared: &Parameters,
    ) -> Handler {
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
        let find = |word: &Ident| state_named(names, word);
        let mut reader = Reader {
            outcome: &outcome,
            context: shared.context.as_ref(),
            state: &find,
            found: Vec::new(),
            arms: Vec::new(),
            errors: self.errors,
        };
        reader.body(&mut function.block);
        let (outcomes, arms) = (reader.found, reader.arms);
        Handler { call, outcomes, function, arms }
    }

    /// How a handler is called; without arguments, if they can't be read.
    fn called(&mut self, signature: &syn::Signature, names: &[Ident]) -> Call {
        call_of(signature).unwrap_or_else(|error| {
            // What is wrong with a state's other parameters has been said with their types.
            if parameters(signature).is_ok() || !names.contains(&signature.ident) {
                self.errors.push(error);
            }
            uncallable(&signature.ident)
        })
    }

    fn initial(&mut self, names: &[Ident], is_due: bool) -> Option<Initial> {
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
        names: &[Ident],
    ) -> Option<Initial> {
        let (word, values) = self.errors.ok(body::target_of(target))?;
        let target = self.errors.ok(state_named(names, &word))?;
        let action = action.map(|word| self.call(word));
        Some(Initial { target, word, values, action })
    }

    fn function(&mut self, word: &Ident) -> Option<&ImplItemFn> {
        let functions = self.items.iter().filter_map(|item| match item {
            ImplItem::Fn(function) => Some(function),
            _ => None,
        });
        let found = functions.clone().find(|function| function.sig.ident == *word);
        if found.is_none() {
            let names: Vec<_> = functions.map(|function| function.sig.ident.clone()).collect();
            let near = names::near(&names, word);
            let message = format!(
                "there is no function `{word}` in this block{near}: write \
                 `#[action] fn {word}(&mut self) {{ .. }}`"
            );
            self.errors.at(word.span(), message);
        }
        found
    }

    /// How an action is called; only its name, if it isn't there or can't be called.
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

    /// What takes events that nobody handled: of this block, or from elsewhere.
    fn unhandled(&self, path: &syn::Path) -> Call {
        let name = path.segments.last().map(|last| last.ident.clone());
        let inside = self.items.iter().find_map(|item| match item {
            ImplItem::Fn(function) if Some(&function.sig.ident) == name.as_ref() => {
                call_of(&function.sig).ok()
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

/// What stands in a draft for a function that can't be called.
fn uncallable(name: &Ident) -> Call {
    let path = quote::quote!(Self::#name);
    Call { path, name: name.clone(), arguments: vec![], waits: false }
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
