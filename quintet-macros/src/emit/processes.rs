//! The processes of an application: one static, which `init` starts.

use proc_macro2::TokenStream;
use quote::quote;

use crate::model::Processes;
use crate::write::Output;

impl Output<'_> {
    /// The static `PROCESSES`, if the application has any.
    pub fn processes(&self) -> TokenStream {
        let Some(processes) = &self.app.arguments.processes else { return TokenStream::new() };
        let quintet = &self.quintet;
        let Processes { priorities, count, flash, memory, drivers, upcalls, on_fault, .. } =
            processes;
        let upcalls = upcalls.as_ref().map(|bound| quote!(, upcalls = #bound));
        let on_fault = on_fault.as_ref().map(|function| quote!(, on_fault = #function));
        quote! {
            #quintet::processes!(
                /// The processes of the application: `init` starts them.
                pub static PROCESSES,
                count = #count,
                priority = [#(#priorities),*],
                flash = #flash,
                memory = #memory,
                drivers = [#drivers]
                #upcalls
                #on_fault
            );
        }
    }
}
