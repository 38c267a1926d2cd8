//! Compiles benchmark firmware for a board.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use quintet_sim::board::{Board, MemoryDescription, MemoryKind};

use super::scenario::Scenario;
use crate::firmware::Firmware;

/// Where microcontrollers with a Cortex-M core have their SRAM, or beyond.
const SRAM: u32 = 0x2000_0000;

/// What the surroundings of `cargo lab` must not change in the firmware.
const REMOVED_VARIABLES: [&str; 6] = [
    "RUSTFLAGS",
    "CARGO_ENCODED_RUSTFLAGS",
    "CARGO_BUILD_RUSTFLAGS",
    "CARGO_BUILD_TARGET",
    "CARGO_TARGET_DIR",
    "CARGO_BUILD_TARGET_DIR",
];

/// Builds a scenario's binary and opens it. `halting` puts a BKPT at each mark.
pub fn firmware(
    root: &Path,
    scenario: &Scenario,
    board: &Board,
    halting: bool,
) -> Result<Firmware> {
    let kind = if halting { "halting" } else { "undisturbed" };
    let target = target_directory(root).join("firmware").join(&board.name).join(kind);
    std::fs::create_dir_all(&target).with_context(|| target.display().to_string())?;
    let script = target.join("memory.x");
    write_if_changed(&script, &linker_script(board)?)?;

    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.current_dir(root.join("benches"));
    cargo.args(["build", "--release", "--locked", "--bin", &scenario.binary]);
    // On a terminal cargo's own progress is the progress.
    if !std::io::stderr().is_terminal() {
        cargo.arg("--quiet");
    }
    cargo.arg("--target-dir").arg(&target);
    if halting {
        cargo.args(["--features", "halting"]);
    }
    for variable in REMOVED_VARIABLES {
        cargo.env_remove(variable);
    }
    cargo.env("QUINTET_MEMORY", &script);
    let status = cargo.status().context("can't start cargo to build the benchmark firmware")?;
    if !status.success() {
        bail!(
            "the firmware of group \"{}\" does not build; cargo says why above (the target \
             thumbv7m-none-eabi comes with `rustup target add thumbv7m-none-eabi`)",
            scenario.name
        );
    }
    let file = target.join("thumbv7m-none-eabi").join("release").join(&scenario.binary);
    Firmware::open(&file, None)
}

fn target_directory(root: &Path) -> PathBuf {
    match std::env::var_os("CARGO_TARGET_DIR") {
        Some(directory) => root.join(directory),
        None => root.join("target"),
    }
}

/// Leaves the file's time alone where nothing changes, so that nothing is built again.
fn write_if_changed(path: &Path, text: &str) -> Result<()> {
    if std::fs::read_to_string(path).is_ok_and(|old| old == text) {
        return Ok(());
    }
    std::fs::write(path, text).with_context(|| format!("can't write {}", path.display()))
}

/// The board's memories for cortex-m-rt: code where the vector table is, data in SRAM.
fn linker_script(board: &Board) -> Result<String> {
    let holds = |memory: &&MemoryDescription| {
        let mut starts = memory.aliases.iter().chain([&memory.start]);
        starts.any(|start| board.vector_table.wrapping_sub(*start) < memory.size)
    };
    let code = board.memories.iter().find(holds);
    let is_data = |memory: &&MemoryDescription| {
        memory.kind == MemoryKind::Ram && memory.start >= SRAM && Some(*memory) != code
    };
    let data = board.memories.iter().find(is_data);
    let (Some(code), Some(data)) = (code, data) else {
        bail!("board \"{}\" has no memory at its vector table, or no SRAM", board.name);
    };
    Ok(format!(
        "MEMORY {{\n  FLASH : ORIGIN = {:#010x}, LENGTH = {:#x}\n  \
         RAM : ORIGIN = {:#010x}, LENGTH = {:#x}\n}}\n",
        code.start, code.size, data.start, data.size
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_linker_gets_the_memories_of_the_board() {
        let script = linker_script(&Board::named("stm32f100").unwrap()).unwrap();
        assert!(script.contains("FLASH : ORIGIN = 0x08000000, LENGTH = 0x20000"), "{script}");
        assert!(script.contains("RAM : ORIGIN = 0x20000000, LENGTH = 0x2000"), "{script}");
    }

    #[test]
    fn every_built_in_board_can_run_the_firmware() {
        for name in Board::names() {
            assert!(linker_script(&Board::named(name).unwrap()).is_ok(), "{name}");
        }
    }
}
