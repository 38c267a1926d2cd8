//! State machines as they are written: `#[quintet::state_machine]` on an impl block.
//!
//! A handler is followed to all places where it gives an outcome. The patterns that lead there are
//! the event, the conditions are the guard, and what runs before is the action. The macro has
//! checked what is built; here, what can't be drawn is refused and everything else is drawn.

mod handler;
mod nesting;

use super::{Drawing, Initial, State};
use anyhow::{Context, bail};
use proc_macro2::{LexError, Span, TokenStream};
use std::collections::BTreeMap;
use std::path::Path;
use std::thread;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{Attribute, Expr, FnArg, ImplItem, ImplItemFn, ItemImpl, Lit, Meta, Pat, Token, Type};

/// The attribute's name.
const ATTRIBUTE: &str = "state_machine";

/// The machines of a source file, in the order of the text.
pub fn read(path: &Path, text: &str) -> anyhow::Result<Vec<Drawing>> {
    thread::scope(|scope| {
        let reader = thread::Builder::new().stack_size(nesting::STACK);
        let reader = reader.spawn_scoped(scope, || parsed(path, text));
        let read = reader.context("cannot start a thread that reads the source")?;
        read.join().unwrap_or_else(|_| bail!("{} could not be read", path.display()))
    })
}

fn parsed(path: &Path, text: &str) -> anyhow::Result<Vec<Drawing>> {
    let refuse = |error: syn::Error| placed(path, error.span(), &error);
    // What some editors put before the text.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let tokens: TokenStream =
        text.parse().map_err(|error: LexError| refuse(syn::Error::new(error.span(), &error)))?;
    if let Some(place) = nesting::too_deep(tokens) {
        let problem = "what stands here is nested too deeply to be read";
        return Err(refuse(syn::Error::new(place, problem)));
    }
    let file = syn::parse_file(text).map_err(refuse)?;
    let mut blocks = Blocks::default();
    blocks.visit_file(&file);
    let machines = blocks.found.into_iter().map(|(attribute, block)| {
        machine(&attribute, block).map_err(|error| placed(path, error.span(), &error))
    });
    let machines = machines.collect::<Result<Vec<_>, _>>()?;
    machines.into_iter().map(Drawing::check).collect()
}

fn placed(path: &Path, span: Span, problem: &syn::Error) -> anyhow::Error {
    let start = span.start();
    anyhow::anyhow!("{}:{}:{}: {problem}", path.display(), start.line, start.column + 1)
}

/// The impl blocks under the attribute.
#[derive(Default)]
struct Blocks<'a> {
    found: Vec<(Attribute, &'a ItemImpl)>,
}

impl<'a> Visit<'a> for Blocks<'a> {
    fn visit_item_impl(&mut self, block: &'a ItemImpl) {
        if let Some(attribute) = named(&block.attrs, ATTRIBUTE) {
            self.found.push((attribute.clone(), block));
        }
        visit::visit_item_impl(self, block);
    }
}

/// The attribute whose path ends with `name`.
fn named<'a>(attributes: &'a [Attribute], name: &str) -> Option<&'a Attribute> {
    attributes
        .iter()
        .find(|attribute| attribute.path().segments.last().is_some_and(|last| last.ident == name))
}

/// The arguments of an attribute that have values.
type Arguments = BTreeMap<String, Expr>;

fn arguments(attribute: &Attribute) -> syn::Result<Arguments> {
    let mut arguments = Arguments::new();
    if matches!(attribute.meta, Meta::Path(_)) {
        return Ok(arguments);
    }
    let list = attribute.parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated)?;
    for argument in list {
        if let Meta::NameValue(value) = argument
            && let Some(name) = value.path.get_ident()
        {
            arguments.insert(name.to_string(), value.value);
        }
    }
    Ok(arguments)
}

/// A machine while it is read.
struct Reading<'a> {
    /// The places of the states by their names.
    states: BTreeMap<String, usize>,
    /// All functions of the block.
    functions: BTreeMap<String, &'a ImplItemFn>,
    drawing: Drawing,
}

fn machine(attribute: &Attribute, block: &ItemImpl) -> syn::Result<Drawing> {
    let functions = block.items.iter().filter_map(|item| match item {
        ImplItem::Fn(function) => Some(function),
        _ => None,
    });
    let mut reading = Reading {
        states: BTreeMap::new(),
        functions: functions.clone().map(|one| (one.sig.ident.to_string(), one)).collect(),
        drawing: Drawing { name: type_name(&block.self_ty), ..Drawing::default() },
    };
    let mut states = Vec::new();
    for function in functions {
        let attribute = named(&function.attrs, "state");
        if let Some(attribute) = attribute.or_else(|| named(&function.attrs, "superstate")) {
            let name = function.sig.ident.to_string();
            reading.states.insert(name.clone(), states.len());
            reading.drawing.states.push(State { name, ..State::default() });
            states.push((arguments(attribute)?, function));
        }
    }
    reading.drawing.initial = reading.initial(&arguments(attribute)?)?;
    for (state, (arguments, function)) in states.iter().enumerate() {
        let parent = arguments.get("superstate").map(|name| reading.state(name)).transpose()?;
        let initial = reading.initial(arguments)?;
        let own = &mut reading.drawing.states[state];
        (own.parent, own.initial) = (parent, initial);
        own.entry = arguments.get("entry_action").map(word);
        own.exit = arguments.get("exit_action").map(word);
        own.storage = storage(function);
        own.defer = match arguments.get("defer") {
            Some(Expr::Array(patterns)) => patterns.elems.iter().map(event_text).collect(),
            Some(one) => vec![event_text(one)],
            None => Vec::new(),
        };
    }
    for (state, (arguments, function)) in states.iter().enumerate() {
        handler::follow(&mut reading, state, &function.block, true)?;
        if let Some(name) = arguments.get("on_completion") {
            let Some(&next) = reading.functions.get(&word(name)) else {
                let problem = format!("there is no function {} in this block", word(name));
                return Err(syn::Error::new(name.span(), problem));
            };
            handler::follow(&mut reading, state, &next.block, false)?;
        }
    }
    Ok(reading.drawing)
}

impl Reading<'_> {
    /// The state that an expression names: `State::x()`, `State::x`, `x` or `"State::x()"`.
    fn state(&self, target: &Expr) -> syn::Result<usize> {
        let name = word(target);
        if let Some(&state) = self.states.get(&name) {
            return Ok(state);
        }
        let near = self.states.keys().map(|state| (strsim::jaro_winkler(state, &name), state));
        let near = near.filter(|near| near.0 > 0.7).max_by(|a, b| a.0.total_cmp(&b.0));
        let near = near.map_or_else(String::new, |(_, near)| format!("; did you mean {near}?"));
        let problem = format!("no state of this machine is called {name}{near}");
        Err(syn::Error::new(target.span(), problem))
    }

    fn initial(&self, arguments: &Arguments) -> syn::Result<Option<Initial>> {
        let Some(target) = arguments.get("initial") else { return Ok(None) };
        let action = arguments.get("initial_action").map(word);
        Ok(Some(Initial { target: self.state(target)?, action }))
    }
}

/// The last name of a path, a call of one, or a text that holds one.
fn word(expression: &Expr) -> String {
    match expression {
        Expr::Call(call) => word(&call.func),
        Expr::Path(path) => {
            path.path.segments.last().map_or_else(String::new, |last| last.ident.to_string())
        }
        Expr::Lit(literal) => match &literal.lit {
            Lit::Str(text) => {
                let text = text.value();
                let name = text.split('(').next().unwrap_or_default();
                name.rsplit("::").next().unwrap_or_default().trim().to_owned()
            }
            _ => text(expression),
        },
        Expr::Paren(inner) => word(&inner.expr),
        Expr::Group(inner) => word(&inner.expr),
        other => text(other),
    }
}

fn type_name(own: &Type) -> String {
    match own {
        Type::Path(path) => {
            path.path.segments.last().map_or_else(String::new, |last| last.ident.to_string())
        }
        other => text(other),
    }
}

/// The parameters that are a state's own data.
fn storage(function: &ImplItemFn) -> Vec<String> {
    let parameter = |argument: &FnArg| match argument {
        FnArg::Typed(argument) => {
            let Pat::Ident(name) = &*argument.pat else { return None };
            let own = match &*argument.ty {
                Type::Reference(reference) => text(&*reference.elem),
                other => text(other),
            };
            let name = name.ident.to_string();
            (name.trim_start_matches('_') != "event" && name.trim_start_matches('_') != "context")
                .then(|| format!("{name}: {own}"))
        }
        FnArg::Receiver(_) => None,
    };
    function.sig.inputs.iter().filter_map(parameter).collect()
}

/// What stands in the source, on one line.
fn text(part: &impl Spanned) -> String {
    let text = part.span().source_text().unwrap_or_default();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A pattern of events, without the paths before the names.
fn event_text(pattern: &impl Spanned) -> String {
    let mut kept = String::new();
    let whole = text(pattern);
    let mut rest = whole.as_str();
    while let Some((before, behind)) = rest.split_once("::") {
        let path =
            before.trim_end_matches(|letter: char| letter.is_alphanumeric() || letter == '_');
        kept.push_str(path);
        rest = behind;
    }
    kept.push_str(rest);
    kept
}
