//! What everything that runs takes, and how long it waits to run.

use super::Content;
use crate::report::page::Section;
use crate::report::table::grouped;
use crate::trace::span::in_words;
use crate::trace::summary;

pub fn section(content: &Content) -> anyhow::Result<Option<Section>> {
    let now = &content.now;
    let mut section = Section::new("costs", "Costs and latencies")
        .table("In cycles", &summary::tracks(&now.costs))
        .says(
            "Own cycles are those in which nothing more urgent ran. The shortest and the longest \
             are from begin to end, whatever ran meanwhile. From wake to run is the longest time \
             from when something was made ready to when it began. All of it is this run: `quintet \
             inject` looks for the worst.",
        );
    if let Some(cut) = &now.recording.cut {
        section = section.warns(&format!(
            "These are the first {} cycles, {}: {cut} was reached.",
            grouped(now.recording.window.1),
            in_words(now.recording.window.1, now.board.clock_hz)
        ));
    }
    Ok(Some(section))
}
