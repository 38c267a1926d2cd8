//! The simulator's speed in Chromium beside its speed as a program, on the same image.
//!
//! Both run the benchmark's firmware (`quintet-sim/benches/speed.rs`) for the same cycles on the
//! same board, on one core, and take the best of the same number of runs. A busy computer makes
//! both slower, not necessarily alike.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};

use super::server::Server;
use super::{check, target};
use crate::browser::{self, Browser};
use proof::firmware::root;

/// The least share of the program's speed.
const SHARE_LEAST: f64 = 0.5;
/// A busy computer takes minutes.
const PATIENCE: Duration = Duration::from_secs(600);
/// The beginning of the benchmark's line.
const LINE: &str = "instructions, no observer: ";

/// Prints both speeds and their ratio.
///
/// # Errors
/// The browser is slower than half.
pub fn run(folder: &Path) -> Result<()> {
    let kept = target().join("web-speed");
    let Some(program) = browser::find() else {
        bail!("Chromium is not installed: install the package chromium");
    };
    let browser = Browser::new(program, kept.clone())?;
    fs::write(kept.join("speed.html"), include_str!("speed.html"))?;
    check::endless(&kept.join("work.elf"))?;
    let native = native()?;
    let server = Server::start(vec![folder.to_owned(), kept], 0)?;
    let open = browser.open("speed", &format!("http://{}/speed.html", server.address))?;
    let result = server.result(PATIENCE);
    let console = open.close()?;
    let text = result.with_context(|| console.join("\n"))?;
    let browser: f64 = text.parse().with_context(|| text.clone())?;
    let share = browser / native;
    println!("as a program   {native:6.1} million instructions a second");
    println!("in Chromium    {browser:6.1} million instructions a second");
    println!("the share      {share:6.2}, and at least {SHARE_LEAST:.2} is wanted");
    ensure!(share >= SHARE_LEAST, "the simulator is too slow in the browser");
    Ok(())
}

/// Millions of instructions a second, by the simulator's benchmark.
fn native() -> Result<f64> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args(["bench", "--quiet", "--locked", "--package", "quintet-sim", "--bench", "speed"])
        .current_dir(root())
        .output()
        .context("cargo could not be started")?;
    let text = String::from_utf8_lossy(&output.stdout);
    let line = text.lines().find_map(|line| line.strip_prefix(LINE));
    let number = line.and_then(|line| line.split(' ').next());
    let number = number.with_context(|| {
        format!("the benchmark says:\n{text}{}", String::from_utf8_lossy(&output.stderr))
    })?;
    Ok(number.parse()?)
}
