//! `cargo xtask book`: the book as pages in a browser, by mdBook.
//!
//! The pages are those of `docs`, in the order of `docs/SUMMARY.md`. The decision records follow. A
//! link that leaves `docs` would lead nowhere from a page in a browser, so the page shows its path
//! instead. `cargo xtask tidy` checks the links.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};

use crate::markdown::prose;
use crate::tidy::tree::{self, Tree};

/// The directory of the pages.
const PAGES: &str = "docs/";
/// The directory of the decision records, which come last.
const RECORDS: &str = "docs/decisions/";
/// The list of the pages.
const SUMMARY: &str = "docs/SUMMARY.md";

/// Put the book's pages together and have mdBook make a web site of them, in target/book/pages
#[derive(clap::Args, Debug)]
pub struct Arguments {
    /// Only put the pages together, into target/book/src, and check that each is in the summary
    #[arg(long)]
    check: bool,
}

impl Arguments {
    /// Makes the book.
    pub fn run(&self) -> Result<()> {
        let root = tree::root();
        let tree = Tree::read(&root)?;
        let summary = summary(&tree)?;
        let source = root.join("target/book/src");
        if source.exists() {
            fs::remove_dir_all(&source).with_context(|| source.display().to_string())?;
        }
        let mut count = 0;
        for path in tree.paths.iter().filter(|path| path.starts_with(PAGES)) {
            let Some(name) = path.strip_prefix(PAGES) else { continue };
            if let Some(page) = tree.file(path) {
                write(&source.join(name), within(path, &page.text).as_bytes())?;
                count += 1;
            } else if root.join(path).is_file() {
                write(&source.join(name), &fs::read(root.join(path))?)?;
            }
        }
        write(&source.join("SUMMARY.md"), summary.as_bytes())?;
        if self.check {
            println!("{count} pages are in the summary");
            return Ok(());
        }
        make(&root)
    }
}

/// Has mdBook make the pages.
fn make(root: &Path) -> Result<()> {
    let status = match Command::new("mdbook").arg("build").current_dir(root).status() {
        Ok(status) => status,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            bail!("there is no mdbook: install it by `cargo install mdbook`")
        }
        Err(error) => return Err(error).context("mdbook could not be started"),
    };
    ensure!(status.success(), "mdbook failed; it says why above");
    println!("{}", root.join("target/book/pages/index.html").display());
    Ok(())
}

fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    if let Some(directory) = path.parent() {
        fs::create_dir_all(directory).with_context(|| directory.display().to_string())?;
    }
    fs::write(path, bytes).with_context(|| path.display().to_string())
}

/// Returns the summary with the decision records, if each page is in it once.
fn summary(tree: &Tree) -> Result<String> {
    let listed = tree.file(SUMMARY).with_context(|| format!("there is no {SUMMARY}"))?;
    let links = prose(&listed.text).flat_map(|(_, line)| links(line));
    let mut seen = BTreeSet::new();
    for (_, target) in links {
        let path = format!("{PAGES}{target}");
        ensure!(tree.file(&path).is_some(), "{SUMMARY} lists {target}: there is no {path}");
        ensure!(seen.insert(path), "{SUMMARY} lists {target} twice");
    }
    let mut records = format!("\n# Decision records\n\n- [All]({})\n", "decisions/README.md");
    for page in tree.files.iter().filter(|file| is_page(&file.path)) {
        if !page.path.starts_with(RECORDS) {
            let path = &page.path;
            ensure!(seen.contains(path), "{path} is not in {SUMMARY}: list it, and what it is");
        } else if !page.path.ends_with("README.md") {
            let title = page.text.lines().next().unwrap_or_default().trim_start_matches("# ");
            let path = page.path.trim_start_matches(PAGES);
            records.push_str(&format!("  - [{title}]({path})\n"));
        }
    }
    Ok(format!("{}{records}", listed.text))
}

fn is_page(path: &str) -> bool {
    path.starts_with(PAGES) && path.ends_with(".md") && path != SUMMARY
}

/// The links of a line: the text, and the target.
fn links(line: &str) -> Vec<(&str, &str)> {
    let mut found = Vec::new();
    let mut rest = line;
    while let Some(middle) = rest.find("](") {
        let text = rest[..middle].rfind('[').map_or("", |begin| &rest[begin + 1..middle]);
        let Some(end) = rest[middle..].find(')') else { break };
        found.push((text, &rest[middle + 2..middle + end]));
        rest = &rest[middle + end..];
    }
    found
}

/// Returns a page whose links stay within the book. Any other link becomes its text and its path.
fn within(path: &str, text: &str) -> String {
    let mut page = text.to_owned();
    for (_, line) in prose(text) {
        for (shown, target) in links(line) {
            let is_away = target.contains("://") || target.starts_with('#');
            let full = tree::join(path, target.split('#').next().unwrap_or(target));
            if !is_away && !full.starts_with(PAGES) {
                page =
                    page.replace(&format!("[{shown}]({target})"), &format!("{shown} (`{full}`)"));
            }
        }
    }
    page
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::tree::File;

    fn tree(summary: &str) -> Tree {
        let file = |path: &str, text: &str| File { path: path.to_owned(), text: text.to_owned() };
        let files = vec![
            file("docs/SUMMARY.md", summary),
            file("docs/a.md", "# A\n"),
            file("docs/decisions/0001-b.md", "# Do b\n"),
        ];
        Tree { paths: files.iter().map(|file| file.path.clone()).collect(), files }
    }

    #[test]
    fn every_page_is_in_the_summary_once() {
        let complete = summary(&tree("- [A](a.md)\n")).unwrap();
        assert!(complete.ends_with("  - [Do b](decisions/0001-b.md)\n"), "{complete}");
        let refused = |text: &str| summary(&tree(text)).unwrap_err().to_string();
        assert_eq!(refused(""), "docs/a.md is not in docs/SUMMARY.md: list it, and what it is");
        assert_eq!(refused("- [A](a.md)\n- [B](a.md)\n"), "docs/SUMMARY.md lists a.md twice");
        assert_eq!(refused("- [C](c.md)\n"), "docs/SUMMARY.md lists c.md: there is no docs/c.md");
    }

    #[test]
    fn links_that_leave_the_book_are_written_as_paths() {
        let text = "See [one](../a.md) and [the other](../../examples/README.md#x).\n";
        assert_eq!(
            within("docs/book/b.md", text),
            "See [one](../a.md) and the other (`examples/README.md`).\n"
        );
        assert_eq!(within("docs/b.md", "[x](https://example.org)"), "[x](https://example.org)");
    }
}
