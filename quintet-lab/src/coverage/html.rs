//! Coverage as one page: a table of files, and the sources with how often each line was executed.

use super::{Coverage, File, PARTIAL, Share};
use crate::report::markup::escaped;

const STYLE: &str = "\
:root { color-scheme: light dark; font: 15px system-ui, sans-serif; }
body { margin: 2em; }
td, th { padding: .1em .8em; text-align: right; }
td:first-child, th:first-child { text-align: left; }
pre { line-height: 1.35; overflow-x: auto; }
pre b { font-weight: normal; display: inline-block; width: 7em; text-align: right;
  padding-right: 1em; opacity: .7; }
.hit { background: light-dark(#dff5df, #14351a); }
.part { background: light-dark(#fff3c4, #4a3d0a); }
.miss { background: light-dark(#ffdede, #4d1a1a); }
@media print { details { break-inside: avoid; } }
";

/// The page. `read` gives the text of a source file, if it is there.
pub fn html(coverage: &Coverage, title: &str, read: &dyn Fn(&str) -> Option<String>) -> String {
    let title = if coverage.is_partial { format!("{title} ({PARTIAL})") } else { title.to_owned() };
    let title = escaped(&title);
    let mut page = format!(
        "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<title>Coverage of \
         {title}</title>\n<style>\n{STYLE}</style>\n<h1>Coverage of {title}</h1>\n<table>\n\
         <tr><th>file</th><th>lines</th><th>functions</th><th>branches</th></tr>\n"
    );
    for (index, (path, file)) in coverage.files.iter().enumerate() {
        let shares = [file.line_share(), file.function_share(), file.branch_share()];
        let link = format!("<a href=\"#f{index}\">{}</a>", escaped(path));
        page.push_str(&row(&link, shares));
    }
    page.push_str(&row("all", coverage.shares()));
    page.push_str(
        "</table>\n<p>A line has the number of times that its most executed instruction was \
         executed. <span class=\"part\">Yellow</span>: a branch of the line went one way only. \
         Code that is not in the image is not counted.</p>\n",
    );
    for (index, (path, file)) in coverage.files.iter().enumerate() {
        page.push_str(&format!(
            "<details open id=\"f{index}\"><summary>{}</summary>\n{}</details>\n",
            escaped(path),
            source(file, read(path).as_deref())
        ));
    }
    page.push_str("</html>\n");
    page
}

fn row(name: &str, shares: [Share; 3]) -> String {
    let cells = shares.map(|share| match share.percent() {
        Some(percent) => format!("<td>{percent:.1} % ({}/{})</td>", share.hit, share.all),
        None => "<td></td>".to_owned(),
    });
    format!("<tr><td>{name}</td>{}</tr>\n", cells.concat())
}

fn source(file: &File, text: Option<&str>) -> String {
    let Some(text) = text else {
        return "<p>The source is not here.</p>\n".to_owned();
    };
    let mut page = String::from("<pre>\n");
    for (number, line) in (1..).zip(text.lines()) {
        let line = escaped(line);
        match file.lines.get(&number) {
            None => page.push_str(&format!("<b></b>{line}\n")),
            Some(count) => {
                let mut branches = file.branches.get(&number).into_iter().flatten();
                let is_part = branches.any(|ways| ways.contains(&0));
                let class = match count {
                    0 => "miss",
                    _ if is_part => "part",
                    _ => "hit",
                };
                page.push_str(&format!("<span class=\"{class}\"><b>{count}</b>{line}</span>\n"));
            }
        }
    }
    page.push_str("</pre>\n");
    page
}

#[cfg(test)]
mod tests {
    use super::super::tests::coverage;
    use super::*;

    #[test]
    fn lines_have_their_counts() {
        let text = "1\n2\nfn main() {\n4\nif a < b {\n";
        let page = html(&coverage(1, 2), "app", &|_| Some(text.to_owned()));
        assert!(page.contains("<span class=\"hit\"><b>1</b>fn main() {</span>"), "{page}");
        assert!(page.contains("<span class=\"part\"><b>2</b>if a &lt; b {</span>"), "{page}");
        assert!(page.contains("<td>50.0 % (1/2)</td>"), "{page}");
        let partial = Coverage { is_partial: true, ..coverage(1, 2) };
        let page = html(&partial, "app", &|_| None);
        assert!(page.contains("<h1>Coverage of app (partial: Ctrl-C has cut a run in it)</h1>"));
        let page = html(&coverage(0, 0), "app", &|_| None);
        assert!(page.contains("The source is not here."), "{page}");
    }
}
