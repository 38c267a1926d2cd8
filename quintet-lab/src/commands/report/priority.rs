//! The priority line.

use super::super::map::{heading, line_table, resource_table};
use super::Content;
use crate::report::page::Section;

pub fn section(content: &Content) -> anyhow::Result<Option<Section>> {
    let mut section = Section::new("priorities", "The priority line");
    let Some(map) = &content.now.map else {
        return Ok(Some(section.lacks(
            "The image has no map. `#[quintet::app]` leaves one in the ELF file: which task, actor \
             and thread runs where, and which resources they share.",
        )));
    };
    section = section
        .says(&heading(map))
        .table("From the most urgent to idle; RAM and stack in bytes", &line_table(map));
    if let Some(resources) = resource_table(map) {
        section = section.table("What is shared", &resources);
    }
    for line in map.unguarded.lines().filter(|line| !line.trim().is_empty()) {
        section = section.says(line);
    }
    for warning in &map.warnings {
        section = section.warns(warning);
    }
    Ok(Some(section))
}
