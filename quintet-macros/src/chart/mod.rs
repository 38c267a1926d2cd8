//! `#[quintet::state_machine]`: `quintet-charts` reads, checks and lowers; here it is written down.

mod dispatch;
mod emit;
mod lines;
mod notes;
mod sequence;

use proc_macro2::TokenStream;

/// The expansion, or the block as it is with everything that is wrong.
pub fn expand(arguments: TokenStream, block: TokenStream) -> TokenStream {
    match quintet_charts::read(arguments, block) {
        Ok(machine) => emit::emit(&machine),
        Err(error) => error.into_compile_error(),
    }
}
