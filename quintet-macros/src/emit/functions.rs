//! The user's functions, as the user wrote them, with a few statements before the first.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{GenericArgument, Item, Lifetime, PathArguments, Stmt, Type, UseTree};

use crate::model::{Body, Context, Function, Task};
use crate::write::functions::{arguments, context_variable, instance_variable, run_variable};
use crate::write::{Output, names};

impl Output<'_> {
    /// The functions whose bodies are in the module.
    pub fn functions(&self) -> TokenStream {
        let init = self.app.init.iter();
        let init = init.map(|init| called(&init.function, &TokenStream::new(), true));
        let traits = self.traits();
        let quintet = &self.quintet;
        let of_threads =
            quote!(#traits #[allow(unused_imports)] use #quintet::export::nameless_of_threads::*;);
        let idle = self.app.idle.iter().map(|idle| {
            called(&idle.function, &traits, self.analysis.lives_forever(true, &idle.shared))
        });
        let tasks = self.app.tasks.iter().map(|task| {
            if task.is_async() {
                return self.polled(task, &traits);
            }
            let forever = self.analysis.lives_forever(task.never_ends, &task.shared);
            let traits = if task.is_thread() { &of_threads } else { &traits };
            called(&task.function, traits, forever)
        });
        quote!(#(#init)* #(#idle)* #(#tasks)*)
    }

    /// Brings `lock` into the scope of a body. The import has a name, so that the body can say
    /// `impl Mutex`, unless the user's module has the name already.
    fn traits(&self) -> TokenStream {
        let quintet = &self.quintet;
        let module =
            if self.names_mutex() { quote!(export::nameless) } else { quote!(mutex::prelude) };
        quote!(#[allow(unused_imports)] use #quintet::#module::*;)
    }

    /// Returns `true` if the user's module defines or imports the name `Mutex`.
    fn names_mutex(&self) -> bool {
        self.app.items.iter().any(|item| match item {
            Item::Use(import) => imports_mutex(&import.tree),
            Item::Struct(item) => item.ident == "Mutex",
            Item::Enum(item) => item.ident == "Mutex",
            Item::Type(item) => item.ident == "Mutex",
            Item::Trait(item) => item.ident == "Mutex",
            _ => false,
        })
    }

    /// An async task. The future builds the context itself, so that parts of the context that don't
    /// live across an `await` take no memory. The context's parameter becomes a value that the
    /// user's code can't make, so that only the task's level can call the function.
    fn polled(&self, task: &Task, traits: &TokenStream) -> TokenStream {
        let Function { name, attributes, context, arguments, output, body, .. } = &task.function;
        let Body::Block(block) = body else {
            return self.extern_polled(task);
        };
        let pattern = &context.pattern;
        let (cfgs, docs, others) = (&attributes.cfgs, &attributes.docs, &attributes.others);
        let quintet = &self.quintet;
        let statements = &block.stmts;
        let instance = task.instances.map(|_| instance_variable());
        let forever = self.analysis.lives_forever(task.never_ends, &task.shared);
        let ty = type_of(context, forever);
        let build = self.build_context_of(name, forever, ty.span(), instance.as_ref());
        let instance = instance.map(|instance| quote!(#instance: ::core::primitive::usize,));
        let built = context_variable();
        quote! {
            #(#cfgs)* #(#docs)* #(#others)*
            #[allow(non_snake_case)]
            async fn #name(_: #quintet::export::Call, #instance #(#arguments),*) #output {
                #traits
                #build
                let #pattern: #ty = #built;
                #(#statements)*
            }
        }
    }

    /// The function that makes the future of an async task whose body is in another module.
    fn extern_polled(&self, task: &Task) -> TokenStream {
        let quintet = &self.quintet;
        let name = task.name();
        let (cfgs, maker) = (task.cfgs(), names::maker(name));
        let (names, types) = arguments(&task.function.arguments);
        let instance = task.instances.map(|_| instance_variable());
        let number = instance.as_ref().map(|instance| quote!(, #instance));
        let parameter =
            instance.as_ref().map(|instance| quote!(#instance: ::core::primitive::usize,));
        let context = quote!(unsafe { #name::Context::new(&#quintet::export::Token #number) });
        let place = task.function.output.span();
        let future = quote_spanned!(place=> self::#name(#context, #(#names),*));
        let (future, output) = if task.function.diverging {
            (quote!(#quintet::export::diverges(#future)), quote!())
        } else {
            (future, quote!(<Output = ()>))
        };
        // The body may run code before it returns the future. `Deferred` keeps this code from
        // running at the spawn.
        let future = quote!(#quintet::export::Deferred::new(move || #future));
        let forever = self.analysis.lives_forever(task.never_ends, &task.shared);
        let ends = (!forever).then(|| {
            let place = task.function.context.ty.span();
            let token = run_variable(place);
            let borrowed = quote_spanned!(place=> &#token);
            quote! {
                /// Checks that the body accepts a context that ends with the body.
                #[allow(dead_code)]
                fn ends(#parameter #(#names: #types),*) {
                    let #token = #quintet::export::Token;
                    let _ = self::#name(
                        unsafe { #name::Context::new(#borrowed #number) }, #(#names),*
                    );
                }
            }
        });
        quote! {
            #(#cfgs)*
            #[allow(non_snake_case)]
            #[inline(always)]
            fn #maker(
                _: #quintet::export::Call, #parameter #(#names: #types),*
            ) -> impl ::core::future::Future #output {
                #ends
                // The context borrows from nothing that ends before the future.
                #future
            }
        }
    }
}

/// A function that is called with its context: all functions but async tasks.
/// `forever`: whether the context lives forever.
fn called(function: &Function, traits: &TokenStream, forever: bool) -> TokenStream {
    let Function { name, attributes, context, arguments, output, body, .. } = function;
    let Body::Block(block) = body else {
        return fits(function);
    };
    let (pattern, ty) = (&context.pattern, type_of(context, forever));
    let (cfgs, docs, others) = (&attributes.cfgs, &attributes.docs, &attributes.others);
    let statements: &[Stmt] = &block.stmts;
    quote! {
        #(#cfgs)* #(#docs)* #(#others)*
        #[allow(non_snake_case)]
        fn #name(#pattern: #ty #(, #arguments)*) #output {
            #traits
            #(#statements)*
        }
    }
}

/// The type of a context in its function's signature. As in RTIC, a function that never ends may
/// say `NAME::Context<'static>`. All of its context lives forever but the proxies, and they alone
/// have the lifetime of this type.
fn type_of(context: &Context, forever: bool) -> Type {
    let mut ty = context.ty.clone();
    if !forever && let Some(lifetime) = lifetime_of(&mut ty) {
        *lifetime = Lifetime::new("'_", lifetime.span());
    }
    ty
}

/// The lifetime in `NAME::Context<'a>`.
fn lifetime_of(ty: &mut Type) -> Option<&mut Lifetime> {
    match ty {
        Type::Group(group) => lifetime_of(&mut group.elem),
        Type::Paren(paren) => lifetime_of(&mut paren.elem),
        Type::Path(path) => {
            let PathArguments::AngleBracketed(list) = &mut path.path.segments.last_mut()?.arguments
            else {
                return None;
            };
            list.args.iter_mut().find_map(|argument| match argument {
                GenericArgument::Lifetime(lifetime) => Some(lifetime),
                _ => None,
            })
        }
        _ => None,
    }
}

/// Checks a body that is in another module: safe code can call the body, and the body returns the
/// declared type. Without this check, the compiler would accept too much. The generated code calls
/// the body from `unsafe` functions, and drops a thread's result. So the body could be `unsafe`, or
/// could return although its borrows live forever.
fn fits(function: &Function) -> TokenStream {
    let Function { name, attributes, output, .. } = function;
    let cfgs = &attributes.cfgs;
    let ((names, types), context) = (arguments(&function.arguments), context_variable());
    let call = quote_spanned!(name.span()=> self::#name(#context, #(#names),*));
    quote! {
        #(#cfgs)*
        const _: () = {
            #[allow(dead_code)]
            fn fits(#context: #name::Context<'static>, #(#names: #types),*) #output { #call }
        };
    }
}

/// Returns `true` if an import brings in the name `Mutex`.
fn imports_mutex(tree: &UseTree) -> bool {
    match tree {
        UseTree::Path(path) => imports_mutex(&path.tree),
        UseTree::Name(name) => name.ident == "Mutex",
        UseTree::Rename(rename) => rename.rename == "Mutex",
        UseTree::Glob(_) => false,
        UseTree::Group(group) => group.items.iter().any(imports_mutex),
    }
}
