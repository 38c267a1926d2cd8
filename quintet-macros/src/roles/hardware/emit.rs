//! The handler of a hardware task, and its line of the map.

use proc_macro2::TokenStream;
use quote::quote;

use crate::model::{Hardware, Task};
use crate::write::Output;
use crate::write::functions::context_variable;
use crate::write::map::MapLine;

impl Output<'_> {
    /// The handler: the user's function, which the recorder is told of if the feature is on.
    pub fn handler(&self, task: &Task, hardware: &Hardware) -> TokenStream {
        let (name, binds) = (task.name(), &hardware.binds);
        let (cfgs, others) = (task.cfgs(), &task.function.attributes.others);
        let (build, context) = (self.build_context(name, false, name.span()), context_variable());
        let quintet = &self.quintet;
        let recorded = quote!(#quintet::__recorded!(handler););
        let run = quote!(#recorded #build self::#name(#context));
        let run = self.hooked(task.priority.value, run);
        quote! {
            const _: () = {
                #(#cfgs)* #(#others)*
                #[doc(hidden)]
                #[unsafe(no_mangle)]
                #[allow(non_snake_case)]
                unsafe extern "C" fn #binds() {
                    #run
                }
            };
        }
    }

    /// A hardware task in the map.
    pub fn hardware_line<'b>(&self, task: &'b Task, hardware: &Hardware) -> MapLine<'b> {
        let Hardware { binds, exception } = hardware;
        let priority = task.priority.value;
        let number = if *exception { "-" } else { "{number}" };
        let words = ["hardware", &task.name().to_string(), &priority.to_string()]
            .into_iter()
            .chain([binds.to_string().as_str(), number, "{byte}"])
            .map(str::to_owned)
            .collect();
        let operands = self.vector(binds, *exception, priority);
        MapLine { cfgs: task.cfgs(), words, operands }
    }
}
