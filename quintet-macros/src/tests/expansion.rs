//! `docs/expansion.md` shows today's expansion. With `QUINTET_BLESS=1` in the environment, this
//! test writes the page again.

use std::fs;
use std::path::{Path, PathBuf};

use super::Input;

/// The application that the page shows, and the tests of `quintet` run.
const APPLICATION: &str = "proof/firmware/behaviours/src/bin/each_kind.rs";
/// The text around the expansion in the page.
const BEGIN: &str = "<!-- expansion: begin -->\n```rust\n";
const END: &str = "```\n<!-- expansion: end -->";

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The expansion, formatted like code of a person.
fn expansion() -> String {
    let text = fs::read_to_string(repository().join(APPLICATION)).expect("the file can be read");
    let input = Input::of_file(&text);
    let expansion = crate::expand(input.arguments, input.item);
    prettyplease::unparse(&syn::parse2(expansion).expect("the expansion is Rust"))
}

#[test]
fn the_page_shows_what_is_written() {
    let page = repository().join("docs/expansion.md");
    let text = fs::read_to_string(&page).expect("the file can be read");
    let (before, rest) = text.split_once(BEGIN).expect("the page has the place");
    let (_, after) = rest.split_once(END).expect("the place ends");
    let expected = format!("{before}{BEGIN}{}{END}{after}", expansion());
    if std::env::var_os("QUINTET_BLESS").is_some() {
        fs::write(&page, &expected).expect("the file can be written");
    }
    let text = fs::read_to_string(&page).expect("the file can be read");
    assert!(text == expected, "docs/expansion.md is outdated: QUINTET_BLESS=1 writes it anew");
}
