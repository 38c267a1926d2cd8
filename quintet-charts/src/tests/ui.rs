//! The machines in `ui/` are refused with the messages beside them.
//!
//! `ui/NAME.rs` is a machine, and `ui/NAME.stderr` has the messages. After an intended change,
//! `QUINTET_BLESS=1` in the environment writes the messages again.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::{Item, Meta};

/// The arguments and the block of the machine in a file.
fn machine(text: &str) -> (TokenStream, TokenStream) {
    for item in syn::parse_file(text).expect("the file is Rust").items {
        let Item::Impl(mut block) = item else { continue };
        let is_ours = |one: &syn::Attribute| {
            one.path().segments.last().is_some_and(|last| last.ident == "state_machine")
        };
        let Some(place) = block.attrs.iter().position(is_ours) else { continue };
        let arguments = match block.attrs.remove(place).meta {
            Meta::List(list) => list.tokens,
            _ => TokenStream::new(),
        };
        return (arguments, block.into_token_stream());
    }
    panic!("no block has the attribute `state_machine`");
}

/// Shows errors as the compiler does: the message, the place, and the line with carets below.
fn render(error: &syn::Error, text: &str) -> String {
    let mut shown = String::new();
    for one in error {
        let (start, end) = (one.span().start(), one.span().end());
        if !shown.is_empty() {
            shown.push('\n');
        }
        writeln!(shown, "error: {one}").expect("strings take everything");
        if start == end {
            // An error without a word of its own is reported at the attribute.
            shown.push_str(" --> at the attribute\n");
            continue;
        }
        let line = text.lines().nth(start.line - 1).expect("the line is there");
        let last = if end.line == start.line { end.column } else { line.chars().count() };
        let (number, carets) = (start.line, "^".repeat(last - start.column));
        let before = " ".repeat(start.column);
        writeln!(shown, "{number:3} | {line}\n    | {before}{carets}").expect("as above");
    }
    shown
}

#[test]
fn machines_are_refused_with_the_message_beside_them() {
    let bless = std::env::var_os("QUINTET_BLESS").is_some();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("ui");
    let (mut wrong, mut count) = (Vec::new(), 0);
    for entry in fs::read_dir(root).expect("the directory is there") {
        let path = entry.expect("the directory can be read").path();
        if path.extension().is_none_or(|extension| extension != "rs") {
            assert!(path.with_extension("rs").exists(), "{} has no machine", path.display());
            continue;
        }
        count += 1;
        let name = path.display();
        let text = fs::read_to_string(&path).expect("the file can be read");
        let (arguments, block) = machine(&text);
        let Err(error) = crate::read(arguments, block) else {
            wrong.push(format!("{name} is accepted"));
            continue;
        };
        let shown = render(&error, &text);
        let beside = path.with_extension("stderr");
        if bless {
            fs::write(&beside, &shown).expect("the file can be written");
        }
        let expected = fs::read_to_string(&beside).unwrap_or_default();
        if shown != expected {
            wrong.push(format!("{name}: expected\n{expected}\nbut it says\n{shown}"));
        }
    }
    assert!(count > 20, "only {count} machines");
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}
