//! Runs an image on QEMU.
//!
//! The limit of a run counts executed work, not time on the wall: a busy computer only takes
//! longer. QEMU counts no instructions for that, so its processor time counts.

use std::io::Read;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};

/// QEMU's program for the architecture.
const PROGRAM: &str = "qemu-system-arm";
/// The processor time that a run may take, in seconds: more than ten times the longest run's.
const SECONDS_MAX: u32 = 300;
/// A processor that sleeps forever takes no time of its own, so another limit must end the run.
const STANDSTILL: Duration = Duration::from_secs(1800);
/// The signal of a process whose processor time is used up (SIGXCPU).
const TIME_IS_UP: i32 = 24;

/// Returns `true` if QEMU is installed. Without QEMU, tests that compare with it pass, and print
/// this.
pub fn is_installed() -> bool {
    has(PROGRAM)
}

/// Returns `true` if this program of QEMU is installed.
pub fn has(program: &str) -> bool {
    let quiet = Command::new(program).arg("--version").stdout(Stdio::null()).status();
    quiet.is_ok_and(|status| status.success())
}

/// The settings of QEMU.
#[derive(Clone, Debug)]
pub struct Setup<'a> {
    /// The program of QEMU.
    pub program: &'a str,
    /// The machine, `-M`.
    pub machine: &'a str,
    /// Another processor than the machine's own.
    pub processor: Option<&'a str>,
    /// More arguments.
    pub arguments: &'a [&'a str],
    /// A device that puts something else into memory, `-device`.
    pub loader: Option<&'a str>,
}

impl<'a> Setup<'a> {
    /// The machine with its usual settings.
    pub fn new(machine: &'a str) -> Self {
        Self { program: PROGRAM, machine, processor: None, arguments: &[], loader: None }
    }

    /// Runs `image` until it exits through semihosting. Returns its output and its exit code.
    pub fn run(&self, image: &Path) -> Result<Output> {
        let mut command = Command::new("sh");
        command.args([
            "-c",
            &format!("ulimit -t {SECONDS_MAX} && exec \"$0\" \"$@\""),
            self.program,
        ]);
        command.args(["-M", self.machine, "-display", "none", "-monitor", "none"]);
        command.args(["-serial", "none", "-semihosting"]).args(self.arguments);
        if let Some(processor) = self.processor {
            command.args(["-cpu", processor]);
        }
        if let Some(loader) = self.loader {
            command.args(["-device", loader]);
        }
        command.arg("-kernel").arg(image).stdin(Stdio::null());
        let mut child = command
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .with_context(|| format!("{} could not be started", self.program))?;
        let output = wait(&mut child)?;
        ensure!(
            output.status.signal() != Some(TIME_IS_UP),
            "QEMU took more than {SECONDS_MAX} s of processor time; it wrote: {}",
            String::from_utf8_lossy(&output.stdout)
        );
        Ok(output)
    }
}

/// Collects the output while waiting, so that a full pipe never stops the child.
fn wait(child: &mut Child) -> Result<Output> {
    let (mut out, mut err) = (child.stdout.take(), child.stderr.take());
    std::thread::scope(|scope| {
        let stdout = scope.spawn(move || collect(out.as_mut()));
        let stderr = scope.spawn(move || collect(err.as_mut()));
        let started = Instant::now();
        let status = loop {
            if let Some(status) = child.try_wait()? {
                break status;
            }
            if started.elapsed() > STANDSTILL {
                child.kill()?;
                child.wait()?;
                let output = stdout.join().unwrap_or_default();
                let text = String::from_utf8_lossy(&output);
                bail!("QEMU stands still; it wrote: {text}");
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

/// Everything that comes out of a pipe.
fn collect(pipe: Option<&mut impl Read>) -> Vec<u8> {
    let mut bytes = Vec::new();
    if let Some(pipe) = pipe {
        // A broken pipe has delivered everything.
        let _ = pipe.read_to_end(&mut bytes);
    }
    bytes
}
