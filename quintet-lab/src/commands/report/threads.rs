//! What each thread takes.

use super::Content;
use crate::report::page::Section;

pub fn section(content: &Content) -> anyhow::Result<Option<Section>> {
    let section = Section::new("threads", "Threads");
    let Some(threads) = &content.now.threads else {
        return Ok(Some(section.lacks(
            "The image has no threads of Quintet, or no symbols. Threads are `#[thread]` in an \
             application or `quintet::thread!`; `strip` in a profile removes symbols.",
        )));
    };
    Ok(Some(section.table("At the end of the run; stacks in bytes", &threads.table()).says(
        "A switch is voluntary if the thread waits, yields or ends. It is preempted if a more \
         urgent thread takes over, or an interrupt makes it.",
    )))
}
