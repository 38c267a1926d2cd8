//! Lines of the map, which `emit` describes.

use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;
use syn::Attribute;

use super::Output;
use crate::lower::Runner;
use crate::model::Task;

/// A line while it is put together.
pub struct MapLine<'a> {
    /// The conditions under which the line exists.
    pub cfgs: &'a [Attribute],
    /// The line's words; `{name}` stands for an operand.
    pub words: Vec<String>,
    /// The operands, which are constants.
    pub operands: Vec<(&'static str, TokenStream)>,
}

impl Output<'_> {
    /// The operands of a vector: its number and its priority byte.
    pub fn vector(
        &self,
        name: &Ident,
        exception: bool,
        priority: u8,
    ) -> Vec<(&'static str, TokenStream)> {
        let (quintet, device) = (&self.quintet, &self.app.arguments.device);
        let hardware = self.analysis.line.hardware(priority);
        let byte = quote!(#quintet::export::hardware_priority(#hardware, #device::NVIC_PRIO_BITS));
        let mut operands = vec![("byte", byte)];
        if !exception {
            operands.push(("number", quote!(#device::interrupt::#name as ::core::primitive::u16)));
        }
        operands
    }

    /// A line as the crate's macro takes it.
    pub fn written(&self, line: &MapLine<'_>) -> TokenStream {
        let (quintet, cfgs) = (&self.quintet, line.cfgs);
        let words = line.words.iter().map(|word| word.replace(['"', '\\', '\n'], "_"));
        let operands = line.operands.iter().map(|(name, value)| {
            let name = Ident::new(name, Span::call_site());
            quote!(#name = #value)
        });
        let operands = (!line.operands.is_empty()).then(|| quote!(; #(#operands),*));
        quote!(#(#cfgs)* #quintet::__map_line!(#(#words),* #operands);)
    }

    /// Says in words what runs a task's slots, and the runner's own priority.
    pub fn runner(&self, task: &Task) -> [String; 2] {
        let has_it = |placed: &super::levels::Placed<'_>| std::ptr::eq(placed.slot.task, task);
        let Some(placed) = self.placed().find(has_it) else { return Default::default() };
        let runner = match placed.level.runner {
            Runner::Main => "main",
            Runner::Host => "host",
            Runner::Interrupt(_) => "level",
        };
        [runner.into(), placed.level.priority.to_string()]
    }
}
