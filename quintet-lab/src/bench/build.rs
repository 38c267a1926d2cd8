//! Compiles benchmark firmware, ours and the peers', for a board.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use quintet_sim::board::{Board, Core};
use quintet_sim::machine::Machine;
use quintet_sim::script::Script;

use crate::firmware::Firmware;
use crate::linker::Memories;
use crate::output;
use crate::project;
use crate::toolchain::{self, Setup};

/// The target for which the firmware is built.
const TARGET: &str = "thumbv7m-none-eabi";
/// The target for boards with a core of ARMv6-M.
const SMALL_TARGET: &str = "thumbv6m-none-eabi";

/// Returns the target for a board.
const fn target_of(board: &Board) -> &'static str {
    match board.core {
        Core::CortexM0 | Core::CortexM0Plus => SMALL_TARGET,
        _ => TARGET,
    }
}

/// The linker takes the script of cortex-m-rt. (`benches/.cargo/config.toml` says the same.)
const FLAGS: [&str; 2] = ["-C", "link-arg=-Tlink.x"];

/// The profile for which the tool asks cargo, whatever its settings.
const ASKED: &str = "release";

/// A binary of a crate of firmware.
#[derive(Clone, Copy, Debug)]
pub struct Program<'a> {
    /// The directory of a peer's crate, below `benches/`. `None` for ours, in `benches/` itself.
    pub directory: Option<&'a str>,
    /// The binary.
    pub binary: &'a str,
    /// Cargo features of every build of the program.
    pub features: &'a [String],
}

/// A program to build, and how.
#[derive(Clone, Copy, Debug)]
pub struct Build<'a> {
    /// The binary.
    pub program: Program<'a>,
    /// Further cargo features.
    pub features: &'a [String],
    /// Another profile of the manifest than its `release`.
    pub profile: Option<&'a str>,
    /// `true` if there is a BKPT at each mark.
    pub halting: bool,
    /// The board.
    pub board: &'a Board,
}

/// Returns a machine with the firmware and its inputs in it, after reset.
pub fn machine(board: &Board, firmware: &Firmware, inputs: Option<&Script>) -> Result<Machine> {
    let mut machine = Machine::new(board);
    machine.load(&firmware.image)?;
    if let Some(script) = inputs {
        machine.set_script(script.clone());
    }
    machine.reset();
    Ok(machine)
}

impl Build<'_> {
    /// The firmware in words, for messages.
    pub fn in_words(&self) -> String {
        let place = self.program.directory.map_or(String::new(), |name| format!(" of {name}"));
        let features = self.features().collect::<Vec<_>>().join(", ");
        let with = if features.is_empty() { features } else { format!(" with {features}") };
        let by = self.profile.map_or(String::new(), |name| format!(" by the profile {name}"));
        format!("the firmware \"{}\"{place}{with}{by}", self.program.binary)
    }

    fn features(&self) -> impl Iterator<Item = &str> {
        let halting = self.halting.then_some("halting");
        let all = self.program.features.iter().chain(self.features);
        all.map(String::as_str).chain(halting)
    }

    /// The directory for cargo's binaries and the linker's script: one for each board and profile.
    /// In a directory, binaries of one name overwrite each other.
    fn target(&self, root: &Path) -> PathBuf {
        let profile = self.profile.map_or(String::new(), |name| format!("-{name}"));
        project::firmware_directory(root).join(format!("{}{profile}", self.board.name))
    }
}

/// Cargo could not build the program.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{what} does not build; cargo says why above")]
pub struct NotBuilt {
    /// The firmware.
    pub what: String,
}

/// Builds firmware and opens it.
pub fn firmware(root: &Path, wanted: &Build<'_>) -> Result<Firmware> {
    let target = wanted.target(root);
    std::fs::create_dir_all(&target).with_context(|| target.display().to_string())?;
    let script = target.join("memory.x");
    write_if_changed(&script, &Memories::of(wanted.board)?.script())?;

    let binary = wanted.program.binary;
    let directory = root.join("benches").join(wanted.program.directory.unwrap_or_default());
    let profile = wanted.profile.unwrap_or(ASKED);
    // The board changes only the linker's script, which cargo doesn't see in the flags. With the
    // board's name in them, nothing is built again when boards alternate.
    let by_board = format!("quintet_board=\"{}\"", wanted.board.name);
    let flags = [FLAGS[0], FLAGS[1], "--cfg", &by_board];
    let triple = target_of(wanted.board);
    let setup = Setup { workspace: &directory, target: triple, profile, flags: &flags };
    let mut cargo = toolchain::cargo_by(&setup, ASKED)?;
    cargo.args(["build", "--profile", ASKED, "--locked", "--bin", binary, "--target", triple]);
    // On a terminal cargo's own progress is the progress.
    if !std::io::stderr().is_terminal() {
        cargo.arg("--quiet");
    }
    cargo.arg("--target-dir").arg(&target);
    let features: Vec<&str> = wanted.features().collect();
    if !features.is_empty() {
        cargo.args(["--features", &features.join(",")]);
    }
    cargo
        .env("CARGO_BUILD_BUILD_DIR", project::firmware_directory(root))
        .env("QUINTET_MEMORY", &script);
    let status = cargo.status().context("can't start cargo to build the benchmark firmware")?;
    if !status.success() {
        return Err(NotBuilt { what: wanted.in_words() }.into());
    }
    Firmware::open(&target.join(triple).join(ASKED).join(binary), None)
}

/// Leaves the file's time alone where nothing changes, so that nothing is built again.
pub(super) fn write_if_changed(path: &Path, text: &str) -> Result<()> {
    if std::fs::read_to_string(path).is_ok_and(|old| old == text) {
        return Ok(());
    }
    output::write(path, text.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_name_the_firmware() {
        let board = Board::named("stm32f100").unwrap();
        let features = ["more_8".to_owned()];
        let program = Program { directory: Some("peers/rtic"), binary: "levels", features: &[] };
        let (features, profile) = (&features[..], None);
        let wanted = Build { program, features, profile, halting: false, board: &board };
        let words = "the firmware \"levels\" of peers/rtic with more_8";
        assert_eq!(wanted.in_words(), words);
        let small = Build { profile: Some("small"), ..wanted };
        assert_eq!(small.in_words(), format!("{words} by the profile small"));
    }
}
