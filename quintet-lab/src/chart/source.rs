//! State machines in a source: `#[quintet::state_machine]` on an impl block.
//!
//! `quintet-charts` reads them, as in the macro. A refused machine is a draft: its known part, with
//! the macro's messages at the wrong places.

mod blocks;
mod nesting;
mod parts;

use self::blocks::{Block, Blocks};
use super::{Drawing, File, Found, Hidden, Refusal, State, description};
use anyhow::{Context, bail};
use proc_macro2::{LexError, Span, TokenStream};
use quintet_charts::siblings::{self, Names};
use quintet_charts::{Draft, lines};
use quote::ToTokens;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::thread;
use syn::visit::Visit;

/// The machines of a source file, in the order of the text.
pub fn read(path: &Path, text: &str) -> anyhow::Result<File> {
    thread::scope(|scope| {
        let reader = thread::Builder::new().stack_size(nesting::STACK);
        let reader = reader.spawn_scoped(scope, || parsed(path, text));
        let read = reader.context("cannot start a thread that reads the source")?;
        read.join().unwrap_or_else(|_| bail!("{} could not be read", path.display()))
    })
}

fn parsed(path: &Path, text: &str) -> anyhow::Result<File> {
    let refuse = |error: syn::Error| {
        let start = error.span().start();
        let (line, column) = (start.line, start.column + 1);
        anyhow::anyhow!("{}:{line}:{column}: {error}", path.display())
    };
    // Some editors put this mark before the text.
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
    let Blocks { found, structs, hidden, .. } = blocks;
    let names: Vec<_> = found.iter().map(|one| lines::name(&one.block.self_ty)).collect();
    let known: BTreeSet<_> = names.iter().cloned().collect();
    let structs: BTreeMap<_, _> =
        structs.into_iter().map(|one| ((one.scope, one.name), one.fields)).collect();
    let mut scopes = BTreeMap::<_, Names>::new();
    let machines = found.into_iter().zip(names).map(|(block, name)| {
        let place = (block.scope.clone(), name.clone());
        let parts = structs.get(&place).map_or_else(Vec::new, |fields| parts::of(fields, &known));
        let siblings = scopes.entry(block.scope.clone()).or_default();
        machine(block, name, parts, siblings)
    });
    let found = machines.collect::<anyhow::Result<_>>()?;
    Ok(File { found, hidden: hidden.into_iter().map(unseen).collect() })
}

fn unseen(hidden: blocks::Hidden) -> Hidden {
    let start = hidden.place.start();
    Hidden { line: start.line, column: start.column + 1, name: hidden.name }
}

fn machine(
    block: Block,
    name: String,
    parts: Vec<State>,
    siblings: &mut Names,
) -> anyhow::Result<Found> {
    let Block { attribute, arguments, block, has_condition, .. } = block;
    let state_name = quintet_charts::state_name(arguments.clone());
    let draft = quintet_charts::draft(arguments, block.into_token_stream());
    let mut refusals = refusals(&draft, attribute);
    if siblings.is_taken(&state_name, has_condition) {
        let (start, message) = (attribute.start(), siblings::refusal(&state_name));
        refusals.insert(0, Refusal { line: start.line, column: start.column + 1, message });
    }
    let mut drawings = description::read(&draft.lines())
        .with_context(|| format!("the machine {name} can't be drawn"))?;
    let mut drawing = drawings.pop().unwrap_or_else(|| Drawing { name, ..Drawing::default() });
    drawing.is_draft = !refusals.is_empty();
    if !drawing.states.is_empty() {
        drawing.states.extend(parts);
    }
    Ok(Found { drawing, line: Some(attribute.start().line), refusals })
}

/// Returns the errors of a machine. An error without a word of its own is at the attribute.
fn refusals(draft: &Draft, attribute: Span) -> Vec<Refusal> {
    let errors = draft.refusal.iter().flatten();
    let refusals = errors.map(|error| {
        let span = error.span();
        let is_known = span.start() != span.end();
        let start = if is_known { span.start() } else { attribute.start() };
        Refusal { line: start.line, column: start.column + 1, message: error.to_string() }
    });
    let mut refusals: Vec<_> = refusals.collect();
    refusals.sort_by_key(|one| (one.line, one.column));
    refusals
}
