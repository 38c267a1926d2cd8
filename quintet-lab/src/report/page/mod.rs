//! Pages for a browser, in one style: a file that needs no other file and no network.
//!
//! ```text
//!  Page ── title, facts in a line
//!   ├── Section ── a heading and what is below it, an entry of the list of contents
//!   └── ..
//! ```
//!
//! A page reads well on a screen, light or dark, and on paper. The keyboard reaches all of it. Its
//! policy forbids the browser to load anything, so that you can mail a page, and open it from an
//! archive years later.

pub mod embed;
pub mod table;

use super::markup::escaped;
use super::table::Table;
use anyhow::ensure;
use std::path::Path;

const STYLE: &str = include_str!("style.css");
const SCRIPT: &str = include_str!("script.js");
/// What a page may load: nothing but what it holds.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; \
                      img-src data:";

/// A page.
#[derive(Clone, Debug)]
pub struct Page {
    /// Its title.
    pub title: String,
    /// What it is about, each with its name.
    pub facts: Vec<(&'static str, String)>,
    /// What it shows.
    pub sections: Vec<Section>,
}

/// A part of a page, with a heading.
#[derive(Clone, Debug)]
pub struct Section {
    id: String,
    title: String,
    body: String,
}

impl Page {
    /// The file.
    pub fn text(&self) -> String {
        let title = escaped(&self.title);
        let mut page = format!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n\
             <title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n\
             <a class=\"skip\" href=\"#main\">Skip to the content</a>\n\
             <header>\n<h1>{title}</h1>\n"
        );
        page.push_str(&definitions(&self.facts));
        page.push_str("</header>\n<nav aria-label=\"Sections\">\n");
        page.push_str(
            "<label class=\"tools\">Find in the tables <kbd>/</kbd>\n\
             <input type=\"search\" id=\"find\"></label>\n\
             <p class=\"tools\" id=\"found\" aria-live=\"polite\"></p>\n<ol>\n",
        );
        for Section { id, title, .. } in &self.sections {
            page.push_str(&format!("<li><a href=\"#{id}\">{}</a></li>\n", escaped(title)));
        }
        page.push_str("</ol>\n</nav>\n<main id=\"main\" tabindex=\"-1\">\n");
        for Section { id, title, body } in &self.sections {
            page.push_str(&format!(
                "<section id=\"{id}\" aria-labelledby=\"{id}-title\">\n\
                 <h2 id=\"{id}-title\">{}</h2>\n{body}</section>\n",
                escaped(title)
            ));
        }
        page.push_str(&format!("</main>\n<script>\n{SCRIPT}</script>\n</body>\n</html>\n"));
        page
    }
}

/// Refuses a name that isn't that of a page.
///
/// # Errors
/// If it ends otherwise than a browser needs it to.
pub fn check_name(path: &Path) -> anyhow::Result<()> {
    let end = path.extension().and_then(|end| end.to_str()).unwrap_or_default();
    ensure!(
        matches!(end, "html" | "htm"),
        "{} would be a page, which browsers know by its name: let the name end in .html",
        path.display()
    );
    Ok(())
}

fn definitions(facts: &[(&str, String)]) -> String {
    let one = |(name, what): &(&str, String)| {
        format!("<div><dt>{}</dt><dd>{}</dd></div>\n", escaped(name), escaped(what))
    };
    format!("<dl class=\"facts\">\n{}</dl>\n", facts.iter().map(one).collect::<String>())
}

impl Section {
    /// One with nothing in it. `id` is its place in the page's address: letters, digits and `-`.
    pub fn new(id: &str, title: &str) -> Self {
        Self { id: id.to_owned(), title: title.to_owned(), body: String::new() }
    }

    /// Adds a paragraph.
    #[must_use]
    pub fn says(mut self, text: &str) -> Self {
        self.body.push_str(&format!("<p>{}</p>\n", escaped(text)));
        self
    }

    /// Adds why there is nothing to show, and what it takes to have something.
    #[must_use]
    pub fn lacks(mut self, text: &str) -> Self {
        self.body.push_str(&format!("<p class=\"lacks\">{}</p>\n", escaped(text)));
        self
    }

    /// Adds what the reader must not miss.
    #[must_use]
    pub fn warns(mut self, text: &str) -> Self {
        self.body.push_str(&format!("<p class=\"warns\">{}</p>\n", escaped(text)));
        self
    }

    /// Adds a list.
    #[must_use]
    pub fn lists(mut self, lines: &[String]) -> Self {
        let lines = lines.iter().map(|line| format!("<li>{}</li>\n", escaped(line)));
        self.body.push_str(&format!("<ul>\n{}</ul>\n", lines.collect::<String>()));
        self
    }

    /// Adds a table with a caption.
    #[must_use]
    pub fn table(mut self, caption: &str, table: &Table) -> Self {
        self.body.push_str(&table::html(table, caption));
        self
    }

    /// Adds text as it is, such as what firmware has printed.
    #[must_use]
    pub fn text(mut self, name: &str, text: &str) -> Self {
        self.body.push_str(&format!(
            "<figure>\n<figcaption>{0}</figcaption>\n\
             <pre tabindex=\"0\" role=\"region\" aria-label=\"{0}\">{1}</pre>\n</figure>\n",
            escaped(name),
            escaped(text)
        ));
        self
    }

    /// The same, which the reader opens.
    #[must_use]
    pub fn folded(mut self, name: &str, text: &str) -> Self {
        self.body.push_str(&format!(
            "<details><summary>{}</summary>\n<pre tabindex=\"0\">{}</pre>\n</details>\n",
            escaped(name),
            escaped(text)
        ));
        self
    }

    /// Adds a picture or a frame: see [`embed`].
    #[must_use]
    pub fn figure(mut self, caption: &str, html: &str) -> Self {
        self.body.push_str(&format!(
            "<figure>\n{html}<figcaption>{}</figcaption>\n</figure>\n",
            escaped(caption)
        ));
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::table::table;

    fn page() -> String {
        let mut rows = table(&["name", ">bytes"]);
        rows.add_row(["a <b>", "1 000"]);
        let section = Section::new("sizes", "Sizes & more")
            .says("one < two")
            .table("What it takes", &rows)
            .text("stdout", "</pre><script>")
            .folded("more", "\"quoted\"")
            .lists(&["x".to_owned()])
            .warns("it's wrong")
            .lacks("nothing here");
        let facts = vec![("board", "lm3s6965".to_owned())];
        Page { title: "app <1>".to_owned(), facts, sections: vec![section] }.text()
    }

    #[test]
    fn text_is_never_markup() {
        let page = page();
        for part in ["app &lt;1&gt;", "one &lt; two", "a &lt;b&gt;", "&lt;/pre&gt;&lt;script&gt;"] {
            assert!(page.contains(part), "no {part} in\n{page}");
        }
        assert_eq!(page.matches("</script>").count(), 1);
    }

    #[test]
    fn a_section_has_a_heading_an_entry_and_a_name() {
        let page = page();
        assert!(page.contains("<li><a href=\"#sizes\">Sizes &amp; more</a></li>"), "{page}");
        assert!(page.contains("<section id=\"sizes\" aria-labelledby=\"sizes-title\">"), "{page}");
        assert!(page.contains("<h2 id=\"sizes-title\">Sizes &amp; more</h2>"), "{page}");
    }

    #[test]
    fn a_name_that_no_browser_knows_is_refused() {
        assert!(
            check_name(Path::new("a/b.html")).is_ok() && check_name(Path::new("b.htm")).is_ok()
        );
        for name in ["page", "page.txt", ".html"] {
            let refused = check_name(Path::new(name)).unwrap_err().to_string();
            assert!(refused.ends_with("let the name end in .html"), "{refused}");
        }
    }

    #[test]
    fn nothing_is_loaded_from_anywhere() {
        let page = page();
        assert!(page.contains("Content-Security-Policy\" content=\"default-src 'none';"));
        for outside in ["http:", "https:", "@import", "url(", " src="] {
            assert!(!page.contains(outside), "{outside}");
        }
    }
}
