//! The lists `shared = [..]` and `local = [..]`.
//!
//! An entry that is not in the grammar ends the list. The next entry can't be found, because types
//! and values may contain commas.

use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::parse::discouraged::Speculative;
use syn::parse::{ParseStream, Parser};
use syn::spanned::Spanned;
use syn::{Attribute, Error, Expr, Ident, Path, Token, Type};

use super::{attributes, opaque};
use crate::errors::Errors;
use crate::model::{Access, DeclaredLocal, LocalAccess, SharedAccess};

/// Reads the content of `shared = [..]`.
pub fn read_shared(content: TokenStream, errors: &mut Errors) -> Vec<SharedAccess> {
    read(content, shared_entry, errors)
}

/// Reads the content of `local = [..]`.
pub fn read_local(content: TokenStream, errors: &mut Errors) -> Vec<LocalAccess> {
    read(content, local_entry, errors)
}

/// Reads entries up to the first unreadable one.
fn read<T>(
    content: TokenStream,
    entry: fn(ParseStream<'_>) -> syn::Result<T>,
    errors: &mut Errors,
) -> Vec<T> {
    let mut entries = Vec::new();
    let all = |input: ParseStream<'_>| {
        while !input.is_empty() {
            entries.push(entry(input)?);
            if !input.is_empty() && !input.peek(Token![,]) {
                return Err(input.error("entries of a list are separated by commas"));
            }
            input.parse::<Option<Token![,]>>()?;
        }
        Ok(())
    };
    let result = all.parse2(content);
    errors.ok(result);
    entries
}

/// `x` or `&x`.
fn shared_entry(input: ParseStream<'_>) -> syn::Result<SharedAccess> {
    let attributes = input.call(Attribute::parse_outer)?;
    let reference = input.parse::<Option<Token![&]>>()?;
    if let (Some(reference), true) = (reference, input.peek(Token![mut])) {
        let mutable = input.parse::<Token![mut]>()?;
        let name = name_after(input);
        return Err(Error::new_spanned(
            quote::quote!(#reference #mutable),
            format!(
                "a shared resource is listed as `{name}`, which is locked to change it, or as \
                 `&{name}`, which only reads it"
            ),
        ));
    }
    let name = resource_name(input, "`x` or `&x`")?;
    if input.peek(Token![:]) || input.peek(Token![=]) {
        return Err(Error::new(
            name.span(),
            format!(
                "`{name}` has a type or a value here, but shared resources are fields of the \
                 struct `#[shared]` and get their value from `init`: list it as `{name}`, or \
                 declare it in `local`"
            ),
        ));
    }
    refuse_attributes(attributes, &name)?;
    let (form, span) =
        reference.map_or((Access::Exclusive, name.span()), |and| (Access::Shared, and.span()));
    Ok(SharedAccess { name, form, span })
}

/// `a` or `a: T = EXPR`.
fn local_entry(input: ParseStream<'_>) -> syn::Result<LocalAccess> {
    let attributes = input.call(Attribute::parse_outer)?;
    if input.peek(Token![&]) {
        return Err(input.error(
            "a local resource belongs to one task, which may change it: list it without `&`",
        ));
    }
    let name = resource_name(input, "`a` or `a: Type = value`")?;
    let ty = after::<Token![:], Type>(input)?;
    let value = after::<Token![=], Expr>(input)?;
    match (ty, value) {
        (Part::Absent, Part::Absent) => {
            refuse_attributes(attributes, &name)?;
            Ok(LocalAccess::Field(name))
        }
        (Part::Present(ty), Part::Present(value)) => {
            check_type(&name, &ty)?;
            let attributes = attributes::sort(attributes);
            Ok(LocalAccess::Declared(Box::new(DeclaredLocal { name, ty, value, attributes })))
        }
        (Part::Present(_), _) => Err(incomplete(&name, "a type but no initial value")),
        (_, Part::Present(_)) => Err(incomplete(&name, "an initial value but no type")),
        _ => Err(incomplete(&name, "neither a type nor an initial value")),
    }
}

/// A part of an entry.
enum Part<T> {
    /// Not even the part's sign is there.
    Absent,
    /// The part's sign is there, but nothing behind the sign.
    Empty,
    /// The part is there.
    Present(T),
}

/// Reads the part behind the sign `S`.
fn after<S: syn::parse::Parse + syn::token::Token, T: syn::parse::Parse>(
    input: ParseStream<'_>,
) -> syn::Result<Part<T>> {
    let ahead = input.fork();
    if ahead.parse::<S>().is_err() {
        return Ok(Part::Absent);
    }
    input.advance_to(&ahead);
    if input.is_empty() || input.peek(Token![,]) || input.peek(Token![=]) {
        return Ok(Part::Empty);
    }
    input.parse().map(Part::Present)
}

/// The refusal of half a declaration.
fn incomplete(name: &Ident, has: &str) -> Error {
    Error::new(
        name.span(),
        format!(
            "`{name}` has {has}: write `{name}: Type = value` for a variable of this task, or \
             `{name}` alone for a field of the struct `#[local]`"
        ),
    )
}

/// Reads the name of a resource. `forms` shows how an entry may look.
fn resource_name(input: ParseStream<'_>, forms: &str) -> syn::Result<Ident> {
    if !input.peek(Ident) && !input.peek(Token![::]) && !is_path_keyword(input) {
        return Err(input.error(format!("an entry of this list is {forms}")));
    }
    let path = input.call(Path::parse_mod_style)?;
    path.get_ident().filter(|_| path.leading_colon.is_none()).cloned().ok_or_else(|| {
        let message = format!("a resource is listed by its bare name: an entry is {forms}");
        Error::new_spanned(&path, message)
    })
}

/// Returns `true` if a path begins with one of the keywords that may begin one.
fn is_path_keyword(input: ParseStream<'_>) -> bool {
    input.peek(Token![self]) || input.peek(Token![super]) || input.peek(Token![crate])
}

/// The next name, for a message.
fn name_after(input: ParseStream<'_>) -> String {
    input.parse::<Ident>().map_or_else(|_| "x".to_owned(), |name| name.to_string())
}

/// Refuses attributes on the name of a resource that is declared elsewhere. Conditions are accepted
/// and have no effect, as the resource's own condition decides.
fn refuse_attributes(attributes: Vec<Attribute>, name: &Ident) -> syn::Result<()> {
    let attributes = attributes::sort(attributes);
    attributes.others.first().map_or(Ok(()), |attribute| {
        Err(Error::new_spanned(
            attribute,
            format!(
                "`{name}` is only named here, so the attribute would have no effect: put it on the \
                 field `{name}` of the struct"
            ),
        ))
    })
}

/// Refuses types that a declared local can't have.
fn check_type(name: &Ident, ty: &Type) -> syn::Result<()> {
    let kind = match ty {
        Type::Reference(_) => "a reference",
        Type::BareFn(_) => "a function pointer",
        Type::Slice(_) => "a slice, whose size isn't known",
        Type::TraitObject(_) => "a trait object, whose size isn't known",
        Type::ImplTrait(_) => "`impl Trait`, which isn't one type",
        Type::Infer(_) => "left open",
        Type::Never(_) => "`!`, which has no value",
        Type::Group(group) => return check_type(name, &group.elem),
        Type::Paren(paren) => return check_type(name, &paren.elem),
        ty => match opaque::find(ty).first() {
            Some(place) => {
                return Err(refused_type(name, place, "`impl Trait`, which isn't one type"));
            }
            None => return Ok(()),
        },
    };
    Err(refused_type(name, ty, kind))
}

/// The refusal of a part of a local's type.
fn refused_type(name: &Ident, part: impl ToTokens, kind: &str) -> Error {
    Error::new_spanned(
        part,
        format!(
            "the type of the local `{name}` is {kind}: it must be a path, an array, a tuple or a \
             raw pointer. Wrap it in a type of your own, or make `{name}` a field of the struct \
             `#[local]`, which may have any type that has a size"
        ),
    )
}
