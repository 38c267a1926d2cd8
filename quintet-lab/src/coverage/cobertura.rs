//! Coverage in the format of Cobertura, which many continuous-integration systems show.
//! <https://raw.githubusercontent.com/cobertura/web/master/htdocs/xml/coverage-04.dtd>

use super::{Coverage, File, PARTIAL, Share};
use crate::report::markup::escaped;

/// The XML file. Complexity is not measured, and there is no time in it: the same run gives the
/// same file.
pub fn cobertura(coverage: &Coverage) -> String {
    let [lines, _, branches] = coverage.shares();
    let partial = if coverage.is_partial { format!("<!-- {PARTIAL} -->\n") } else { String::new() };
    let mut text = format!(
        "<?xml version=\"1.0\"?>\n<!DOCTYPE coverage SYSTEM \
         \"http://cobertura.sourceforge.net/xml/coverage-04.dtd\">\n{partial}\
         <coverage line-rate=\"{}\" \
         branch-rate=\"{}\" lines-covered=\"{}\" lines-valid=\"{}\" branches-covered=\"{}\" \
         branches-valid=\"{}\" complexity=\"0\" version=\"quintet\" timestamp=\"0\">\n\
         <sources><source>.</source></sources>\n<packages>\n<package name=\"firmware\" \
         line-rate=\"{}\" branch-rate=\"{}\" complexity=\"0\">\n<classes>\n",
        rate(lines),
        rate(branches),
        lines.hit,
        lines.all,
        branches.hit,
        branches.all,
        rate(lines),
        rate(branches),
    );
    for (path, file) in &coverage.files {
        text.push_str(&class(path, file));
    }
    text.push_str("</classes>\n</package>\n</packages>\n</coverage>\n");
    text
}

fn class(path: &str, file: &File) -> String {
    let path = escaped(path);
    let mut text = format!(
        "<class name=\"{path}\" filename=\"{path}\" line-rate=\"{}\" branch-rate=\"{}\" \
         complexity=\"0\">\n<methods/>\n<lines>\n",
        rate(file.line_share()),
        rate(file.branch_share()),
    );
    for (line, count) in &file.lines {
        let branches = file.branches.get(line).map(|branches| {
            let share = Share::of(branches.iter().flatten().copied());
            let percent = share.percent().unwrap_or_default();
            format!(
                " branch=\"true\" condition-coverage=\"{percent:.0}% ({}/{})\"",
                share.hit, share.all
            )
        });
        let branches = branches.unwrap_or_default();
        text.push_str(&format!("<line number=\"{line}\" hits=\"{count}\"{branches}/>\n"));
    }
    text.push_str("</lines>\n</class>\n");
    text
}

fn rate(share: Share) -> String {
    format!("{:.4}", share.percent().map_or(1.0, |percent| percent / 100.0))
}

#[cfg(test)]
mod tests {
    use super::super::tests::coverage;
    use super::*;

    #[test]
    fn lines_and_branches_are_there() {
        let text = cobertura(&coverage(1, 2));
        assert!(text.contains("line-rate=\"1.0000\" branch-rate=\"0.5000\""), "{text}");
        let line =
            "<line number=\"5\" hits=\"2\" branch=\"true\" condition-coverage=\"50% (1/2)\"/>";
        assert!(text.contains(line), "{text}");
        assert!(!text.contains(PARTIAL), "{text}");
        let partial = Coverage { is_partial: true, ..coverage(1, 2) };
        assert!(cobertura(&partial).contains("coverage-04.dtd\">\n<!-- partial: Ctrl-C"));
    }
}
