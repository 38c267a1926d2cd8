//! The state machines.

use super::Content;
use crate::chart::{outline, svg};
use crate::report::page::{Section, embed};

pub fn section(content: &Content) -> anyhow::Result<Option<Section>> {
    let charts = &content.now.charts;
    let mut section = Section::new("charts", "State machines");
    if charts.is_empty() {
        return Ok(Some(section.lacks(
            "The image has no state machine. `#[quintet::state_machine]` leaves one in the ELF \
             file.",
        )));
    }
    for chart in charts {
        let picture = embed::image(&svg::text(chart), &outline::text(chart));
        section = section.figure(&chart.heading(), &picture);
    }
    Ok(Some(section))
}
