//! Where the cycles go.

use super::super::profile::{context_table, function_table, line_table};
use super::Content;
use crate::profile::flame_graph;
use crate::report::markup::escaped;
use crate::report::page::{Section, embed};

/// So many functions and lines are listed.
const SHOWN: usize = 30;
/// What a frame adds to the picture's height, in pixels.
const AROUND: u32 = 44;

/// The picture with a field to search in.
const FRAME: &str = include_str!("flame.html");

pub fn section(content: &Content) -> anyhow::Result<Option<Section>> {
    let now = &content.now;
    let profile = &now.profile;
    let title = format!("Flame graph of {}", now.name);
    let svg = flame_graph(profile, &title)?;
    let svg = String::from_utf8_lossy(&svg);
    let height = height(&svg).unwrap_or(600) + AROUND;
    // What stands before the picture is of a file, not of a page.
    let start = svg.find("<svg").unwrap_or(0);
    let page = FRAME.replace("{{title}}", &escaped(&title)).replace("{{picture}}", &svg[start..]);
    let mut section = Section::new("profile", "Profile").figure(
        "Each box is a function, as wide as the cycles in it and in what it calls, above its \
         caller. Click a box to enlarge it.",
        &embed::frame(&page, &title, height),
    );
    section = section.table("By context", &context_table(profile));
    let most = profile.functions.len().min(SHOWN);
    section = section.table(
        "The functions with the most cycles",
        &function_table(&profile.functions[..most], profile.cycles),
    );
    if profile.lines.is_empty() {
        return Ok(Some(section.lacks(
            "Lines need debug information: debug = \"line-tables-only\" in the profile is enough.",
        )));
    }
    let most = profile.lines.len().min(SHOWN);
    let lines = line_table(&profile.lines[..most], profile.cycles);
    Ok(Some(section.table("The lines with the most cycles", &lines)))
}

/// The height of a picture in pixels, as its first tag says.
fn height(svg: &str) -> Option<u32> {
    let tag = svg.split_once("<svg")?.1.split_once('>')?.0;
    let value = tag.split_once(" height=\"")?.1.split_once('"')?.0;
    value.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_height_is_that_of_the_first_tag() {
        assert_eq!(
            height("<?xml?><svg a=\"1\" height=\"120\" x=\"2\"><g height=\"3\"/>"),
            Some(120)
        );
        assert_eq!(height("<svg>"), None);
    }
}
