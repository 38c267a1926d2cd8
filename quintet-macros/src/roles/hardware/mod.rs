//! Hardware tasks: `#[task(binds = ..)]`, the handler of a vector.

pub mod check;
mod emit;
pub mod parse;

use proc_macro2::TokenStream;

use super::Role;
use crate::model::{Hardware, Task};
use crate::write::Output;
use crate::write::map::MapLine;

impl Role for Hardware {
    fn what_it_is(&self, task: &Task) -> String {
        format!("is a task of priority {}, which runs to its end", task.priority.value)
    }

    fn handler(&self, output: &Output<'_>, task: &Task) -> TokenStream {
        output.handler(task, self)
    }

    fn map_lines<'a>(&self, output: &Output<'_>, task: &'a Task) -> Vec<MapLine<'a>> {
        vec![output.hardware_line(task, self)]
    }
}
