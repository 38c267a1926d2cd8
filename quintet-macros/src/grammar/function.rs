//! The common part of the signatures of `init`, `idle` and tasks.
//!
//! The framework is the only caller of these functions, so their shape is fixed. Each deviation is
//! reported at its own word, with the correct signature.

use syn::punctuated::Punctuated;
use syn::{
    Attribute, Error, FnArg, GenericArgument, Ident, Lifetime, Pat, PatType, Path, PathArguments,
    ReturnType, Signature, Token, Type, Visibility,
};

use super::attributes;
use crate::errors::Errors;
use crate::model::{Body, Context, Form, Function};

/// The most parameters of a software task besides its context.
const ARGUMENTS_MAX: usize = 15;

/// A function with a role, as the user wrote it.
pub struct Source {
    /// The function's attributes without the role.
    pub attributes: Vec<Attribute>,
    /// The function's visibility.
    pub visibility: Visibility,
    /// The function's signature.
    pub signature: Signature,
    /// Where the function's code is.
    pub body: Body,
}

impl Source {
    /// The name of the function.
    pub const fn name(&self) -> &Ident {
        &self.signature.ident
    }

    /// Returns `true` if the function is an `async fn`.
    pub const fn is_async(&self) -> bool {
        self.signature.asyncness.is_some()
    }

    /// Returns `true` if the function returns `!`.
    pub fn is_diverging(&self) -> bool {
        matches!(&self.signature.output, ReturnType::Type(_, ty) if matches!(**ty, Type::Never(_)))
    }

    /// Returns `true` if the function returns nothing, or `()`.
    pub fn returns_unit(&self) -> bool {
        match &self.signature.output {
            ReturnType::Default => true,
            ReturnType::Type(_, ty) => {
                matches!(&**ty, Type::Tuple(tuple) if tuple.elems.is_empty())
            }
        }
    }

    /// Makes a function of the model, and returns the parameters behind the context apart: the role
    /// says whether the function may have them. `expected` is the signature that the role demands.
    pub fn into_function(
        self,
        expected: &str,
        errors: &mut Errors,
    ) -> Option<(Function, Vec<PatType>)> {
        let form = if self.is_async() { Form::Async } else { Form::Plain };
        let diverging = self.is_diverging();
        let Self { attributes, visibility, signature, body } = self;
        let name = signature.ident.clone();
        refuse_qualifiers(&visibility, &signature, expected, errors);
        let (context, arguments) = parameters(&name, signature.inputs, expected, errors)?;
        let attributes = attributes::sort(attributes);
        let output = signature.output;
        let function = Function {
            name,
            attributes,
            context,
            arguments: Vec::new(),
            form,
            diverging,
            output,
            body,
        };
        Some((function, arguments))
    }

    /// Refuses parameters behind the context.
    pub fn refuse_arguments(
        name: &Ident,
        arguments: &[PatType],
        expected: &str,
    ) -> Result<(), Error> {
        let Some(first) = arguments.first() else { return Ok(()) };
        let message = format!(
            "`{name}` has a parameter besides its context, but nobody could pass a value for it: \
             it must be `{expected}`"
        );
        Err(Error::new_spanned(first, message))
    }
}

/// Refuses qualifiers that no function of the application can have.
fn refuse_qualifiers(
    visibility: &Visibility,
    signature: &Signature,
    expected: &str,
    errors: &mut Errors,
) {
    let name = &signature.ident;
    let must = format!("it must be `{expected}`");
    if !matches!(visibility, Visibility::Inherited) {
        errors.on(
            visibility,
            format!("only the framework calls `{name}`, so it can't be visible elsewhere: {must}"),
        );
    }
    if let Some(word) = &signature.constness {
        errors.on(word, format!("`{name}` runs on the device, so it can't be `const`: {must}"));
    }
    if let Some(word) = &signature.unsafety {
        let message = format!(
            "the framework calls `{name}` and knows of no condition for it, so it can't be \
             `unsafe`: {must}"
        );
        errors.on(word, message);
    }
    if let Some(abi) = &signature.abi {
        let message = format!(
            "the framework calls `{name}` as a Rust function, so it can't have another ABI: {must}"
        );
        errors.on(abi, message);
    }
    if !signature.generics.params.is_empty() {
        errors.on(&signature.generics, without_parameters(name, expected));
    } else if let Some(clause) = &signature.generics.where_clause {
        errors.on(clause, format!("`{name}` has no parameters to restrict: {must}"));
    }
    if let Some(variadic) = &signature.variadic {
        errors.on(variadic, format!("`{name}` can't be variadic: {must}"));
    }
}

/// The refusal of parameters for types and lifetimes.
pub fn without_parameters(name: &Ident, expected: &str) -> String {
    format!(
        "the framework calls `{name}` with one type and lifetime only, so it can't have parameters \
         for them: it must be `{expected}`"
    )
}

/// The context, and the parameters behind it.
fn parameters(
    name: &Ident,
    inputs: Punctuated<FnArg, Token![,]>,
    expected: &str,
    errors: &mut Errors,
) -> Option<(Context, Vec<PatType>)> {
    let mut typed = Vec::new();
    for input in inputs {
        match input {
            FnArg::Typed(parameter) => typed.push(parameter),
            FnArg::Receiver(receiver) => {
                let message = format!(
                    "`{name}` belongs to no type, so it has no `self`: it must be `{expected}`"
                );
                errors.on(receiver, message);
                return None;
            }
        }
    }
    if typed.is_empty() {
        let message = format!("`{name}` takes no context: it must be `{expected}`");
        errors.at(name.span(), message);
        return None;
    }
    let arguments = typed.split_off(1);
    let first = typed.pop()?;
    let context = errors.ok(context(name, first, expected))?;
    Some((context, arguments))
}

/// Checks the first parameter.
fn context(name: &Ident, parameter: PatType, expected: &str) -> syn::Result<Context> {
    let PatType { pat, ty, .. } = parameter;
    let Some(path) = path_of(&ty).filter(|path| is_context(path)) else {
        let message = format!(
            "the first parameter of `{name}` is its context, `{name}::Context`: it must be \
             `{expected}`"
        );
        return Err(Error::new_spanned(&ty, message));
    };
    let owner = path.segments.iter().rev().nth(1).map(|segment| &segment.ident);
    match owner {
        Some(owner) if owner == name => {}
        Some(owner) => {
            let message = format!(
                "this is the context of `{owner}`; the context of `{name}` is `{name}::Context`"
            );
            return Err(Error::new_spanned(&ty, message));
        }
        None => {
            let message = format!(
                "whose context this is can't be told: write `{name}::Context` with the function's \
                 own name"
            );
            return Err(Error::new_spanned(&ty, message));
        }
    }
    let lifetime = lifetime(name, path)?;
    Ok(Context { pattern: without_outer_group(*pat), ty: *ty, lifetime })
}

/// Returns a type's path, if the type is one. Macros may have wrapped the type.
fn path_of(ty: &Type) -> Option<&Path> {
    match ty {
        Type::Path(path) if path.qself.is_none() => Some(&path.path),
        Type::Group(group) => path_of(&group.elem),
        Type::Paren(paren) => path_of(&paren.elem),
        _ => None,
    }
}

/// Returns `true` if a path ends with `Context`.
fn is_context(path: &Path) -> bool {
    path.segments.last().is_some_and(|segment| segment.ident == "Context")
}

/// The lifetime in `NAME::Context<'a>`.
fn lifetime(name: &Ident, path: &Path) -> syn::Result<Option<Lifetime>> {
    let arguments = path.segments.last().map(|segment| &segment.arguments);
    match arguments {
        None | Some(PathArguments::None) => return Ok(None),
        Some(PathArguments::AngleBracketed(list)) => {
            let mut arguments = list.args.iter();
            match (arguments.next(), arguments.next()) {
                (None, _) => return Ok(None),
                (Some(GenericArgument::Lifetime(lifetime)), None) => {
                    return Ok(Some(lifetime.clone()));
                }
                _ => {}
            }
        }
        Some(PathArguments::Parenthesized(_)) => {}
    }
    let message = format!("`{name}::Context` has one lifetime and no other parameter");
    Err(Error::new_spanned(arguments, message))
}

/// Returns the pattern itself. Patterns in parentheses stay as they are.
fn without_outer_group(pattern: Pat) -> Pat {
    match pattern {
        Pat::Paren(paren) => *paren.pat,
        pattern => pattern,
    }
}

/// Of a function that returns: why its context ends, and the way out.
pub const RETURNS: [&str; 2] =
    ["returns", "let it return `!` if it is a thread or an `async` task"];
/// The same for a function that a handle aborts.
pub const IS_ABORTED: [&str; 2] =
    ["is `joinable`, and a handle may abort it", "leave out `joinable`"];

/// Refuses `NAME::Context<'static>` on a function that ends.
pub fn refuse_static_context(function: &Function, [why, way_out]: [&str; 2], errors: &mut Errors) {
    let name = &function.name;
    if let Some(lifetime) = function.context.lifetime.as_ref().filter(|one| one.ident == "static") {
        let message = format!(
            "`{name}` {why}, so its context can't live forever: write `{name}::Context` or \
             `{name}::Context<'_>`, or {way_out}"
        );
        errors.on(lifetime, message);
    }
}

/// An error at the return type; at the name if there is none.
pub fn at_output(source: &Source, message: String) -> Error {
    match &source.signature.output {
        ReturnType::Default => Error::new(source.name().span(), message),
        ReturnType::Type(_, ty) => Error::new_spanned(ty, message),
    }
}

/// Refuses more parameters than can be passed to `act`, a spawn or a start.
pub fn refuse_surplus(name: &Ident, arguments: &[PatType], act: &str) -> syn::Result<()> {
    arguments.get(ARGUMENTS_MAX).map_or(Ok(()), |surplus| {
        let message = format!(
            "`{name}` has {} parameters besides its context; at most {ARGUMENTS_MAX} can be passed \
             to a {act}: pass some of them together, in a struct or a tuple",
            arguments.len()
        );
        Err(Error::new_spanned(surplus, message))
    })
}
