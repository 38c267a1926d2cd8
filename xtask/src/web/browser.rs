//! Chromium without a window: a page is opened, and what it says on the console is kept.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};

/// What it may be called.
const NAMES: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];
/// What a line of the console has in Chromium's own messages.
const CONSOLE: &str = ":CONSOLE";
/// So long may a picture take.
const PICTURE_SECONDS: u64 = 120;

/// A Chromium, where its files go, and the dark or the light of pages.
pub struct Browser {
    program: &'static str,
    directory: PathBuf,
}

impl Browser {
    /// The one that is installed, if any. Its files go below `directory`.
    pub fn find(directory: &Path) -> Option<Self> {
        let is_there = |name: &&&str| {
            let mut command = Command::new(name);
            command.arg("--version").stdout(Stdio::null()).stderr(Stdio::null());
            command.status().is_ok_and(|status| status.success())
        };
        let program = NAMES.iter().find(is_there)?;
        Some(Self { program, directory: directory.to_owned() })
    }

    /// Opens a page and leaves it open until the value is dropped.
    ///
    /// # Errors
    /// It can't be started.
    pub fn open(&self, name: &str, address: &str) -> Result<Open> {
        let log = self.log(name);
        let child = self.command(name, &log)?.arg(address).spawn();
        Ok(Open { child: child.context("Chromium could not be started")?, log })
    }

    /// Makes a picture of a page when all of it is loaded, in the light or in the dark; returns its
    /// console.
    ///
    /// # Errors
    /// There is no picture.
    pub fn picture(&self, name: &str, address: &str, is_dark: bool) -> Result<Vec<String>> {
        let picture = self.directory.join(format!("{name}.png"));
        let log = self.log(name);
        let scheme = if is_dark { 0 } else { 1 };
        let mut child = self
            .command(name, &log)?
            .arg(format!("--screenshot={}", picture.display()))
            .arg("--window-size=1280,900")
            .arg(format!("--blink-settings=preferredColorScheme={scheme}"))
            .arg(address)
            .spawn()
            .context("Chromium could not be started")?;
        let start = Instant::now();
        while child.try_wait()?.is_none() {
            if start.elapsed() > Duration::from_secs(PICTURE_SECONDS) {
                child.kill()?;
                child.wait()?;
                bail!("Chromium has made no picture of {address} in {PICTURE_SECONDS} seconds");
            }
            thread::sleep(Duration::from_millis(50));
        }
        ensure!(picture.is_file(), "Chromium has made no picture of {address}");
        console(&log)
    }

    fn log(&self, name: &str) -> PathBuf {
        self.directory.join(format!("{name}.log"))
    }

    fn command(&self, name: &str, log: &Path) -> Result<Command> {
        fs::create_dir_all(&self.directory)
            .with_context(|| self.directory.display().to_string())?;
        let errors = File::create(log).with_context(|| log.display().to_string())?;
        let profile = self.directory.join("profiles").join(name);
        let mut command = Command::new(self.program);
        // Without its sandbox, as in a container; it sees nothing but pages of the tree.
        command.args(["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run"]);
        command.args(["--disable-background-networking", "--disable-extensions", "--mute-audio"]);
        command.args(["--disable-dev-shm-usage", "--enable-logging=stderr"]);
        command.arg(format!("--user-data-dir={}", profile.display()));
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(errors);
        Ok(command)
    }
}

/// An open page.
pub struct Open {
    child: Child,
    log: PathBuf,
}

impl Open {
    /// Closes it; what it has said on its console.
    ///
    /// # Errors
    /// What Chromium wrote can't be read.
    pub fn close(mut self) -> Result<Vec<String>> {
        self.end();
        console(&self.log)
    }

    fn end(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        self.end();
    }
}

fn console(log: &Path) -> Result<Vec<String>> {
    let text = fs::read(log).with_context(|| log.display().to_string())?;
    let text = String::from_utf8_lossy(&text);
    Ok(text.lines().filter(|line| line.contains(CONSOLE)).map(str::to_owned).collect())
}
