//! Software tasks: `#[task]` without `binds`, which a level runs after a spawn.

mod emit;
mod mechanisms;
pub mod parse;
pub mod place;

use proc_macro2::TokenStream;

use super::{AT_ONCE, Role};
use crate::model::{Software, Task};
use crate::write::Output;
use crate::write::contexts::Parts;
use crate::write::levels::Placed;
use crate::write::map::MapLine;

impl Role for Software {
    fn what_it_is(&self, task: &Task) -> String {
        let priority = task.priority.value;
        if task.is_async() {
            format!("is an `async` task of priority {priority}, which waits where it awaits")
        } else {
            format!("is a task of priority {priority}, which runs to its end")
        }
    }

    fn instead_of_await(&self) -> Option<String> {
        Some(format!("make it an `async fn`, or {AT_ONCE}"))
    }

    fn slot(&self, output: &Output<'_>, placed: &Placed<'_>) -> TokenStream {
        output.software_task(placed, self)
    }

    fn add_to_context(&self, output: &Output<'_>, task: &Task, parts: &mut Parts) {
        output.add_local_spawner(task, parts);
    }

    fn exports(&self, output: &Output<'_>, task: &Task) -> TokenStream {
        output.software_exports(task, self)
    }

    fn map_lines<'a>(&self, output: &Output<'_>, task: &'a Task) -> Vec<MapLine<'a>> {
        vec![output.software_line(task, self)]
    }
}
