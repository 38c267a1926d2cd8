//! Actors: `#[actor]`, a function that a level runs for each event that was posted to the actor.

pub mod check;
mod emit;
pub mod heard;
mod names;
pub mod parse;
mod place;
mod posts;
mod publish;

use proc_macro2::TokenStream;

use super::{AT_ONCE, Role};
use crate::model::{Actor, Task};
use crate::write::Output;
use crate::write::levels::Placed;
use crate::write::map::MapLine;

impl Role for Actor {
    fn what_it_is(&self, task: &Task) -> String {
        let priority = task.priority.value;
        if task.is_async() {
            format!("is an `async` actor of priority {priority}, which waits where it awaits")
        } else {
            format!("is an actor of priority {priority}, which handles each event to its end")
        }
    }

    fn instead_of_await(&self) -> Option<String> {
        Some(format!("make it an `async fn`, or {AT_ONCE}"))
    }

    fn slot(&self, output: &Output<'_>, placed: &Placed<'_>) -> TokenStream {
        output.actor(placed, self)
    }

    fn begin(&self, _: &Output<'_>, task: &Task) -> TokenStream {
        emit::begin(task, self)
    }

    fn exports(&self, _: &Output<'_>, task: &Task) -> TokenStream {
        emit::exports(task, self)
    }

    fn map_lines<'a>(&self, output: &Output<'_>, task: &'a Task) -> Vec<MapLine<'a>> {
        vec![output.actor_line(task, self)]
    }
}
