//! The argument `processes` of an application.

use proc_macro2::TokenStream;

use super::Priority;

/// The content of `processes = [..]`.
pub struct Processes {
    /// The highest priority of the processes.
    pub priority: Priority,
    /// One priority for all processes, or the priority of each, in the order of the processes in
    /// flash.
    pub priorities: Vec<u8>,
    /// The most processes that there can be.
    pub count: TokenStream,
    /// Where the applications lie in flash.
    pub flash: TokenStream,
    /// Where the processes' memory is.
    pub memory: TokenStream,
    /// The drivers that processes may call.
    pub drivers: TokenStream,
    /// The most upcalls of each process that may be due.
    pub upcalls: Option<TokenStream>,
    /// The policy after a fault of a process.
    pub on_fault: Option<TokenStream>,
}
