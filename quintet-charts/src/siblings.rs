//! Other machines and types of the same module: the states' `enum` needs another name.
//!
//! An expansion doesn't know what else is in its module, so the source is read again if it has
//! several machines, or a type of this name.

use std::collections::BTreeSet;

use proc_macro2::{Ident, Span, TokenStream};
use quote::ToTokens;
use syn::visit::{self, Visit};
use syn::{Attribute, Block, Item, ItemImpl, ItemMod, Meta, Stmt};

/// Refuses a machine if an earlier machine of its module gives the states' `enum` the same name, or
/// if a type of the module has the name.
///
/// # Errors
/// If there is such a machine or type. A source that is unreadable, or that doesn't contain the
/// block, counts as one without other machines.
pub fn check(place: Span, state_name: &Ident, block: TokenStream) -> syn::Result<()> {
    let source = place.local_file().and_then(|path| std::fs::read_to_string(path).ok());
    let declares =
        |source: &str| TYPES.iter().any(|word| source.contains(&format!("{word} {state_name}")));
    let source =
        source.filter(|source| source.matches("state_machine").count() > 1 || declares(source));
    let block = syn::parse2::<ItemImpl>(block);
    let (Some(source), Ok(block)) = (source, block) else { return Ok(()) };
    let message = match taken(&source, &own(&block), state_name) {
        None => return Ok(()),
        Some(By::Machine) => refusal(state_name),
        Some(By::Type) => format!(
            "this module has a type `{state_name}` already, which is the name of the `enum` that \
             the macro makes of the states: remove yours, or name the states by an argument, as in \
             `state(name = \"Own{state_name}\")`"
        ),
    };
    Err(syn::Error::new(place, message))
}

/// The words before the name of a type.
const TYPES: [&str; 4] = ["enum", "struct", "union", "type"];

/// What has the name of a machine's states.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum By {
    Machine,
    Type,
}

/// Returns the refusal of a machine whose states' `enum` has the name of another's.
pub fn refusal(state_name: &Ident) -> String {
    format!(
        "the states of another machine in this module are called `{state_name}`, too: name those \
         of this one by an argument, as in `state(name = \"Other{state_name}\")`, or put it into a \
         module of its own"
    )
}

/// The names that the machines of one module, or of one block, give to their states' `enum`s.
#[derive(Default)]
pub struct Names(BTreeSet<String>);

impl Names {
    /// Returns `true` if an earlier machine has the name. A machine under a condition doesn't
    /// count.
    pub fn is_taken(&mut self, state_name: &Ident, has_condition: bool) -> bool {
        !has_condition && !self.0.insert(state_name.to_string())
    }
}

/// Returns what has the name of the states' `enum` of a type's machine: a type of its module, or a
/// machine above. Machines and types under a condition don't count. If several modules have a
/// machine of a type of this name, all of them must give the same answer: the compiler doesn't tell
/// a macro where tokens stand.
fn taken(source: &str, own: &str, state_name: &Ident) -> Option<By> {
    let file = syn::parse_file(source).ok()?;
    let mut search = Search { own, state_name, taken: Vec::new() };
    search.scope(file.items.iter());
    search.visit_file(&file);
    let first = *search.taken.first()?;
    first.filter(|_| search.taken.iter().all(Option::is_some))
}

/// The type of a block, as text.
fn own(block: &ItemImpl) -> String {
    block.self_ty.to_token_stream().to_string()
}

struct Search<'a> {
    own: &'a str,
    state_name: &'a Ident,
    /// For each machine of the type: what has the name.
    taken: Vec<Option<By>>,
}

impl Search<'_> {
    /// The machines of one module, or of one block.
    fn scope<'a>(&mut self, items: impl Iterator<Item = &'a Item> + Clone) {
        let is_declared = items.clone().any(|item| declares(item, self.state_name));
        let machines = items.filter_map(|item| match item {
            Item::Impl(block) => Some((block, attribute(block)?)),
            _ => None,
        });
        let mut names = Names::default();
        for (block, attribute) in machines {
            let name = crate::state_name(arguments(attribute));
            let is_taken = names.is_taken(&name, has_condition(block));
            if name == *self.state_name && own(block) == self.own {
                let by = is_taken.then_some(By::Machine);
                self.taken.push(by.or(is_declared.then_some(By::Type)));
            }
        }
    }
}

impl<'a> Visit<'a> for Search<'_> {
    fn visit_item_mod(&mut self, module: &'a ItemMod) {
        self.scope(module.content.iter().flat_map(|(_, items)| items));
        visit::visit_item_mod(self, module);
    }

    fn visit_block(&mut self, block: &'a Block) {
        self.scope(block.stmts.iter().filter_map(|statement| match statement {
            Stmt::Item(item) => Some(item),
            _ => None,
        }));
        visit::visit_block(self, block);
    }
}

/// Returns `true` if a machine doesn't exist in every build.
pub fn has_condition(block: &ItemImpl) -> bool {
    block.attrs.iter().any(|one| one.path().is_ident("cfg"))
}

/// Returns `true` if an item is a type of this name, in every build.
fn declares(item: &Item, name: &Ident) -> bool {
    let (attributes, ident) = match item {
        Item::Enum(one) => (&one.attrs, &one.ident),
        Item::Struct(one) => (&one.attrs, &one.ident),
        Item::Union(one) => (&one.attrs, &one.ident),
        Item::Type(one) => (&one.attrs, &one.ident),
        _ => return false,
    };
    ident == name && !attributes.iter().any(|one| one.path().is_ident("cfg"))
}

/// The attribute that makes a machine of a block.
fn attribute(block: &ItemImpl) -> Option<&Attribute> {
    let is_ours = |one: &&Attribute| {
        one.path().segments.last().is_some_and(|last| last.ident == "state_machine")
    };
    block.attrs.iter().find(is_ours)
}

fn arguments(attribute: &Attribute) -> TokenStream {
    match &attribute.meta {
        Meta::List(list) => list.tokens.clone(),
        _ => TokenStream::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn expect(source: &str, own: &str, name: &str, is_taken: bool) {
        let by = taken(source, own, &Ident::new(name, Span::call_site()));
        assert_eq!(by, is_taken.then_some(By::Machine));
    }

    #[test]
    fn a_type_of_the_module_with_the_name_of_the_states_is_found() {
        let machine = "#[state_machine(initial = State::a())] impl A {}";
        let by = |source: &str| taken(source, "A", &Ident::new("State", Span::call_site()));
        for kind in ["enum State {}", "struct State;", "type State = u8;"] {
            assert_eq!(by(&format!("{machine} {kind}")), Some(By::Type));
            assert_eq!(by(&format!("{machine} mod other {{ {kind} }}")), None);
            assert_eq!(by(&format!("{machine} #[cfg(a)] {kind}")), None);
        }
    }

    #[test]
    fn the_second_machine_of_a_module_with_states_of_one_name_is_found() {
        let two = "#[state_machine(initial = State::a())] impl A {} \
                   #[quintet::state_machine(initial = State::b())] impl B {}";
        for source in
            [two.to_owned(), format!("mod both {{ {two} }}"), format!("fn f() {{ {two} }}")]
        {
            expect(&source, "A", "State", false);
            expect(&source, "B", "State", true);
        }
        let named = two.replace("State::b()", "State::b(), state(name = \"Other\")");
        expect(&named, "B", "Other", false);
    }

    #[test]
    fn machines_of_different_modules_or_builds_are_left_alone() {
        let apart = "#[state_machine(initial = State::a())] impl A {} \
                     mod other { #[state_machine(initial = State::b())] impl B {} }";
        expect(apart, "B", "State", false);
        let under_conditions = "#[cfg(a)] #[state_machine(initial = State::a())] impl A {} \
                                #[cfg(not(a))] #[state_machine(initial = State::b())] impl B {}";
        expect(under_conditions, "B", "State", false);
    }
}
