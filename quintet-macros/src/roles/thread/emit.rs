//! Threads: control blocks, stacks, first functions, and the functions that start threads.
//!
//! A user's thread and a thread that hosts software tasks differ only in the code that they run.

use std::collections::BTreeMap;

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Attribute, Expr};

use crate::line::{self, Place};
use crate::lower::{Level, Running, Runs};
use crate::model::{Scheduler, Task, TaskKind, Thread};
use crate::write::contexts::Parts;
use crate::write::functions::{
    arguments, check_instance, context_variable, instance_variable, tuple_or_one,
};
use crate::write::levels::round;
use crate::write::map::MapLine;
use crate::write::{Output, names};

/// The least size of a stack, in bytes: the same as in `quintet::thread`.
const STACK_LEAST: usize = 256;
/// The bytes of stack of a thread that hosts software tasks, unless the application gives a number.
const HOST_STACK: usize = 1024;

/// The parts of a thread's definition.
struct Definition<'a> {
    /// The conditions under which the thread exists.
    cfgs: &'a [Attribute],
    /// The names of the thread's statics.
    names: names::Thread,
    /// The thread's name in messages.
    label: String,
    /// The thread's priority.
    priority: u8,
    /// The size of the thread's stack.
    bytes: TokenStream,
    /// The resources that the thread shares with others.
    held: TokenStream,
    /// The body of the thread's first function, which has an `argument`.
    body: TokenStream,
    /// `true` if `start` takes arguments.
    takes_arguments: bool,
}

impl Output<'_> {
    /// All threads.
    pub fn threads(&self) -> TokenStream {
        let threads = self.plan.threads.iter().map(|running| match running.runs {
            Runs::Function(task, instance) => match &task.kind {
                TaskKind::Thread(thread) => self.user_thread(task, thread, instance),
                _ => TokenStream::new(),
            },
            Runs::Level(index) => self.host(&self.plan.levels[index]),
        });
        quote!(#(#threads)*)
    }

    /// A thread that runs the user's function. The first instance has the functions for others too.
    fn user_thread(&self, task: &Task, thread: &Thread, instance: usize) -> TokenStream {
        let (name, cfgs) = (task.name(), task.cfgs());
        let definition = self.thread(&Definition {
            cfgs,
            names: names::thread(&own_name(task, instance)),
            label: thread.shown_as(task, instance),
            priority: task.priority.value,
            bytes: stack_bytes(&thread.stack, &format!("the stack of the thread `{name}`")),
            held: self.held(task),
            body: self.begin(task, instance),
            takes_arguments: !task.function.arguments.is_empty(),
        });
        let used = (instance == 0).then(|| {
            let start = if thread.manual { self.start(task) } else { self.no_start(task) };
            let handle = self.thread_handle(task);
            let assertions =
                self.argument_assertions(&task.function.arguments, &quote!(assert_send));
            quote!(#start #handle #(#cfgs)* const _: () = { #assertions };)
        });
        quote!(#definition #used)
    }

    /// The function `handle` of a thread.
    fn thread_handle(&self, task: &Task) -> TokenStream {
        let (quintet, cfgs, name) = (&self.quintet, task.cfgs(), task.name());
        let handle = names::thread_handle(name);
        let documentation = format!("The thread `{name}`: to wait for its end, to suspend it ..");
        let Some(count) = task.instances else {
            let control = names::thread(name).control;
            return quote! {
                #(#cfgs)*
                #[doc = #documentation]
                #[inline(always)]
                #[allow(dead_code, non_snake_case)]
                pub const fn #handle() -> &'static #quintet::thread::Thread {
                    &#control
                }
            };
        };
        let controls = controls(task);
        let (instance, numbers) = (instance_variable(), 0..count);
        let check = check_instance(count, &format!("the thread `{name}`"));
        let number = quote!(#instance: ::core::primitive::usize);
        quote! {
            #(#cfgs)*
            #[doc = #documentation]
            ///
            /// # Panics
            /// If there is no such instance.
            #[inline]
            #[track_caller]
            #[allow(dead_code, non_snake_case)]
            pub const fn #handle(#number) -> &'static #quintet::thread::Thread {
                #check
                match #instance {
                    #(#numbers => &#controls,)*
                    _ => ::core::unreachable!(),
                }
            }
        }
    }

    /// The body of a thread's first function, which calls the user's function.
    fn begin(&self, task: &Task, instance: usize) -> TokenStream {
        let name = task.name();
        let variable = task.instances.map(|_| instance_variable());
        let number = variable.as_ref().map(|variable| quote!(let #variable = #instance;));
        let forever = self.analysis.lives_forever(task.never_ends, &task.shared);
        let build = self.build_context_of(name, forever, name.span(), variable.as_ref());
        let context = context_variable();
        if task.function.arguments.is_empty() {
            return quote! {
                let _ = argument;
                #number
                #build
                self::#name(#context)
            };
        }
        let place = names::arguments(&own_name(task, instance));
        let (names, _) = arguments(&task.function.arguments);
        quote! {
            let _ = argument;
            // SAFETY: `start` has begun this thread, as nothing else can.
            let (#(#names,)*) = unsafe { #place.take() };
            #number
            #build
            self::#name(#context, #(#names),*)
        }
    }

    /// The function `start` of a thread.
    fn start(&self, task: &Task) -> TokenStream {
        let quintet = &self.quintet;
        let (name, cfgs, start) = (task.name(), task.cfgs(), names::start(task.name()));
        let (names, types) = arguments(&task.function.arguments);
        let error = tuple_or_one(&types);
        let places = own_names(task).into_iter().filter(|_| !types.is_empty()).map(|name| {
            let place = names::arguments(&name);
            quote! {
                #(#cfgs)*
                #[allow(non_upper_case_globals)]
                static #place: #quintet::export::threads::Arguments<(#(#types,)*)> =
                    #quintet::export::threads::Arguments::new();
            }
        });
        let body = self.start_of(task, &names, &types);
        let parameter = task.instances.map(|_| {
            let instance = instance_variable();
            quote!(#instance: ::core::primitive::usize,)
        });
        let panics = task.instances.map(|_| {
            quote! {
                ///
                /// # Panics
                /// If there is no such instance.
                #[track_caller]
            }
        });
        let documentation = format!("Starts the thread `{name}`.");
        quote! {
            #(#places)*
            #(#cfgs)*
            #[doc = #documentation]
            ///
            /// You may call this from every context that the kernel knows of.
            ///
            /// # Errors
            /// If the thread was started and has not ended, or is being started, the arguments come
            /// back.
            #panics
            #[allow(dead_code, non_snake_case, private_interfaces, clippy::result_unit_err)]
            pub fn #start(
                #parameter #(#names: #types),*
            ) -> ::core::result::Result<(), #error> {
                #body
            }
        }
    }

    /// The body of `start`. For instances, the body finds its data in a table.
    fn start_of(&self, task: &Task, names: &[Ident], types: &[&syn::Type]) -> TokenStream {
        let (quintet, name) = (&self.quintet, task.name());
        let returned = tuple_or_one(names);
        let begin = |place: TokenStream, control: TokenStream, entry: TokenStream| {
            quote! {
                // SAFETY: the entry is that of this thread, and takes from this place.
                unsafe { #place.start(#control, #entry, (#(#names,)*)) }
                    .map_err(|(#(#names,)*)| #returned)
            }
        };
        let takes_arguments = !types.is_empty();
        let Some(count) = task.instances else {
            let names::Thread { control, entry, .. } = names::thread(name);
            if !takes_arguments {
                return quote!(#control.start().map_err(|_| ()));
            }
            let place = names::arguments(name);
            return begin(quote!(#place), quote!(&#control), quote!(#entry));
        };
        let instance = instance_variable();
        if !takes_arguments {
            let handle = names::thread_handle(name);
            return quote!(#handle(#instance).start().map_err(|_| ()));
        }
        let rows = own_names(task).into_iter().map(|name| {
            let names::Thread { control, entry, .. } = names::thread(&name);
            let place = names::arguments(&name);
            quote!((&#place, &#control, #entry))
        });
        let check = check_instance(count, &format!("the thread `{name}`"));
        let body =
            begin(quote!(__quintet_place), quote!(__quintet_control), quote!(__quintet_entry));
        quote! {
            type Row = (
                &'static #quintet::export::threads::Arguments<(#(#types,)*)>,
                &'static #quintet::thread::Thread,
                unsafe extern "C" fn(*mut ()),
            );
            static ALL: [Row; #count] = [#(#rows),*];
            #check
            let (__quintet_place, __quintet_control, __quintet_entry) = ALL[#instance];
            #body
        }
    }

    /// The resources that a thread may hold, for the message if the thread would wait while it
    /// holds one.
    fn held(&self, task: &Task) -> TokenStream {
        let quintet = &self.quintet;
        let place = self.analysis.line.place(task);
        let resources = task.shared.iter().flat_map(|access| {
            let shared = self.plan.shared_alternatives(&access.name);
            let locked = shared
                .filter(|shared| shared.field.lock_free.is_none() && shared.is_contended(place));
            locked.map(|shared| {
                let resource = &shared.field.resource;
                let (name, cfgs) = (resource.name.to_string(), &resource.attributes.cfgs);
                let ceiling = match shared.ceiling {
                    Place::Level(_) => 0,
                    Place::Idle | Place::Thread(_) => shared.thread_ceiling(),
                };
                quote! {
                    #(#cfgs)*
                    #quintet::export::threads::Held { name: #name, ceiling: #ceiling }
                }
            })
        });
        quote!(&[#(#resources),*])
    }

    /// A thread that hosts software tasks.
    fn host(&self, level: &Level<'_>) -> TokenStream {
        let quintet = &self.quintet;
        let round = round(level);
        let bytes = self.app.arguments.host_stack.as_ref().map_or_else(
            || HOST_STACK.to_token_stream(),
            |stack| stack_bytes(stack, "the stack of threads that run software tasks"),
        );
        self.thread(&Definition {
            cfgs: &[],
            names: names::host(level.priority),
            label: line::host_name(level.priority),
            priority: level.priority,
            bytes,
            held: quote!(&[]),
            body: quote! {
                let _ = argument;
                // SAFETY: this is the host's thread.
                unsafe { #quintet::export::threads::host(|| #round) }
            },
            takes_arguments: false,
        })
    }

    /// The statics and the first function of a thread.
    fn thread(&self, definition: &Definition<'_>) -> TokenStream {
        let quintet = &self.quintet;
        let Definition { cfgs, names, label, priority, bytes, held, body, .. } = definition;
        let names::Thread { control, stack, about, entry } = names;
        let alone = if definition.takes_arguments {
            quote!(::core::option::Option::None)
        } else {
            quote!(::core::option::Option::Some(#entry))
        };
        quote! {
            #(#cfgs)*
            #[allow(non_upper_case_globals)]
            static #stack: #quintet::thread::Stack<{ #bytes }> = #quintet::thread::Stack::new();

            #(#cfgs)*
            #[allow(non_upper_case_globals)]
            static #about: #quintet::export::threads::ThreadInfo =
                #quintet::export::threads::ThreadInfo {
                name: #label,
                stack: #stack.lowest(),
                stack_size: #stack.size(),
                resources: #held,
                entry: #alone,
            };

            #(#cfgs)*
            #[allow(non_upper_case_globals)]
            static #control: #quintet::thread::Thread =
                // SAFETY: the value is put into this static, and the stack belongs to nobody else.
                unsafe { #quintet::thread::Thread::new(&raw const #control, #priority, &#about) };

            #(#cfgs)*
            #[allow(non_snake_case)]
            unsafe extern "C" fn #entry(argument: *mut ()) {
                #body
            }
        }
    }

    /// Makes `main` idle. This comes before `init`, which may start threads.
    pub fn initialise_threads(&self) -> TokenStream {
        let quintet = &self.quintet;
        if self.analysis.line.has_threads() {
            quote!(#quintet::thread::initialise();)
        } else {
            TokenStream::new()
        }
    }

    /// Lets threads take turns if their priority has a slice. A priority has one slice, because all
    /// slices of its threads are the same.
    fn take_turns(&self) -> TokenStream {
        let slices = self
            .app
            .threads()
            .filter_map(|(task, thread)| Some((task.priority.value, thread.slice?.microseconds)));
        let slices = slices.collect::<BTreeMap<_, _>>();
        let count = slices.len();
        if count == 0 || self.app.arguments.scheduler == Scheduler::Cooperative {
            return quote!();
        }
        let (priorities, microseconds) = (slices.keys(), slices.values().map(|us| u64::from(*us)));
        // Without time, the error is at the user's word.
        let place = self.app.threads().find_map(|(_, thread)| Some(thread.slice?.span));
        let place = Span::call_site().located_at(place.unwrap_or_else(Span::call_site));
        let quintet = self.quintet_at(place);
        quote_spanned!(place=> #quintet::__take_turns!(#count: #((#priorities, #microseconds)),*);)
    }

    /// Starts the threads that nobody else starts, after `init`.
    pub fn start_threads(&self) -> TokenStream {
        let turns = self.take_turns();
        let starts = self.plan.threads.iter().filter_map(|Running { priority, runs }| {
            let (control, cfgs): (Ident, &[Attribute]) = match runs {
                Runs::Function(task, _) if is_manual(task) => return None,
                Runs::Function(task, instance) => {
                    (names::thread(&own_name(task, *instance)).control, task.cfgs())
                }
                Runs::Level(_) => (names::host(*priority).control, &[]),
            };
            // `init` may have started the thread.
            Some(quote!(#(#cfgs)* let _ = #control.start();))
        });
        quote!(#turns #(#starts)*)
    }

    /// The kernel's lock, and the exceptions that switch threads. `ceiling` is a priority of the
    /// hardware.
    pub fn kernel_of_threads(&self, ceiling: u8) -> TokenStream {
        let (quintet, device) = (&self.quintet, &self.app.arguments.device);
        let cooperative = match self.app.arguments.scheduler {
            Scheduler::Preemptive => quote!(),
            Scheduler::Cooperative => quote!(, cooperative),
        };
        let guard = self.app.arguments.stack_guard;
        quote! {
            #quintet::__stack_guard!(#guard);
            #quintet::__kernel_lock_of_threads!(
                #quintet::export::Ceiling::kernel(#ceiling, #device::NVIC_PRIO_BITS) #cooperative
            );
            #quintet::__switch_exceptions!(
                #quintet::export::hardware_priority(#ceiling, #device::NVIC_PRIO_BITS)
            );
        }
    }

    /// For a thread that starts by itself, stands in the place of `start`: the compiler refuses a
    /// call. The lifetime lets a function have a condition that is never met.
    fn no_start(&self, task: &Task) -> TokenStream {
        let (quintet, cfgs, start) = (&self.quintet, task.cfgs(), names::start(task.name()));
        let parameter = task.instances.map(|_| quote!(_: ::core::primitive::usize));
        quote! {
            #(#cfgs)*
            #[doc(hidden)]
            #[allow(dead_code, non_snake_case, clippy::result_unit_err)]
            pub fn #start(#parameter) -> ::core::result::Result<(), ()>
            where
                for<'a> &'a #quintet::thread::Thread: #quintet::thread::Manual,
            {
                ::core::unreachable!()
            }
        }
    }

    /// Adds the part of the context that only threads have.
    pub fn add_this(&self, task: &Task, parts: &mut Parts) {
        let quintet = &self.quintet;
        parts.lifetime |= !task.never_ends;
        let lifetime = if task.never_ends { quote!('static) } else { quote!('a) };
        parts.push(
            &[],
            &Ident::new("thread", proc_macro2::Span::call_site()),
            &quote!(#quintet::thread::CurrentThread<#lifetime>),
            &quote!(unsafe { #quintet::thread::CurrentThread::new() }),
            "The thread itself: what waits takes it.",
        );
    }

    /// The lines of a thread in the map. Hosts have no line, and start behind all of the user's
    /// threads.
    pub fn thread_lines<'b>(&self, task: &'b Task, thread: &Thread) -> Vec<MapLine<'b>> {
        let is_it =
            |one: &Running<'_>| matches!(one.runs, Runs::Function(it, _) if std::ptr::eq(it, task));
        let first = self.plan.threads.iter().position(is_it).unwrap_or_default();
        let lines = thread.all_shown_as(task).into_iter().enumerate().map(|(instance, label)| {
            // Braces enclose operands.
            let label = label.replace(['{', '}'], "_");
            let start =
                if thread.manual { "manual".into() } else { (first + instance).to_string() };
            let priority = task.priority.value.to_string();
            let instance = task.instances.map_or_else(|| "-".to_owned(), |_| instance.to_string());
            let words =
                ["thread".into(), task.name().to_string(), priority, label, start, instance];
            MapLine { cfgs: task.cfgs(), words: words.into(), operands: Vec::new() }
        });
        lines.collect()
    }
}

/// The name of an instance's statics. The only instance has the function's name.
fn own_name(task: &Task, instance: usize) -> Ident {
    match task.instances {
        None => task.name().clone(),
        Some(_) => names::numbered(task.name(), instance),
    }
}

/// The same of all instances.
fn own_names(task: &Task) -> Vec<Ident> {
    (0..task.instances.unwrap_or(1)).map(|instance| own_name(task, instance)).collect()
}

/// The control blocks of all instances.
fn controls(task: &Task) -> Vec<Ident> {
    own_names(task).iter().map(|name| names::thread(name).control).collect()
}

/// Returns `true` if the thread waits for `start`.
fn is_manual(task: &Task) -> bool {
    matches!(&task.kind, TaskKind::Thread(thread) if thread.manual)
}

/// The items that a thread's module re-exports.
pub fn thread_exports(task: &Task) -> TokenStream {
    let (start, handle) = (names::start(task.name()), names::thread_handle(task.name()));
    quote!(pub use super::#start as start; pub use super::#handle as handle;)
}

/// The size of a stack, which must not be too small for `what`. The error points at the user's
/// expression.
fn stack_bytes(stack: &Expr, what: &str) -> TokenStream {
    let message = format!(
        "{what} has less than {STACK_LEAST} bytes, which the registers of an interrupted thread \
         and a few calls take: give it more"
    );
    quote_spanned! {stack.span()=>
        const {
            let bytes: ::core::primitive::usize = #stack;
            ::core::assert!(bytes >= #STACK_LEAST, #message);
            bytes
        }
    }
}
