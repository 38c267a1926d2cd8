//! How deep the stacks got, and where.

use super::super::stack::stack_table;
use super::Content;
use crate::report::page::Section;
use crate::report::table::grouped;
use crate::report::trace::backtrace_text;

pub fn section(content: &Content) -> anyhow::Result<Option<Section>> {
    let stacks = &content.now.stacks;
    let mut section = Section::new("stacks", "Stacks");
    for stack in stacks.iter().filter(|stack| stack.overflow) {
        section = section.warns(&format!("The {} has overflowed.", stack.name()));
    }
    section = section.table("Depth, in bytes", &stack_table(stacks)).says(
        "That is this run: code that did not run may go deeper. What a guard protects is not \
         available.",
    );
    for stack in stacks {
        let name = format!("{}: deepest in cycle {}", stack.name(), grouped(stack.cycle));
        section = section.folded(&name, &backtrace_text(&stack.backtrace));
    }
    Ok(Some(section))
}
