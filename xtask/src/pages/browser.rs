//! A headless Chromium: loads a page, and tells what its console and the page itself say.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

/// What Chromium and its relatives are called.
const NAMES: [&str; 5] =
    ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"];

/// Longer than this, and it hangs.
const PATIENCE: Duration = Duration::from_secs(60);

/// So long pages run, in milliseconds of their own time.
const PAGE_TIME: &str = "--virtual-time-budget=3000";

/// Nothing of the browser's own, and no network.
const OPTIONS: [&str; 13] = [
    "--headless=new",
    "--disable-gpu",
    "--hide-scrollbars",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-extensions",
    "--host-resolver-rules=MAP * ~NOTFOUND",
    // Containers lack what its sandbox needs. The pages are ours.
    "--no-sandbox",
    "--window-size=1300,1500",
    "--enable-logging=stderr",
    "--v=0",
    PAGE_TIME,
];

/// The attribute in which the script leaves its verdict.
const VERDICT: &str = "data-verdict=\"";

/// A browser.
pub struct Browser {
    /// The program.
    pub program: PathBuf,
    /// Where its files and pictures go.
    pub directory: PathBuf,
}

/// What was seen of a page.
pub struct Seen {
    /// What its console has of errors.
    pub errors: Vec<String>,
    /// What the script says.
    pub verdict: Verdict,
}

/// What the script says.
#[derive(PartialEq, Eq, Debug)]
pub struct Verdict {
    /// How many claims there were.
    pub claims: usize,
    /// Those that don't hold.
    pub wrong: Vec<String>,
}

/// The first Chromium on the path.
pub fn find() -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let candidates = |name: &&str| std::env::split_paths(&path).map(|one| one.join(name)).collect();
    NAMES.iter().flat_map(|name| -> Vec<PathBuf> { candidates(name) }).find(|file| file.is_file())
}

impl Browser {
    /// Loads a page, and takes a picture of it.
    pub fn see(&self, page: &Path, name: &str) -> Result<Seen> {
        let picture = self.directory.join(format!("{name}.png"));
        let (printed, said) = (self.directory.join("printed"), self.directory.join("said"));
        let mut command = Command::new(&self.program);
        command.args(OPTIONS);
        command.arg(format!("--user-data-dir={}", self.directory.join("browser").display()));
        command.arg(format!("--screenshot={}", picture.display())).arg("--dump-dom");
        command.arg(format!("file://{}", page.display()));
        command.stdin(Stdio::null());
        command.stdout(std::fs::File::create(&printed)?).stderr(std::fs::File::create(&said)?);
        let program = self.program.display();
        let mut child = command.spawn().with_context(|| format!("{program} does not start"))?;
        let started = Instant::now();
        let status = loop {
            if let Some(status) = child.try_wait()? {
                break status;
            }
            if started.elapsed() > PATIENCE {
                child.kill()?;
                bail!("{program} does not end with {name}");
            }
            std::thread::sleep(Duration::from_millis(20));
        };
        let said = String::from_utf8_lossy(&std::fs::read(said)?).into_owned();
        if !status.success() {
            bail!("{program} failed with {name}:\n{said}");
        }
        let printed = String::from_utf8_lossy(&std::fs::read(printed)?).into_owned();
        let verdict = verdict(&printed);
        let verdict = verdict.with_context(|| format!("the script in {name} says nothing"))?;
        Ok(Seen { errors: errors(&said), verdict })
    }
}

/// What the console has said, among all that the browser says. The pages themselves say nothing, so
/// that it is an error or a warning.
fn errors(said: &str) -> Vec<String> {
    let lines = said.lines().filter_map(|line| line.split_once("CONSOLE"));
    lines
        .map(|(_, rest)| rest.split_once(']').map_or(rest, |(_, text)| text).trim().to_owned())
        .collect()
}

/// The verdict in a page: the number of claims, and the wrong ones, with `|` between them.
fn verdict(page: &str) -> Option<Verdict> {
    let (_, rest) = page.split_once(VERDICT)?;
    let text = rest.split('"').next()?;
    let mut parts = text.split('|');
    let claims = parts.next()?.parse().ok()?;
    Some(Verdict { claims, wrong: parts.map(str::to_owned).collect() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_console_is_told_apart_from_the_browser() {
        let said = "[1:1:1126/1.2:ERROR:dbus/object_proxy.cc:572] Failed to call\n\
                    [2:2:1126/1.2:INFO:CONSOLE:494] \"Uncaught ReferenceError: x\", source: y (4)\n\
                    [2:2:1126/1.2:INFO:CONSOLE(3)] \"Refused to load\", source: y (3)\n";
        let expected =
            ["\"Uncaught ReferenceError: x\", source: y (4)", "\"Refused to load\", source: y (3)"];
        assert_eq!(errors(said), expected);
    }

    #[test]
    fn a_verdict_is_a_number_and_what_is_wrong() {
        let of = |text: &str| verdict(&format!("<html lang=\"en\" data-verdict=\"{text}\"><a>"));
        assert_eq!(of("3"), Some(Verdict { claims: 3, wrong: Vec::new() }));
        let wrong = vec!["W zooms".to_owned(), "x".to_owned()];
        assert_eq!(of("3|W zooms|x"), Some(Verdict { claims: 3, wrong }));
        assert_eq!(verdict("<html>"), None);
    }
}
