//! The names of the items that are generated for actors.

use proc_macro2::Ident;
use quote::format_ident;
use syn::ext::IdentExt;

/// The name of a part: users call it `ACTOR::part`, or don't name it.
pub fn part(actor: &Ident, part: &str) -> Ident {
    format_ident!("__quintet_{}_{part}", actor.unraw())
}

/// The flags that say whether an actor is subscribed to the topic of this number in its list.
pub fn hears(actor: &Ident, topic: usize) -> Ident {
    format_ident!("__quintet_{}_hears_{topic}", actor.unraw())
}

/// The trait of all topics.
pub fn topic() -> Ident {
    format_ident!("__quintet_Topic")
}
