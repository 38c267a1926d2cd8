//! The pages that the lab writes, in a real browser.
//!
//! Existing images give a report, a timeline, a flame graph and a page of coverage. Each is loaded
//! in a headless Chromium, as a copy with a script at its end: the script uses the page as a reader
//! would (keys, wheel, search, clicks), and leaves its verdict in the page, which the browser
//! prints. An error in the browser's console is a failure too. A deliberately wrong page comes
//! first: a browser that hides errors would make all other pages look right.
//!
//! A timeline in Perfetto's form is decoded by Perfetto's own schema.
//!
//! `target/pages` has a picture of each page.

mod perfetto;
mod schema;
mod verdict;

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};
use verdict::Verdict;

use crate::browser::{self, Browser, Left};
use proof::firmware::{build_in, output, root};

const TARGET: &str = "thumbv7m-none-eabi";

/// Write the lab's pages, and use them in a headless Chromium
#[derive(clap::Args, Debug)]
pub struct Arguments {
    /// The browser; the first Chromium or Chrome on the path otherwise
    #[arg(long, value_name = "PROGRAM")]
    browser: Option<PathBuf>,
}

/// A page, with the use of it.
struct Page {
    /// The file's name.
    name: &'static str,
    /// The script that uses the page.
    script: &'static str,
}

/// The pages.
const PAGES: [Page; 6] = [
    Page { name: "tour.html", script: include_str!("report.js") },
    Page { name: "pelican.html", script: include_str!("charts.js") },
    Page { name: "guaranteed.html", script: include_str!("deadlines.js") },
    Page { name: "trace.html", script: include_str!("trace.js") },
    Page { name: "flame.svg", script: include_str!("flame.js") },
    Page { name: "coverage.html", script: include_str!("coverage.js") },
];

/// A timeline for Perfetto.
const PERFETTO: &str = "trace.pftrace";

/// Three seconds of a page's own time, after which the browser prints the page and ends.
const OPTIONS: [&str; 3] = ["--dump-dom", "--virtual-time-budget=3000", "--window-size=1300,1500"];

/// A wrong page: its script fails, and so does the claim about it.
const WRONG: &str = "<!DOCTYPE html>\n<html><body><script>not_there();</script></body></html>\n";
const WRONG_CLAIM: &str = "expect('an error is seen', false);";

/// Frames come by the page's own time, as everything else does. The browser draws by the computer's
/// clock, and may show the first frame behind the three seconds.
const FRAMES: &str = "window.requestAnimationFrame = (draw) => setTimeout(draw, 16);";

/// The script that uses a page. A claim is a sentence, and `true` if it holds.
const USE: &str = include_str!("use.js");
const USE_PLACE: &str = "/* the page's own */";

impl Arguments {
    /// Writes the pages and uses them.
    pub fn run(&self) -> Result<()> {
        let Some(program) = self.browser.clone().or_else(browser::find) else {
            println!(
                "SKIPPED: no Chromium on the path to use the pages in; install the package \
                 chromium, or name one by --browser"
            );
            return Ok(());
        };
        let directory = directory()?;
        let browser = Browser::new(program, directory.clone())?;
        sees_errors(&browser, &directory)?;
        write_all(&directory)?;
        let mut wrong = Vec::new();
        for Page { name, script } in &PAGES {
            let (console, verdict) = see(&browser, &used(&directory, name, script)?, name)?;
            let problems: Vec<String> = console.into_iter().chain(verdict.wrong).collect();
            if problems.is_empty() {
                println!("{name}: {} claims hold", verdict.claims);
            }
            wrong.extend(problems.into_iter().map(|problem| format!("{name}: {problem}")));
        }
        let decoded = perfetto::check(&directory.join(PERFETTO), &directory)?;
        println!("{PERFETTO}: {} tracks, {} events", decoded.tracks, decoded.events);
        ensure!(wrong.is_empty(), "{}", wrong.join("\n"));
        println!("the pages and their pictures are in {}", directory.display());
        Ok(())
    }
}

/// Returns the directory of the pages.
fn directory() -> Result<PathBuf> {
    let target = output();
    let directory = target.parent().context("target/firmware is in target")?.join("pages");
    std::fs::create_dir_all(&directory)?;
    // A browser wants the whole path.
    Ok(directory.canonicalize()?)
}

/// Loads a page. Returns the messages of its console, and its script's verdict.
fn see(browser: &Browser, page: &Path, name: &str) -> Result<(Vec<String>, Verdict)> {
    let address = format!("file://{}", page.display());
    let Left { printed, console } = browser.picture(name, &address, &OPTIONS)?;
    let verdict = Verdict::find(&printed);
    Ok((console, verdict.with_context(|| format!("the script in {name} says nothing"))?))
}

/// Checks that the errors of a wrong page are seen.
fn sees_errors(browser: &Browser, directory: &Path) -> Result<()> {
    let name = "wrong.html";
    std::fs::write(directory.join(name), WRONG)?;
    let (console, verdict) = see(browser, &used(directory, name, WRONG_CLAIM)?, name)?;
    let is_seen = console.iter().any(|error| error.contains("not_there is not defined"));
    ensure!(is_seen, "the browser's console doesn't show an error: {console:?}");
    ensure!(verdict.wrong == ["an error is seen"], "a wrong claim is lost");
    Ok(())
}

/// Writes a copy of a page with the script that uses it, and frames that come in time. Returns the
/// path.
fn used(directory: &Path, name: &str, script: &str) -> Result<PathBuf> {
    let page = directory.join(name);
    let text = std::fs::read_to_string(&page).with_context(|| page.display().to_string())?;
    let script = USE.replace(USE_PLACE, script);
    let ends = ["</body>", "</html>", "</svg>"];
    let end = ends.iter().find_map(|end| text.rfind(end)).context("the page has no end")?;
    // The first script of the page, or the one that uses it.
    let start = text.find("<script").unwrap_or(end);
    let element = |script: &str| match name.ends_with(".svg") {
        true => format!("<script><![CDATA[\n{script}]]></script>"),
        false => format!("<script>\n{script}</script>"),
    };
    let (before, page, after) = (&text[..start], &text[start..end], &text[end..]);
    let copy = directory.join(format!("used-{name}"));
    let parts = [before, &element(FRAMES), page, &element(&script), after];
    std::fs::write(&copy, parts.concat())?;
    Ok(copy)
}

/// Writes the pages.
fn write_all(directory: &Path) -> Result<()> {
    let file = |name: &str| directory.join(name).display().to_string();
    lab(&["tour", "--output", &file("tour.html")])?;
    // The kernel that the tour has built.
    let kernel = output().join(TARGET).join("release/five_models").display().to_string();
    let application = output().with_file_name("tour").join("poet.tbf").display().to_string();
    let of_kernel = |command: &str, option: &str, name: &str| {
        lab(&[command, &kernel, "--process", &application, option, &file(name)])
    };
    of_kernel("trace", "--output", "trace.html")?;
    of_kernel("trace", "--output", PERFETTO)?;
    of_kernel("profile", "--flame", "flame.svg")?;
    of_kernel("coverage", "--html", "coverage.html")?;
    let images = build_in(&root().join("examples"), &["--bin", "pelican"], TARGET)?;
    let pelican = images.join("pelican").display().to_string();
    lab(&["report", &pelican, "--output", &file("pelican.html"), "--against", &kernel])?;
    let images = build_in(&root().join("examples"), &["--bin", "guaranteed"], TARGET)?;
    let guaranteed = images.join("guaranteed").display().to_string();
    lab(&["report", &guaranteed, "--output", &file("guaranteed.html"), "--against", &pelican])
}

/// Runs a command of the lab, which prints only if it fails.
fn lab(arguments: &[&str]) -> Result<()> {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.arg("lab").args(arguments).current_dir(root());
    let run = cargo.output().context("cargo could not be started")?;
    if !run.status.success() {
        bail!("quintet {}: {}", arguments.join(" "), String::from_utf8_lossy(&run.stderr).trim());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_stand_before_the_page_and_its_use_behind() {
        let directory = std::env::temp_dir();
        let name = format!("quintet-pages-{}.html", std::process::id());
        std::fs::write(directory.join(&name), WRONG).unwrap();
        let copy = used(&directory, &name, "expect('x', true);").unwrap();
        let text = std::fs::read_to_string(&copy).unwrap();
        assert!(text.ends_with("</script></body></html>\n"), "{text}");
        assert!(text.contains("expect('x', true);") && !text.contains(USE_PLACE), "{text}");
        assert!(text.find(FRAMES).unwrap() < text.find("not_there").unwrap(), "{text}");
        std::fs::remove_file(copy).unwrap();
        std::fs::remove_file(directory.join(name)).unwrap();
    }
}
