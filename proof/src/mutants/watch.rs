//! Runs of programs that must end, however long the machine takes for them.
//!
//! No limit is a time of the day: what a program computes is counted in its own steps and in the
//! processor's time, and a program whose threads all sleep waits for nothing.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use anyhow::{Context, Result};

/// How often a program is looked at that runs for longer.
const LOOK: Duration = Duration::from_millis(50);
/// So many looks in a row find all threads asleep, and no time of the processor's used.
const LOOKS_ASLEEP: u32 = 40;
/// The most memory, in pages.
const PAGES_MAX: u64 = 1 << 20;

/// How a program has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// By itself, with success.
    Success,
    /// By itself, with failure.
    Failure,
    /// It was stopped: it would not have ended.
    Stopped,
}

/// Runs a program, with its output in a file, which is read when the program fails, until the
/// program has used the `limit` of the processor's time. Returns how the program has ended, and the
/// output.
pub fn run(command: &mut Command, output: &Path, limit: Duration) -> Result<(End, String)> {
    let file = File::create(output).with_context(|| output.display().to_string())?;
    let mut child = command
        .stdin(Stdio::null())
        .stdout(file)
        .stderr(Stdio::null())
        .spawn()
        .with_context(|| format!("running {command:?}"))?;
    let end = wait(&mut child, limit)?;
    let mut text = Vec::new();
    if end != End::Success {
        File::open(output)?.read_to_end(&mut text)?;
    }
    Ok((end, String::from_utf8_lossy(&text).into_owned()))
}

/// Waits until a program has ended, or must be stopped.
fn wait(child: &mut Child, limit: Duration) -> Result<End> {
    let limit = limit.as_millis() as u64 / 10;
    let mut pause = Duration::from_millis(1);
    let (mut before, mut asleep) = (0, 0);
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(if status.success() { End::Success } else { End::Failure });
        }
        sleep(pause);
        pause = LOOK.min(pause * 2);
        let Some(seen) = seen(child.id()) else { continue };
        asleep = if seen.is_asleep && seen.ticks == before { asleep + 1 } else { 0 };
        before = seen.ticks;
        if asleep > LOOKS_ASLEEP || seen.ticks > limit || seen.pages > PAGES_MAX {
            child.kill()?;
            child.wait()?;
            return Ok(End::Stopped);
        }
    }
}

/// What a look at a program finds.
struct Seen {
    /// No thread runs or could run.
    is_asleep: bool,
    /// The time of the processor's that the threads have used, in hundredths of a second.
    ticks: u64,
    /// The memory, in pages.
    pages: u64,
}

/// Looks at a program. Returns `None` where the system doesn't tell: there, programs that sleep for
/// ever are for you to end.
fn seen(program: u32) -> Option<Seen> {
    let directory = PathBuf::from(format!("/proc/{program}"));
    let memory = std::fs::read_to_string(directory.join("statm")).ok()?;
    let pages = memory.split(' ').nth(1)?.parse().ok()?;
    let mut seen = Seen { is_asleep: true, ticks: 0, pages };
    for thread in std::fs::read_dir(directory.join("task")).ok()? {
        let text = std::fs::read_to_string(thread.ok()?.path().join("stat")).ok()?;
        // Behind the name, which may have any characters: the state, and much further the times.
        let fields: Vec<_> = text.rsplit_once(')')?.1.split_whitespace().collect();
        seen.is_asleep &= *fields.first()? == "S";
        let time = |at: usize| fields.get(at).and_then(|field| field.parse::<u64>().ok());
        seen.ticks += time(11)? + time(12)?;
    }
    Some(seen)
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    const LIMIT: Duration = Duration::from_secs(1);

    fn end_of(script: &str) -> End {
        let output = std::env::temp_dir().join(format!("quintet-watch-{}", std::process::id()));
        let mut command = Command::new("sh");
        let (end, _) = run(command.args(["-c", script]), &output, LIMIT).unwrap();
        std::fs::remove_file(output).unwrap();
        end
    }

    #[test]
    fn a_program_that_sleeps_for_ever_is_stopped() {
        assert_eq!(end_of("exit 0"), End::Success);
        assert_eq!(end_of("exit 3"), End::Failure);
        assert_eq!(end_of("while true; do :; done"), End::Stopped);
        // It reads from a pipe that nobody writes to.
        let script = "f=$(mktemp -u); mkfifo $f; exec 3<>$f; rm $f; read x <&3";
        assert_eq!(end_of(script), End::Stopped);
    }
}
