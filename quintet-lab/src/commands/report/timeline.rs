//! A part of the run as a picture: the page that `quintet trace` writes, in a frame.

use super::Content;
use crate::report::page::{Section, embed};
use crate::report::table::grouped;
use crate::trace::span::in_words;
use crate::trace::{Recording, page};

/// So many events are shown where nobody has chosen a part: a browser draws them at once.
const EVENTS: usize = 20_000;
/// The height of a track in pixels, of what is around the tracks, and of the picture at the most.
const TRACK: u32 = 24;
const AROUND: u32 = 210;
const HEIGHT_MAX: u32 = 720;

pub fn section(content: &Content) -> anyhow::Result<Option<Section>> {
    let now = &content.now;
    let all = &now.recording;
    let shown = excerpt(all, content.window);
    let section = Section::new("timeline", "Timeline");
    if shown.events() == 0 {
        return Ok(Some(section.lacks(
            "Nothing happened in this part of the run: --from and --to choose another one.",
        )));
    }
    let tracks = u32::try_from(shown.ordered().len() + 2 * shown.counters.len()).unwrap_or(0);
    let height = HEIGHT_MAX.min(AROUND + TRACK * tracks);
    let (from, to) = shown.window;
    let time = |cycle| in_words(cycle, now.board.clock_hz);
    let caption = format!(
        "{} of {} events, from {} to {} of {}. Click into the picture, then zoom by the wheel or W \
         and S, move by dragging or A and D.{}",
        grouped(shown.events() as u64),
        grouped(all.events() as u64),
        time(from),
        time(to),
        time(now.cycles),
        if shown.window == all.window { "" } else { " --from and --to choose another part." }
    );
    let title = format!("Timeline of {}", now.name);
    let frame = embed::frame(&page::text(&shown, &title), &title, height);
    Ok(Some(section.figure(&caption, &frame)))
}

/// The part that was asked for, or its beginning if that is too much.
fn excerpt(all: &Recording, (from, to): (Option<u64>, Option<u64>)) -> Recording {
    let mut shown = all.clone();
    let (first, last) = all.window;
    let is_chosen = from.is_some() || to.is_some();
    if is_chosen {
        shown.keep_window(from.unwrap_or(first), to.unwrap_or(last).min(last));
    }
    if shown.events() > EVENTS {
        let slices = shown.slices.iter().map(|slice| slice.end);
        let marks = shown.marks.iter().map(|mark| mark.cycle);
        let arrows = shown.arrows.iter().map(|arrow| arrow.end);
        let samples = shown.samples.iter().map(|sample| sample.cycle);
        let mut ends: Vec<u64> = slices.chain(marks).chain(arrows).chain(samples).collect();
        let (_, end, _) = ends.select_nth_unstable(EVENTS);
        let end = *end;
        shown.keep_window(shown.window.0, end.max(shown.window.0 + 1));
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::Sample;

    #[test]
    fn the_beginning_is_shown_of_what_is_too_much() {
        let sample = |cycle| Sample { counter: 0, cycle, value: 1 };
        let all = Recording {
            window: (0, 100_000),
            samples: (0..50_000).map(sample).collect(),
            counters: vec!["it".to_owned()],
            ..Recording::default()
        };
        let shown = excerpt(&all, (None, None));
        assert_eq!(shown.window, (0, EVENTS as u64));
        assert!(shown.events() <= EVENTS + 1);
        let chosen = excerpt(&all, (Some(10), Some(20)));
        assert_eq!((chosen.window, chosen.events()), ((10, 20), 11));
        assert_eq!(excerpt(&all, (Some(99_000), Some(1 << 40))).window, (99_000, 100_000));
    }
}
