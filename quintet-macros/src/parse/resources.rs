//! The structs `#[shared]` and `#[local]`.

use proc_macro2::Span;
use syn::spanned::Spanned;
use syn::{Attribute, Error, Fields, ItemStruct, Meta};

use crate::errors::Errors;
use crate::grammar::attributes::{self, Word};
use crate::grammar::{conditional, opaque};
use crate::model::{LocalStruct, Resource, SharedResource, SharedStruct, StructHead};

/// Reads the struct `#[shared]`.
pub fn read_shared(
    role: &Attribute,
    item: ItemStruct,
    errors: &mut Errors,
) -> Option<SharedStruct> {
    let (head, fields) = read(Word::Shared, role, item, errors)?;
    let resources = fields
        .into_iter()
        .map(|(lock_free, resource)| SharedResource { resource, lock_free })
        .collect();
    Some(SharedStruct { head, resources })
}

/// Reads the struct `#[local]`.
pub fn read_local(role: &Attribute, item: ItemStruct, errors: &mut Errors) -> Option<LocalStruct> {
    let (head, fields) = read(Word::Local, role, item, errors)?;
    let mut resources = Vec::new();
    for (lock_free, resource) in fields {
        if let Some(span) = lock_free {
            let message = format!(
                "`{}` is local, so only one task uses it and nothing locks it: leave out \
                 `#[lock_free]`",
                resource.name
            );
            errors.at(span, message);
        }
        resources.push(resource);
    }
    Some(LocalStruct { head, resources })
}

/// A field, with the place of its `#[lock_free]`.
type Field = (Option<Span>, Resource);

/// Reads the common parts of both structs.
fn read(
    role: Word,
    attribute: &Attribute,
    item: ItemStruct,
    errors: &mut Errors,
) -> Option<(StructHead, Vec<Field>)> {
    let word = role.text();
    let name = &item.ident;
    if !matches!(attribute.meta, Meta::Path(_)) {
        errors.on(&attribute.meta, format!("`#[{word}]` takes no arguments"));
    }
    if item.generics.lt_token.is_some() || item.generics.where_clause.is_some() {
        let message = format!(
            "the fields of `{name}` become static variables, which have one type each: the struct \
             `#[{word}]` can't be generic"
        );
        if item.generics.params.is_empty() {
            errors.at(name.span(), message);
        } else {
            errors.on(&item.generics, message);
        }
        return None;
    }
    let Fields::Named(fields) = item.fields else {
        let message = format!(
            "tasks list resources by name, so the struct `#[{word}]` needs named fields: write \
             `struct {name} {{ .. }}`"
        );
        let error = match &item.fields {
            Fields::Unnamed(fields) => Error::new_spanned(fields, message),
            _ => Error::new(name.span(), message),
        };
        errors.push(error);
        return None;
    };
    let fields = fields.named.into_iter().filter_map(|field| self::field(field, errors)).collect();
    let attributes = attributes::sort(item.attrs);
    Some((StructHead { name: item.ident, visibility: item.vis, attributes }, fields))
}

/// Reads a field.
fn field(field: syn::Field, errors: &mut Errors) -> Option<Field> {
    let (marks, others) = field
        .attrs
        .into_iter()
        .partition::<Vec<_>, _>(|attribute| attribute.path().is_ident("lock_free"));
    let name = field.ident?;
    let is_mark = |attribute: &Attribute| attribute.path().is_ident("lock_free");
    for mark in others.iter().flat_map(conditional::all_in).filter(is_mark) {
        let message = format!(
            "`cfg_attr` is decided after the application is read, so it can't make `{name}` \
             `#[lock_free]`: write the field once for each alternative, each with a `#[cfg(..)]` \
             of its own, and this one with `#[lock_free]`"
        );
        errors.on(&mark.meta, message);
    }
    for mark in &marks {
        if !matches!(mark.meta, Meta::Path(_)) {
            errors.on(&mark.meta, "`#[lock_free]` takes no arguments");
        }
    }
    for place in opaque::find(&field.ty) {
        let message = format!(
            "the field `{name}` becomes a static variable, which has one type, but `impl Trait` \
             names none: write the type, or a function pointer such as `fn()`, or `&'static dyn \
             Trait`"
        );
        errors.on(place, message);
    }
    let mut attributes = attributes::sort(others);
    attributes.others.retain(|one| !conditional::all_in(one).iter().any(is_mark));
    let resource = Resource { name, ty: field.ty, visibility: field.vis, attributes };
    Some((marks.first().map(|mark| mark.path().span()), resource))
}
