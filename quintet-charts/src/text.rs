//! Code as text on one line, as it stands in the source.

use proc_macro2::{Delimiter, LineColumn, TokenStream, TokenTree};
use quote::ToTokens;

/// The text of the source, with one space where the source has any.
pub fn text(part: &impl ToTokens) -> String {
    let mut line = Line::default();
    line.tokens(part.to_token_stream());
    line.text
}

/// A pattern of events, without the paths before the names.
pub fn event_text(pattern: &impl ToTokens) -> String {
    let whole = text(pattern);
    let (mut kept, mut rest) = (String::new(), whole.as_str());
    while let Some((before, behind)) = rest.split_once("::") {
        let is_name = |letter: char| letter.is_alphanumeric() || letter == '_';
        kept.push_str(before.trim_end_matches(is_name));
        rest = behind;
    }
    kept.push_str(rest);
    kept
}

/// A line that grows.
#[derive(Default)]
struct Line {
    text: String,
    /// Where the last token ended.
    end: Option<LineColumn>,
}

impl Line {
    fn tokens(&mut self, tokens: TokenStream) {
        for token in tokens {
            match token {
                TokenTree::Group(group) => {
                    let (open, close) = match group.delimiter() {
                        Delimiter::Parenthesis => ("(", ")"),
                        Delimiter::Brace => ("{", "}"),
                        Delimiter::Bracket => ("[", "]"),
                        Delimiter::None => {
                            self.tokens(group.stream());
                            continue;
                        }
                    };
                    // For tokens that were taken apart and put together, only the place of the
                    // whole is known.
                    let (start, end) = (group.span().start(), group.span().end());
                    self.word(open, start, LineColumn { column: start.column + 1, ..start });
                    self.tokens(group.stream());
                    let close_start = end.column.saturating_sub(1);
                    self.word(close, LineColumn { column: close_start, ..end }, end);
                }
                token => {
                    let span = token.span();
                    self.word(&token.to_string(), span.start(), span.end());
                }
            }
        }
    }

    fn word(&mut self, word: &str, start: LineColumn, end: LineColumn) {
        if self.end.is_some_and(|end| end != start) {
            self.text.push(' ');
        }
        // A literal may have line breaks.
        self.text.push_str(&word.split_whitespace().collect::<Vec<_>>().join(" "));
        self.end = Some(end);
    }
}
