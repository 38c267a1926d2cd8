//! The expansion of a refused machine. It has the messages, and the names that other code may use.
//! Their types have an error, so that the compiler adds no messages of its own.

use std::collections::BTreeSet;

use proc_macro2::{Ident, TokenStream};
use quintet_charts::{generics, model};
use quote::{format_ident, quote};
use syn::{Error, FnArg, ImplItem, ImplItemFn, ItemImpl, Pat, PatType, Type, parse_quote};

use super::emit::within;
use crate::write::framework;

/// Returns the messages of `error`, and the usable rest of the machine.
///
/// If `has_states` is false, the name `State` belongs to another machine.
pub fn emit(
    error: Error,
    arguments: TokenStream,
    block: TokenStream,
    has_states: bool,
) -> TokenStream {
    let block = match syn::parse2::<ItemImpl>(block) {
        Ok(block) if block.trait_.is_none() => block,
        _ => return error.into_compile_error(),
    };
    let mut messages = error.into_iter().map(|error| error.to_compile_error());
    let (first, others) = (messages.next(), messages);
    let (states, quintet) = (has_states.then(|| states(arguments, &block)), framework());
    let (mut own, mut parameters) = ((*block.self_ty).clone(), block.generics.clone());
    generics::name_lifetimes(&mut own, &mut parameters);
    let (generics, _, clause) = parameters.split_for_impl();
    let items = items(&block);
    quote! {
        #(#others)*
        #states
        const _: () = {
            type Refused = [(); #first];
            #[allow(unused)]
            impl #generics #quintet::chart::Chart for #own #clause {
                type State = Refused;
                type Within = Refused;
                type Record = Refused;
                type Kept = Refused;
                type Form = Refused;
                fn is_within(_: &Refused, _: Refused) -> bool { loop {} }
                #quintet::__on_host! { fn text(_: &Refused) -> #quintet::chart::Text { loop {} } }
            }
        };
        #[allow(unused, missing_docs, clippy::all, clippy::pedantic, clippy::nursery)]
        impl #generics #own #clause {
            #(#items)*
            pub const fn machine(self) -> #quintet::chart::Machine<Self> { loop {} }
        }
    }
}

/// The `enum`s of states, as far as the macro can read them: other code may name their variants.
fn states(arguments: TokenStream, block: &ItemImpl) -> TokenStream {
    let (state, derives) = quintet_charts::names_of_states(arguments);
    let within = within(&state);
    let mut names = BTreeSet::from([format_ident!("Self")]);
    let functions = block.items.iter().filter_map(|item| match item {
        ImplItem::Fn(function) => Some(function),
        _ => None,
    });
    let functions = functions.filter(|one| has_role(one, &["state", "superstate"]));
    // A name that can't be a variant has been refused.
    let functions = functions
        .filter(|one| syn::parse_str::<Ident>(&model::variant_text(&one.sig.ident)).is_ok());
    let all = functions.map(|one| (one, model::variant_of(&one.sig.ident)));
    let all: Vec<_> = all.filter(|(_, variant)| names.insert(variant.clone())).collect();
    let leaves = all.iter().filter(|(one, _)| has_role(one, &["state"]));
    let leaves: Vec<_> = leaves.map(|(one, variant)| (storage(one), variant)).collect();
    let kinds = leaves.iter().flat_map(|(storage, _)| storage).map(|(_, kind)| kind);
    let generics = generics::mentioned(&block.generics, kinds);
    let (parameters, clause) = (&generics.params, &generics.where_clause);
    let leaves = leaves.iter().map(|(storage, variant)| {
        let fields = storage.iter().map(|(name, kind)| quote!(#name: #kind));
        let fields = (!storage.is_empty()).then(|| quote!({ #(#fields),* }));
        quote!(#variant #fields)
    });
    let all = all.iter().map(|(_, variant)| variant);
    quote! {
        /// The states of a machine that is refused.
        #[derive(#(#derives),*)]
        #[allow(dead_code, missing_docs, missing_debug_implementations, private_interfaces)]
        pub enum #state <#parameters> #clause { #(#leaves),* }
        /// The states and superstates of a machine that is refused.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        #[allow(dead_code, missing_docs)]
        pub enum #within { #(#all),* }
    }
}

/// The variables of a state, with their types.
fn storage(function: &ImplItemFn) -> Vec<(Ident, Type)> {
    let variable = |argument: &FnArg| {
        let FnArg::Typed(PatType { pat, ty, .. }) = argument else { return None };
        let (Pat::Ident(name), Type::Reference(reference)) = (&**pat, &**ty) else { return None };
        let (name, kind) = (name.ident.clone(), (*reference.elem).clone());
        let text = name.to_string();
        let is_storage = !["event", "context"].contains(&text.trim_start_matches('_'));
        is_storage.then_some((name, kind))
    };
    function.sig.inputs.iter().filter_map(variable).collect()
}

/// Returns `true` if a function has one of these attributes, also under a condition.
fn has_role(function: &ImplItemFn, roles: &[&str]) -> bool {
    function.attrs.iter().any(|one| quintet_charts::is_role(one, roles))
}

/// The functions of the block, each once: handlers do nothing.
fn items(block: &ItemImpl) -> Vec<ImplItem> {
    let mut names = BTreeSet::from([format_ident!("machine")]);
    let kept = block.items.iter().filter_map(|item| match item {
        ImplItem::Fn(function) if !names.insert(function.sig.ident.clone()) => None,
        ImplItem::Fn(function) => Some(ImplItem::Fn(without_role(function))),
        other => Some(other.clone()),
    });
    kept.collect()
}

fn without_role(function: &ImplItemFn) -> ImplItemFn {
    let mut function = function.clone();
    let is_handler = has_role(&function, &["state", "superstate"]) || says_an_outcome(&function);
    let words = ["state", "superstate", "action"];
    function.attrs.retain(|one| !quintet_charts::is_role(one, &words));
    if is_handler {
        function.attrs.retain(|one| !quintet_charts::is_misplaced(one));
        // The parameters stay, so that the items that they name count as used.
        function.block = parse_quote!({ loop {} });
    }
    function
}

/// Returns `true` if a function returns outcomes, as a completion does.
fn says_an_outcome(function: &ImplItemFn) -> bool {
    let syn::ReturnType::Type(_, returned) = &function.sig.output else { return false };
    let syn::Type::Path(path) = &**returned else { return false };
    path.path.segments.last().is_some_and(|last| last.ident == "Outcome")
}
