//! The notes that a machine takes of itself for tests on the host. `chart::Test` compares the
//! notes. Firmware contains none of this.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};

use super::emit::Output;

impl Output<'_> {
    /// Notes a step of the machine: a variant of `Step`.
    pub fn note(&self, step: &TokenStream) -> TokenStream {
        let quintet = &self.quintet;
        self.on_host(&quote!(__machine.__log.note(#quintet::chart::Step::#step);))
    }

    /// Notes a step that has a state.
    pub fn note_at(&self, step: &str, state: usize) -> TokenStream {
        let (step, within, variant) = (format_ident!("{step}"), self.within(), self.variant(state));
        self.note(&quote!(#step(#within::#variant)))
    }

    /// Notes that a state's handler has chosen a transition.
    pub fn note_transition(&self, by: usize, to: usize) -> TokenStream {
        let (within, by, to) = (self.within(), self.variant(by), self.variant(to));
        self.note(&quote!(Transition(#within::#by, #within::#to)))
    }

    /// Notes that the machine gets an event, or takes a kept event: a function of `Log`.
    pub fn note_event(&self, function: &str) -> TokenStream {
        let (function, text) = (format_ident!("{function}"), self.text_of(&quote!(&event)));
        self.on_host(&quote!(__machine.__log.#function(|| #text);))
    }

    /// The function that shows a leaf as text.
    pub fn state_text(&self) -> TokenStream {
        let kind = &self.machine.state_name;
        // A crate without `std` has no path to `String`.
        let (text, quintet) = (self.text_of(&quote!(state)), &self.quintet);
        let (_, of_states, _) = self.of_states.split_for_impl();
        let arms = self.machine.leaves().map(|leaf| {
            let variant = self.variant(leaf);
            let name = variant.to_string();
            quote!(#kind::#variant { .. } => #name)
        });
        self.on_host(&quote! {
            fn text(state: &#kind #of_states) -> #quintet::chart::Text {
                let text = #text;
                text.unwrap_or_else(|| match state { #(#arms),* }.into())
            }
        })
    }

    /// A value as text, if the value is `Debug`. The code stands in the user's module, not in a
    /// function, because only there the compiler knows the type.
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
