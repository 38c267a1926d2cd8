//! The functions `#[init]` and `#[idle]`.

use quote::ToTokens;
use syn::{Attribute, Error, Ident, ReturnType, Type};

use crate::errors::Errors;
use crate::grammar::function::{Source, at_output};
use crate::grammar::{access, attributes, list};
use crate::model::{Idle, Init, LocalAccess};

/// The list that a message shows for a wrong `local` of `init`.
const INIT_LOCAL_EXAMPLE: &str = "local = [count: u32 = 0]";
/// The same for `idle`.
const IDLE_LOCAL_EXAMPLE: &str = "local = [a, count: u32 = 0]";
/// The list that a message shows for a wrong `shared`.
const SHARED_EXAMPLE: &str = "shared = [x, &y]";

/// The names of the structs that `init` returns. `()` takes the place of a missing struct.
pub struct Resources {
    /// The struct `#[shared]`.
    pub shared: Option<Ident>,
    /// The struct `#[local]`.
    pub local: Option<Ident>,
}

impl Resources {
    /// The return type of `init`.
    fn expected(&self) -> String {
        let name = |ident: &Option<Ident>| {
            ident.as_ref().map_or_else(|| "()".to_owned(), ToString::to_string)
        };
        format!("({}, {})", name(&self.shared), name(&self.local))
    }
}

/// Reads `#[init]`.
pub fn init(
    role: &Attribute,
    source: Source,
    resources: &Resources,
    errors: &mut Errors,
) -> Option<Init> {
    let mut local = Vec::new();
    let tokens = errors.ok(attributes::arguments(role))?;
    for argument in list::read(tokens, errors) {
        let name = &argument.name;
        match name.to_string().as_str() {
            "local" => {
                if let Some(content) = errors.ok(argument.list(INIT_LOCAL_EXAMPLE)) {
                    local = access::read_local(content, errors);
                }
            }
            "shared" => {
                let message = "`init` runs before resources have values, so it has no `shared`: \
                               it returns them";
                errors.at(name.span(), message);
            }
            "priority" => {
                let message = "`init` runs before all tasks with interrupts off, so it has no \
                               `priority`";
                errors.at(name.span(), message);
            }
            _ => {
                let message = format!("`init` has no argument `{name}`; it takes `local`");
                errors.at(name.span(), message);
            }
        }
    }
    let local = local.into_iter().filter_map(|entry| errors.ok(declared(entry))).collect();
    let name = source.name().clone();
    let expected = format!("fn {name}(cx: {name}::Context) -> {}", resources.expected());
    errors.ok(refuse_async(&source, &expected));
    errors.ok(init_output(&source, resources, &expected));
    let (function, arguments) = source.into_function(&expected, errors)?;
    errors.ok(Source::refuse_arguments(&name, &arguments, &expected))?;
    Some(Init { function, local })
}

/// Reads `#[idle]`.
pub fn idle(role: &Attribute, source: Source, errors: &mut Errors) -> Option<Idle> {
    let mut shared = Vec::new();
    let mut local = Vec::new();
    let tokens = errors.ok(attributes::arguments(role))?;
    for argument in list::read(tokens, errors) {
        let name = &argument.name;
        match name.to_string().as_str() {
            "local" => {
                if let Some(content) = errors.ok(argument.list(IDLE_LOCAL_EXAMPLE)) {
                    local = access::read_local(content, errors);
                }
            }
            "shared" => {
                if let Some(content) = errors.ok(argument.list(SHARED_EXAMPLE)) {
                    shared = access::read_shared(content, errors);
                }
            }
            "priority" => {
                let message = "`idle` always has priority 0, below all tasks: leave out `priority`";
                errors.at(name.span(), message);
            }
            _ => errors.at(
                name.span(),
                format!("`idle` has no argument `{name}`; it takes `local` and `shared`"),
            ),
        }
    }
    let name = source.name().clone();
    let expected = format!("fn {name}(cx: {name}::Context) -> !");
    errors.ok(refuse_async(&source, &expected));
    if !source.is_diverging() {
        let message = format!(
            "`{name}` is what runs when no task does, so it never returns: it must be `{expected}`"
        );
        errors.push(at_output(&source, message));
    }
    let (function, arguments) = source.into_function(&expected, errors)?;
    errors.ok(Source::refuse_arguments(&name, &arguments, &expected))?;
    Some(Idle { function, shared, local })
}

/// A local of `init`: it must be declared.
fn declared(entry: LocalAccess) -> syn::Result<crate::model::DeclaredLocal> {
    match entry {
        LocalAccess::Declared(declared) => Ok(*declared),
        LocalAccess::Field(name) => Err(Error::new(
            name.span(),
            format!(
                "`{name}` has no initial value, and `init` runs before the struct `#[local]` \
                 exists: write `{name}: Type = value`"
            ),
        )),
    }
}

/// Refuses an `async fn`.
fn refuse_async(source: &Source, expected: &str) -> syn::Result<()> {
    let name = source.name();
    source.signature.asyncness.as_ref().map_or(Ok(()), |word| {
        let message = format!(
            "`{name}` runs on no executor, so it can't be `async`: it must be `{expected}`"
        );
        Err(Error::new_spanned(word, message))
    })
}

/// Checks the return type of `init`. Without both structs, `init` may return nothing.
fn init_output(source: &Source, resources: &Resources, expected: &str) -> syn::Result<()> {
    if resources.shared.is_none() && resources.local.is_none() && source.returns_unit() {
        return Ok(());
    }
    let name = source.name();
    let ReturnType::Type(_, ty) = &source.signature.output else {
        let message = format!(
            "`{name}` returns nothing, but resources get their values from it: it must be \
             `{expected}`"
        );
        return Err(Error::new(name.span(), message));
    };
    let elements = match &**ty {
        Type::Tuple(tuple) if tuple.elems.len() == 2 => &tuple.elems,
        Type::Tuple(tuple) if tuple.elems.len() == 3 => {
            let message = format!(
                "`{name}` returns shared and local resources only; timers, the third element in \
                 version 1 of the grammar, are a library: it must be `{expected}`"
            );
            return Err(Error::new_spanned(&tuple.elems[2], message));
        }
        _ => {
            let message = format!(
                "`{name}` returns the values of the resources, first the shared ones, then the \
                 local ones: it must be `{expected}`"
            );
            return Err(Error::new_spanned(ty, message));
        }
    };
    for (element, (word, wanted)) in
        elements.iter().zip([("shared", &resources.shared), ("local", &resources.local)])
    {
        if !is_struct(element, wanted.as_ref()) {
            let found = element.to_token_stream().to_string().replace(' ', "");
            let wanted = wanted.as_ref().map_or_else(
                || format!("there is no struct `#[{word}]`, so `()` stands here"),
                |wanted| format!("the struct `#[{word}]` is `{wanted}`"),
            );
            let message =
                format!("`{name}` returns `{found}` here, but {wanted}: it must be `{expected}`");
            return Err(Error::new_spanned(element, message));
        }
    }
    Ok(())
}

/// Returns `true` if a type is the struct, or `()` in the place of a missing struct.
fn is_struct(ty: &Type, name: Option<&Ident>) -> bool {
    match (ty, name) {
        (Type::Path(path), Some(name)) => {
            path.path.segments.last().is_some_and(|segment| segment.ident == *name)
        }
        (Type::Tuple(tuple), None) => tuple.elems.is_empty(),
        (Type::Group(group), name) => is_struct(&group.elem, name),
        (Type::Paren(paren), name) => is_struct(&paren.elem, name),
        _ => false,
    }
}
