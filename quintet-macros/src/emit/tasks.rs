//! Tasks: the handlers of hardware tasks; the memory, `spawn`, `waker` and jobs of software tasks.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;

use super::functions::{arguments, context_variable};
use super::levels::condition;
use super::{Output, names};
use crate::lower::{Level, Size, Slot};
use crate::model::{Body, Hardware, Software, Task};

impl Output<'_> {
    /// The handlers of the hardware tasks: the user's function and nothing else.
    pub fn handlers(&self) -> TokenStream {
        let handlers = self.app.hardware_tasks().map(|(task, Hardware { binds, .. })| {
            let name = task.name();
            let (cfgs, others) = (task.cfgs(), &task.function.attributes.others);
            let (build, context) = (self.build_context(name, false), context_variable());
            quote! {
                #(#cfgs)* #(#others)*
                #[doc(hidden)]
                #[unsafe(no_mangle)]
                #[allow(non_snake_case)]
                unsafe extern "C" fn #binds() {
                    #build
                    #name(#context)
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
            slots.map(move |(number, slot)| self.software_task((index, level), (number, slot)))
        });
        let spawners = self.plan.levels.iter().map(|level| self.local_spawner(level));
        quote!(#(#tasks)* #(#spawners)*)
    }

    /// Memory, `spawn`, `waker` and job of a software task.
    fn software_task(
        &self,
        (index, level): (usize, &Level<'_>),
        (number, slot): (usize, &Slot<'_>),
    ) -> TokenStream {
        let quintet = &self.quintet;
        let task = slot.task;
        let (name, cfgs, word) = (task.name(), task.cfgs(), slot.word);
        let (waker, levels) = (names::waker(name), names::levels());
        let (mechanism, run) = self.async_task(index, level, slot);
        let job = names::job(level.priority, number);
        let configured_away = (!cfgs.is_empty()).then(|| {
            let conditions = cfgs.iter().map(condition);
            quote! {
                #[cfg(not(all(#(#conditions),*)))]
                unsafe extern "C" fn #job() {}
            }
        });
        let assertions = self.argument_assertions(slot.software);
        let documentation = format!("A waker of the task `{name}`: makes its future be polled.");
        quote! {
            #mechanism
            #(#cfgs)*
            unsafe extern "C" fn #job() { #run }
            #configured_away
            #(#cfgs)*
            #[doc = #documentation]
            ///
            /// From any context. When the task is not alive, waking it does nothing.
            #[inline(always)]
            #[allow(dead_code)]
            pub fn #waker() -> ::core::task::Waker {
                // SAFETY: the word is that of a slot of this level.
                unsafe { #quintet::export::Level::waker(&#levels[#index], #word) }
            }
            #(#cfgs)*
            const _: () = { #assertions };
        }
    }

    /// Memory and `spawn` of an async task, and what its job does.
    fn async_task(
        &self,
        index: usize,
        level: &Level<'_>,
        slot: &Slot<'_>,
    ) -> (TokenStream, TokenStream) {
        let quintet = &self.quintet;
        let (task, software, word) = (slot.task, slot.software, slot.word);
        let (name, cfgs) = (task.name(), task.cfgs());
        let (cell, levels) = (names::cell(name), names::levels());
        let ready = names::ready(level.priority);
        let maker = maker(task);
        let (arguments, types) = arguments(software);
        let (error, returned) = (tuple_or_one(&types), tuple_or_one(&arguments));
        let (spawn, visibility) = if software.local_task.is_some() {
            (names::spawn(name), quote!())
        } else {
            (names::spawn(name), quote!(pub))
        };
        let wake = self.make_ready(level, slot);
        let documentation = format!("Spawns the task `{name}`.");
        let run = quote! {
            // SAFETY: the level runs it, when the slots say so.
            unsafe { #cell.poll(#maker, &#ready, &#levels[#index], #word) }
        };
        let mechanism = quote! {
            #(#cfgs)*
            #[allow(non_upper_case_globals)]
            static #cell: #quintet::export::Cell<
                { #quintet::export::size(#maker) },
                { #quintet::export::align(#maker) },
            > = #quintet::export::Cell::new();

            #(#cfgs)*
            #[doc = #documentation]
            ///
            /// From any context. Nothing is held off while the future is built.
            ///
            /// # Errors
            /// When the task is alive: the arguments come back.
            #[allow(dead_code, private_interfaces, clippy::result_unit_err)]
            #visibility fn #spawn(#(#arguments: #types),*) -> ::core::result::Result<(), #error> {
                if #cell.claim() {
                    // SAFETY: the cell is claimed, and it is this task's.
                    unsafe { #cell.fill(#maker, &#ready, #word, move || #maker(#(#arguments),*)) };
                    #wake
                    ::core::result::Result::Ok(())
                } else {
                    ::core::result::Result::Err(#returned)
                }
            }
        };
        (mechanism, run)
    }

    /// Makes a slot ready, in the fewest instructions.
    fn make_ready(&self, level: &Level<'_>, slot: &Slot<'_>) -> TokenStream {
        let quintet = &self.quintet;
        let ready = names::ready(level.priority);
        let word = (level.size != Size::One).then_some(slot.word);
        if level.priority == 0 {
            return quote!(#ready.set(#word); #quintet::export::signal_event(););
        }
        let number = names::number(level.priority);
        quote!(#ready.set(#word); #quintet::export::pend(#number);)
    }

    /// What a task's module re-exports.
    pub fn task_exports(&self, task: &Task) -> TokenStream {
        let (spawn, waker) = (names::spawn(task.name()), names::waker(task.name()));
        let local = self
            .app
            .software_tasks()
            .any(|(other, software)| std::ptr::eq(other, task) && software.local_task.is_some());
        let spawn = (!local).then(|| quote!(pub use super::#spawn as spawn;));
        quote!(#spawn pub use super::#waker as waker;)
    }

    /// What arguments of a task that others spawn must be.
    fn argument_assertions(&self, software: &Software) -> TokenStream {
        if software.local_task.is_some() {
            return TokenStream::new();
        }
        let quintet = &self.quintet;
        let assertions = software.arguments.iter().map(|argument| {
            let ty = &argument.ty;
            quote_spanned!(ty.span()=> #quintet::export::assert_send::<#ty>)
        });
        quote!(#(const _: fn() = #assertions;)*)
    }

    /// Whether a level has tasks that are spawned from the level only.
    pub fn has_local_tasks(&self, priority: u8) -> bool {
        self.app.software_tasks().any(|(task, software)| {
            task.priority.value == priority && software.local_task.is_some()
        })
    }

    /// What spawns the `local_task`s of a level.
    fn local_spawner(&self, level: &Level<'_>) -> TokenStream {
        if !self.has_local_tasks(level.priority) {
            return TokenStream::new();
        }
        let spawner = names::local_spawner(level.priority);
        let methods = level.slots.iter().filter(|slot| slot.software.local_task.is_some());
        let methods = methods.map(|slot| {
            let name = slot.task.name();
            let (cfgs, spawn) = (slot.task.cfgs(), names::spawn(name));
            let (arguments, types) = arguments(slot.software);
            let error = tuple_or_one(&types);
            let documentation = format!("Spawns the task `{name}`, which is of the same priority.");
            quote! {
                #(#cfgs)*
                #[doc = #documentation]
                ///
                /// # Errors
                /// When the task is alive: the arguments come back.
                #[allow(dead_code, private_interfaces, clippy::result_unit_err)]
                pub fn #name(
                    &self, #(#arguments: #types),*
                ) -> ::core::result::Result<(), #error> {
                    #spawn(#(#arguments),*)
                }
            }
        });
        quote! {
            /// Spawns the tasks `local_task` of one priority, from tasks of that priority.
            #[allow(non_camel_case_types)]
            pub struct #spawner {
                /// Neither `Send` nor `Sync`: it doesn't leave its level.
                context: ::core::marker::PhantomData<*mut ()>,
            }

            impl #spawner { #(#methods)* }
        }
    }
}

/// What makes a task's future. By a path, since an argument may have the task's name.
fn maker(task: &Task) -> TokenStream {
    let maker = match task.function.body {
        Body::Block(_) => task.name().clone(),
        Body::Extern => names::maker(task.name()),
    };
    quote!(self::#maker)
}

/// `()`, the only one, or the tuple of all.
fn tuple_or_one<T: quote::ToTokens>(parts: &[T]) -> TokenStream {
    match parts {
        [] => quote!(()),
        [one] => quote!(#one),
        all => quote!((#(#all),*)),
    }
}
