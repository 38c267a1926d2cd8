//! The code of a software task's spawn, and of its job: one function for each [`Mechanism`].

use proc_macro2::TokenStream;
use quote::quote;

use super::place::Mechanism;
use crate::lower::{Level, Slot};
use crate::model::Software;
use crate::write::functions::{
    arguments, context_variable, instance_variable, maker, tuple_or_one,
};
use crate::write::levels::{Caller, Placed};
use crate::write::{Output, names};

/// A software task with its place.
pub struct Spawned<'a> {
    /// The task's level.
    pub level: &'a Level<'a>,
    /// The task's slot in the level.
    pub slot: &'a Slot<'a>,
    /// The task's parts that only software tasks have.
    pub software: &'a Software,
    /// How the task is spawned and run.
    pub mechanism: Mechanism,
    /// The function that makes the task's future.
    maker: TokenStream,
    /// The names of the task's arguments.
    pub arguments: Vec<proc_macro2::Ident>,
    /// The types of the arguments.
    pub types: Vec<&'a syn::Type>,
}

impl<'a> Spawned<'a> {
    /// A software task with its place.
    pub fn new(placed: &Placed<'a>, software: &'a Software) -> Self {
        let Placed { level, slot, .. } = *placed;
        let (arguments, types) = arguments(&slot.task.function.arguments);
        let mechanism = Mechanism::of(slot.task, software);
        Self { level, slot, software, mechanism, maker: maker(slot.task), arguments, types }
    }
}

/// The parts of a software task's code.
pub struct Parts {
    /// Statics and types.
    pub items: TokenStream,
    /// The body of `spawn`.
    pub spawn: TokenStream,
    /// The body of the job.
    pub run: TokenStream,
}

impl Output<'_> {
    /// The parts of a software task's code, by its mechanism.
    pub fn mechanism(&self, spawned: &Spawned<'_>) -> Parts {
        match spawned.mechanism {
            Mechanism::Future => self.future(spawned),
            Mechanism::Joinable => self.joinable(spawned),
            Mechanism::Backlog(capacity) => self.backlog(spawned, capacity),
            Mechanism::Pool(count) => self.pool(spawned, count),
            Mechanism::Single => self.single(spawned),
            Mechanism::Queue(capacity) => self.queue(spawned, capacity),
        }
    }

    /// An async task of one instance.
    fn future(&self, spawned: &Spawned<'_>) -> Parts {
        let Spawned { level, slot, maker, arguments, .. } = spawned;
        let (name, call) = (slot.task.name(), self.call());
        let (cell, waker) = (names::cell(name), names::own_waker(name));
        let (returned, wake) = (tuple_or_one(arguments), self.make_ready(level, slot));
        Parts {
            items: self.cell(spawned.slot.task),
            spawn: quote! {
                if #cell.claim() {
                    // SAFETY: the cell is claimed, and belongs to this task.
                    unsafe {
                        #cell.fill(#maker, move || #maker(#call, #(#arguments),*))
                    };
                    #wake
                    ::core::result::Result::Ok(())
                } else {
                    ::core::result::Result::Err(#returned)
                }
            },
            run: quote! {
                // SAFETY: the level runs this code.
                unsafe { #cell.poll(#maker, #waker()) };
            },
        }
    }

    /// An async task of one instance, whose spawn gives a handle.
    fn joinable(&self, spawned: &Spawned<'_>) -> Parts {
        let quintet = &self.quintet;
        let Spawned { level, slot, maker, arguments, .. } = spawned;
        let (name, call) = (slot.task.name(), self.call());
        let (cell, control, handle) =
            (names::cell(name), names::control(name), names::handle(name));
        let waker = names::own_waker(name);
        let (returned, wake) = (tuple_or_one(arguments), self.make_ready(level, slot));
        let (memory, types) = (self.cell(spawned.slot.task), self.handle(spawned));
        Parts {
            items: quote!(#memory #types),
            spawn: quote! {
                if #cell.claim() {
                    // SAFETY: the cell is claimed, and not filled yet.
                    let __quintet_instance =
                        unsafe { #quintet::export::Control::begin(&#control) };
                    // SAFETY: the cell is claimed, and belongs to this task.
                    unsafe {
                        #cell.fill(#maker, move || #maker(#call, #(#arguments),*))
                    };
                    #wake
                    ::core::result::Result::Ok(#handle::new(__quintet_instance))
                } else {
                    ::core::result::Result::Err(#returned)
                }
            },
            run: quote! {
                // SAFETY: the level runs this code.
                unsafe { #control.poll(&#cell, #maker, #waker()) };
            },
        }
    }

    /// The items that the handles of a task need.
    fn handle(&self, spawned: &Spawned<'_>) -> TokenStream {
        let quintet = &self.quintet;
        let Spawned { level, slot, arguments, types, .. } = spawned;
        let (name, cfgs) = (slot.task.name(), slot.task.cfgs());
        let (control, joinable, handle, spawn) =
            (names::control(name), names::joinable(name), names::handle(name), names::spawn(name));
        let wake = self.make_ready(level, slot);
        let (pattern, ty) = (tuple_or_one(arguments), tuple_or_one(types));
        let restart = spawned.software.local_task.is_none().then(|| {
            quote! {
                #(#cfgs)*
                impl #quintet::future::Restart for #joinable {
                    type Arguments = #ty;

                    fn spawn(
                        #pattern: Self::Arguments,
                    ) -> ::core::result::Result<#handle, Self::Arguments> {
                        #spawn(#(#arguments),*)
                    }
                }
            }
        });
        let documentation = format!("The task `{name}`, as a type.");
        let of_handle = format!("The handle that a spawn of `{name}` gives.");
        quote! {
            #(#cfgs)*
            #[allow(non_upper_case_globals)]
            static #control: #quintet::export::Control = #quintet::export::Control::new();

            #(#cfgs)*
            #[doc = #documentation]
            #[allow(non_camel_case_types)]
            #[derive(::core::fmt::Debug)]
            pub enum #joinable {}

            #(#cfgs)*
            #[doc = #of_handle]
            #[allow(non_camel_case_types)]
            pub type #handle = #quintet::future::Handle<#joinable>;

            #(#cfgs)*
            // SAFETY: these are the task's.
            unsafe impl #quintet::future::Joinable for #joinable {
                fn control() -> &'static #quintet::export::Control {
                    &#control
                }

                fn wake() { #wake }
            }

            #restart
        }
    }

    /// An async task of several instances, one after the other.
    fn backlog(&self, spawned: &Spawned<'_>, capacity: usize) -> Parts {
        let quintet = &self.quintet;
        let Spawned { level, slot, maker, arguments, types, .. } = spawned;
        let (name, cfgs) = (slot.task.name(), slot.task.cfgs());
        let (cell, queue, waker) = (names::cell(name), names::queue(name), names::own_waker(name));
        let (memory, wake) = (self.cell(spawned.slot.task), self.make_ready(level, slot));
        let call = self.call();
        Parts {
            items: quote! {
                #memory
                #(#cfgs)*
                #[allow(non_upper_case_globals)]
                static #queue: #quintet::export::Backlog<(#(#types,)*), #capacity> =
                    #quintet::export::Backlog::new();
            },
            spawn: self.put(spawned),
            run: quote! {
                // SAFETY: the level runs this code.
                let more = unsafe {
                    #queue.poll(
                        &#cell, #maker, #waker(),
                        |(#(#arguments,)*)| #maker(#call, #(#arguments),*),
                    )
                };
                if more { #wake }
            },
        }
    }

    /// An async task of several instances at a time. Each has a slot, of which `spawned` is one.
    fn pool(&self, spawned: &Spawned<'_>, count: usize) -> Parts {
        let Spawned { level, slot, maker, arguments, .. } = spawned;
        let (cell, call) = (names::cell(slot.task.name()), self.call());
        let (variable, number) = (instance_variable(), slot.instance);
        let waker = names::own_waker(&names::numbered(slot.task.name(), number));
        let returned = tuple_or_one(arguments);
        let wake = self.make_instance_ready(Caller::Anywhere, level, slot, &variable);
        Parts {
            items: self.cell(slot.task),
            spawn: quote! {
                for #variable in 0..#count {
                    if #cell[#variable].claim() {
                        // SAFETY: the cell is claimed, and belongs to this task.
                        unsafe {
                            #cell[#variable].fill(
                                #maker, move || #maker(#call, #variable, #(#arguments),*)
                            )
                        };
                        #wake
                        return ::core::result::Result::Ok(());
                    }
                }
                ::core::result::Result::Err(#returned)
            },
            run: quote! {
                // SAFETY: the level runs this code.
                unsafe { #cell[#number].poll(#maker, #waker()) };
            },
        }
    }

    /// A plain task of one instance.
    fn single(&self, spawned: &Spawned<'_>) -> Parts {
        let quintet = &self.quintet;
        let Spawned { slot, maker, arguments, types, .. } = spawned;
        let (name, cfgs) = (slot.task.name(), slot.task.cfgs());
        let queue = names::queue(name);
        let (build, context) = (self.build_context(name, false, name.span()), context_variable());
        Parts {
            items: quote! {
                #(#cfgs)*
                #[allow(non_upper_case_globals)]
                static #queue: #quintet::export::Single<(#(#types,)*)> =
                    #quintet::export::Single::new();
            },
            spawn: self.put(spawned),
            run: quote! {
                // SAFETY: the level runs this code.
                if let ::core::option::Option::Some((#(#arguments,)*)) = unsafe { #queue.take() } {
                    #build
                    #maker(#context, #(#arguments),*)
                }
            },
        }
    }

    /// A plain task of several instances.
    fn queue(&self, spawned: &Spawned<'_>, capacity: usize) -> Parts {
        let quintet = &self.quintet;
        let Spawned { level, slot, maker, arguments, types, .. } = spawned;
        let (name, cfgs) = (slot.task.name(), slot.task.cfgs());
        let queue = names::queue(name);
        let (build, context) = (self.build_context(name, false, name.span()), context_variable());
        let wake = self.make_ready(level, slot);
        Parts {
            items: quote! {
                #(#cfgs)*
                #[allow(non_upper_case_globals)]
                static #queue: #quintet::export::Queue<(#(#types,)*), #capacity> =
                    #quintet::export::Queue::new();
            },
            spawn: self.put(spawned),
            run: quote! {
                // SAFETY: the level runs this code.
                let taken = unsafe { #queue.take() };
                if let ::core::option::Option::Some(((#(#arguments,)*), __quintet_slot)) = taken {
                    // SAFETY: the slot was taken, and is freed once.
                    unsafe { #queue.free(__quintet_slot) };
                    if !#queue.is_empty() { #wake }
                    #build
                    #maker(#context, #(#arguments),*)
                }
            },
        }
    }

    /// Puts the arguments of a spawn into their place.
    fn put(&self, spawned: &Spawned<'_>) -> TokenStream {
        let Spawned { level, slot, arguments, .. } = spawned;
        let queue = names::queue(slot.task.name());
        let (wake, returned) = (self.make_ready(level, slot), tuple_or_one(arguments));
        quote! {
            // SAFETY: the arguments are `Send`, or only tasks of the level spawn the task.
            let put = unsafe { #queue.put((#(#arguments,)*)) };
            match put {
                ::core::result::Result::Ok(()) => {
                    #wake
                    ::core::result::Result::Ok(())
                }
                ::core::result::Result::Err((#(#arguments,)*)) => {
                    ::core::result::Result::Err(#returned)
                }
            }
        }
    }
}
