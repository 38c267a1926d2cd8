//! What stands in an application's argument `processes`.

use proc_macro2::TokenStream;

use super::Priority;

/// What stands in `processes = [..]`.
pub struct Processes {
    /// The highest of their priorities.
    pub priority: Priority,
    /// The priority of all of them, or that of each in the order in which they lie in flash.
    pub priorities: Vec<u8>,
    /// How many there can be.
    pub count: TokenStream,
    /// Where applications lie.
    pub flash: TokenStream,
    /// Where their memory is.
    pub memory: TokenStream,
    /// What they may call.
    pub drivers: TokenStream,
    /// What is done with one that did what it must not.
    pub on_fault: Option<TokenStream>,
}
