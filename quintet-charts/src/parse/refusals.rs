//! Mistakes that are seen while a block is read, and that would have several messages later.

use std::collections::HashSet;

use proc_macro2::Ident;
use syn::{FnArg, ImplItem, ItemImpl, PatType, ReturnType, Type};

use super::arguments::Arguments;
use super::functions::{Parameters, parameters};
use super::names::functions;
use super::{Marked, Reading};
use crate::errors::Errors;
use crate::text::text;

/// Refuses blocks that can't be a machine's. The content is read all the same.
pub fn refuse_block(block: &ItemImpl, errors: &mut Errors) {
    let mut refuse = |tokens: &dyn quote::ToTokens, message| {
        errors.push(syn::Error::new_spanned(tokens.to_token_stream(), message));
    };
    if let Some((_, path, _)) = &block.trait_ {
        refuse(path, "a state machine implements no trait: write `impl Name`");
    }
    if let Some(condition) = block.attrs.iter().find(|one| one.path().is_ident("cfg")) {
        refuse(
            condition,
            "the condition of a whole machine stands above `#[state_machine(..)]`: move it there",
        );
    }
}

impl Reading<'_> {
    /// Refuses functions that states name as their superstate without `#[superstate]`, once each.
    /// The functions then count as superstates.
    pub(super) fn mark_superstates(&mut self) {
        let named: HashSet<_> = self
            .marked
            .iter()
            .filter_map(|one| one.arguments.superstate.as_ref().map(Ident::to_string))
            .collect();
        let is_one = |item: &ImplItem| match item {
            ImplItem::Fn(function) => named.contains(&function.sig.ident.to_string()),
            _ => false,
        };
        if !self.items.iter().any(is_one) {
            return;
        }
        let (found, items) = std::mem::take(&mut self.items).into_iter().partition(is_one);
        self.items = items;
        self.functions = functions(&self.items);
        for item in found {
            let ImplItem::Fn(function) = item else { continue };
            let name = &function.sig.ident;
            let message = format!(
                "`{name}` is the superstate of others, but has no `#[superstate]`: write it above \
                 this function"
            );
            self.errors.at(name.span(), message);
            let arguments = Arguments::default();
            self.marked.push(Marked { arguments, is_composite: true, function });
        }
    }

    /// Refuses events under another name than `event`: a reference that only reads, to the type of
    /// the other handlers' events.
    pub(super) fn refuse_other_names(&mut self, shared: &Parameters) {
        if !shared.has_event {
            return;
        }
        for Marked { function, .. } in &self.marked {
            let has_event =
                parameters(&function.sig).map_or(true, |parameters| parameters.has_event);
            let mut typed = function.sig.inputs.iter().filter_map(|argument| match argument {
                FnArg::Typed(typed) if *typed.ty == shared.event => Some(typed),
                _ => None,
            });
            let reads = |one: &&PatType| match &*one.ty {
                Type::Reference(kind) => kind.mutability.is_none(),
                _ => false,
            };
            if let Some(one) = typed.find(reads).filter(|_| !has_event) {
                let name = text(&one.pat);
                let message = format!(
                    "`{name}` is of the type of events, which are known by the name `event`: call \
                     this parameter `event`"
                );
                self.errors.push(syn::Error::new_spanned(&one.pat, message));
            }
        }
    }

    /// Refuses actions of entries, exits and initial transitions that return an outcome.
    pub(super) fn refuse_outcomes_of_actions(&mut self) {
        let of_machine = self.arguments.initial_action.iter();
        let of_states = self.marked.iter().flat_map(|Marked { arguments: one, .. }| {
            [&one.entry, &one.exit, &one.initial_action].into_iter().flatten()
        });
        let named: HashSet<_> = of_machine.chain(of_states).map(Ident::to_string).collect();
        for item in &self.items {
            let ImplItem::Fn(function) = item else { continue };
            let (name, ReturnType::Type(_, returned)) = (&function.sig.ident, &function.sig.output)
            else {
                continue;
            };
            if named.contains(&name.to_string()) && is_outcome(returned) {
                let message = format!(
                    "the action `{name}` can't choose a transition, because it runs within one: \
                     return the outcome from a handler, or name this function by `on_completion = \
                     {name}`, which is asked when the state has been entered"
                );
                self.errors.push(syn::Error::new_spanned(returned, message));
            }
        }
    }
}

/// Returns `true` for `Outcome<..>`.
fn is_outcome(returned: &Type) -> bool {
    let Type::Path(path) = returned else { return false };
    path.path.segments.last().is_some_and(|last| last.ident == "Outcome")
}
