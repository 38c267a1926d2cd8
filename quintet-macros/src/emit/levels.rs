//! Levels: ready bits, the interrupt that dispatches their jobs, and the functions of wakers.

use proc_macro2::TokenStream;
use quote::quote;
use syn::Attribute;

use super::{Output, names};
use crate::lower::{Level, Size};

impl Output<'_> {
    /// All levels, and the array of their descriptors, by which wakers are told apart.
    pub fn levels(&self) -> TokenStream {
        let quintet = &self.quintet;
        let levels = self.plan.levels.iter().enumerate();
        let statics = levels.map(|(index, level)| self.level(index, level));
        let descriptors = self.plan.levels.iter().map(|Level { priority, first, size, .. }| {
            let (clone, wake) = (names::clone(*priority), names::wake(*priority));
            let wide = *size == Size::Wide;
            quote!(#quintet::export::Level::new(#priority, #first, #wide, #clone, #wake))
        });
        let (name, count) = (names::levels(), self.plan.levels.len());
        let slots: usize = self.plan.levels.iter().map(|level| level.slots.len()).sum();
        quote! {
            #(#statics)*

            #[allow(non_upper_case_globals)]
            static #name: [#quintet::export::Level; #count] = [#(#descriptors),*];

            const _: () = {
                /// The levels of this application, for whoever is given a waker.
                #[doc(hidden)]
                #[unsafe(no_mangle)]
                static __QUINTET_LEVELS: &[#quintet::export::Level] = &#name;
            };

            #quintet::__timer_nodes!(#slots);
        }
    }

    /// One level.
    fn level(&self, index: usize, level: &Level<'_>) -> TokenStream {
        let quintet = &self.quintet;
        let priority = level.priority;
        let (ready, clone, levels) =
            (names::ready(priority), names::clone(priority), names::levels());
        let (ty, new) = ready_slots(level);
        let routine = self.routine(level);
        quote! {
            #[allow(non_upper_case_globals)]
            static #ready: #quintet::export::#ty = #quintet::export::#ty::new(#new);

            unsafe fn #clone(word: *const ()) -> ::core::task::RawWaker {
                #levels[#index].raw_waker(word.addr() as u32)
            }

            #routine
        }
    }

    /// What runs a level's jobs, and what makes them ready.
    fn routine(&self, level: &Level<'_>) -> TokenStream {
        let (quintet, device) = (&self.quintet, &self.app.arguments.device);
        let priority = level.priority;
        let (ready, wake) = (names::ready(priority), names::wake(priority));
        let Some(dispatcher) = level.dispatcher else {
            return match level.size {
                Size::One => quote!(#quintet::__wake_one_thread_mode!(#wake, #ready);),
                Size::Many => quote!(#quintet::__wake_thread_mode!(#wake, #ready);),
                Size::Wide => quote!(#quintet::__wake_wide!(#wake, #ready, signal_event());),
            };
        };
        let (vector, attributes) = (&dispatcher.name, &dispatcher.attributes);
        let number = names::number(priority);
        let waker = match level.size {
            Size::One => quote!(#quintet::__wake_one!(#wake, #ready, #number);),
            Size::Many => quote!(#quintet::__wake_interrupt!(#wake, #ready, #number);),
            Size::Wide => quote!(#quintet::__wake_wide!(#wake, #ready, pend(#number));),
        };
        let routine = if level.size == Size::Many {
            let jobs = jobs(level);
            quote!(#quintet::__dispatcher!(#(#attributes)* #vector, #ready, [#(#jobs),*]);)
        } else {
            let round = round(level);
            quote!(#quintet::__routine!(#(#attributes)* #vector, #round);)
        };
        quote! {
            #[allow(non_upper_case_globals)]
            const #number: u16 = #device::interrupt::#vector as u16;
            #waker
            const _: () = { #routine };
        }
    }
}

/// One round of a level in Rust.
pub fn round(level: &Level<'_>) -> TokenStream {
    let (ready, jobs) = (names::ready(level.priority), jobs(level));
    if level.size == Size::One {
        // SAFETY (of the expansion): the level runs its job.
        return quote!(if #ready.take() { unsafe { #(#jobs())* } });
    }
    quote!(unsafe { #ready.run_round(&[#(#jobs),*]) })
}

/// The type of a level's ready slots, and what they are built from: the slots that always have
/// something to run, so that their jobs look for themselves.
fn ready_slots(level: &Level<'_>) -> (TokenStream, TokenStream) {
    let mut words = vec![0_u32; level.slots.len().div_ceil(32)];
    for (number, slot) in level.slots.iter().enumerate() {
        if slot.mechanism.looks() {
            words[number / 32] |= 0x8000_0000 >> (number % 32);
        }
    }
    let (count, first) = (words.len(), words[0]);
    match level.size {
        Size::One => (quote!(One), quote!()),
        Size::Many => (quote!(Ready), quote!(#first)),
        Size::Wide => (quote!(WideReady::<#count>), quote!([#(#words),*])),
    }
}

/// The jobs of a level.
fn jobs(level: &Level<'_>) -> Vec<proc_macro2::Ident> {
    (0..level.slots.len()).map(|slot| names::job(level.priority, slot)).collect()
}

/// The condition in `#[cfg(condition)]`.
pub fn condition(cfg: &Attribute) -> TokenStream {
    cfg.meta.require_list().map(|list| list.tokens.clone()).unwrap_or_default()
}
