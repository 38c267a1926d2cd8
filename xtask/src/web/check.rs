//! Uses the page in Chromium, as a person would: chooses, runs, stops, reads.
//!
//! `check.html` does this from inside the browser, in a frame, and sends its observations. The code
//! here judges them.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use serde::Deserialize;

use super::server::Server;
use super::{examples, target};
use crate::browser::{self, Browser};
use proof::firmware::root;

/// A run in the browser takes seconds. The machine may be busy.
const PATIENCE: Duration = Duration::from_secs(300);
/// The one whose pictures are kept.
const PICTURED: &str = "at_a_glance";
/// Firmware that goes on for minutes.
const ENDLESS: &str = "work.elf";

/// The page's content after a run.
#[derive(Deserialize, Debug)]
struct Seen {
    name: String,
    /// The page's own word: `ended` or `failed`.
    state: String,
    status: String,
    output: String,
    end: String,
    /// The number of the timeline's tracks, counted by its own script.
    tracks: usize,
    /// The rows of the table of functions.
    functions: Vec<String>,
    /// `true` if there is a flame graph.
    flame: bool,
    /// The board that is chosen, and the part of the address that says what is.
    board: String,
    address: String,
}

/// Checks the page in the folder. Without Chromium, prints this and does nothing.
pub fn run(folder: &Path) -> Result<()> {
    let kept = target().join("web-check");
    if kept.exists() {
        fs::remove_dir_all(&kept).with_context(|| kept.display().to_string())?;
    }
    let Some(program) = browser::find() else {
        println!("SKIPPED: Chromium is not installed: the page was made, but not used");
        return Ok(());
    };
    let browser = Browser::new(program, kept.clone())?;
    let files = kept.join("files");
    fs::create_dir_all(&files).with_context(|| files.display().to_string())?;
    fs::write(files.join("check.html"), include_str!("check.html"))?;
    fs::write(files.join("picture.html"), include_str!("picture.html"))?;
    let names: Vec<&str> = examples::all().map(|(_, name)| name).collect();
    fs::write(files.join("names.json"), serde_json::to_string(&names)?)?;
    endless(&files.join(ENDLESS))?;

    let folders = vec![folder.to_owned(), files];
    let server = Server::start(folders.clone(), 0)?;
    let open = browser.open("check", &format!("http://{}/check.html", server.address))?;
    let result = server.result(PATIENCE);
    let mut console = open.close()?;
    let seen: Vec<Seen> = match result {
        Ok(text) => serde_json::from_str(&text).with_context(|| text.clone())?,
        Err(error) => return Err(error.context(console.join("\n"))),
    };
    for (tab, is_dark) in [("output", false), ("timeline", true), ("profile", false)] {
        // Another server, whose page has sent no result yet.
        let server = Server::start(folders.clone(), 0)?;
        let wanted = format!("example={PICTURED}&run&tab={tab}");
        let address = format!("http://{}/picture.html#{wanted}", server.address);
        let scheme = format!("--blink-settings=preferredColorScheme={}", u8::from(!is_dark));
        let options = ["--window-size=1280,900", scheme.as_str()];
        console.extend(browser.picture(tab, &address, &options)?.console);
    }
    ensure!(console.is_empty(), "the console says:\n{}", console.join("\n"));
    judge(&seen)?;
    println!("{} runs in the page are right; pictures in {}", seen.len(), kept.display());
    Ok(())
}

fn judge(seen: &[Seen]) -> Result<()> {
    for (collection, name) in examples::all() {
        let path = collection.output(name);
        let expected = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
        let run = find(seen, name)?;
        ensure!(run.state == "ended", "{name}: {}", run.status);
        ensure!(run.output == expected, "{name} prints {:?}, not {expected:?}", run.output);
        ensure!(run.end.contains("code 0"), "{name} ends so: {}", run.end);
        ensure!(run.tracks > 1, "{name}: its timeline has {} tracks", run.tracks);
        ensure!(run.functions.len() > 5 && run.flame, "{name}: its profile is {run:?}");
    }
    let refused = find(seen, "wrong")?;
    let text = &refused.status;
    ensure!(
        refused.state == "failed"
            && text.contains("cannot load wrong.txt: neither an ELF file")
            && text.contains("`quintet run --load ADDRESS` runs a raw image"),
        "a wrong file is refused so: {text}"
    );
    let unknown = find(seen, "nonsense")?;
    ensure!(
        unknown.state == "failed" && unknown.status.contains("There is no example \"nonsense\""),
        "an example that isn't there is told so: {unknown:?}"
    );
    let other = find(seen, "on another board")?;
    ensure!(
        other.board == "mps2-an385" && other.address.contains("board=mps2-an385"),
        "a run leaves the board so: {other:?}"
    );
    let stopped = find(seen, "stopped")?;
    ensure!(
        stopped.state == "ended" && stopped.end.contains("Stopped"),
        "a run that was stopped ends so: {stopped:?}"
    );
    let died = find(seen, "limited")?;
    ensure!(died.end.contains("The limit was reached"), "a limited run ends so: {died:?}");
    ensure!(!died.flame && died.tracks == 0, "what was not asked for was recorded: {died:?}");
    Ok(())
}

fn find<'a>(seen: &'a [Seen], name: &str) -> Result<&'a Seen> {
    seen.iter().find(|one| one.name == name).with_context(|| format!("{name} did not run"))
}

/// The program of the simulator's benchmark, compiled as the benchmark does.
pub fn endless(to: &Path) -> Result<()> {
    let directory = root().join("quintet-sim/benches/firmware");
    let status = Command::new("rustc")
        .args(["--edition", "2024", "--target", "thumbv7m-none-eabi", "--crate-type", "bin"])
        .args(["-C", "opt-level=3", "-C", "panic=abort", "-C", "strip=none", "-A", "warnings"])
        .args(["-C", &format!("link-arg=-T{}", directory.join("link.ld").display()), "-o"])
        .arg(to)
        .arg(directory.join("work.rs"))
        .current_dir(root())
        .status()
        .context("rustc could not be started")?;
    ensure!(status.success(), "the benchmark's firmware does not compile (rustc says why above)");
    Ok(())
}
