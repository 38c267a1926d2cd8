//! Resources: the statics that hold them, and the proxies by which tasks lock them.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::Attribute;
use syn::spanned::Spanned;

use crate::line::Place;
use crate::lower::{Local, Shared};
use crate::model::{Attributes, Resource, StructHead};
use crate::write::{Output, names};

impl Output<'_> {
    /// The structs of resources, as the user wrote them.
    pub fn resource_structs(&self) -> TokenStream {
        let shared = self.app.shared.as_ref().map(|shared| {
            let fields = shared.resources.iter().map(|field| &field.resource);
            resource_struct(&shared.head, fields, "shared")
        });
        let local = self
            .app
            .local
            .as_ref()
            .map(|local| resource_struct(&local.head, &local.resources, "local"));
        quote!(#shared #local)
    }

    /// The statics of the resources that some user lists.
    pub fn resource_statics(&self) -> TokenStream {
        let shared = self.plan.shared.iter().filter(|shared| shared.used).map(|shared| {
            let resource = &shared.field.resource;
            self.resource_static(resource, &names::shared(&resource.name))
        });
        let local = self
            .plan
            .local
            .iter()
            .filter(|local| local.used)
            .map(|local| self.resource_static(local.field, &names::local(&local.field.name)));
        quote!(#(#shared)* #(#local)*)
    }

    /// The static of one resource: uninitialised, until `init` has returned its value.
    fn resource_static(&self, resource: &Resource, name: &proc_macro2::Ident) -> TokenStream {
        let quintet = &self.quintet;
        let (cfgs, others) = (&resource.attributes.cfgs, &resource.attributes.others);
        let ty = &resource.ty;
        let item = quote! {
            #(#cfgs)* #(#others)*
            #[doc(hidden)]
            #[allow(non_upper_case_globals)]
            static #name: #quintet::export::RacyCell<::core::mem::MaybeUninit<#ty>> =
                #quintet::export::RacyCell::new(::core::mem::MaybeUninit::uninit());
        };
        if others.iter().any(names_section) {
            return item;
        }
        // Not in `.bss`, which start-up would clear for nothing.
        let section = format!(".uninit.quintet.{name}");
        quote!(#quintet::__uninitialised! { #section #item })
    }

    /// The module of the proxies, and their implementations of `Mutex`.
    pub fn proxies(&self) -> TokenStream {
        let quintet = &self.quintet;
        let locked = || self.plan.shared.iter().filter(|shared| shared.field.lock_free.is_none());
        let proxies = locked().map(|shared| {
            let Resource { name, attributes, .. } = &shared.field.resource;
            let cfgs = &attributes.cfgs;
            let proxy = names::proxy(name);
            let documentation =
                format!("Access to the resource `{name}` by [`lock`](rtic_core::Mutex::lock).");
            quote! {
                #(#cfgs)*
                #[doc = #documentation]
                #[allow(non_camel_case_types)]
                pub struct #proxy<'a> {
                    contended: ::core::primitive::bool,
                    context: #quintet::export::InContext<'a>,
                }

                #(#cfgs)*
                impl #proxy<'_> {
                    /// A proxy for a user of the resource, which must be the only one in its
                    /// context. `contended`: whether a more urgent task uses the resource.
                    #[allow(dead_code, non_snake_case)]
                    #[inline(always)]
                    pub(super) const unsafe fn new(contended: ::core::primitive::bool) -> Self {
                        Self { contended, context: #quintet::export::InContext::new() }
                    }

                    #[allow(dead_code)]
                    #[inline(always)]
                    pub(super) const fn contended(&self) -> ::core::primitive::bool {
                        let _ = &self.context;
                        self.contended
                    }
                }
            }
        });
        let locks = locked().filter(|shared| shared.used).map(|shared| self.lock(shared));
        quote! {
            /// The types of the shared resources in the tasks' contexts.
            mod shared_resources { #(#proxies)* }
            #(#locks)*
        }
    }

    /// The ceiling of a resource as a priority of the hardware; 0 if no level uses it.
    pub fn hardware_ceiling(&self, shared: &Shared<'_>) -> u8 {
        match shared.ceiling {
            Place::Level(priority) => self.analysis.line.hardware(priority),
            Place::Idle | Place::Thread(_) => 0,
        }
    }

    /// The ceiling of a resource that levels use. If a thread uses the resource too, the ceiling
    /// holds off the switch as well: on cores without a mask by priority, only the kernel's does.
    pub fn ceiling_of(&self, shared: &Shared<'_>) -> TokenStream {
        let (quintet, device) = (&self.quintet, &self.app.arguments.device);
        let (ceiling, interrupts) = (self.hardware_ceiling(shared), names::interrupts());
        let users = self.analysis.users_of_shared(&shared.field.resource.name);
        let is_switched = |place| !matches!(place, Place::Level(_));
        let with_threads = self.analysis.line.has_threads();
        if with_threads && users.iter().any(|(user, _)| is_switched(user.place)) {
            return quote! {
                #quintet::export::Ceiling::with_threads(#ceiling, #device::NVIC_PRIO_BITS)
            };
        }
        quote! {
            #quintet::export::Ceiling::new(#ceiling, #device::NVIC_PRIO_BITS, #interrupts)
        }
    }

    /// The implementation of `Mutex` for a proxy.
    fn lock(&self, shared: &Shared<'_>) -> TokenStream {
        let quintet = &self.quintet;
        let Resource { name, ty, attributes, .. } = &shared.field.resource;
        let cfgs = &attributes.cfgs;
        let (proxy, value) = (names::proxy(name), names::shared(name));
        if let Place::Thread(_) = shared.ceiling {
            return self.lock_among_threads(shared);
        }
        let alone = shared.alone;
        let ceiling = self.ceiling_of(shared);
        quote! {
            #(#cfgs)*
            impl #quintet::export::Resource for shared_resources::#proxy<'_> {
                type Value = #ty;
                const CEILING: #quintet::export::Ceiling = #ceiling;
                const ALONE: ::core::primitive::bool = #alone;
            }

            #(#cfgs)*
            impl #quintet::Mutex for shared_resources::#proxy<'_> {
                type T = #ty;

                #[inline(always)]
                fn lock<R>(&mut self, section: impl ::core::ops::FnOnce(&mut Self::T) -> R) -> R {
                    // SAFETY: contexts hold a proxy only of what their task lists, at its priority.
                    unsafe {
                        #quintet::export::resource::<Self, R>(
                            self.contended(), #value.get_mut().cast(), section,
                        )
                    }
                }
            }
        }
    }

    /// The implementation of `Mutex` for a proxy of a resource that no level uses.
    fn lock_among_threads(&self, shared: &Shared<'_>) -> TokenStream {
        let quintet = &self.quintet;
        let Resource { name, ty, attributes, .. } = &shared.field.resource;
        let cfgs = &attributes.cfgs;
        let (proxy, value, ceiling) =
            (names::proxy(name), names::shared(name), shared.thread_ceiling());
        quote! {
            #(#cfgs)*
            impl #quintet::export::threads::ThreadResource for shared_resources::#proxy<'_> {
                type Value = #ty;
                const CEILING: ::core::primitive::u8 = #ceiling;
            }

            #(#cfgs)*
            impl #quintet::Mutex for shared_resources::#proxy<'_> {
                type T = #ty;

                #[inline(always)]
                fn lock<R>(&mut self, section: impl ::core::ops::FnOnce(&mut Self::T) -> R) -> R {
                    let value = unsafe { #value.get_mut() }.cast();
                    if !self.contended() {
                        // SAFETY: no other user runs while this one does.
                        return section(unsafe { &mut *value });
                    }
                    // SAFETY: contexts hold a proxy only of what their thread lists.
                    unsafe { #quintet::export::threads::thread_resource::<Self, R>(value, section) }
                }
            }
        }
    }

    /// The assertions about a resource's type that follow from the priorities of its users.
    pub fn resource_assertions(&self) -> TokenStream {
        let quintet = &self.quintet;
        let assert = |resource: &Resource, function: TokenStream| {
            let (cfgs, ty) = (&resource.attributes.cfgs, &resource.ty);
            let assertion = quote_spanned!(ty.span()=> #quintet::export::#function::<#ty>);
            quote!(#(#cfgs)* const _: fn() = #assertion;)
        };
        let shared = self.plan.shared.iter().map(|Shared { field, send, sync, .. }| {
            let send = send.then(|| assert(&field.resource, quote!(assert_send)));
            let sync = sync.then(|| assert(&field.resource, quote!(assert_sync)));
            quote!(#send #sync)
        });
        let local = self
            .plan
            .local
            .iter()
            .filter(|local| local.send)
            .map(|Local { field, .. }| assert(field, quote!(assert_send)));
        quote!(#(#shared)* #(#local)*)
    }
}

/// A struct of resources, as the user wrote it.
fn resource_struct<'a>(
    head: &StructHead,
    fields: impl IntoIterator<Item = &'a Resource>,
    kind: &str,
) -> TokenStream {
    let StructHead { name, visibility, attributes } = head;
    let (cfgs, docs) =
        (&attributes.cfgs, documentation(attributes, &format!("The {kind} resources.")));
    let fields = fields.into_iter().map(|Resource { name, ty, visibility, attributes }| {
        let (cfgs, docs) = (
            &attributes.cfgs,
            documentation(attributes, &format!("The {kind} resource `{name}`.")),
        );
        quote!(#(#cfgs)* #docs #visibility #name: #ty)
    });
    quote! {
        #(#cfgs)* #docs
        #[allow(dead_code)]
        #visibility struct #name { #(#fields),* }
    }
}

/// The user's documentation, or else a sentence: for readers of the documentation, the struct comes
/// from the macro.
fn documentation(attributes: &Attributes, sentence: &str) -> TokenStream {
    match attributes.docs.as_slice() {
        [] => quote!(#[doc = #sentence]),
        docs => quote!(#(#docs)*),
    }
}

/// Returns `true` if the attribute names the section of a static.
fn names_section(attribute: &Attribute) -> bool {
    let tokens = &attribute.meta;
    quote!(#tokens).to_string().contains("link_section")
}
