//! The width of text, and its breaks into lines.
//!
//! All text has a font whose letters have one width, so that no font must be read.

/// The width of a letter, as a share of the font's size: that of the widest usual font.
const LETTER: f64 = 0.61;

/// The longest line of a label, in letters.
const LINE_MAX: usize = 34;

/// A space at which no line is broken.
const GLUE: char = '\u{a0}';

/// Returns the width of `text` in a font of `size`.
pub fn width(text: &str, size: f64) -> f64 {
    letters(text) as f64 * LETTER * size
}

/// Returns how many places the letters of a text take. Letters of East Asian scripts and pictures
/// take two.
fn letters(text: &str) -> usize {
    text.chars().map(|letter| if letter >= '\u{1100}' { 2 } else { 1 }).sum()
}

/// Breaks a text into lines at spaces. A longer word is broken where the line ends.
pub fn lines(text: &str) -> Vec<String> {
    let mut lines = vec![String::new()];
    // The sign before an action stays with it.
    let text = text.replace(" / ", &format!(" /{GLUE}"));
    for word in text.split(' ').filter(|word| !word.is_empty()) {
        let line = lines.last_mut().map(|line| (letters(line), line));
        let Some((length, line)) = line else { continue };
        if length > 0 && length + 1 + letters(word) <= LINE_MAX {
            line.push(' ');
            line.push_str(word);
            continue;
        }
        if length > 0 {
            lines.push(String::new());
        }
        for letter in word.chars() {
            if lines.last().is_some_and(|line| letters(line) >= LINE_MAX) {
                lines.push(String::new());
            }
            if let Some(line) = lines.last_mut() {
                line.push(letter);
            }
        }
    }
    lines.retain(|line| !line.is_empty());
    lines.iter().map(|line| line.replace(GLUE, " ")).collect()
}

/// Returns the lines of a transition's label. If event and action are both long, the action has a
/// line of its own.
pub fn label(parts: [String; 2], note: &str) -> Vec<String> {
    let [head, action] = parts;
    let whole = format!("{head} {action} {note}");
    if letters(whole.trim()) <= LINE_MAX {
        return lines(&whole);
    }
    let mut all = lines(&head);
    all.extend(lines(&format!("{action} {note}")));
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_text_is_broken_and_nothing_is_lost() {
        let text = "one two three four five six seven eight nine ten";
        let broken = lines(text);
        assert!(
            broken.len() == 2 && broken.iter().all(|line| line.len() <= LINE_MAX),
            "{broken:?}"
        );
        assert_eq!(broken.join(" "), text);
        let word = "a".repeat(80);
        assert_eq!(lines(&word).concat(), word);
        assert!(lines("  ").is_empty());
        let text = format!("{} / b", "a".repeat(31));
        assert_eq!(lines(&text), [&"a".repeat(31), "/ b"]);
        assert_eq!(width("状態", 10.0), width("abcd", 10.0));
    }

    #[test]
    fn a_short_label_is_one_line() {
        let parts = |head: &str, action: &str| [head.to_owned(), action.to_owned()];
        assert_eq!(label(parts("A [b]", "/ c"), ""), ["A [b] / c"]);
        let long = label(parts("Event::Timeout [self.left == 0]", "/ start_eating"), "(local)");
        assert_eq!(long, ["Event::Timeout [self.left == 0]", "/ start_eating (local)"]);
    }
}
