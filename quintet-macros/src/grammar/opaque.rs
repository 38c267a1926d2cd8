//! `impl Trait`, which stands for a parameter or for a type that nobody names: neither can be the
//! type of a static variable, and that is what becomes of arguments and resources.

use syn::visit::Visit;
use syn::{PatType, Type, TypeImplTrait};

use super::function::without_parameters;
use crate::errors::Errors;

/// All of them in a type, also within others.
pub fn find(ty: &Type) -> Vec<&TypeImplTrait> {
    #[derive(Default)]
    struct Search<'a>(Vec<&'a TypeImplTrait>);

    impl<'a> Visit<'a> for Search<'a> {
        fn visit_type_impl_trait(&mut self, ty: &'a TypeImplTrait) {
            self.0.push(ty);
        }
    }

    let mut search = Search::default();
    search.visit_type(ty);
    search.0
}

/// Refuses them in the parameters of the function `name`: they are parameters for types.
pub fn refuse(name: &syn::Ident, arguments: &[PatType], expected: &str, errors: &mut Errors) {
    for place in arguments.iter().flat_map(|argument| find(&argument.ty)) {
        errors.on(place, without_parameters(name, expected));
    }
}
