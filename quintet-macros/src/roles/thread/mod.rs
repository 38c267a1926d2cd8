//! Threads: `#[thread]`, a function that has a stack of its own and may wait in the middle of its
//! work.

pub mod check;
mod emit;
mod names;
pub mod parse;

use proc_macro2::TokenStream;

use super::Role;
use crate::model::{Task, Thread};
use crate::write::Output;
use crate::write::contexts::Parts;
use crate::write::map::MapLine;

impl Role for Thread {
    fn what_it_is(&self, _: &Task) -> String {
        "is a thread, which waits where it is".into()
    }

    fn instead_of_await(&self) -> Option<String> {
        let way_out = "block on the operation, as `take().block(&cx.thread)` for \
                       `take().await`, or `cx.thread.block_on(..)` for any other future";
        Some(way_out.into())
    }

    fn add_to_context(&self, output: &Output<'_>, task: &Task, parts: &mut Parts) {
        output.add_this(task, parts);
    }

    fn exports(&self, _: &Output<'_>, task: &Task) -> TokenStream {
        emit::thread_exports(task)
    }

    fn map_lines<'a>(&self, output: &Output<'_>, task: &'a Task) -> Vec<MapLine<'a>> {
        output.thread_lines(task, self)
    }
}
