//! The parameters of functions, which are recognised by their names.

use proc_macro2::Ident;
use quote::quote;
use syn::{FnArg, Pat, Signature, Type};

use crate::errors::Errors;
use crate::model::{Argument, Call};
use crate::text::text;

/// The types of a function's parameters.
pub struct Parameters {
    pub event: Type,
    pub context: Option<Type>,
    pub has_event: bool,
    pub storage: Vec<(Ident, Type)>,
}

impl Parameters {
    /// The parameters before a function has been read.
    pub fn default_for(own: &Type) -> Self {
        Self { event: own.clone(), context: None, has_event: false, storage: Vec::new() }
    }

    /// Adds the parameters of another function, which must have the same types.
    pub fn merge(
        &mut self,
        other: &Self,
        found: &mut (Option<Type>, Option<Type>),
        errors: &mut Errors,
    ) {
        let event = other.has_event.then_some(&other.event);
        let pairs =
            [("event", event, &mut found.0), ("context", other.context.as_ref(), &mut found.1)];
        for (name, new, known) in pairs {
            match (new, &*known) {
                (Some(new), None) => *known = Some(new.clone()),
                (Some(new), Some(old)) if new != old => {
                    let old = text(old);
                    let message = format!(
                        "`{name}` is of type `{old}` in another function: all functions of a \
                         machine take the same"
                    );
                    errors.push(syn::Error::new_spanned(new, message));
                }
                _ => {}
            }
        }
        if let Some(event) = &found.0 {
            self.event = event.clone();
            self.has_event = true;
        }
        self.context.clone_from(&found.1);
    }
}

/// The parameters of a function.
pub fn parameters(signature: &Signature) -> syn::Result<Parameters> {
    let unit = syn::parse_quote!(());
    let mut all = Parameters { event: unit, context: None, has_event: false, storage: Vec::new() };
    for argument in &signature.inputs {
        let FnArg::Typed(typed) = argument else { continue };
        let name = name_of(&typed.pat)?;
        match name.to_string().trim_start_matches('_') {
            "event" => (all.event, all.has_event) = ((*typed.ty).clone(), true),
            "context" => all.context = Some((*typed.ty).clone()),
            _ => {
                let Type::Reference(reference) = &*typed.ty else {
                    let message = format!(
                        "`{name}` is a variable of the state, so it is taken by reference: \
                         `{name}: &mut Type`. Other parameters are `event` and `context`"
                    );
                    return Err(syn::Error::new_spanned(&typed.ty, message));
                };
                all.storage.push((name, (*reference.elem).clone()));
            }
        }
    }
    Ok(all)
}

fn name_of(pattern: &Pat) -> syn::Result<Ident> {
    match pattern {
        Pat::Ident(name) => Ok(name.ident.clone()),
        other => Err(syn::Error::new_spanned(
            other,
            "parameters are known by their names: \
            `event`, `context`, or the name of a variable of the state",
        )),
    }
}

/// How a function is called.
pub fn call_of(signature: &Signature) -> syn::Result<Call> {
    let mut arguments = Vec::new();
    for argument in &signature.inputs {
        arguments.push(match argument {
            FnArg::Receiver(receiver) => {
                if receiver.reference.is_none() {
                    return Err(syn::Error::new_spanned(
                        receiver,
                        "a machine's function takes \
                        `&mut self`, `&self`, or neither",
                    ));
                }
                Argument::Own { mutable: receiver.mutability.is_some() }
            }
            FnArg::Typed(typed) => {
                let name = name_of(&typed.pat)?;
                match name.to_string().trim_start_matches('_') {
                    "event" => Argument::Event,
                    "context" => Argument::Context,
                    _ => Argument::Storage(name),
                }
            }
        });
    }
    let name = signature.ident.clone();
    let waits = signature.asyncness.is_some();
    Ok(Call { path: quote!(Self::#name), name, arguments, waits })
}

/// The parameter that is an event by value.
pub fn event_by_value(signature: &Signature) -> Option<Ident> {
    signature.inputs.iter().find_map(|argument| {
        let FnArg::Typed(typed) = argument else { return None };
        let name = name_of(&typed.pat).ok()?;
        let is_event = name.to_string().trim_start_matches('_') == "event";
        (is_event && !matches!(*typed.ty, Type::Reference(_))).then_some(name)
    })
}
