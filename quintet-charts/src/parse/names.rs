//! Names, and which of them a word is.

use std::collections::HashMap;

use proc_macro2::Ident;
use syn::ImplItem;

/// Names in the order of the text, looked up by their text: comparing words one by one takes long
/// inside the compiler, and a machine of hundreds of states has many.
pub struct Names {
    all: Vec<Ident>,
    /// The first place of each.
    places: HashMap<String, usize>,
}

impl Names {
    /// These names.
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
