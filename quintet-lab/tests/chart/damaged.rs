//! Sources that were damaged at random: refused, or drawn as far as they can be.

use std::path::PathBuf;

/// Tokens are left out, doubled and exchanged, in the same way in each run: there is always an
/// answer, and what is drawn has all formats.
#[test]
fn damaged_sources_never_panic() {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..");
    let directories = ["quintet-charts/ui", "quintet-lab/tests/charts", "proof/tests/charts"];
    let entries = directories.iter().flat_map(|one| std::fs::read_dir(root.join(one)).unwrap());
    let mut paths: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|end| end == "rs"));
    paths.push(root.join("examples/src/bin/pelican.rs"));
    paths.sort();
    let mut state = 0x05EE_D0FC_4A7F_u64;
    let mut below = |bound: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        usize::try_from(state % bound as u64).unwrap()
    };
    let (mut whole, mut drafts, mut refused) = (0, 0, 0);
    for path in paths {
        let text = std::fs::read_to_string(&path).unwrap();
        let words: Vec<&str> = pieces(&text);
        for _ in 0..8 {
            let mut words = words.clone();
            let (place, other) = (below(words.len()), below(words.len()));
            match below(3) {
                0 => drop(words.remove(place)),
                1 => words.insert(place, words[place]),
                _ => words.swap(place, other),
            }
            match quintet_lab::chart::read(&path, words.concat().as_bytes()) {
                Ok(file) => {
                    for one in file.found {
                        assert_ne!(one.drawing.is_draft, one.refusals.is_empty());
                        whole += u32::from(!one.drawing.is_draft);
                        drafts += u32::from(one.drawing.is_draft);
                        let drawing = &one.drawing;
                        quintet_lab::chart::svg::text(drawing);
                        quintet_lab::chart::mermaid::text(drawing);
                        quintet_lab::chart::outline::text(drawing);
                        quintet_lab::chart::json::value(&one);
                    }
                }
                Err(error) => {
                    let error = format!("{error:#}");
                    assert!(!error.contains("could not be read"), "{}: {error}", path.display());
                    refused += 1;
                }
            }
        }
    }
    assert!(whole > 20 && drafts > 50 && refused > 20, "{whole}, {drafts}, {refused}");
}

/// Names, numbers, blanks and signs of a text, each for itself.
fn pieces(text: &str) -> Vec<&str> {
    let is_name = |letter: char| letter.is_alphanumeric() || letter == '_';
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = match is_name(first) {
            true => rest.find(|letter| !is_name(letter)).unwrap_or(rest.len()),
            false => first.len_utf8(),
        };
        let (piece, behind) = rest.split_at(length);
        pieces.push(piece);
        rest = behind;
    }
    pieces
}
