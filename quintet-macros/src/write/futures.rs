//! The memory and the wakers of `async` functions.

use proc_macro2::{Ident, TokenStream};
use quote::{quote, quote_spanned};

use super::functions::{check_instance, instance_variable, maker};
use super::levels::{Placed, instance_word};
use super::{Output, names};
use crate::model::Task;

impl Output<'_> {
    /// The first argument of an async task's function, in the place where the task's cell is
    /// claimed.
    pub fn call(&self) -> TokenStream {
        let quintet = &self.quintet;
        quote!(#quintet::export::Call::new())
    }

    /// The memory of an async task's future.
    pub fn cell(&self, task: &Task) -> TokenStream {
        let quintet = &self.quintet;
        let (cell, cfgs, maker) = (names::cell(task.name()), task.cfgs(), maker(task));
        // If the compiler can't align the cell, the error points at the function.
        let place = task.name().span();
        let quintet_here = self.quintet_at(place);
        let ty = quote_spanned! {place=>
            #quintet_here::export::Cell<
                { #quintet_here::export::size(#maker) },
                { #quintet_here::export::align(#maker) },
            >
        };
        let one = quote!(#quintet::export::Cell::new());
        let (ty, value) = match task.instances {
            None => (ty, one),
            Some(count) => (quote!([#ty; #count]), quote!([const { #one }; #count])),
        };
        // A section of its own: the compiler would pad a merged static to four bytes.
        quote! {
            #(#cfgs)*
            #[unsafe(link_section = ".bss.__quintet_cells")]
            #[allow(non_upper_case_globals)]
            static #cell: #ty = #value;
        }
    }

    /// The function `waker` of an async task, given its first slot.
    pub fn waker(&self, placed: &Placed<'_>) -> TokenStream {
        let quintet = &self.quintet;
        let Placed { index, slot, level, .. } = placed;
        let index = self.plan.descriptor(*index, slot.task.priority.value);
        let (name, cfgs, word) = (slot.task.name(), slot.task.cfgs(), slot.word);
        let (waker, levels) = (names::waker(name), names::levels());
        let documentation = format!("A waker of the task `{name}`: makes its future be polled.");
        if let Some(count) = slot.task.instances {
            let variable = instance_variable();
            let word = instance_word(level, slot, &variable);
            let check = check_instance(count, &format!("the task `{name}`"));
            return quote! {
                #(#cfgs)*
                #[doc = #documentation]
                ///
                /// You may call this from every context. If the instance is not alive, waking it
                /// does nothing.
                ///
                /// # Panics
                /// If there is no such instance.
                #[inline]
                #[track_caller]
                #[allow(dead_code, non_snake_case)]
                pub fn #waker(#variable: ::core::primitive::usize) -> ::core::task::Waker {
                    #check
                    // SAFETY: the word is that of a slot of this level.
                    unsafe { #quintet::export::Level::waker(&#levels()[#index], #word) }
                }
            };
        }
        quote! {
            #(#cfgs)*
            #[doc = #documentation]
            ///
            /// You may call this from every context. If the task is not alive, waking it does
            /// nothing.
            #[inline(always)]
            #[allow(dead_code, non_snake_case)]
            pub fn #waker() -> ::core::task::Waker {
                // SAFETY: the word is that of a slot of this level.
                unsafe { #quintet::export::Level::waker(&#levels()[#index], #word) }
            }
        }
    }

    /// The waker with which a slot's future is polled, under the name of `name`. The waker is a
    /// static, so that a poll that wakes nobody needn't make one.
    pub fn own_waker(&self, placed: &Placed<'_>, name: &Ident) -> TokenStream {
        let quintet = &self.quintet;
        let Placed { index, slot, .. } = placed;
        let index = self.plan.descriptor(*index, slot.task.priority.value);
        let (cfgs, word) = (slot.task.cfgs(), slot.word);
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
        quote! {
            #(#cfgs)*
            #[inline(always)]
            #[allow(non_snake_case)]
            fn #own() -> &'static ::core::task::Waker {
                if #numbers_agree() #usual else #numbered
            }
        }
    }
}
