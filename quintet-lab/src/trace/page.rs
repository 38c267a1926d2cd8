//! A recording as a page for a browser: one file that needs no network.
//!
//! The page holds the recording as columns of numbers. `page.js` draws the part in view.

use super::Recording;
use crate::report::markup::escaped;
use serde_json::json;

const PAGE: &str = include_str!("page.html");
const SCRIPT: &str = include_str!("page.js");
/// What the page has where these go.
const TITLE_PLACE: &str = "{{title}}";
const DATA_PLACE: &str = "{{data}}";
const SCRIPT_PLACE: &str = "{{script}}";

/// The whole page.
pub fn text(recording: &Recording, title: &str) -> String {
    // In a script, `<` may end it or begin a comment; in JSON it stands only within texts.
    let data = data(recording, title).replace('<', "\\u003c");
    let mut page = PAGE.replace(TITLE_PLACE, &escaped(title));
    for (place, content) in [(SCRIPT_PLACE, SCRIPT), (DATA_PLACE, &data)] {
        page = page.replacen(place, content, 1);
    }
    page
}

/// Columns. Times are cycles; the starts of slices are told as differences.
fn data(recording: &Recording, title: &str) -> String {
    let ordered = recording.ordered();
    let mut places = vec![0; recording.tracks.len()];
    for (place, track) in ordered.iter().enumerate() {
        places[*track as usize] = place;
    }
    let place = |track: u32| places[track as usize];
    let tracks = ordered.iter().map(|track| {
        let track = &recording.tracks[*track as usize];
        json!([track.group.word(), track.name])
    });
    let mut last = 0;
    let mut difference = |start: u64| start - std::mem::replace(&mut last, start);
    let mut slices = recording.slices.clone();
    slices.sort_by_key(|slice| (slice.start, std::cmp::Reverse(slice.end)));
    json!({
        "title": title,
        "clock": recording.clock_hz,
        "window": [recording.window.0, recording.window.1],
        "tracks": tracks.collect::<Vec<_>>(),
        "names": recording.names,
        "slices": {
            "track": slices.iter().map(|one| place(one.track)).collect::<Vec<_>>(),
            "name": slices.iter().map(|one| one.name).collect::<Vec<_>>(),
            "start": slices.iter().map(|one| difference(one.start)).collect::<Vec<_>>(),
            "length": slices.iter().map(|one| one.end - one.start).collect::<Vec<_>>(),
            "own": slices.iter().map(|one| one.own).collect::<Vec<_>>(),
        },
        "marks": recording.marks.iter()
            .map(|mark| json!([place(mark.track), mark.cycle, mark.text])).collect::<Vec<_>>(),
        "arrows": recording.arrows.iter()
            .map(|one| json!([place(one.from), one.start, place(one.to), one.end]))
            .collect::<Vec<_>>(),
        "counters": recording.counters,
        "samples": recording.samples.iter()
            .map(|one| json!([one.counter, one.cycle, one.value])).collect::<Vec<_>>(),
    })
    .to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::example;

    #[test]
    fn the_page_holds_everything_and_needs_no_network() {
        let page = text(&example::recording(), "a <b> & c");
        assert!(page.contains("<title>a &lt;b&gt; &amp; c</title>"));
        assert_eq!(page.matches("</script>").count(), 2, "the text of a mark ends no script");
        for outside in ["http:", "https:", "src=", "@import", "url("] {
            assert!(!page.contains(outside), "{outside}");
        }
        for place in [TITLE_PLACE, DATA_PLACE, SCRIPT_PLACE] {
            assert!(!page.contains(place));
        }
    }

    #[test]
    fn columns_are_as_long_as_there_are_slices() {
        let value: serde_json::Value =
            serde_json::from_str(&data(&example::recording(), "it")).unwrap();
        assert_eq!(value["slices"]["start"], json!([0, 600]));
        assert_eq!(value["slices"]["track"], json!([1, 0]));
        assert_eq!(value["tracks"][0], json!(["exceptions", "UART0 (IRQ 5)"]));
        assert_eq!(value["arrows"][0], json!([1, 590, 0, 600]));
    }
}
