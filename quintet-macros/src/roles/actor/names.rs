//! The names of what is generated for actors.

use proc_macro2::Ident;
use quote::format_ident;
use syn::ext::IdentExt;

/// One of them: what users call `ACTOR::part`, or a part that they don't name.
pub fn part(actor: &Ident, part: &str) -> Ident {
    format_ident!("__quintet_{}_{part}", actor.unraw())
}

/// Whether an actor is subscribed to the topic of this number in its list.
pub fn hears(actor: &Ident, topic: usize) -> Ident {
    format_ident!("__quintet_{}_hears_{topic}", actor.unraw())
}

/// The trait of all topics.
pub fn topic() -> Ident {
    format_ident!("__quintet_Topic")
}
