//! A recording as a picture in a document: SVG, of a fixed width, without a script.

use super::{Arrow, Recording, Slice};
use crate::report::markup::escaped;
use crate::trace::span::in_words;
use std::collections::BTreeMap;
use std::fmt::Write;

const WIDTH: f64 = 960.0;
/// The most room for the names of tracks.
const LABEL_MAX: f64 = 210.0;
const MARGIN: f64 = 12.0;
/// The height of a track, and of what is drawn in it.
const ROW: f64 = 24.0;
const BAR: f64 = 18.0;
/// Above the first track.
const TOP: f64 = 30.0;
/// No slice is drawn narrower.
const THIN: f64 = 1.5;
/// Such a slice is drawn if it ends so far behind what is drawn.
const APART: f64 = 0.5;
/// A letter is about as wide.
const LETTER: f64 = 6.6;
/// Of more arrows, none is drawn: they would hide the rest.
const ARROWS_MAX: usize = 200;
/// Times at the axis.
const TICKS: u64 = 6;

const STYLE: &str = "\
text{font:12px system-ui,sans-serif;fill:#222}.n{text-anchor:end}.t{text-anchor:middle;fill:#666}\
.g{stroke:#ddd}.r{stroke:#eee}.a{stroke:#c33;fill:none;opacity:.7}.m{fill:#555}\
.b{fill:#fff}@media(prefers-color-scheme:dark){text{fill:#ddd}.t{fill:#999}.g{stroke:#333}\
.r{stroke:#262626}.m{fill:#aaa}.b{fill:#161616}.s text{fill:#111}}";

/// The whole file.
pub fn text(recording: &Recording, title: &str) -> String {
    let drawing = Drawing::new(recording);
    let height = TOP + ROW * drawing.rows.len() as f64 + MARGIN;
    let title = escaped(title);
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" role=\"img\">\n\
         <title>{title}</title>\n<style>{STYLE}</style>\n\
         <rect class=\"b\" width=\"{WIDTH}\" height=\"{height}\"/>\n"
    );
    drawing.axis(&mut text, height - MARGIN);
    drawing.names(&mut text);
    drawing.slices(&mut text);
    drawing.marks(&mut text);
    drawing.arrows(&mut text);
    text.push_str("</svg>\n");
    text
}

/// A recording, and the row of each of its tracks.
struct Drawing<'a> {
    recording: &'a Recording,
    rows: BTreeMap<u32, usize>,
    /// The room for the names.
    label: f64,
}

impl<'a> Drawing<'a> {
    fn new(recording: &'a Recording) -> Self {
        let rows = recording.ordered().into_iter().enumerate();
        let rows: BTreeMap<u32, usize> = rows.map(|(row, track)| (track, row)).collect();
        let names = rows.keys().map(|track| recording.tracks[*track as usize].name.chars().count());
        let label = 2.0 * MARGIN + names.max().unwrap_or(0) as f64 * LETTER;
        Self { recording, rows, label: label.min(LABEL_MAX) }
    }

    /// The place of a cycle from the left.
    fn x(&self, cycle: u64) -> f64 {
        let (from, to) = self.recording.window;
        let part = cycle.saturating_sub(from) as f64 / to.saturating_sub(from).max(1) as f64;
        self.label + part.min(1.0) * (WIDTH - self.label - MARGIN)
    }

    /// The upper edge of a track's bars.
    fn y(&self, track: u32) -> Option<f64> {
        self.rows.get(&track).map(|row| TOP + ROW * *row as f64 + (ROW - BAR) / 2.0)
    }

    fn axis(&self, text: &mut String, bottom: f64) {
        let (from, to) = self.recording.window;
        for tick in 0..=TICKS {
            let cycle = from + (to - from) / TICKS * tick;
            let x = self.x(cycle);
            let time = in_words(cycle, self.recording.clock_hz);
            let anchor = if tick == TICKS { " style=\"text-anchor:end\"" } else { "" };
            // Writing to a text doesn't fail.
            let _ = writeln!(
                text,
                "<path class=\"g\" d=\"M{x:.1} {TOP}V{bottom}\"/>\
                 <text class=\"t\" x=\"{x:.1}\" y=\"18\"{anchor}>{time}</text>"
            );
        }
    }

    fn names(&self, text: &mut String) {
        let longest = ((self.label - 1.5 * MARGIN) / LETTER) as usize;
        for (track, row) in &self.rows {
            let top = TOP + ROW * *row as f64;
            let name = escaped(&shortened(&self.recording.tracks[*track as usize].name, longest));
            let _ = writeln!(
                text,
                "<path class=\"r\" d=\"M{MARGIN} {top}H{:.1}\"/>\
                 <text class=\"n\" x=\"{:.1}\" y=\"{:.1}\">{name}</text>",
                WIDTH - MARGIN,
                self.label - MARGIN / 2.0,
                top + 16.0
            );
        }
    }

    fn slices(&self, text: &mut String) {
        text.push_str("<g class=\"s\">\n");
        // How far each track is drawn, so that what shares a place is drawn once.
        let mut drawn: BTreeMap<u32, f64> = BTreeMap::new();
        for slice in &self.recording.slices {
            let Some(y) = self.y(slice.track) else { continue };
            let x = self.x(slice.start);
            let width = (self.x(slice.end) - x).max(THIN);
            let behind = drawn.entry(slice.track).or_insert(0.0);
            if width <= THIN && x + width <= *behind + APART {
                continue;
            }
            *behind = behind.max(x + width);
            self.slice(text, slice, (x, y, width));
        }
        text.push_str("</g>\n");
    }

    fn slice(&self, text: &mut String, slice: &Slice, (x, y, width): (f64, f64, f64)) {
        let name = &self.recording.names[slice.name as usize];
        let _ = write!(
            text,
            "<rect x=\"{x:.1}\" y=\"{y}\" width=\"{width:.1}\" height=\"{BAR}\" rx=\"2\" \
             fill=\"hsl({} 55% 72%)\"><title>{}: {} cycles</title></rect>",
            hue(name),
            escaped(name),
            slice.end - slice.start
        );
        let letters = ((width - 6.0) / LETTER).max(0.0) as usize;
        if letters >= 3 {
            let name = escaped(&shortened(name, letters));
            let _ = write!(text, "<text x=\"{:.1}\" y=\"{:.1}\">{name}</text>", x + 4.0, y + 13.0);
        }
        text.push('\n');
    }

    fn marks(&self, text: &mut String) {
        for mark in &self.recording.marks {
            let Some(y) = self.y(mark.track) else { continue };
            let (x, middle) = (self.x(mark.cycle), y + BAR / 2.0);
            let _ = writeln!(
                text,
                "<path class=\"m\" d=\"M{x:.1} {:.1}l4 5l-4 5l-4 -5z\"><title>{}</title></path>",
                middle - 5.0,
                escaped(&mark.text)
            );
        }
    }

    fn arrows(&self, text: &mut String) {
        if self.recording.arrows.len() > ARROWS_MAX {
            return;
        }
        for Arrow { from, start, to, end } in &self.recording.arrows {
            let (Some(above), Some(below)) = (self.y(*from), self.y(*to)) else { continue };
            let (x, y) = (self.x(*start), above + BAR / 2.0);
            let (to_x, to_y) = (self.x(*end), below + BAR / 2.0);
            let _ = writeln!(
                text,
                "<path class=\"a\" d=\"M{x:.1} {y:.1}C{x:.1} {to_y:.1} {to_x:.1} {y:.1} {to_x:.1} \
                 {to_y:.1}\"/>"
            );
        }
    }
}

/// The first letters of a name that is too long.
fn shortened(name: &str, letters: usize) -> String {
    if name.chars().count() <= letters {
        return name.to_owned();
    }
    name.chars().take(letters.saturating_sub(1)).chain(['…']).collect()
}

/// The colour of a name, as the page has it.
fn hue(name: &str) -> u32 {
    name.chars().fold(7, |hash, letter| (hash * 31 + u32::from(letter)) % 360)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::example;

    #[test]
    fn every_track_and_what_happened_on_it_is_drawn() {
        let picture = text(&example::recording(), "a <b>");
        assert!(picture.contains("<title>a &lt;b&gt;</title>"), "{picture}");
        assert!(picture.contains(">UART0 (IRQ 5)</text>"), "{picture}");
        assert!(!picture.contains("never"), "an empty track is not drawn: {picture}");
        assert_eq!(picture.matches("<rect x=").count(), 2, "{picture}");
        assert!(picture.contains("<title>receive: 200 cycles</title>"), "{picture}");
        assert!(picture.contains("a &quot;line&quot; &lt;/script&gt;"), "{picture}");
        assert_eq!(picture.matches("class=\"a\"").count(), 1, "{picture}");
    }

    #[test]
    fn what_shares_a_place_is_drawn_once() {
        let mut recording = example::recording();
        recording.window = (0, 12_000_000);
        let slice = Slice { track: 1, name: 1, start: 600, end: 700, own: 100 };
        recording.slices.extend((0..50).map(|_| slice));
        let picture = text(&recording, "");
        assert!(picture.matches("<rect x=").count() <= 3, "{picture}");
    }

    #[test]
    fn long_names_are_cut() {
        assert_eq!(shortened("abc", 3), "abc");
        assert_eq!(shortened("abcd", 3), "ab…");
    }
}
