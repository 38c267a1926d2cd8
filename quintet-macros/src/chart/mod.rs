//! `#[quintet::state_machine]`. `quintet-charts` reads, checks and lowers a machine; this module
//! writes the machine as Rust.

mod compact;
mod dispatch;
mod emit;
mod fast;
mod lines;
mod notes;
mod refused;
mod sequence;

use proc_macro2::{Span, TokenStream};
use quintet_charts::siblings;

/// Returns the expansion, or all errors with the usable rest of the block.
pub fn expand(arguments: TokenStream, block: TokenStream) -> TokenStream {
    let name = quintet_charts::state_name(arguments.clone());
    let alone = siblings::check(Span::call_site(), &name, block.clone());
    let has_states = alone.is_ok();
    let machine = quintet_charts::read(arguments.clone(), block.clone());
    let error = match (alone, machine) {
        (Ok(()), Ok(machine)) => return emit::emit(&machine),
        (Ok(()), Err(error)) | (Err(error), Ok(_)) => error,
        (Err(mut first), Err(second)) => {
            first.combine(second);
            first
        }
    };
    refused::emit(error, arguments, block, has_states)
}
