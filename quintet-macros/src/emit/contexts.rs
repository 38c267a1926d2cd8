//! Contexts: the first arguments of `init`, idle and the tasks, and the modules that name the
//! contexts' types.
//!
//! A function builds its context from constants at its beginning. The compiler then keeps only the
//! parts that the function uses.

use proc_macro2::{Ident, TokenStream};
use quote::quote;
use syn::{Attribute, Expr};

use crate::analysis::User;
use crate::line::Place;
use crate::lower::{Local, Shared};
use crate::model::{Access, DeclaredLocal, LocalAccess, Resource, SharedAccess, Task};
use crate::roles;
use crate::write::contexts::Parts;
use crate::write::functions::own_number;
use crate::write::{Output, names};

/// A function's context: the parts that all of them may have.
pub struct ContextOf<'a> {
    /// The function.
    pub name: &'a Ident,
    /// The conditions under which the context and its module exist.
    pub cfgs: &'a [Attribute],
    /// The function's task, if the function is one.
    pub task: Option<&'a Task>,
    /// The number of instances, each with locals of its own. `None` if the function has no
    /// instances.
    pub instances: Option<usize>,
    /// Where the function runs.
    pub place: Place,
    /// The function's shared resources.
    pub shared: &'a [SharedAccess],
    /// The function's local resources that are fields of the struct.
    pub fields: Vec<&'a Ident>,
    /// The function's local resources that its own list declares.
    pub declared: Vec<&'a DeclaredLocal>,
    /// `true` if the function runs once and forever, so that its references are `'static`. Its
    /// proxies aren't: they never outlive their run.
    pub forever: bool,
}

impl<'a> ContextOf<'a> {
    /// The context of idle or a task.
    pub fn user(user: &User<'a>) -> Self {
        let (mut fields, mut declared) = (Vec::new(), Vec::new());
        for local in user.local {
            match local {
                LocalAccess::Field(name) => fields.push(name),
                LocalAccess::Declared(local) => declared.push(&**local),
            }
        }
        Self {
            name: &user.function.name,
            cfgs: user.cfgs(),
            task: user.task,
            instances: user.task.and_then(|task| task.instances),
            place: user.place,
            shared: user.shared,
            fields,
            declared,
            forever: user.never_ends(),
        }
    }
}

impl Output<'_> {
    /// All contexts, and the modules named like their functions.
    pub fn contexts(&self) -> TokenStream {
        let init = self.app.init.iter().map(|init| {
            let of = ContextOf {
                name: &init.function.name,
                cfgs: &[],
                task: None,
                instances: None,
                place: Place::Idle,
                shared: &[],
                fields: Vec::new(),
                declared: init.local.iter().collect(),
                forever: true,
            };
            self.context(&of, self.peripherals())
        });
        let users = self.analysis.users.iter().map(|user| {
            let mut parts = Parts::default();
            if let Some(task) = user.task {
                roles::of(task).add_to_context(self, task, &mut parts);
            }
            self.context(&ContextOf::user(user), parts)
        });
        quote!(#(#init)* #(#users)*)
    }

    /// The peripherals, which only `init` gets.
    fn peripherals(&self) -> Parts {
        let (quintet, arguments) = (&self.quintet, &self.app.arguments);
        let device = &arguments.device;
        let mut parts = Parts { lifetime: true, ..Parts::default() };
        let name = |name| Ident::new(name, proc_macro2::Span::call_site());
        if arguments.core {
            parts.push(
                &[],
                &name("core"),
                &quote!(#quintet::export::Peripherals),
                &quote!(unsafe { #quintet::export::Peripherals::steal() }),
                "The core's peripherals.",
            );
        }
        if arguments.peripherals {
            parts.push(
                &[],
                &name("device"),
                &quote!(#device::Peripherals),
                &quote!(unsafe { #device::Peripherals::steal() }),
                "The device's peripherals.",
            );
        }
        parts.push(
            &[],
            &name("cs"),
            &quote!(#quintet::export::CriticalSection<'a>),
            &quote!(unsafe { #quintet::export::CriticalSection::new() }),
            "Proof that no interrupt comes while `init` runs.",
        );
        parts
    }

    /// A context with its module.
    fn context(&self, of: &ContextOf<'_>, mut parts: Parts) -> TokenStream {
        let (name, cfgs) = (of.name, of.cfgs);
        let mut items = Vec::new();
        let mut exports = Vec::new();
        let field = |name| Ident::new(name, proc_macro2::Span::call_site());
        let instance = of.instances.map(|_| quote!(, instance));
        if !of.shared.is_empty() {
            let ty = names::shared_resources(name);
            items.push(self.part(of, &ty, "shared resources", self.shared_fields(of)));
            exports.push(quote!(pub use super::#ty as SharedResources;));
            parts.lifetime = true;
            let value = quote!(unsafe { #ty::new(token #instance) });
            parts.push(&[], &field("shared"), &quote!(#ty<'a>), &value, "Its shared resources.");
        }
        if !of.fields.is_empty() || !of.declared.is_empty() {
            let ty = names::local_resources(name);
            items.push(self.part(of, &ty, "local resources", self.local_fields(of)));
            exports.push(quote!(pub use super::#ty as LocalResources;));
            parts.lifetime = true;
            let value = quote!(unsafe { #ty::new(token #instance) });
            parts.push(&[], &field("local"), &quote!(#ty<'a>), &value, "Its local resources.");
        }
        if of.instances.is_some() {
            let which = "Which of the instances this is, counted from 0.";
            parts.push(
                &[],
                &field("instance"),
                &quote!(::core::primitive::usize),
                &quote!(instance),
                which,
            );
        }
        let context = names::context(name);
        items.push(self.part(of, &context, "context", parts));
        exports.push(quote!(pub use super::#context as Context;));
        if let Some(task) = of.task {
            exports.push(roles::of(task).exports(self, task));
        }
        let documentation = format!("Types and functions of `{name}`.");
        quote! {
            #(#items)*
            #(#cfgs)*
            #[doc = #documentation]
            #[allow(non_snake_case)]
            pub mod #name { #(#exports)* }
        }
    }

    /// A struct of a context.
    fn part(&self, of: &ContextOf<'_>, ty: &Ident, what: &str, parts: Parts) -> TokenStream {
        let (quintet, cfgs) = (&self.quintet, of.cfgs);
        let documentation = format!("The {what} of `{}`.", of.name);
        let Parts { fields, values, statics, .. } = parts.complete();
        let (parameter, unused) = of
            .instances
            .map(|_| (quote!(, instance: ::core::primitive::usize), quote!(let _ = instance;)))
            .unwrap_or_default();
        quote! {
            #(#cfgs)*
            #[doc = #documentation]
            #[allow(non_camel_case_types, non_snake_case, private_interfaces)]
            pub struct #ty<'a> { #(#fields),* }

            #(#cfgs)*
            impl<'a> #ty<'a> {
                /// Once for each run of the function, which doesn't outlive `token`.
                #[inline(always)]
                unsafe fn new(token: &'a #quintet::export::Token #parameter) -> Self {
                    let _ = token;
                    #unused
                    #(#statics)*
                    Self { #(#values),* }
                }
            }
        }
    }

    /// The fields of `NAME::SharedResources`.
    fn shared_fields(&self, of: &ContextOf<'_>) -> Parts {
        let mut parts = Parts::default();
        for access in of.shared {
            for shared in self.plan.shared_alternatives(&access.name) {
                shared_field(of, access, shared, &mut parts);
            }
        }
        parts
    }

    /// The fields of `NAME::LocalResources`.
    fn local_fields(&self, of: &ContextOf<'_>) -> Parts {
        let mut parts = Parts::default();
        let lifetime = if of.forever { quote!('static) } else { quote!('a) };
        let documentation = |name: &Ident| format!("The local resource `{name}`.");
        let locals = of.fields.iter().flat_map(|name| self.plan.local_alternatives(name));
        for Local { field: local, .. } in locals {
            let (name, ty, place) = (&local.name, &local.ty, names::local(&local.name));
            let cfgs: Vec<_> = local.attributes.cfgs.iter().collect();
            parts.lifetime |= cfgs.is_empty() && !of.forever;
            let value = quote!(unsafe { &mut *#place.get_mut().cast() });
            parts.push(&cfgs, name, &quote!(&#lifetime mut #ty), &value, &documentation(name));
        }
        for DeclaredLocal { name, ty, value: initial, attributes } in of.declared.iter().copied() {
            let (quintet, place) = (&self.quintet, names::local(name));
            let (cfgs, others) = (&attributes.cfgs, &attributes.others);
            let (all, initials, pointer) = match of.instances {
                None => (quote!(#ty), quote!(#initial), quote!(#place.get_mut())),
                // The locals of other instances may be borrowed.
                Some(count) => (
                    quote!([#ty; #count]),
                    initials_of_instances(initial, count),
                    quote!(#place.get_mut().cast::<#ty>().add(instance)),
                ),
            };
            parts.statics.push(quote! {
                #(#cfgs)* #(#others)*
                #[allow(non_upper_case_globals)]
                static #place: #quintet::export::RacyCell<#all> =
                    #quintet::export::RacyCell::new(#initials);
            });
            parts.lifetime |= cfgs.is_empty() && !of.forever;
            let value = quote!(unsafe { &mut *#pointer });
            let cfgs: Vec<_> = cfgs.iter().collect();
            parts.push(&cfgs, name, &quote!(&#lifetime mut #ty), &value, &documentation(name));
        }
        parts
    }
}

/// The initial values of a variable, one for each instance. A value that names the number of its
/// instance is written out for each.
fn initials_of_instances(initial: &Expr, count: usize) -> TokenStream {
    let Some(number) = own_number(initial) else {
        return quote!([const { #initial }; #count]);
    };
    let each = (0..count)
        .map(|instance| quote!({ const #number: ::core::primitive::usize = #instance; #initial }));
    quote!([#(#each),*])
}

/// A field of `NAME::SharedResources`.
fn shared_field(of: &ContextOf<'_>, access: &SharedAccess, shared: &Shared<'_>, parts: &mut Parts) {
    let Resource { name, ty, attributes, .. } = &shared.field.resource;
    let place = names::shared(name);
    let cfgs: Vec<_> = attributes.cfgs.iter().collect();
    parts.lifetime |= cfgs.is_empty() && !of.forever;
    let lifetime = if of.forever { quote!('static) } else { quote!('a) };
    let (ty, value) = if access.form == Access::Shared {
        let value = quote!(unsafe { &*#place.get_mut().cast() });
        (quote!(&#lifetime #ty), value)
    } else if shared.field.lock_free.is_some() {
        let value = quote!(unsafe { &mut *#place.get_mut().cast() });
        (quote!(&#lifetime mut #ty), value)
    } else {
        let proxy = names::proxy(name);
        let contended = shared.is_contended(of.place);
        parts.lifetime |= cfgs.is_empty();
        let value = quote!(unsafe { shared_resources::#proxy::new(#contended) });
        (quote!(shared_resources::#proxy<'a>), value)
    };
    parts.push(&cfgs, name, &ty, &value, &format!("The shared resource `{name}`."));
}
