//! Chromium without a window: opens a page, and keeps the messages on its console.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};

/// The program names of Chromium and related browsers.
const NAMES: [&str; 5] =
    ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"];

/// Nothing of the browser's own, and no network but this computer's.
const OPTIONS: [&str; 12] = [
    "--headless=new",
    "--disable-gpu",
    "--hide-scrollbars",
    "--mute-audio",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-dev-shm-usage",
    "--disable-extensions",
    "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
    // Containers lack the features that Chromium's sandbox needs. The pages are ours.
    "--no-sandbox",
    "--enable-logging=stderr",
];

/// A browser that takes longer than this for one page hangs.
const PATIENCE: Duration = Duration::from_secs(120);

/// A browser, and the directory for its files.
pub struct Browser {
    program: PathBuf,
    directory: PathBuf,
}

/// The output of a browser that has ended.
pub struct Left {
    /// The browser's standard output.
    pub printed: String,
    /// The page's messages on the console. The pages themselves write none, so each line is an
    /// error or a warning.
    pub console: Vec<String>,
}

/// The first Chromium on the path.
pub fn find() -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let directories: Vec<PathBuf> = std::env::split_paths(&path).collect();
    let candidates =
        NAMES.iter().flat_map(|name| directories.iter().map(move |one| one.join(name)));
    candidates.into_iter().find(|file| file.is_file())
}

impl Browser {
    /// Returns a browser whose files go into `directory`, which is made.
    ///
    /// # Errors
    /// The directory can't be made.
    pub fn new(program: PathBuf, directory: PathBuf) -> Result<Self> {
        fs::create_dir_all(&directory).with_context(|| directory.display().to_string())?;
        Ok(Self { program, directory })
    }

    /// Opens a page and leaves it open until the value is dropped.
    ///
    /// # Errors
    /// The browser can't be started.
    pub fn open(&self, name: &str, address: &str) -> Result<Open> {
        let child = self.start(name, address, &[])?;
        Ok(Open { child, log: self.log(name) })
    }

    /// Loads a page, makes a picture of it and ends, with further options.
    ///
    /// # Errors
    /// The browser hangs or fails, or there is no picture.
    pub fn picture(&self, name: &str, address: &str, options: &[&str]) -> Result<Left> {
        let picture = self.directory.join(format!("{name}.png"));
        let screenshot = format!("--screenshot={}", picture.display());
        let mut child = self.start(name, address, &[&[screenshot.as_str()], options].concat())?;
        let started = Instant::now();
        let status = loop {
            if let Some(status) = child.try_wait()? {
                break status;
            }
            if started.elapsed() > PATIENCE {
                child.kill()?;
                child.wait()?;
                bail!("{} does not end with {name}", self.program.display());
            }
            thread::sleep(Duration::from_millis(20));
        };
        let said = || read(&self.log(name)).unwrap_or_default();
        ensure!(status.success(), "{} failed with {name}:\n{}", self.program.display(), said());
        ensure!(picture.is_file(), "{} made no picture of {name}", self.program.display());
        Ok(Left { printed: read(&self.printed(name))?, console: console(&read(&self.log(name))?) })
    }

    fn log(&self, name: &str) -> PathBuf {
        self.directory.join(format!("{name}.log"))
    }

    fn printed(&self, name: &str) -> PathBuf {
        self.directory.join(format!("{name}.printed"))
    }

    fn start(&self, name: &str, address: &str, options: &[&str]) -> Result<Child> {
        let file = |path: PathBuf| File::create(&path).with_context(|| path.display().to_string());
        let profile = self.directory.join("profiles").join(name);
        let mut command = Command::new(&self.program);
        command.args(OPTIONS).args(options);
        command.arg(format!("--user-data-dir={}", profile.display())).arg(address);
        command.stdin(Stdio::null());
        command.stdout(file(self.printed(name))?).stderr(file(self.log(name))?);
        command.spawn().with_context(|| format!("{} does not start", self.program.display()))
    }
}

/// An open page.
pub struct Open {
    child: Child,
    log: PathBuf,
}

impl Open {
    /// Closes the page. Returns the messages on its console.
    ///
    /// # Errors
    /// Chromium's output can't be read.
    pub fn close(mut self) -> Result<Vec<String>> {
        self.end();
        Ok(console(&read(&self.log)?))
    }

    fn end(&mut self) {
        // The browser may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        self.end();
    }
}

fn read(path: &Path) -> Result<String> {
    let bytes = fs::read(path).with_context(|| path.display().to_string())?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Returns the console's messages, among all of the browser's output.
fn console(said: &str) -> Vec<String> {
    let lines = said.lines().filter_map(|line| line.split_once("CONSOLE"));
    lines
        .map(|(_, rest)| rest.split_once(']').map_or(rest, |(_, text)| text).trim().to_owned())
        .collect()
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
        assert_eq!(console(said), expected);
    }
}
