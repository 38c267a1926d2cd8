//! Where a source file has machines: impl blocks under the attribute, wherever they stand, and
//! the structs beside them.

use proc_macro2::{Span, TokenStream, TokenTree};
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{Attribute, Fields, ItemImpl, ItemMod, ItemStruct, Meta};

/// The attribute's name.
const ATTRIBUTE: &str = "state_machine";

/// A machine.
pub struct Block {
    /// Where the attribute stands.
    pub attribute: Span,
    /// What stands in its brackets.
    pub arguments: TokenStream,
    /// The block without it, and without what stands above it.
    pub block: ItemImpl,
    /// The module or block of code that it stands in.
    pub scope: Vec<usize>,
}

/// A struct.
pub struct Struct {
    /// Its name.
    pub name: String,
    /// Its fields.
    pub fields: Fields,
    /// The module or block of code that it stands in.
    pub scope: Vec<usize>,
}

/// The blocks under the attribute: of the file, of modules and of functions.
#[derive(Default)]
pub struct Blocks {
    /// In the order of the text.
    pub found: Vec<Block>,
    /// The structs.
    pub structs: Vec<Struct>,
    /// Where the visit is: the numbers of modules and blocks, from outside in.
    scope: Vec<usize>,
    /// How many there have been.
    scopes: usize,
}

impl Blocks {
    fn enter(&mut self) {
        self.scopes += 1;
        self.scope.push(self.scopes);
    }
}

impl Visit<'_> for Blocks {
    fn visit_item_impl(&mut self, block: &ItemImpl) {
        let mut attributes = block.attrs.iter().enumerate();
        let found = attributes.find_map(|(place, one)| Some((place, arguments(&one.meta)?)));
        if let Some((place, arguments)) = found {
            let mut block = block.clone();
            let attribute = block.attrs[place].span();
            // The macro doesn't see those above it, such as the condition of the whole machine.
            block.attrs.drain(..=place);
            self.found.push(Block { attribute, arguments, block, scope: self.scope.clone() });
        }
        visit::visit_item_impl(self, block);
    }

    fn visit_item_struct(&mut self, item: &ItemStruct) {
        let (name, fields) = (item.ident.unraw().to_string(), item.fields.clone());
        self.structs.push(Struct { name, fields, scope: self.scope.clone() });
    }

    fn visit_item_mod(&mut self, module: &ItemMod) {
        self.enter();
        visit::visit_item_mod(self, module);
        self.scope.pop();
    }

    fn visit_block(&mut self, block: &syn::Block) {
        self.enter();
        visit::visit_block(self, block);
        self.scope.pop();
    }

    fn visit_attribute(&mut self, _: &Attribute) {}
}

/// The arguments, if this is the attribute, also under a condition.
fn arguments(meta: &Meta) -> Option<TokenStream> {
    let list = || match meta {
        Meta::List(list) => list.tokens.clone(),
        Meta::Path(_) | Meta::NameValue(_) => TokenStream::new(),
    };
    if meta.path().is_ident("cfg_attr") {
        let behind_condition = between_commas(list()).into_iter().skip(1);
        let metas = behind_condition.filter_map(|tokens| syn::parse2(tokens).ok());
        return metas.filter_map(|meta: Meta| arguments(&meta)).next();
    }
    meta.path().segments.last().is_some_and(|last| last.ident == ATTRIBUTE).then(list)
}

fn between_commas(tokens: TokenStream) -> Vec<TokenStream> {
    let mut parts = vec![TokenStream::new()];
    for token in tokens {
        match (&token, parts.last_mut()) {
            (TokenTree::Punct(sign), _) if sign.as_char() == ',' => parts.push(TokenStream::new()),
            (_, Some(part)) => part.extend([token]),
            (_, None) => {}
        }
    }
    parts
}
