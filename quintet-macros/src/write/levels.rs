//! Levels: the code that makes a slot ready, and the code that runs the ready slots.

use proc_macro2::{Ident, Literal, TokenStream};
use quote::{quote, quote_spanned};
use syn::Attribute;
use syn::spanned::Spanned;

use super::{Output, names};
use crate::lower::{Level, Size, Slot};

/// A slot with its place.
#[derive(Clone, Copy)]
pub struct Placed<'a> {
    /// The number of the slot's level.
    pub index: usize,
    /// The slot's level.
    pub level: &'a Level<'a>,
    /// The slot.
    pub slot: &'a Slot<'a>,
    /// The slot's number in the level.
    pub number: usize,
}

/// The contexts that make a slot ready.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Caller {
    /// Every context.
    Anywhere,
    /// Contexts that the kernel knows of.
    Known,
}

impl Placed<'_> {
    /// The name of the items that each instance has of its own, such as its waker.
    pub fn own_name(&self) -> Ident {
        let task = self.slot.task;
        match task.instances {
            None => task.name().clone(),
            Some(_) => names::numbered(task.name(), self.slot.instance),
        }
    }
}

impl<'a> Output<'a> {
    /// All slots of all levels.
    pub fn placed(&self) -> impl Iterator<Item = Placed<'a>> + use<'a> {
        self.plan.levels.iter().enumerate().flat_map(|(index, level)| {
            let slots = level.slots.iter().enumerate();
            slots.map(move |(number, slot)| Placed { index, level, slot, number })
        })
    }

    /// Returns `true` if the application has functions that are called where levels begin or end.
    pub fn has_hooks(&self) -> bool {
        let arguments = &self.app.arguments;
        arguments.on_level_begin.is_some() || arguments.on_level_end.is_some()
    }

    /// The code of an interrupt of a priority, between the application's hooks.
    pub fn hooked(&self, priority: u8, run: TokenStream) -> TokenStream {
        if !self.has_hooks() {
            return run;
        }
        let arguments = &self.app.arguments;
        let call = |hook: &syn::Path| quote!(#hook(#priority););
        let begin = arguments.on_level_begin.as_ref().map(call);
        let end = arguments.on_level_end.as_ref().map(call);
        quote!({ #begin { #run } #end })
    }

    /// Asserts, at the user's words, that the hooks can be called.
    pub fn hook_assertions(&self) -> TokenStream {
        let arguments = &self.app.arguments;
        let hooks = arguments.on_level_begin.iter().chain(&arguments.on_level_end);
        let assertions = hooks
            .map(|hook| quote_spanned!(hook.span()=> const _: fn(::core::primitive::u8) = #hook;));
        quote!(#(#assertions)*)
    }

    /// Makes a slot ready, in the fewest instructions.
    pub fn make_ready(&self, level: &Level<'_>, slot: &Slot<'_>) -> TokenStream {
        self.make_ready_from(Caller::Anywhere, level, slot)
    }

    /// Makes a slot ready, from these contexts.
    pub fn make_ready_from(
        &self,
        caller: Caller,
        level: &Level<'_>,
        slot: &Slot<'_>,
    ) -> TokenStream {
        let (quintet, word) = (&self.quintet, slot.word);
        let woken = woken(quintet, level, &number_of(level, word));
        let ready = self.set_and_pend(caller, level, &quote!(#word));
        quote!(#woken #ready)
    }

    /// Makes the slot of an instance ready. A variable has the instance's number. `first` is the
    /// slot of the first instance: the other slots are behind it.
    pub fn make_instance_ready(
        &self,
        caller: Caller,
        level: &Level<'_>,
        first: &Slot<'_>,
        instance: &Ident,
    ) -> TokenStream {
        let first_number = number_of(level, first.word);
        let number = quote!(#first_number + #instance as ::core::primitive::u32);
        let woken = woken(&self.quintet, level, &number);
        let ready = self.set_and_pend(caller, level, &instance_word(level, first, instance));
        quote!(#woken #ready)
    }

    /// Makes the slot of a word ready.
    fn set_and_pend(&self, caller: Caller, level: &Level<'_>, word: &TokenStream) -> TokenStream {
        let quintet = &self.quintet;
        let ready = names::ready(level.priority);
        let word = (level.size != Size::One).then_some(word);
        if level.priority == 0 {
            return quote!(#ready.set(#word); #quintet::export::signal_event(););
        }
        if level.is_hosted() {
            let host = names::host(level.priority).control;
            let wake = match caller {
                Caller::Anywhere => quote!(wake_host),
                Caller::Known => quote!(wake_host_here),
            };
            return quote!(#ready.set(#word); #quintet::export::threads::#wake(&#host););
        }
        let number = names::number(level.priority);
        quote!(#ready.set(#word); #quintet::export::pend(#number());)
    }
}

/// The function that a level calls for a slot, with the body `run`. If the task is configured away,
/// the function does nothing.
pub fn job(quintet: &TokenStream, placed: &Placed<'_>, run: &TokenStream) -> TokenStream {
    let priority = Literal::u8_unsuffixed(placed.level.priority);
    let slot = Literal::usize_unsuffixed(placed.number);
    let cfgs = placed.slot.task.cfgs();
    let job = names::job(placed.level.priority, placed.number);
    let configured_away = (!cfgs.is_empty()).then(|| {
        let conditions = cfgs.iter().map(condition);
        quote! {
            #[cfg(not(all(#(#conditions),*)))]
            unsafe extern "C" fn #job() {}
        }
    });
    quote! {
        #(#cfgs)*
        unsafe extern "C" fn #job() {
            #quintet::__recorded!(#priority #slot);
            #run
        }
        #configured_away
    }
}

/// The recorder's event that a job was made ready, if the feature is on.
fn woken(quintet: &TokenStream, level: &Level<'_>, number: &TokenStream) -> TokenStream {
    let priority = Literal::u8_unsuffixed(level.priority);
    quote!(#quintet::__woken!(#priority #number);)
}

/// The number of a slot in its level, by its word.
fn number_of(level: &Level<'_>, word: u32) -> TokenStream {
    let number = if level.size == Size::Many { word.leading_zeros() } else { word };
    let number = Literal::u32_unsuffixed(number);
    quote!(#number)
}

/// The word of an instance's slot. A variable has the instance's number. `first` is the slot of the
/// first instance.
pub fn instance_word(level: &Level<'_>, first: &Slot<'_>, instance: &Ident) -> TokenStream {
    let word = first.word;
    match level.size {
        Size::Many => quote!(#word >> #instance),
        Size::One | Size::Few | Size::Wide => quote!(#word + #instance as ::core::primitive::u32),
    }
}

/// The function that a waker calls to make a slot ready.
pub fn set(level: &Level<'_>) -> TokenStream {
    match level.size {
        Size::One => quote!(set()),
        Size::Few => quote!(set_flag(word)),
        Size::Many | Size::Wide => quote!(set(word)),
    }
}

/// One round of a level in Rust.
pub fn round(level: &Level<'_>) -> TokenStream {
    let (ready, jobs) = (names::ready(level.priority), jobs(level));
    let groups = level.groups();
    match level.size {
        // SAFETY (of the expansion): the level runs its jobs.
        Size::One => quote!(if #ready.take() { unsafe { #(#jobs())* } }),
        Size::Few => {
            let slots = (0_u32..).take(jobs.len());
            quote!({ #(if #ready.take(#slots) { unsafe { #jobs() } })* })
        }
        Size::Many | Size::Wide if groups.is_empty() => {
            quote!(unsafe { #ready.run_round(&[#(#jobs),*]) })
        }
        Size::Many => quote! {
            unsafe { #ready.run_by_urgency(&[#(#jobs),*], &[#(#groups),*]) }
        },
        Size::Wide => {
            let ends = level.ends();
            quote!(unsafe { #ready.run_by_urgency(&[#(#jobs),*], &[#(#ends),*]) })
        }
    }
}

/// The type of a level's ready slots.
pub fn ready_slots(level: &Level<'_>) -> TokenStream {
    let count = level.slots.len();
    match level.size {
        Size::One => quote!(One),
        Size::Few => quote!(Few::<#count>),
        Size::Many => quote!(Ready),
        Size::Wide => {
            let words = count.div_ceil(32);
            quote!(WideReady::<#words>)
        }
    }
}

/// The jobs of a level.
pub fn jobs(level: &Level<'_>) -> Vec<Ident> {
    (0..level.slots.len()).map(|slot| names::job(level.priority, slot)).collect()
}

/// The condition in `#[cfg(condition)]`.
pub fn condition(cfg: &Attribute) -> TokenStream {
    cfg.meta.require_list().map(|list| list.tokens.clone()).unwrap_or_default()
}
