//! Tasks: the handlers of hardware tasks; `spawn`, `waker` and jobs of software tasks.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote, quote_spanned};
use syn::PatType;
use syn::spanned::Spanned;

use super::functions::{arguments, context_variable};
use super::levels::condition;
use super::mechanisms::{Parts, Spawned};
use super::threads::thread_exports;
use super::{Output, names};
use crate::lower::{Descriptor, Level, Mechanism, Size, Slot};
use crate::model::{Hardware, Task};

impl Output<'_> {
    /// The handlers of the hardware tasks: the user's function and nothing else.
    pub fn handlers(&self) -> TokenStream {
        let handlers = self.app.hardware_tasks().map(|(task, Hardware { binds, .. })| {
            let name = task.name();
            let (cfgs, others) = (task.cfgs(), &task.function.attributes.others);
            let (build, context) =
                (self.build_context(name, false, name.span()), context_variable());
            quote! {
                #(#cfgs)* #(#others)*
                #[doc(hidden)]
                #[unsafe(no_mangle)]
                #[allow(non_snake_case)]
                unsafe extern "C" fn #binds() {
                    #build
                    self::#name(#context)
                }
            }
        });
        quote!(#(const _: () = { #handlers };)*)
    }

    /// All that software tasks have.
    pub fn software_tasks(&self) -> TokenStream {
        let levels = self.plan.levels.iter().enumerate();
        let tasks = levels.flat_map(|(index, level)| {
            let slots = level.slots.iter().enumerate();
            slots.map(move |(number, slot)| {
                let spawned = Spawned::new(index, level, slot);
                let task = self.software_task(&spawned);
                let job = self.job(&spawned, number);
                quote!(#task #job)
            })
        });
        let spawners = self.plan.descriptors.iter().map(|Descriptor { level, priority }| {
            self.local_spawner(&self.plan.levels[*level], *priority)
        });
        quote!(#(#tasks)* #(#spawners)*)
    }

    /// What others use of a software task: `spawn` and `waker`.
    fn software_task(&self, spawned: &Spawned<'_>) -> TokenStream {
        let (task, software) = (spawned.slot.task, spawned.slot.software);
        let (name, cfgs) = (task.name(), task.cfgs());
        let Parts { items, spawn: body, .. } = self.mechanism(spawned);
        let (arguments, types) = arguments(&software.arguments);
        let error = tuple_or_one(&types);
        let ok = match spawned.slot.mechanism {
            Mechanism::Joinable => names::handle(name).into_token_stream(),
            _ => quote!(()),
        };
        let (spawn, visibility) =
            (names::spawn(name), software.local_task.is_none().then(|| quote!(pub)));
        let documentation = format!("Spawns the task `{name}`: its level runs it.");
        let assertions = software
            .local_task
            .is_none()
            .then(|| self.argument_assertions(&software.arguments, &quote!(assert_spawn_argument)));
        let waker = spawned.slot.mechanism.is_async().then(|| self.waker(spawned));
        quote! {
            #items
            #(#cfgs)*
            #[doc = #documentation]
            ///
            /// From any context. No interrupt is held off meanwhile.
            ///
            /// # Errors
            /// When as many instances as the task's capacity are spawned: the arguments come back.
            #[allow(dead_code, non_snake_case, private_interfaces, clippy::result_unit_err)]
            #visibility fn #spawn(
                #(#arguments: #types),*
            ) -> ::core::result::Result<#ok, #error> {
                #body
            }
            #waker
            #(#cfgs)*
            const _: () = { #assertions };
        }
    }

    /// The wakers of an async task: the function `waker`, and the one with which it is polled. That
    /// one is a static: a poll that wakes nobody needn't make it.
    fn waker(&self, spawned: &Spawned<'_>) -> TokenStream {
        let quintet = &self.quintet;
        let Spawned { index, slot, .. } = spawned;
        let index = self.plan.descriptor(*index, slot.task.priority.value);
        let (name, cfgs, word) = (slot.task.name(), slot.task.cfgs(), slot.word);
        let (waker, levels) = (names::waker(name), names::levels());
        let (own, numbers_agree) = (names::own_waker(name), names::numbers_agree());
        let statics = [names::usual_levels(), names::numbered_levels()].map(|levels| {
            quote! {{
                // SAFETY: the word is that of a slot of this level.
                static WAKER: ::core::task::Waker =
                    unsafe { #quintet::export::Level::waker(&#levels[#index], #word) };
                &WAKER
            }}
        });
        let [usual, numbered] = statics;
        let documentation = format!("A waker of the task `{name}`: makes its future be polled.");
        quote! {
            #(#cfgs)*
            #[doc = #documentation]
            ///
            /// From any context. When the task is not alive, waking it does nothing.
            #[inline(always)]
            #[allow(dead_code, non_snake_case)]
            pub fn #waker() -> ::core::task::Waker {
                // SAFETY: the word is that of a slot of this level.
                unsafe { #quintet::export::Level::waker(&#levels()[#index], #word) }
            }

            #(#cfgs)*
            #[inline(always)]
            #[allow(non_snake_case)]
            fn #own() -> &'static ::core::task::Waker {
                if #numbers_agree() #usual else #numbered
            }
        }
    }

    /// What a level calls for a slot. Nothing happens there if the task is configured away.
    fn job(&self, spawned: &Spawned<'_>, number: usize) -> TokenStream {
        let cfgs = spawned.slot.task.cfgs();
        let job = names::job(spawned.level.priority, number);
        let Parts { run, .. } = self.mechanism(spawned);
        let configured_away = (!cfgs.is_empty()).then(|| {
            let conditions = cfgs.iter().map(condition);
            quote! {
                #[cfg(not(all(#(#conditions),*)))]
                unsafe extern "C" fn #job() {}
            }
        });
        quote! {
            #(#cfgs)*
            unsafe extern "C" fn #job() { #run }
            #configured_away
        }
    }

    /// Makes a slot ready, in the fewest instructions.
    pub fn make_ready(&self, level: &Level<'_>, slot: &Slot<'_>) -> TokenStream {
        let quintet = &self.quintet;
        let ready = names::ready(level.priority);
        let word = (level.size != Size::One).then_some(slot.word);
        if level.priority == 0 {
            return quote!(#ready.set(#word); #quintet::export::signal_event(););
        }
        if level.is_hosted() {
            let host = names::host(level.priority).control;
            return quote!(#ready.set(#word); #quintet::export::threads::wake_host(&#host););
        }
        let number = names::number(level.priority);
        quote!(#ready.set(#word); #quintet::export::pend(#number());)
    }

    /// What a task's module re-exports.
    pub fn task_exports(&self, task: &Task) -> TokenStream {
        if task.is_thread() {
            return thread_exports(task);
        }
        let mut slots = self.plan.levels.iter().flat_map(|level| &level.slots);
        let Some(slot) = slots.find(|slot| std::ptr::eq(slot.task, task)) else {
            return TokenStream::new();
        };
        let (spawn, waker, handle) =
            (names::spawn(task.name()), names::waker(task.name()), names::handle(task.name()));
        let spawner = names::local_spawner(task.priority.value);
        let spawner = self
            .has_local_tasks(task.priority.value)
            .then(|| quote!(pub use super::#spawner as LocalSpawner;));
        let local = slot.software.local_task.is_some();
        let spawn = (!local).then(|| quote!(pub use super::#spawn as spawn;));
        let waker = slot.mechanism.is_async().then(|| quote!(pub use super::#waker as waker;));
        let handle = (slot.mechanism == Mechanism::Joinable)
            .then(|| quote!(pub use super::#handle as Handle;));
        quote!(#spawn #waker #handle #spawner)
    }

    /// What arguments of a task that others spawn, or of a thread, must be: `assertion` asks it.
    pub fn argument_assertions(
        &self,
        arguments: &[PatType],
        assertion: &TokenStream,
    ) -> TokenStream {
        let quintet = &self.quintet;
        let assertions = arguments.iter().map(|argument| {
            let ty = &argument.ty;
            quote_spanned!(ty.span()=> #quintet::export::#assertion::<#ty>)
        });
        quote!(#(const _: fn() = #assertions;)*)
    }

    /// Whether a priority has tasks that are spawned from tasks of it only.
    pub fn has_local_tasks(&self, priority: u8) -> bool {
        self.app.software_tasks().any(|(task, software)| {
            task.priority.value == priority && software.local_task.is_some()
        })
    }

    /// What spawns the `local_task`s of a priority.
    fn local_spawner(&self, level: &Level<'_>, priority: u8) -> TokenStream {
        if !self.has_local_tasks(priority) {
            return TokenStream::new();
        }
        let spawner = names::local_spawner(priority);
        let methods = level.slots.iter().filter(|slot| {
            slot.task.priority.value == priority && slot.software.local_task.is_some()
        });
        let methods = methods.map(|slot| {
            let name = slot.task.name();
            let (cfgs, spawn) = (slot.task.cfgs(), names::spawn(name));
            let (arguments, types) = arguments(&slot.software.arguments);
            let error = tuple_or_one(&types);
            let ok = match slot.mechanism {
                Mechanism::Joinable => names::handle(name).into_token_stream(),
                _ => quote!(()),
            };
            let documentation = format!("Spawns the task `{name}`, which is of the same priority.");
            quote! {
                #(#cfgs)*
                #[doc = #documentation]
                ///
                /// # Errors
                /// When as many instances as the task's capacity are spawned: the arguments come
                /// back.
                #[allow(dead_code, non_snake_case, private_interfaces, clippy::result_unit_err)]
                pub fn #name(
                    &self, #(#arguments: #types),*
                ) -> ::core::result::Result<#ok, #error> {
                    #spawn(#(#arguments),*)
                }
            }
        });
        quote! {
            /// Spawns the tasks `local_task` of one priority, from tasks of that priority.
            ///
            /// The modules of all of them have it, as `NAME::LocalSpawner`.
            #[allow(non_camel_case_types)]
            pub struct #spawner {
                /// Neither `Send` nor `Sync`: it doesn't leave its level.
                context: ::core::marker::PhantomData<*mut ()>,
            }

            impl #spawner { #(#methods)* }
        }
    }
}

/// `()`, the only one, or the tuple of all.
pub fn tuple_or_one<T: ToTokens>(parts: &[T]) -> TokenStream {
    match parts {
        [] => quote!(()),
        [one] => quote!(#one),
        all => quote!((#(#all),*)),
    }
}
