//! The parameters of a machine's block: `impl<'a, P: Pin> Led<'a, P>`.
//!
//! The block's functions have all parameters. An `enum` that the macro writes has only those that
//! its fields mention, because the compiler refuses others.

use std::collections::BTreeSet;

use proc_macro2::{Ident, Span};
use syn::visit::Visit;
use syn::visit_mut::{self, VisitMut};
use syn::{GenericParam, Generics, Lifetime, Type, WherePredicate};

/// Gives the lifetimes that a type leaves out names, and adds them to the parameters: `Led<'_>`
/// becomes `Led<'__0>`.
pub fn name_lifetimes(own: &mut Type, generics: &mut Generics) {
    let mut named = Elided { names: Names::Numbered, count: 0 };
    named.visit_type_mut(own);
    for number in (0..named.count).rev() {
        let lifetime = Names::Numbered.of(number);
        generics.params.insert(0, syn::parse_quote!(#lifetime));
    }
}

/// Gives all lifetimes that a type leaves out one name. Returns `true` if there are any.
pub fn name_all_lifetimes(kind: &mut Type, name: &str) -> bool {
    let mut named = Elided { names: Names::One(name), count: 0 };
    named.visit_type_mut(kind);
    named.count > 0
}

/// The parameters that these types mention, with those bounds that mention no other parameters.
pub fn mentioned<'a>(generics: &Generics, types: impl IntoIterator<Item = &'a Type>) -> Generics {
    let mut words = Words::default();
    types.into_iter().for_each(|kind| words.visit_type(kind));
    let is_in = |param: &GenericParam| words.0.contains(&name_of(param));
    let others: BTreeSet<_> =
        generics.params.iter().filter(|param| !is_in(param)).map(name_of).collect();
    if generics.params.len() == others.len() {
        return Generics::default();
    }
    let is_alone = |visit: &dyn Fn(&mut Words)| {
        let mut words = Words::default();
        visit(&mut words);
        words.0.is_disjoint(&others)
    };
    let params = generics.params.iter().filter(|param| is_in(param)).cloned();
    let params = params.map(|mut param| {
        match &mut param {
            GenericParam::Type(one) => {
                let all = one.bounds.iter();
                let kept = all.filter(|one| is_alone(&|words| words.visit_type_param_bound(one)));
                one.bounds = kept.cloned().collect();
                one.default = None;
            }
            GenericParam::Lifetime(one) => {
                let all = one.bounds.iter();
                one.bounds = all
                    .filter(|one| is_alone(&|words| words.visit_lifetime(one)))
                    .cloned()
                    .collect();
            }
            GenericParam::Const(_) => {}
        }
        param
    });
    let mut kept = Generics { params: params.collect(), ..Generics::default() };
    let clauses = generics.where_clause.iter().flat_map(|clause| &clause.predicates);
    let clauses: Vec<WherePredicate> = clauses
        .filter(|clause| is_alone(&|words| words.visit_where_predicate(clause)))
        .cloned()
        .collect();
    if !kept.params.is_empty() && !clauses.is_empty() {
        kept.make_where_clause().predicates.extend(clauses);
    }
    kept
}

/// The parameters in the order that a list of parameters has: lifetimes first. The names alone.
pub fn names(generics: &Generics) -> Vec<proc_macro2::TokenStream> {
    let name = |param: &GenericParam| match param {
        GenericParam::Lifetime(one) => quote::ToTokens::to_token_stream(&one.lifetime),
        GenericParam::Type(one) => quote::ToTokens::to_token_stream(&one.ident),
        GenericParam::Const(one) => quote::ToTokens::to_token_stream(&one.ident),
    };
    let is_lifetime = |param: &&GenericParam| matches!(param, GenericParam::Lifetime(_));
    let first = generics.params.iter().filter(is_lifetime);
    first.chain(generics.params.iter().filter(|param| !is_lifetime(param))).map(name).collect()
}

fn name_of(param: &GenericParam) -> String {
    match param {
        GenericParam::Lifetime(one) => one.lifetime.to_string(),
        GenericParam::Type(one) => one.ident.to_string(),
        GenericParam::Const(one) => one.ident.to_string(),
    }
}

/// The words of a type: names and lifetimes.
#[derive(Default)]
struct Words(BTreeSet<String>);

impl<'ast> Visit<'ast> for Words {
    fn visit_ident(&mut self, ident: &'ast Ident) {
        self.0.insert(ident.to_string());
    }

    fn visit_lifetime(&mut self, lifetime: &'ast Lifetime) {
        self.0.insert(lifetime.to_string());
    }
}

/// The names that lifetimes get.
enum Names<'a> {
    One(&'a str),
    Numbered,
}

impl Names<'_> {
    fn of(&self, number: usize) -> Lifetime {
        match self {
            Self::One(name) => Lifetime::new(name, Span::call_site()),
            Self::Numbered => Lifetime::new(&format!("'__{number}"), Span::call_site()),
        }
    }
}

/// Names the lifetimes that a type leaves out. The parameters of functions within the type keep
/// theirs, because each call has its own.
struct Elided<'a> {
    names: Names<'a>,
    count: usize,
}

impl Elided<'_> {
    fn next(&mut self) -> Lifetime {
        self.count += 1;
        self.names.of(self.count - 1)
    }
}

impl VisitMut for Elided<'_> {
    fn visit_type_reference_mut(&mut self, reference: &mut syn::TypeReference) {
        if reference.lifetime.is_none() {
            reference.lifetime = Some(self.next());
        }
        visit_mut::visit_type_reference_mut(self, reference);
    }

    fn visit_lifetime_mut(&mut self, lifetime: &mut Lifetime) {
        if lifetime.ident == "_" {
            *lifetime = self.next();
        }
    }

    fn visit_type_bare_fn_mut(&mut self, _: &mut syn::TypeBareFn) {}

    fn visit_parenthesized_generic_arguments_mut(
        &mut self,
        _: &mut syn::ParenthesizedGenericArguments,
    ) {
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use quote::ToTokens;

    #[track_caller]
    fn expect(block: &str, kinds: &[&str], expected: &str) {
        let block: syn::ItemImpl = syn::parse_str(block).expect("the block is Rust");
        let kinds: Vec<Type> = kinds.iter().map(|one| syn::parse_str(one).unwrap()).collect();
        let kept = mentioned(&block.generics, &kinds);
        let clause = kept.where_clause.to_token_stream();
        let text = format!("{} {clause}", kept.to_token_stream());
        assert_eq!(text.trim(), expected);
    }

    #[test]
    fn parameters_that_no_type_mentions_are_left_out_with_their_bounds() {
        expect("impl<'a, P: Pin> Led<'a, P> {}", &["u8"], "");
        expect("impl<'a, P: Pin> Led<'a, P> {}", &["Option<P>"], "< P : Pin >");
        expect("impl<T: Into<U> + Copy, U> A<T, U> {}", &["T"], "< T : Copy >");
        expect(
            "impl<'a, 'b: 'a, const N: usize> A<'a, 'b, N> {}",
            &["&'b [u8; N]"],
            "< 'b , const N : usize >",
        );
        expect("impl<T, U> A<T, U> where T: Copy, U: From<T> {}", &["T"], "< T > where T : Copy");
    }

    #[test]
    fn lifetimes_left_out_get_names_but_not_those_of_functions() {
        let mut block: syn::ItemImpl =
            syn::parse_str("impl<P> A<'_, P, &u8, fn(&u8) -> &u8> {}").expect("the block is Rust");
        name_lifetimes(&mut block.self_ty, &mut block.generics);
        let expected =
            "impl < '__0 , '__1 , P > A < '__0 , P , & '__1 u8 , fn (& u8) -> & u8 > { }";
        assert_eq!(block.to_token_stream().to_string(), expected);
    }
}
