//! Levels: ready bits, the interrupt that dispatches their jobs, and the functions of wakers.

use proc_macro2::TokenStream;
use quote::quote;

use crate::lower::{Descriptor, Level, Size};
use crate::write::levels::{jobs, ready_slots, round, set};
use crate::write::{Output, names};

impl Output<'_> {
    /// All levels, and the array of their descriptors, by which the crate tells wakers apart.
    pub fn levels(&self) -> TokenStream {
        let quintet = &self.quintet;
        let statics = self.plan.levels.iter().map(|level| self.level(level));
        let clones = self.plan.descriptors.iter().enumerate();
        let clones = clones.filter_map(|(index, descriptor)| self.clone(index, *descriptor));
        let (usual, numbered) = (self.descriptors(false), self.descriptors(true));
        let (name, count) = (names::levels(), self.plan.descriptors.len());
        let (usual_levels, numbered_levels, numbers_agree) =
            (names::usual_levels(), names::numbered_levels(), names::numbers_agree());
        let interrupts = self.plan.levels.iter().filter(|level| level.dispatcher().is_some());
        let agree: Vec<_> = interrupts
            .map(|level| {
                let (value, number) = (names::value(level.priority), names::number(level.priority));
                quote!(#value == #number())
            })
            .collect();
        let agree = if agree.is_empty() { quote!(true) } else { quote!(#(#agree)&&*) };
        let slots: usize = self.plan.levels.iter().map(|level| level.slots.len()).sum();
        quote! {
            #(#statics)*
            #(#clones)*

            #[allow(non_upper_case_globals)]
            static #usual_levels: [#quintet::export::Level; #count] = #usual;
            #[allow(non_upper_case_globals)]
            static #numbered_levels: [#quintet::export::Level; #count] = #numbered;

            /// Wakers pend an interrupt whose number is part of an instruction, and the device's
            /// enumeration gives constants. Where it counts its names instead of numbering them,
            /// other wakers ask it. The comparison is one of constants, so that nothing is left of
            /// it, nor of the levels that are not in use.
            #[inline(always)]
            fn #numbers_agree() -> ::core::primitive::bool {
                #agree
            }

            /// The levels.
            #[inline(always)]
            fn #name() -> &'static [#quintet::export::Level; #count] {
                if #numbers_agree() { &#usual_levels } else { &#numbered_levels }
            }

            const _: () = {
                /// The levels of this application, for whoever is given a waker.
                #[doc(hidden)]
                #[unsafe(no_mangle)]
                #[inline(always)]
                extern "Rust" fn __quintet_levels() -> &'static [#quintet::export::Level] {
                    // The module's function, which has the same name as this one.
                    self::#name()
                }
            };

            #quintet::__timer_nodes!(#slots);
        }
    }

    /// The descriptors of all levels, one for each priority. `numbered` if the interrupts' numbers
    /// are no constants.
    fn descriptors(&self, numbered: bool) -> TokenStream {
        let quintet = &self.quintet;
        let levels = self.plan.descriptors.iter().map(|Descriptor { level, priority }| {
            let level = &self.plan.levels[*level];
            let Level { first, size, .. } = level;
            let ready = names::ready(level.priority);
            let is_interrupt = level.dispatcher().is_some();
            if *size == Size::One && is_interrupt && !numbered {
                let number = names::value(level.priority);
                return quote!(
                    #quintet::export::Level::of_one(#priority, #first, &#ready, #number)
                );
            }
            let wake = if numbered && is_interrupt { names::wake_numbered } else { names::wake };
            let wake = wake(level.priority);
            if *size == Size::One {
                return quote!(
                    #quintet::export::Level::of_one_by(#priority, #first, &#ready, #wake)
                );
            }
            let (clone, wide) = (names::clone(*priority), *size == Size::Wide);
            if *size == Size::Few {
                return quote!(
                    #quintet::export::Level::of_few(
                        #priority, #first, #ready.flags(), #clone, #wake
                    )
                );
            }
            quote!(#quintet::export::Level::new(#priority, #first, #wide, #clone, #wake))
        });
        quote!([#(#levels),*])
    }

    /// The function that clones the wakers of a descriptor. Levels of one slot share theirs.
    fn clone(&self, index: usize, descriptor: Descriptor) -> Option<TokenStream> {
        let (clone, levels) = (names::clone(descriptor.priority), names::levels());
        (self.plan.levels[descriptor.level].size != Size::One).then(|| {
            quote! {
                unsafe fn #clone(word: *const ()) -> ::core::task::RawWaker {
                    #levels()[#index].with_word(word)
                }
            }
        })
    }

    /// One level.
    fn level(&self, level: &Level<'_>) -> TokenStream {
        let quintet = &self.quintet;
        let ready = names::ready(level.priority);
        let ty = ready_slots(level);
        let routine = self.routine(level);
        quote! {
            #[allow(non_upper_case_globals)]
            static #ready: #quintet::export::#ty = #quintet::export::#ty::new();

            #routine
        }
    }

    /// The code that runs a level's jobs, and the code that makes them ready.
    fn routine(&self, level: &Level<'_>) -> TokenStream {
        let (quintet, device) = (&self.quintet, &self.app.arguments.device);
        let priority = level.priority;
        let (ready, wake) = (names::ready(priority), names::wake(priority));
        if level.is_hosted() {
            let (set, host) = (set(level), names::host(priority).control);
            return quote!(#quintet::__wake_hosted!(#wake, #ready, #set, #host););
        }
        let Some(dispatcher) = level.dispatcher() else {
            return match level.size {
                Size::One => quote!(#quintet::__wake_one_thread_mode!(#wake, #ready);),
                Size::Few => quote!(#quintet::__wake_few_thread_mode!(#wake);),
                Size::Many => quote!(#quintet::__wake_thread_mode!(#wake, #ready);),
                Size::Wide => quote!(#quintet::__wake_wide!(#wake, #ready, signal_event());),
            };
        };
        let vector = &dispatcher.name;
        // A handler is never inlined, as only the hardware calls a handler. A naked function can't
        // have the attribute.
        let attributes = dispatcher.attributes.iter();
        let attributes: Vec<_> =
            attributes.filter(|attribute| !attribute.path().is_ident("inline")).collect();
        let (number, value) = (names::number(priority), names::value(priority));
        let numbered = names::wake_numbered(priority);
        let waker = match level.size {
            Size::One => TokenStream::new(),
            Size::Few => quote!(#quintet::__wake_few!(#wake, #value);),
            Size::Many => quote!(#quintet::__wake_interrupt!(#wake, #ready, #value);),
            Size::Wide => quote!(#quintet::__wake_wide!(#wake, #ready, pend(#value));),
        };
        let set = set(level);
        // The routine in assembly calls jobs and nothing else.
        let routine = if level.size == Size::Many && !self.has_hooks() {
            let jobs = jobs(level);
            quote!(#quintet::__dispatcher!(#(#attributes)* #vector, #ready, [#(#jobs),*]);)
        } else {
            let round = self.hooked(priority, round(level));
            quote!(#quintet::__routine!(#(#attributes)* #vector, #round);)
        };
        quote! {
            /// The interrupt's number.
            #[inline(always)]
            fn #number() -> ::core::primitive::u16 {
                #quintet::export::number(#device::interrupt::#vector)
            }

            /// The same, for a device whose enumeration values are numbers.
            #[allow(non_upper_case_globals)]
            const #value: ::core::primitive::u16 =
                #device::interrupt::#vector as ::core::primitive::u16;
            #waker
            #quintet::__wake_numbered!(#numbered, #ready, #set, #number());
            const _: () = { #routine };
        }
    }
}
