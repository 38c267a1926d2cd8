//! Start-up: the function `main` that the reset handler calls.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::Attribute;

use crate::model::{Hardware, Task};
use crate::roles;
use crate::write::functions::context_variable;
use crate::write::levels::round;
use crate::write::{Output, names};

/// An interrupt or exception that the application uses.
struct Vector<'a> {
    /// The vector's name.
    name: &'a Ident,
    /// `true` if the vector is an exception of the core.
    exception: bool,
    /// `true` if the vector runs a level's jobs. Otherwise it belongs to a hardware task.
    dispatches: bool,
    /// The priority of the code that the vector runs.
    priority: u8,
    /// The same as a priority of the hardware, counted from the lowest, which is 1.
    hardware: u8,
    /// The conditions under which the application uses it.
    cfgs: &'a [Attribute],
    /// The code that the vector runs, for messages.
    runs: String,
    /// Where the user wrote the priority.
    place: Span,
}

impl Output<'_> {
    /// The vectors that the application uses.
    fn vectors(&self) -> Vec<Vector<'_>> {
        let line = self.analysis.line;
        let dispatchers = self.plan.levels.iter().filter_map(|level| {
            Some(Vector {
                name: &level.dispatcher()?.name,
                exception: false,
                dispatches: true,
                priority: level.priority,
                hardware: line.hardware(level.priority),
                cfgs: &[],
                runs: list(level.slots.iter().map(|slot| slot.task)),
                place: level.slots.first()?.task.priority.span,
            })
        });
        let hardware =
            self.app.hardware_tasks().map(|(task, Hardware { binds, exception })| Vector {
                name: binds,
                exception: *exception,
                dispatches: false,
                priority: task.priority.value,
                hardware: line.hardware(task.priority.value),
                cfgs: task.cfgs(),
                runs: list([task]),
                place: task.priority.span,
            });
        dispatchers.chain(hardware).collect()
    }

    /// The interrupts with their priorities, from which masks by source are computed.
    pub fn interrupts(&self) -> TokenStream {
        let device = &self.app.arguments.device;
        let name = names::interrupts();
        let vectors = self.vectors();
        let entries = vectors.iter().filter(|vector| !vector.exception).map(|vector| {
            let Vector { name, hardware, cfgs, .. } = vector;
            quote!(#(#cfgs)* (#hardware, #device::interrupt::#name as ::core::primitive::u16))
        });
        quote! {
            #[allow(non_upper_case_globals, dead_code)]
            const #name: &[(::core::primitive::u8, ::core::primitive::u16)] = &[#(#entries),*];
        }
    }

    /// Returns the highest priority of the hardware that tasks can have, the same as a priority of
    /// the application, and the reason for a message. With threads, the kernel's lock must be a
    /// value of BASEPRI, which the hardware's highest priority is not.
    fn highest(&self) -> (TokenStream, TokenStream, String) {
        let device = &self.app.arguments.device;
        let all = quote!((1_u16 << #device::NVIC_PRIO_BITS));
        let top = self.analysis.line.top();
        if !self.analysis.line.has_threads() {
            return (all.clone(), all, String::new());
        }
        let highest = self.app.threads().find(|(task, _)| task.priority.value == top);
        let who = highest.map_or_else(
            || format!("the processes have {top}"),
            |(task, _)| format!("the thread `{}` has {top}", task.name()),
        );
        let message = format!(
            ": {who}, and of the hardware's priorities, which are above \
             all threads, the lowest switches them and the highest can't be masked by BASEPRI. \
             Give several tasks one priority, or leave no priority between them unused"
        );
        let top = u16::from(top);
        (quote!(#all.saturating_sub(1)), quote!((#all + #top).saturating_sub(2)), message)
    }

    /// The routines of interrupts, for an architecture whose vectors aren't found by their names.
    pub fn routines(&self) -> TokenStream {
        let (quintet, device) = (&self.quintet, &self.app.arguments.device);
        let vectors = self.vectors().into_iter().map(|vector| {
            let Vector { name, exception, cfgs, .. } = vector;
            if exception {
                return quote!([#(#cfgs)* exception #name 0]);
            }
            let number = quote!(#device::interrupt::#name as ::core::primitive::u16);
            quote!([#(#cfgs)* interrupt #name #number])
        });
        let vectors: TokenStream = vectors.collect();
        quote!(#quintet::__vectors!(#vectors);)
    }

    /// The demands on the chip: the interrupts, enough priorities, and masks for the locks.
    pub fn vector_assertions(&self) -> TokenStream {
        let device = &self.app.arguments.device;
        let assertions = self.vectors().into_iter().map(|vector| {
            let Vector { name, priority, hardware, cfgs, runs, place, .. } = vector;
            let (highest, line, reason) = self.highest();
            let message = format!(
                "{runs}: the priority {priority} of {name} is above the highest of this chip, \
                 which is "
            );
            let quintet = self.quintet_at(place);
            quote_spanned! {place=>
                #(#cfgs)*
                const _: () = #quintet::export::assert_priority(
                    #hardware, #highest, #line, [#message, #reason]
                );
            }
        });
        let dispatchers = self.app.arguments.dispatchers.iter().map(|dispatcher| {
            let name = &dispatcher.name;
            quote! {
                const _: ::core::primitive::u16 =
                    #device::interrupt::#name as ::core::primitive::u16;
            }
        });
        let locks = self.analysis.unmaskable_locks.iter().map(|lock| {
            let (message, quintet) = (&lock.message, &self.quintet);
            let ceilings = self.plan.shared_alternatives(lock.resource);
            let ceiling = ceilings.map(|shared| self.hardware_ceiling(shared)).max();
            let ceiling = u16::from(ceiling.unwrap_or(0));
            // PRIMASK, which is the mask of the highest ceiling, holds exceptions off too.
            quote_spanned! {lock.span=>
                const _: () = ::core::assert!(
                    #quintet::export::MASKS_EXCEPTIONS
                        || #ceiling >= 1_u16 << #device::NVIC_PRIO_BITS,
                    #message
                );
            }
        });
        quote!(#(#assertions)* #(#dispatchers)* #(#locks)*)
    }

    /// A symbol for each vector. Quintet's clocks define the symbols of their vectors too. So if
    /// the user binds a clock's vector, the first error is one whose text says this, and the error
    /// about the two handlers comes after it.
    pub fn not_the_clocks(&self) -> TokenStream {
        let symbols = self.vectors().into_iter().map(|vector| {
            let Vector { name, cfgs, dispatches, .. } = vector;
            let owner = if dispatches { "DISPATCHER" } else { "TASK" };
            let symbol = format!("A_{owner}_AND_QUINTETS_CLOCK_BOTH_BIND_{name}");
            let item = quote_spanned!(Span::call_site().located_at(name.span())=>
                static OWNER: () = (););
            quote! {
                #(#cfgs)*
                const _: () = {
                    #[doc(hidden)]
                    #[unsafe(export_name = #symbol)]
                    #item
                };
            }
        });
        quote!(#(#symbols)*)
    }

    /// The kernel's lock, and the symbol that libraries over RTIC's wakers read.
    pub fn kernel(&self) -> TokenStream {
        let (quintet, device) = (&self.quintet, &self.app.arguments.device);
        let ceiling = self.plan.kernel_ceiling;
        let (kernel, highest) = if self.analysis.line.has_threads() {
            (self.kernel_of_threads(ceiling), quote!((1_u16 << #device::NVIC_PRIO_BITS) - 1))
        } else {
            let kernel = quote! {
                #quintet::__kernel_lock!(
                    #quintet::export::Ceiling::kernel(#ceiling, #device::NVIC_PRIO_BITS)
                );
            };
            (kernel, quote!(1_u16 << #device::NVIC_PRIO_BITS))
        };
        let priority = match self.plan.library_priority {
            Some(priority) => quote!(if #priority < highest { #priority } else { highest }),
            None => quote!(highest),
        };
        quote! {
            const _: () = {
                #kernel

                /// Up to where interrupts that wake tasks by a critical section may run.
                #[doc(hidden)]
                #[unsafe(no_mangle)]
                static RTIC_ASYNC_MAX_LOGICAL_PRIO: ::core::primitive::u8 = {
                    // With 8 bits the highest of the hardware is 256, which no task can have.
                    let highest = #highest;
                    let highest = if highest > 255 {
                        255
                    } else {
                        highest as ::core::primitive::u8
                    };
                    #priority
                };
            };
        }
    }

    /// The function `main`.
    pub fn main(&self) -> TokenStream {
        let quintet = &self.quintet;
        let vectors = self.vectors();
        let priorities = vectors.iter().map(|vector| self.set_priority(vector));
        let numbers = vectors.iter().filter(|vector| !vector.exception).map(|vector| {
            let (device, Vector { name, cfgs, .. }) = (&self.app.arguments.device, vector);
            quote! {
                #(#cfgs)*
                __quintet_enabled.add(#quintet::export::number(#device::interrupt::#name));
            }
        });
        let initialise = self.initialise_threads();
        let init = self.init();
        let forever = self.forever();
        let guards = self.app.arguments.stack_guard;
        let protect_main = guards.then(|| quote!(#quintet::export::protect_main();));
        quote! {
            const _: () = {
                #[doc(hidden)]
                #[unsafe(no_mangle)]
                unsafe extern "C" fn main() -> ! {
                    #protect_main
                    #quintet::export::disable_interrupts();
                    // SAFETY: nothing of the application runs before its interrupts are enabled.
                    unsafe {
                        #(#priorities)*
                        #[allow(unused_mut)]
                        let mut __quintet_enabled = #quintet::export::Interrupts::new();
                        #(#numbers)*
                        __quintet_enabled.enable();
                        #initialise
                        __quintet_start();
                    }
                    #forever
                }

                /// Runs `init`. Not inlined, so that its frame doesn't stay on the stack.
                #[inline(never)]
                unsafe fn __quintet_start() { #init }
            };
        }
    }

    /// Gives a vector its priority.
    fn set_priority(&self, vector: &Vector<'_>) -> TokenStream {
        let (quintet, device) = (&self.quintet, &self.app.arguments.device);
        let Vector { name, exception, hardware, cfgs, .. } = vector;
        let byte = quote! {
            const { #quintet::export::hardware_priority(#hardware, #device::NVIC_PRIO_BITS) }
        };
        if *exception {
            return quote! {
                #(#cfgs)*
                #quintet::export::set_exception_priority(
                    #quintet::export::SystemHandler::#name as ::core::primitive::u8, #byte,
                );
            };
        }
        let number = quote!(#quintet::export::number(#device::interrupt::#name));
        quote! {
            #(#cfgs)*
            #quintet::export::set_interrupt_priority(#number, #byte);
        }
    }

    /// Calls `init` and stores the resources.
    fn init(&self) -> TokenStream {
        let quintet = &self.quintet;
        let Some(init) = &self.app.init else { return TokenStream::new() };
        let name = &init.function.name;
        let (build, context) = (self.build_context(name, false, name.span()), context_variable());
        let shared = self.plan.shared.iter().filter(|shared| shared.used).map(|shared| {
            let resource = &shared.field.resource;
            let (name, cfgs) = (&resource.name, &resource.attributes.cfgs);
            let place = names::shared(name);
            quote!(#(#cfgs)* unsafe { ::core::ptr::write(#place.get_mut().cast(), _shared.#name) };)
        });
        let local = self.plan.local.iter().filter(|local| local.used).map(|local| {
            let (name, cfgs) = (&local.field.name, &local.field.attributes.cfgs);
            let place = names::local(name);
            quote!(#(#cfgs)* unsafe { ::core::ptr::write(#place.get_mut().cast(), _local.#name) };)
        });
        let threads = self.start_threads();
        // Without both structs there is nothing to take, and `init` may return nothing.
        let has_resources = self.app.shared.is_some() || self.app.local.is_some();
        let taken = has_resources.then(|| quote!(let (_shared, _local) =));
        let begins = self.app.tasks.iter().map(|task| roles::of(task).begin(self, task));
        quote! {
            #(#begins)*
            #build
            // By a path: `main` and other names are closer here.
            #taken self::#name(#context);
            // Nobody uses the resources yet.
            #(#shared)*
            #(#local)*
            #threads
            // SAFETY: no section is open. What `init` made pending runs here; then resources that
            // nobody uses are dropped.
            unsafe { #quintet::export::enable_interrupts() };
        }
    }

    /// The work of thread mode after `init`.
    fn forever(&self) -> TokenStream {
        let quintet = &self.quintet;
        if let Some(idle) = &self.app.idle {
            let (name, context) = (&idle.function.name, context_variable());
            let forever = self.analysis.lives_forever(true, &idle.shared);
            let build = self.build_context(name, forever, name.span());
            return quote!(#build self::#name(#context));
        }
        match self.plan.levels.iter().find(|level| level.priority == 0) {
            None => quote!(#quintet::export::sleep_forever()),
            Some(level) => {
                let (round, ready) = (round(level), names::ready(0));
                quote!(#quintet::export::run_thread_mode(|| #round, || #ready.is_empty()))
            }
        }
    }
}

/// The tasks' names in a message.
fn list<'a>(tasks: impl IntoIterator<Item = &'a Task>) -> String {
    let names: Vec<_> = tasks.into_iter().map(|task| format!("`{}`", task.name())).collect();
    format!("{} {}", if names.len() == 1 { "the task" } else { "the tasks" }, names.join(", "))
}
