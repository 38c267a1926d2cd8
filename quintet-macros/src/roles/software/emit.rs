//! Software tasks: `spawn`, `waker` and jobs.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote};

use super::mechanisms::{Parts, Spawned};
use super::place::Mechanism;
use crate::lower::{Descriptor, Level};
use crate::model::{Form, Software, Task, TaskKind};
use crate::write::contexts::Parts as Context;
use crate::write::functions::{arguments, tuple_or_one};
use crate::write::levels::{Placed, job};
use crate::write::map::MapLine;
use crate::write::{Output, names};

impl Output<'_> {
    /// The items of a slot: its job. The task's first slot has the functions that others use too.
    pub fn software_task(&self, placed: &Placed<'_>, software: &Software) -> TokenStream {
        let spawned = &Spawned::new(placed, software);
        let parts = self.mechanism(spawned);
        let job = job(&self.quintet, placed, &parts.run);
        let used = (placed.slot.instance == 0).then(|| self.spawning(placed, spawned, parts));
        let waker = placed.slot.task.is_async().then(|| self.own_waker(placed, &placed.own_name()));
        quote!(#used #waker #job)
    }

    /// The functions by which others use a software task: `spawn` and `waker`.
    fn spawning(&self, placed: &Placed<'_>, spawned: &Spawned<'_>, parts: Parts) -> TokenStream {
        let Spawned { arguments, types, mechanism, software, .. } = spawned;
        let task = placed.slot.task;
        let (name, cfgs) = (task.name(), task.cfgs());
        let Parts { items, spawn: body, .. } = parts;
        let error = tuple_or_one(types);
        let ok = match mechanism {
            Mechanism::Joinable => names::handle(name).into_token_stream(),
            _ => quote!(()),
        };
        let spawn = names::spawn(name);
        // The arguments needn't be `Send` if only tasks of the level spawn the task.
        let qualifiers = if software.local_task.is_some() { quote!(unsafe) } else { quote!(pub) };
        let documentation = format!("Spawns the task `{name}`: its level runs it.");
        let assertions = software.local_task.is_none().then(|| {
            self.argument_assertions(&task.function.arguments, &quote!(assert_spawn_argument))
        });
        let waker = task.is_async().then(|| self.waker(placed));
        let most = match mechanism {
            Mechanism::Pool(_) => "When all of its instances are alive: the arguments come back.",
            _ => "When as many spawns wait or run as its capacity is: the arguments come back.",
        };
        quote! {
            #items
            #(#cfgs)*
            #[doc = #documentation]
            ///
            /// You may call this from every context. No interrupt is held off meanwhile.
            ///
            /// # Errors
            #[doc = #most]
            #[allow(dead_code, non_snake_case, private_interfaces, clippy::result_unit_err)]
            #qualifiers fn #spawn(
                #(#arguments: #types),*
            ) -> ::core::result::Result<#ok, #error> {
                #body
            }
            #waker
            #(#cfgs)*
            const _: () = { #assertions };
        }
    }

    /// The items that a task's module re-exports.
    pub fn software_exports(&self, task: &Task, software: &Software) -> TokenStream {
        let (spawn, waker, handle) =
            (names::spawn(task.name()), names::waker(task.name()), names::handle(task.name()));
        let spawner = names::local_spawner(task.priority.value);
        let spawner = self
            .has_local_tasks(task.priority.value)
            .then(|| quote!(pub use super::#spawner as LocalSpawner;));
        let local = software.local_task.is_some();
        let spawn = (!local).then(|| quote!(pub use super::#spawn as spawn;));
        let waker = task.is_async().then(|| quote!(pub use super::#waker as waker;));
        let handle = (Mechanism::of(task, software) == Mechanism::Joinable)
            .then(|| quote!(pub use super::#handle as Handle;));
        quote!(#spawn #waker #handle #spawner)
    }

    /// Adds the spawner of the `local_task`s of the task's level, if there are any.
    pub fn add_local_spawner(&self, task: &Task, parts: &mut Context) {
        let priority = task.priority.value;
        if !self.has_local_tasks(priority) {
            return;
        }
        let (quintet, spawner) = (&self.quintet, names::local_spawner(priority));
        parts.push(
            &[],
            &Ident::new("local_spawner", proc_macro2::Span::call_site()),
            &quote!(#spawner),
            &quote!(#spawner { level: unsafe { #quintet::export::InLevel::new() } }),
            "Spawns the tasks `local_task` of this priority.",
        );
    }

    /// A software task in the map.
    pub fn software_line<'b>(&self, task: &'b Task, software: &Software) -> MapLine<'b> {
        let form = match task.function.form {
            Form::Async => "async",
            Form::Plain => "fn",
        };
        let [runner, its_priority] = self.runner(task);
        let words = vec![
            "software".into(),
            task.name().to_string(),
            task.priority.value.to_string(),
            form.into(),
            software.capacity.to_string(),
            task.instances.map_or_else(|| "-".to_owned(), |count| count.to_string()),
            runner,
            its_priority,
        ];
        MapLine { cfgs: task.cfgs(), words, operands: Vec::new() }
    }

    /// The spawners of the `local_task`s of each priority.
    pub fn local_spawners(&self) -> TokenStream {
        let spawners = self.plan.descriptors.iter().map(|Descriptor { level, priority }| {
            self.local_spawner(&self.plan.levels[*level], *priority)
        });
        quote!(#(#spawners)*)
    }

    /// Returns `true` if a priority has tasks that only tasks of this priority can spawn.
    fn has_local_tasks(&self, priority: u8) -> bool {
        self.app.software_tasks().any(|(task, software)| {
            task.priority.value == priority && software.local_task.is_some()
        })
    }

    /// The spawner of the `local_task`s of a priority.
    fn local_spawner(&self, level: &Level<'_>, priority: u8) -> TokenStream {
        if !self.has_local_tasks(priority) {
            return TokenStream::new();
        }
        let spawner = names::local_spawner(priority);
        let tasks = level.slots.iter().filter_map(|slot| match &slot.task.kind {
            TaskKind::Software(software) => Some((slot.task, software)),
            _ => None,
        });
        let methods = tasks.filter(|(task, software)| {
            task.priority.value == priority && software.local_task.is_some()
        });
        let methods = methods.map(|(task, software)| {
            let name = task.name();
            let (cfgs, spawn) = (task.cfgs(), names::spawn(name));
            let (arguments, types) = arguments(&task.function.arguments);
            let error = tuple_or_one(&types);
            let ok = match Mechanism::of(task, software) {
                Mechanism::Joinable => names::handle(name).into_token_stream(),
                _ => quote!(()),
            };
            let documentation = format!("Spawns the task `{name}`, which is of the same priority.");
            quote! {
                #(#cfgs)*
                #[doc = #documentation]
                ///
                /// # Errors
                /// If the most possible are spawned already, the arguments come back.
                #[allow(dead_code, non_snake_case, private_interfaces, clippy::result_unit_err)]
                pub fn #name(
                    &self, #(#arguments: #types),*
                ) -> ::core::result::Result<#ok, #error> {
                    let _ = &self.level;
                    // SAFETY: a spawner doesn't leave its level.
                    unsafe { #spawn(#(#arguments),*) }
                }
            }
        });
        let quintet = &self.quintet;
        quote! {
            /// Spawns the tasks `local_task` of one priority, from tasks of that priority.
            ///
            /// You reach this type as `NAME::LocalSpawner` in the modules of these tasks.
            #[allow(non_camel_case_types)]
            pub struct #spawner {
                /// Neither `Send` nor `Sync`: the spawner doesn't leave its level.
                level: #quintet::export::InLevel,
            }

            impl #spawner { #(#methods)* }
        }
    }
}
