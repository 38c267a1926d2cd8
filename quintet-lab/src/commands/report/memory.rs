//! The memory map, as a picture: what lies where in the board's memories.

use super::Content;
use crate::report::markup::escaped;
use crate::report::page::Section;
use crate::report::table::{grouped, share, table};
use quintet_sim::board::{MemoryDescription, MemoryKind};

/// The picture's width, a bar's height, and what is above and below a bar.
const WIDTH: f64 = 1000.0;
const BAR: f64 = 34.0;
const ABOVE: f64 = 22.0;
const BELOW: f64 = 22.0;
/// A part is shown that wide at least.
const PART_MIN: f64 = 1.5;
/// The width of a letter, about.
const LETTER: f64 = 8.0;

/// Something in a memory.
struct Part {
    name: String,
    start: u32,
    size: u32,
    /// The colour's angle, in degrees.
    hue: u32,
}

pub fn section(content: &Content) -> anyhow::Result<Option<Section>> {
    let now = &content.now;
    let parts = parts(content);
    let mut svg = String::new();
    let mut rows = table(&["memory", "part", ">from", ">to", ">bytes", ">share"]);
    let mut top = 0.0;
    let mut words = Vec::new();
    for memory in &now.board.memories {
        let here: Vec<&Part> = parts.iter().filter(|part| is_in(memory, part)).collect();
        if here.is_empty() {
            continue;
        }
        svg.push_str(&bar(memory, &here, top));
        top += ABOVE + BAR + BELOW;
        for part in &here {
            rows.add_row([
                memory.name.clone(),
                part.name.clone(),
                format!("{:#010x}", part.start),
                format!("{:#010x}", part.start.saturating_add(part.size)),
                grouped(u64::from(part.size)),
                format!("{:.2} %", share(u64::from(part.size), u64::from(memory.size))),
            ]);
        }
        words.push(format!("{}: {}", memory.name, in_words(memory, &here)));
    }
    let section = Section::new("memory", "Memory map");
    if words.is_empty() {
        return Ok(Some(section.lacks("Nothing of the image lies in a memory of the board.")));
    }
    let picture = format!(
        "<svg class=\"memory\" role=\"img\" aria-label=\"{}\" viewBox=\"0 0 {WIDTH} {top}\">\n\
         {svg}</svg>\n",
        escaped(&words.join("; "))
    );
    let caption = format!("The memories of {}, each as wide as the picture", now.board.name);
    Ok(Some(section.figure(&caption, &picture).table("What lies where", &rows)))
}

/// Sections, where they are loaded and where they are used, and the main stack.
fn parts(content: &Content) -> Vec<Part> {
    let now = &content.now;
    let mut parts = Vec::new();
    for (index, section) in (0_u32..).zip(&now.sizes.sections) {
        // Neighbours differ.
        let hue = 200 + index * 67;
        let part = |name: String, start| Part { name, start, size: section.size, hue: hue % 360 };
        if section.size == 0 {
            continue;
        }
        let loaded = section.load_address.filter(|loaded| *loaded != section.address);
        parts.push(part(section.name.clone(), section.address));
        parts.extend(loaded.map(|loaded| part(format!("{} (loaded)", section.name), loaded)));
    }
    // The first is the main stack.
    if let Some(stack) = now.stacks.first() {
        let name = format!("{}, used", stack.name());
        parts.push(Part { name, start: stack.lowest, size: stack.used, hue: 0 });
    }
    parts.retain(|part| part.size > 0);
    parts.sort_by_key(|part| part.start);
    parts
}

fn is_in(memory: &MemoryDescription, part: &Part) -> bool {
    let mut starts = memory.aliases.iter().chain([&memory.start]);
    starts.any(|start| part.start.wrapping_sub(*start) < memory.size)
}

fn bar(memory: &MemoryDescription, parts: &[&Part], top: f64) -> String {
    let (text, bar) = (top + 16.0, top + ABOVE);
    let kind = if memory.kind == MemoryKind::Flash { "flash" } else { "RAM" };
    let name = format!("{} ({kind}, {} bytes)", memory.name, grouped(u64::from(memory.size)));
    let mut svg = format!(
        "<text x=\"0\" y=\"{text}\">{}</text>\n\
         <rect class=\"region\" x=\"0.5\" y=\"{bar}\" width=\"{}\" height=\"{BAR}\"/>\n",
        escaped(&name),
        WIDTH - 1.0
    );
    for part in parts {
        // Of an alias, the offset is the same.
        let starts = memory.aliases.iter().chain([&memory.start]);
        let offset = starts.map(|start| part.start.wrapping_sub(*start)).min().unwrap_or(0);
        let scale = WIDTH / f64::from(memory.size.max(1));
        let left = (f64::from(offset) * scale).min(WIDTH - PART_MIN);
        let width = (f64::from(part.size) * scale).clamp(PART_MIN, WIDTH - left);
        let bytes = grouped(u64::from(part.size));
        let title = escaped(&format!("{}: {bytes} bytes at {:#010x}", part.name, part.start));
        svg.push_str(&format!(
            "<rect x=\"{left:.2}\" y=\"{bar}\" width=\"{width:.2}\" height=\"{BAR}\" \
             fill=\"hsl({} 55% 68%)\"><title>{title}</title></rect>\n",
            part.hue
        ));
        if part.name.chars().count() as f64 * LETTER < width {
            svg.push_str(&format!(
                "<text class=\"in\" x=\"{:.2}\" y=\"{:.2}\">{}</text>\n",
                left + 5.0,
                bar + BAR * 0.63,
                escaped(&part.name)
            ));
        }
    }
    let (below, end) = (bar + BAR + 15.0, memory.start.wrapping_add(memory.size));
    svg.push_str(&format!(
        "<text class=\"faint\" x=\"0\" y=\"{below}\">{:#010x}</text>\n\
         <text class=\"faint\" x=\"{WIDTH}\" y=\"{below}\" text-anchor=\"end\">{end:#010x}\
         </text>\n",
        memory.start
    ));
    svg
}

/// A memory in words, for who doesn't see the picture.
fn in_words(memory: &MemoryDescription, parts: &[&Part]) -> String {
    let used: u64 = parts.iter().map(|part| u64::from(part.size)).sum();
    let names: Vec<&str> = parts.iter().map(|part| part.name.as_str()).collect();
    format!(
        "{} of {} bytes are used, by {}",
        grouped(used),
        grouped(u64::from(memory.size)),
        names.join(", ")
    )
}
