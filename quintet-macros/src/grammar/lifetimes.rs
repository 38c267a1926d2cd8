//! Lifetimes that arguments of software tasks leave open.
//!
//! A spawned task may run after the end of its spawner, so the borrows of its arguments live
//! forever. So `&T` and `Sender<'_, T, N>` can mean only `'static` there, as in the type of a
//! static. A shorter borrow is refused at the call of `spawn`.

use proc_macro2::Span;
use syn::spanned::Spanned;
use syn::{GenericArgument, Lifetime, PatType, PathArguments, Type};

/// Replaces the open lifetimes of `arguments` by `'static`.
pub fn fill(arguments: &mut [PatType]) {
    for argument in arguments {
        fill_type(&mut argument.ty);
    }
}

/// The same in one type. Types of functions, whose callers choose the lifetime, stay as they are.
fn fill_type(ty: &mut Type) {
    match ty {
        Type::Reference(reference) => {
            let span = reference.and_token.span();
            fill_lifetime(reference.lifetime.get_or_insert_with(|| forever(span)));
            fill_type(&mut reference.elem);
        }
        Type::Path(path) => {
            for segment in &mut path.path.segments {
                fill_parameters(&mut segment.arguments);
            }
        }
        Type::Tuple(tuple) => tuple.elems.iter_mut().for_each(fill_type),
        Type::Array(array) => fill_type(&mut array.elem),
        Type::Slice(slice) => fill_type(&mut slice.elem),
        Type::Ptr(pointer) => fill_type(&mut pointer.elem),
        Type::Paren(paren) => fill_type(&mut paren.elem),
        Type::Group(group) => fill_type(&mut group.elem),
        _ => {}
    }
}

/// The same in a path's parameters.
fn fill_parameters(arguments: &mut PathArguments) {
    let PathArguments::AngleBracketed(list) = arguments else { return };
    for argument in &mut list.args {
        match argument {
            GenericArgument::Lifetime(lifetime) => fill_lifetime(lifetime),
            GenericArgument::Type(ty) => fill_type(ty),
            _ => {}
        }
    }
}

/// Replaces `'_`.
fn fill_lifetime(lifetime: &mut Lifetime) {
    if lifetime.ident == "_" {
        *lifetime = forever(lifetime.span());
    }
}

fn forever(span: Span) -> Lifetime {
    Lifetime::new("'static", span)
}
