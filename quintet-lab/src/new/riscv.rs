//! Crates for boards with a RISC-V core: those of the simulator, and board files.
//!
//! There is no table of chips, as no chip's drivers are known: a board has what an application of
//! ours needs, which is memory and a core-local interruptor. The files are in `template-riscv/`.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Result, bail};
use quintet_sim::files;
use quintet_sim::riscv::board::{self, Board};

use super::template::Variables;
use super::{Source, grouped};
use crate::linker::HartMemories;
use crate::simulated::riscv_board;

/// The files, each with its path in the crate and its text.
pub const FILES: [(&str, &str); 11] = [
    (".cargo/config.toml", include_str!("../../template-riscv/.cargo/config.toml.liquid")),
    (".gitignore", include_str!("../../template-riscv/.gitignore.liquid")),
    ("Cargo.toml", include_str!("../../template-riscv/Cargo.toml.liquid")),
    ("README.md", include_str!("../../template-riscv/README.md.liquid")),
    ("build.rs", include_str!("../../template-riscv/build.rs.liquid")),
    ("memory.x", include_str!("../../template-riscv/memory.x.liquid")),
    ("rust-toolchain.toml", include_str!("../../template-riscv/rust-toolchain.toml.liquid")),
    ("src/lib.rs", include_str!("../../template-riscv/src/lib.rs.liquid")),
    ("src/main.rs", include_str!("../../template-riscv/src/main.rs.liquid")),
    ("tests/on_target.rs", include_str!("../../template-riscv/tests/on_target.rs.liquid")),
    ("tests/starts.toml", include_str!("../../template-riscv/tests/starts.toml.liquid")),
];

/// What `--with` can add here.
const FEATURES: [&str; 3] = ["async", "actors", "threads"];

/// The address of `msip` for which the kernel is built where nothing else is said.
const USUAL_MSIP: u32 = 0x0200_0000;

/// A board with a RISC-V core.
#[derive(Debug)]
pub struct RiscVBoard {
    board: Board,
    /// The text of the user's file; `None` for a built-in board.
    text: Option<String>,
}

impl RiscVBoard {
    /// Finds the built-in board of this name, or reads a board file, if its core is a RISC-V.
    ///
    /// # Errors
    /// The file describes no board.
    pub fn find(asked: &Path) -> Result<Option<Self>> {
        let path = asked.display().to_string();
        let Some(board) = riscv_board(&path)? else { return Ok(None) };
        let is_built_in = board::names().any(|name| name == path);
        let text = (!is_built_in).then(|| files::read_text(asked)).transpose()?;
        Ok(Some(Self { board, text }))
    }

    /// Returns the texts for the placeholders in a crate of this name.
    ///
    /// # Errors
    /// A feature that isn't for RISC-V, or a board without memory or interruptor.
    pub fn variables(&self, name: &str, with: &[String], source: &Source) -> Result<Variables> {
        check_features(with)?;
        let Self { board, text } = self;
        let memories = HartMemories::of(board)?;
        let msip = if memories.msip == USUAL_MSIP { String::new() } else { address(memories.msip) };
        let timer_hz = board.clint.as_ref().map_or(0, |clint| clint.timer_hz);
        let hex = |value: u32| format!("{value:#x}");
        let own = text.is_some();
        let texts = BTreeMap::from([
            ("name", name.to_owned()),
            ("crate_name", name.replace('-', "_")),
            ("quintet", source.dependency()),
            ("chip", board.name.clone()),
            ("target", memories.target.to_owned()),
            ("board", if own { String::new() } else { board.name.clone() }),
            ("probe", String::new()),
            ("clint", address(memories.msip)),
            ("msip", msip),
            ("timer_hz", grouped(timer_hz)),
            ("code", memories.code_name().to_owned()),
            ("code_origin", hex(memories.code.0)),
            ("code_length", hex(memories.code.1)),
            ("data_origin", hex(memories.data.unwrap_or_default().0)),
            ("data_length", hex(memories.data.unwrap_or_default().1)),
        ]);
        let is_wanted = |feature: &&'static str| with.iter().any(|wanted| wanted == feature);
        let features = FEATURES.iter().map(|feature| (*feature, is_wanted(feature))).collect();
        Ok(Variables { texts, features })
    }

    /// Returns the text of the board's file, which the crate gets if the board isn't built in.
    pub fn file(&self) -> Option<&str> {
        self.text.as_deref()
    }

    /// Returns the name of the board.
    pub fn name(&self) -> &str {
        &self.board.name
    }
}

/// Refuses what `--with` can't add here.
fn check_features(with: &[String]) -> Result<()> {
    match with.iter().find(|wanted| !FEATURES.contains(&wanted.as_str())) {
        None => Ok(()),
        Some(wanted) => bail!(
            "--with {wanted} is not for a board with a RISC-V core: there are {}",
            FEATURES.join(", ")
        ),
    }
}

/// Returns an address in groups of four digits, as `0x0200_0000`.
fn address(value: u32) -> String {
    format!("{:#06x}_{:04x}", value >> 16, value & 0xffff)
}
