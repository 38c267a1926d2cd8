//! Whether a page is well formed: as a browser forgives all, only a reader would notice.

use std::collections::BTreeSet;

/// Elements that have no end (HTML, 13.1.2).
const VOID: [&str; 8] = ["meta", "input", "img", "br", "hr", "link", "col", "wbr"];

/// Requires that elements nest and end, that each `id` is there once and each link within the page
/// leads somewhere, and that pictures, frames and tables have names.
#[track_caller]
pub fn assert_well_formed(page: &str) {
    assert!(page.starts_with("<!DOCTYPE html>\n<html lang=\"en\">"), "{}", &page[..60]);
    let tags = tags(page);
    let mut open: Vec<&str> = Vec::new();
    let (mut ids, mut links) = (BTreeSet::new(), BTreeSet::new());
    for tag in &tags {
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop(), Some(name.trim()), "</{name}> ends another element");
            continue;
        }
        let name = tag.split_whitespace().next().unwrap_or_default();
        let id = attribute(tag, "id");
        assert!(id.is_none_or(|id| ids.insert(id)), "two elements are {id:?}");
        links.extend(attribute(tag, "href").and_then(|link| link.strip_prefix('#')));
        match name {
            "img" => assert!(attribute(tag, "alt").is_some_and(|alt| !alt.is_empty()), "{tag}"),
            "iframe" => assert!(attribute(tag, "title").is_some(), "a frame without a name"),
            "svg" => assert!(attribute(tag, "aria-label").is_some(), "{tag}"),
            "section" => assert!(attribute(tag, "aria-labelledby").is_some(), "{tag}"),
            _ => (),
        }
        if !VOID.contains(&name) && !tag.ends_with('/') {
            open.push(name);
        }
    }
    assert_eq!(open, [""; 0], "elements that don't end");
    let lost: Vec<_> = links.difference(&ids).collect();
    assert!(lost.is_empty(), "links to nowhere: {lost:?}");
    let count = |start: &str| tags.iter().filter(|tag| tag.starts_with(start)).count();
    assert_eq!((count("h1"), count("main"), count("nav"), count("header")), (1, 1, 1, 1));
    assert_eq!(count("table"), count("caption"), "each table has a caption");
    assert_eq!(count("section"), count("h2"), "each section has a heading");
}

/// What stands between `<` and `>`, in order; scripts and styles are skipped.
fn tags(page: &str) -> Vec<&str> {
    let mut tags = Vec::new();
    let mut rest = page;
    while let Some(start) = rest.find('<') {
        rest = &rest[start + 1..];
        let mut quoted = false;
        let end = rest.find(|letter| {
            quoted ^= letter == '"';
            letter == '>' && !quoted
        });
        let end = end.expect("a tag ends");
        let tag = &rest[..end];
        rest = &rest[end + 1..];
        if tag.starts_with('!') {
            continue;
        }
        tags.push(tag);
        for raw in ["script", "style"] {
            if tag.split_whitespace().next() == Some(raw) {
                let end = rest.find(&format!("</{raw}>")).expect("a script ends");
                rest = &rest[end..];
            }
        }
    }
    tags
}

fn attribute<'a>(tag: &'a str, name: &str) -> Option<&'a str> {
    let (_, value) = tag.split_once(&format!(" {name}=\""))?;
    value.split('"').next()
}
