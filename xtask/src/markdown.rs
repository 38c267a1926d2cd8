//! The little of Markdown that the checks need: fenced blocks, prose without its code, headings.

/// A fenced block.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Block<'a> {
    /// The text behind the opening fence: the language, and more.
    pub info: &'a str,
    /// The number of the block's first line of content, from 1.
    pub line: usize,
    /// The block's content.
    pub lines: Vec<&'a str>,
}

/// All fenced blocks.
pub fn blocks(text: &str) -> Vec<Block<'_>> {
    let mut found = Vec::new();
    let mut open: Option<Block<'_>> = None;
    for (index, line) in text.lines().enumerate() {
        match (&mut open, line.trim_start().strip_prefix("```")) {
            (None, Some(info)) => {
                open = Some(Block { info: info.trim(), line: index + 2, lines: Vec::new() });
            }
            (Some(_), Some(_)) => found.extend(open.take()),
            (Some(block), None) => block.lines.push(line),
            (None, None) => {}
        }
    }
    found
}

/// The lines outside fenced blocks, each with its number from 1.
pub fn prose(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut fenced = false;
    text.lines().enumerate().filter_map(move |(index, line)| {
        let fence = line.trim_start().starts_with("```");
        fenced ^= fence;
        (!fenced && !fence).then_some((index + 1, line))
    })
}

/// Returns a line's text and its code spans: every second part is a code span.
pub fn code_spans(line: &str) -> impl Iterator<Item = &str> {
    line.split('`').skip(1).step_by(2)
}

/// A line without its code spans.
pub fn without_code(line: &str) -> String {
    line.split('`').step_by(2).collect()
}

/// The anchors that the headings of a text make, as GitHub writes them.
pub fn anchors(text: &str) -> Vec<String> {
    let headings = prose(text).filter_map(|(_, line)| {
        let title = line.trim_start_matches('#');
        (title.len() < line.len()).then(|| title.strip_prefix(' ')).flatten()
    });
    headings.map(anchor).collect()
}

fn anchor(title: &str) -> String {
    let kept = title.trim().chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.map(|c| if c == ' ' { '-' } else { c.to_ascii_lowercase() }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "# The `run` command\n\n```sh\ncargo test # x\n```\nSee `a` and `b c`.\n";

    #[test]
    fn blocks_and_prose_are_told_apart() {
        let expected = Block { info: "sh", line: 4, lines: vec!["cargo test # x"] };
        assert_eq!(blocks(TEXT), [expected]);
        let lines: Vec<_> = prose(TEXT).map(|(number, _)| number).collect();
        assert_eq!(lines, [1, 2, 6]);
    }

    #[test]
    fn code_spans_and_anchors_are_found() {
        let line = "See `a` and `b c`.";
        assert_eq!(code_spans(line).collect::<Vec<_>>(), ["a", "b c"]);
        assert_eq!(without_code(line), "See  and .");
        assert_eq!(anchors(TEXT), ["the-run-command"]);
    }
}
