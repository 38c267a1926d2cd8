//! The names of states: each becomes a variant of `State` and the name of functions, and arguments
//! find a state by its name.

use std::collections::HashMap;

use proc_macro2::Ident;
use syn::ImplItem;
use syn::ext::IdentExt;

use crate::errors::Errors;
use crate::model::variant_text;

/// The function that the macro adds to the block.
const MACHINE: &str = "machine";

/// Names in the order of the text, found by their text. To compare words one by one takes long
/// inside the compiler, and a machine with hundreds of states has many.
pub struct Names {
    all: Vec<Ident>,
    /// The first place of each name.
    places: HashMap<String, usize>,
}

impl Names {
    /// Makes the list of these names.
    pub fn of(all: Vec<Ident>) -> Self {
        let mut places = HashMap::new();
        for (place, name) in all.iter().enumerate() {
            places.entry(name.to_string()).or_insert(place);
        }
        Self { all, places }
    }

    /// The names.
    pub fn all(&self) -> &[Ident] {
        &self.all
    }

    /// The place of a word.
    pub fn place(&self, word: &Ident) -> Option<usize> {
        self.places.get(&word.to_string()).copied()
    }

    /// The state that a word names.
    pub fn state(&self, word: &Ident) -> syn::Result<usize> {
        self.place(word).ok_or_else(|| {
            let near = near(&self.all, word);
            let message = format!(
                "there is no state `{word}`{near}: a state is a function of this block with \
                 `#[state]` or `#[superstate]`"
            );
            syn::Error::new(word.span(), message)
        })
    }
}

/// Refuses names that states can't have, and functions that the macro writes itself.
pub fn refuse(names: &Names, items: &[ImplItem], errors: &mut Errors) {
    refuse_twice(names, errors);
    for name in names.all() {
        refuse_unfit(name, errors);
    }
    for item in items {
        if let ImplItem::Fn(function) = item
            && function.sig.ident == MACHINE
        {
            let message = "the function `machine` is there already: the macro writes it, and it \
                           makes the machine of the struct. Give this one another name";
            errors.at(function.sig.ident.span(), message);
        }
    }
}

fn refuse_twice(names: &Names, errors: &mut Errors) {
    for (index, name) in names.all().iter().enumerate() {
        if names.place(name) != Some(index) {
            let message = format!(
                "the state `{name}` has two handlers: put the arms of both into one, or \
                 give one of them another name"
            );
            errors.at(name.span(), message);
        }
    }
}

/// Refuses a name that makes no variant. A state's variant begins with the first letter of its
/// name, and is no keyword.
fn refuse_unfit(name: &Ident, errors: &mut Errors) {
    let text = name.unraw().to_string();
    let variant = variant_text(name);
    let message = if text == MACHINE {
        "the state `machine` has the name of the function that makes the machine of the struct: \
         give it another name"
            .to_owned()
    } else if text.starts_with("__") {
        format!(
            "the state `{name}` begins with `__`, as do the names that the macro writes: give it \
             another name"
        )
    } else if variant == "Self" {
        format!(
            "the state `{name}` would be `Self` as a variant of `State`, which is a keyword: give \
             it another name"
        )
    } else if syn::parse_str::<Ident>(&variant).is_err() {
        format!(
            "the state `{name}` has no letter to begin the name of its variant of `State` with: \
             call it `idle`, for example"
        )
    } else {
        return;
    };
    errors.at(name.span(), message);
}

/// The places of functions among the items of a block, by name.
pub fn functions(items: &[ImplItem]) -> HashMap<String, usize> {
    let mut places = HashMap::new();
    for (place, item) in items.iter().enumerate() {
        if let ImplItem::Fn(function) = item {
            places.entry(function.sig.ident.to_string()).or_insert(place);
        }
    }
    places
}

/// The most similar name, as a question.
pub fn near(names: &[Ident], word: &Ident) -> String {
    let word = word.to_string();
    names
        .iter()
        .map(|name| (strsim::jaro_winkler(&name.to_string(), &word), name))
        .filter(|(similarity, _)| *similarity > 0.7)
        .max_by(|one, other| one.0.total_cmp(&other.0))
        .map_or_else(String::new, |(_, name)| format!(" (did you mean `{name}`?)"))
}
