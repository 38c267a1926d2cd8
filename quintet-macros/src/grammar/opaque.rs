//! `impl Trait`, which stands for a parameter or for a type without a name. Neither can be the type
//! of a static variable, and arguments and resources become static variables.

use syn::visit::Visit;
use syn::{PatType, Type, TypeImplTrait};

use super::function::without_parameters;
use crate::errors::Errors;

/// Returns all `impl Trait`s in a type, also within other types.
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

/// Refuses `impl Trait` in the parameters of the function `name`: each would be a parameter for a
/// type.
pub fn refuse(name: &syn::Ident, arguments: &[PatType], expected: &str, errors: &mut Errors) {
    for place in arguments.iter().flat_map(|argument| find(&argument.ty)) {
        errors.on(place, without_parameters(name, expected));
    }
}
