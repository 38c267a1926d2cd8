//! Finds the machines of a source file: impl blocks under the attribute, wherever they are, and the
//! structs beside them. Also finds places where macros write machines, which only the compiler can
//! read.

use proc_macro2::{Delimiter, Ident, Span, TokenStream, TokenTree};
use quintet_charts::siblings;
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{Attribute, Fields, ItemImpl, ItemMacro, ItemMod, ItemStruct, Macro, Meta};

/// The attribute's name.
const ATTRIBUTE: &str = "state_machine";

/// A machine.
pub struct Block {
    /// The attribute's place.
    pub attribute: Span,
    /// The content of the attribute's brackets.
    pub arguments: TokenStream,
    /// The block without its attribute, and without the attributes above it.
    pub block: ItemImpl,
    /// `true` if the machine doesn't exist in every build.
    pub has_condition: bool,
    /// The module or block of code around the machine.
    pub scope: Vec<usize>,
}

/// A struct.
pub struct Struct {
    /// The struct's name.
    pub name: String,
    /// The struct's fields.
    pub fields: Fields,
    /// The module or block of code around the struct.
    pub scope: Vec<usize>,
}

/// The attribute inside a macro's definition or its arguments.
pub struct Hidden {
    /// The attribute's place.
    pub place: Span,
    /// The macro.
    pub name: String,
}

/// The blocks under the attribute: of the file, of modules and of functions.
#[derive(Default)]
pub struct Blocks {
    /// In the order of the text.
    pub found: Vec<Block>,
    /// The structs.
    pub structs: Vec<Struct>,
    /// The machines that macros write.
    pub hidden: Vec<Hidden>,
    /// The place of the visit: the numbers of modules and blocks, from outside in.
    scope: Vec<usize>,
    /// The number of scopes so far.
    scopes: usize,
}

impl Blocks {
    fn enter(&mut self) {
        self.scopes += 1;
        self.scope.push(self.scopes);
    }

    /// Finds the attribute in a macro's tokens.
    fn search(&mut self, name: &Ident, tokens: TokenStream) {
        let mut tokens = tokens.into_iter().peekable();
        while let Some(token) = tokens.next() {
            match (&token, tokens.peek()) {
                (TokenTree::Punct(sign), Some(TokenTree::Group(group)))
                    if sign.as_char() == '#'
                        && group.delimiter() == Delimiter::Bracket
                        && is_attribute(group.stream()) =>
                {
                    let place = sign.span();
                    self.hidden.push(Hidden { place, name: name.unraw().to_string() });
                }
                (TokenTree::Group(group), _) => self.search(name, group.stream()),
                _ => {}
            }
        }
    }
}

impl Visit<'_> for Blocks {
    fn visit_item_impl(&mut self, block: &ItemImpl) {
        let mut attributes = block.attrs.iter().enumerate();
        let found = attributes.find_map(|(place, one)| Some((place, arguments(&one.meta)?)));
        if let Some((place, arguments)) = found {
            let mut block = block.clone();
            let attribute = &block.attrs[place];
            let is_conditional = attribute.path().is_ident("cfg_attr");
            let has_condition = is_conditional || siblings::has_condition(&block);
            let attribute = attribute.span();
            // The macro doesn't see the attributes above it, such as the condition of the whole
            // machine.
            block.attrs.drain(..=place);
            let scope = self.scope.clone();
            self.found.push(Block { attribute, arguments, block, has_condition, scope });
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

    fn visit_item_macro(&mut self, item: &ItemMacro) {
        match &item.ident {
            Some(name) => self.search(name, item.mac.tokens.clone()),
            None => self.visit_macro(&item.mac),
        }
    }

    fn visit_macro(&mut self, call: &Macro) {
        if let Some(last) = call.path.segments.last() {
            self.search(&last.ident, call.tokens.clone());
        }
    }

    fn visit_attribute(&mut self, _: &Attribute) {}
}

/// Returns `true` if these tokens of a macro, between brackets, are the attribute, also under a
/// condition. There, a path may begin with `$crate`.
fn is_attribute(tokens: TokenStream) -> bool {
    let mut tokens = tokens.into_iter().peekable();
    let mut is_condition = false;
    while let Some(token) = tokens.next() {
        let is_last = match tokens.peek() {
            None | Some(TokenTree::Group(_)) => true,
            Some(TokenTree::Punct(sign)) => sign.as_char() == ',',
            Some(_) => false,
        };
        match token {
            TokenTree::Ident(word) if word == ATTRIBUTE && is_last => return true,
            TokenTree::Ident(word) if word == "cfg_attr" => is_condition = true,
            TokenTree::Group(group) => {
                return is_condition && is_attribute_of_a_list(group.stream());
            }
            _ => {}
        }
    }
    false
}

/// Returns `true` if one of the attributes behind a condition is.
fn is_attribute_of_a_list(tokens: TokenStream) -> bool {
    between_commas(tokens).into_iter().skip(1).any(is_attribute)
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
