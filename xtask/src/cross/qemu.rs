//! Runs an image on QEMU.

use std::io::Read;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

/// QEMU's program for the architecture.
const PROGRAM: &str = "qemu-system-arm";

/// Whether QEMU is installed. Tests that compare with it pass, and say so, where it is not.
pub fn is_installed() -> bool {
    let quiet = Command::new(PROGRAM).arg("--version").stdout(Stdio::null()).status();
    quiet.is_ok_and(|status| status.success())
}

/// How to run QEMU.
#[derive(Clone, Debug)]
pub struct Setup<'a> {
    /// The machine, `-M`.
    pub machine: &'a str,
    /// Another processor than the machine's own.
    pub processor: Option<&'a str>,
    /// More arguments.
    pub arguments: &'a [&'a str],
    /// The longest that it may run.
    pub timeout: Duration,
}

impl<'a> Setup<'a> {
    /// The machine as it is.
    pub fn new(machine: &'a str) -> Self {
        Self { machine, processor: None, arguments: &[], timeout: Duration::from_secs(120) }
    }

    /// Runs `image` until it exits through semihosting; returns what it wrote and its exit code.
    pub fn run(&self, image: &Path) -> Result<Output> {
        let mut command = Command::new(PROGRAM);
        command.args(["-M", self.machine, "-display", "none", "-monitor", "none"]);
        command.args(["-serial", "none", "-semihosting"]).args(self.arguments);
        if let Some(processor) = self.processor {
            command.args(["-cpu", processor]);
        }
        command.arg("-kernel").arg(image).stdin(Stdio::null());
        let mut child = command
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .with_context(|| format!("{PROGRAM} could not be started"))?;
        self.wait(&mut child)
    }

    /// Collects the output while waiting, so that a full pipe never stops the child.
    fn wait(&self, child: &mut Child) -> Result<Output> {
        let (mut out, mut err) = (child.stdout.take(), child.stderr.take());
        std::thread::scope(|scope| {
            let stdout = scope.spawn(move || collect(out.as_mut()));
            let stderr = scope.spawn(move || collect(err.as_mut()));
            let started = Instant::now();
            let status = loop {
                if let Some(status) = child.try_wait()? {
                    break status;
                }
                if started.elapsed() > self.timeout {
                    child.kill()?;
                    child.wait()?;
                    let output = stdout.join().unwrap_or_default();
                    let text = String::from_utf8_lossy(&output);
                    bail!("QEMU ran longer than {:?}; it wrote: {text}", self.timeout);
                }
                std::thread::sleep(Duration::from_millis(2));
            };
            let (stdout, stderr) = (stdout.join(), stderr.join());
            Ok(Output {
                status,
                stdout: stdout.unwrap_or_default(),
                stderr: stderr.unwrap_or_default(),
            })
        })
    }
}

/// Everything that comes out of a pipe.
fn collect(pipe: Option<&mut impl Read>) -> Vec<u8> {
    let mut bytes = Vec::new();
    if let Some(pipe) = pipe {
        // A pipe that breaks has delivered what it had.
        let _ = pipe.read_to_end(&mut bytes);
    }
    bytes
}
