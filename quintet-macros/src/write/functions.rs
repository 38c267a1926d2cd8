//! Calls of the user's functions: their arguments, and the contexts that they are given.

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote, quote_spanned};
use syn::PatType;
use syn::spanned::Spanned;
use syn::visit::Visit;

use super::{Output, names};
use crate::model::{Body, Task};

impl Output<'_> {
    /// `let context` of a function, once for each run of the function. Errors about lifetimes point
    /// at `place`.
    pub fn build_context(&self, function: &Ident, forever: bool, place: Span) -> TokenStream {
        self.build_context_of(function, forever, place, None)
    }

    /// The same for an instance. A variable has the instance's number.
    pub fn build_context_of(
        &self,
        function: &Ident,
        forever: bool,
        place: Span,
        instance: Option<&Ident>,
    ) -> TokenStream {
        let instance = instance.map(|instance| quote!(, #instance));
        let quintet = &self.quintet;
        let context = context_variable();
        let token = run_variable(place);
        if forever {
            return quote! {
                // SAFETY: the context is built once, where its function begins, which never ends.
                let #context = unsafe {
                    #function::Context::new(&#quintet::export::Token #instance)
                };
            };
        }
        let borrowed = quote_spanned!(place=> &#token);
        quote! {
            let #token = #quintet::export::Token;
            // SAFETY: the context is built once for each run of its function, at the beginning.
            let #context = unsafe { #function::Context::new(#borrowed #instance) };
        }
    }

    /// The assertions about the arguments of a spawned task or of a thread, by `assertion`.
    pub fn argument_assertions(
        &self,
        arguments: &[PatType],
        assertion: &TokenStream,
    ) -> TokenStream {
        let quintet = &self.quintet;
        let assertions = arguments.iter().map(|argument| {
            let ty = &argument.ty;
            quote_spanned!(ty.span()=> #quintet::export::#assertion::<#ty>)
        });
        quote!(#(const _: fn() = #assertions;)*)
    }
}

/// The variable with the number of an instance. The user's code can't name this variable.
pub fn instance_variable() -> Ident {
    Ident::new("instance", Span::mixed_site())
}

/// The word by which an initial value of a task with instances names the number of its instance.
const OWN_NUMBER: &str = "INSTANCE";

/// Returns the word for the number of the instance in an initial value, if the value has this word.
pub fn own_number(value: &syn::Expr) -> Option<Ident> {
    struct Search(Option<Ident>);
    impl Visit<'_> for Search {
        fn visit_ident(&mut self, ident: &Ident) {
            if ident == OWN_NUMBER {
                self.0 = Some(ident.clone());
            }
        }

        fn visit_macro(&mut self, one: &syn::Macro) {
            self.in_tokens(one.tokens.clone());
        }
    }
    impl Search {
        /// The arguments of a macro, which are no expressions yet.
        fn in_tokens(&mut self, tokens: TokenStream) {
            for token in tokens {
                match token {
                    TokenTree::Ident(ident) => self.visit_ident(&ident),
                    TokenTree::Group(group) => self.in_tokens(group.stream()),
                    TokenTree::Punct(_) | TokenTree::Literal(_) => {}
                }
            }
        }
    }
    let mut search = Search(None);
    search.visit_expr(value);
    search.0
}

/// Panics unless the variable has the number of one of `count` instances. `what` names these.
pub fn check_instance(count: usize, what: &str) -> TokenStream {
    let (variable, message) = (
        instance_variable(),
        format!("{what} has no such instance: it has {count}, which are counted from 0"),
    );
    quote!(::core::assert!(#variable < #count, #message);)
}

/// The variable from which the context of a run borrows. It has the span of the user's word, so
/// that the compiler's message names the variable when the context is to live longer.
pub fn run_variable(place: Span) -> Ident {
    Ident::new("context_of_this_run", place)
}

/// The variable of a context. The user's code can't name this variable.
pub fn context_variable() -> Ident {
    Ident::new("context", Span::mixed_site())
}

/// The names and types of a function's arguments. An argument that the user gave a pattern gets a
/// name that no other has.
pub fn arguments(arguments: &[PatType]) -> (Vec<Ident>, Vec<&syn::Type>) {
    let given = |argument: &PatType| match &*argument.pat {
        syn::Pat::Ident(pattern) if pattern.subpat.is_none() => Some(pattern.ident.clone()),
        _ => None,
    };
    let is_given = |name: &Ident| arguments.iter().any(|other| given(other).as_ref() == Some(name));
    let name = |(index, argument)| {
        given(argument).unwrap_or_else(|| {
            let mut name = quote::format_ident!("argument_{index}");
            while is_given(&name) {
                name = quote::format_ident!("{name}_");
            }
            name
        })
    };
    let names = arguments.iter().enumerate().map(name).collect();
    (names, arguments.iter().map(|argument| &*argument.ty).collect())
}

/// `()`, the only part, or the tuple of all parts.
pub fn tuple_or_one<T: ToTokens>(parts: &[T]) -> TokenStream {
    match parts {
        [] => quote!(()),
        [one] => quote!(#one),
        all => quote!((#(#all),*)),
    }
}

/// The function that runs a task, or that makes its future. Named by a path, because an argument
/// may have the task's name.
pub fn maker(task: &Task) -> TokenStream {
    let maker = match task.function.body {
        Body::Extern if task.is_async() => names::maker(task.name()),
        Body::Extern | Body::Block(_) => task.name().clone(),
    };
    quote!(self::#maker)
}
