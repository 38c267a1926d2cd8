//! Shows errors as the compiler does: the message, the place, and the line with carets below.

use std::fmt::Write;

use syn::Error;

/// Shows all messages of an error that concerns the file `path` with the content `text`.
pub fn render(error: &Error, path: &str, text: &str) -> String {
    let mut shown = String::new();
    for one in error {
        if !shown.is_empty() {
            shown.push('\n');
        }
        render_one(&one, path, text, &mut shown);
    }
    shown
}

/// Shows one message.
fn render_one(error: &Error, path: &str, text: &str, shown: &mut String) {
    let (start, end) = (error.span().start(), error.span().end());
    writeln!(shown, "error: {error}").expect("strings take everything");
    let line = text.lines().nth(start.line.saturating_sub(1)).unwrap_or_default();
    if start == end {
        // An error without a word of its own is reported at the macro's attribute.
        writeln!(shown, " --> {path}: at the attribute `app`").expect("strings take everything");
        return;
    }
    let width = line.chars().count();
    let last = if end.line == start.line { end.column } else { width };
    let number = start.line.to_string();
    let margin = " ".repeat(number.len());
    let (before, carets) = (" ".repeat(start.column), "^".repeat(last - start.column));
    writeln!(
        shown,
        "{margin}--> {path}:{number}:{column}\n{margin} |\n{number} | {line}\n{margin} | \
         {before}{carets}",
        column = start.column + 1
    )
    .expect("strings take everything");
}
