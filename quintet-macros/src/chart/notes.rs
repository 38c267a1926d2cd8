//! What a machine notes of itself for tests, on the host: `chart::Test` compares it. Firmware has
//! nothing of it.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};

use super::emit::Output;

impl Output<'_> {
    /// The machine does this: a variant of `Step`.
    pub fn note(&self, step: &TokenStream) -> TokenStream {
        let quintet = &self.quintet;
        self.on_host(&quote!(__machine.__log.note(#quintet::chart::Step::#step);))
    }

    /// The same for a variant that has a state.
    pub fn note_at(&self, step: &str, state: usize) -> TokenStream {
        let (step, within, variant) = (format_ident!("{step}"), self.within(), self.variant(state));
        self.note(&quote!(#step(#within::#variant)))
    }

    /// A state's handler has chosen a transition.
    pub fn note_transition(&self, by: usize, to: usize) -> TokenStream {
        let (within, by, to) = (self.within(), self.variant(by), self.variant(to));
        self.note(&quote!(Transition(#within::#by, #within::#to)))
    }

    /// The machine is told an event, or takes one that was put off: a function of `Log`.
    pub fn note_event(&self, function: &str) -> TokenStream {
        let (function, text) = (format_ident!("{function}"), self.text_of(&quote!(&event)));
        self.on_host(&quote!(__machine.__log.#function(|| #text);))
    }

    /// The function by which a leaf is shown.
    pub fn state_text(&self) -> TokenStream {
        let kind = &self.machine.state_name;
        // A crate without `std` has no path to `String`.
        let (text, quintet) = (self.text_of(&quote!(state)), &self.quintet);
        let arms = self.machine.leaves().map(|leaf| {
            let variant = self.variant(leaf);
            let name = variant.to_string();
            quote!(#kind::#variant { .. } => #name)
        });
        self.on_host(&quote! {
            fn text(state: &#kind) -> #quintet::chart::Text {
                let text = #text;
                text.unwrap_or_else(|| match state { #(#arms),* }.into())
            }
        })
    }

    /// A value as text, if it is `Debug`. By the type that it has: so here, and not in a function.
    fn text_of(&self, reference: &TokenStream) -> TokenStream {
        let quintet = &self.quintet;
        quote!({
            use #quintet::chart::{WithText as _, WithoutText as _};
            (&#quintet::chart::Shown(#reference)).text()
        })
    }

    fn on_host(&self, code: &TokenStream) -> TokenStream {
        let quintet = &self.quintet;
        quote!(#quintet::__on_host! { #code })
    }
}
