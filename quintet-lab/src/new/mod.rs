//! Makes a crate of firmware for a chip. The crate builds, runs in the simulator and on the board,
//! and has tests.
//!
//! [`chips`] reads the table of chips, and [`template`] holds the files with their placeholders.
//! This file gives each placeholder its text. cargo-generate makes crates from `template/` as well,
//! with a hook that [`hook`] writes from the same table.

pub mod chips;
pub mod features;
pub mod hook;
mod name;
pub mod riscv;
pub mod template;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use quintet_sim::board::{Board, Core};
use quintet_sim::files;

use crate::linker::Memories;
use chips::Chip;
use features::{EMBASSY, FEATURES, HAL};
use template::Variables;

pub use name::check as check_name;

/// The number of interrupts that an application of the template needs for its levels.
const DISPATCHERS: usize = 2;

/// The chip or the board for which the crate is made; at least one of both.
#[derive(Debug)]
pub struct Purpose<'a> {
    /// A chip of the table.
    pub chip: Option<Chip<'a>>,
    /// The board file that the user gave.
    pub board: Option<BoardFile>,
}

/// A board file that the user gave.
#[derive(Debug)]
pub struct BoardFile {
    text: String,
    board: Board,
}

impl BoardFile {
    /// Reads a board file and checks it.
    ///
    /// # Errors
    /// The file can't be read, or describes no board.
    pub fn read(path: &Path) -> Result<Self> {
        let name = path.display().to_string();
        if !path.exists() && Board::find(&name).is_ok() {
            bail!(
                "{name} is the name of a board, and --board takes a file, or a board with a \
                 RISC-V core: name the chip by --chip (`quintet new --list` shows which chip is \
                 simulated as which board)"
            );
        }
        let text =
            files::read_text(path).with_context(|| format!("cannot read the board file {name}"))?;
        let board = Board::parse(&text, &name)?;
        Ok(Self { text, board })
    }
}

/// The place from which the crate takes Quintet.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Source {
    /// The registry, with the version of this tool.
    Registry,
    /// A checkout: the path of the crate `quintet` in the checkout.
    Checkout(PathBuf),
}

impl Source {
    /// Finds the checkout of Quintet in a directory.
    ///
    /// # Errors
    /// The directory has no checkout of Quintet.
    pub fn checkout(directory: &Path) -> Result<Self> {
        let inside = directory.join("quintet");
        let is_quintet = |path: &Path| {
            let manifest = std::fs::read_to_string(path.join("Cargo.toml")).unwrap_or_default();
            let manifest: toml::Table = manifest.parse().unwrap_or_default();
            let name = manifest.get("package").and_then(|package| package.get("name"));
            name.and_then(toml::Value::as_str) == Some("quintet")
        };
        let found = [inside.as_path(), directory].into_iter().find(|path| is_quintet(path));
        let Some(found) = found else {
            bail!(
                "there is no checkout of Quintet in {0}: {0}/quintet/Cargo.toml is not the \
                 manifest of the crate quintet; --path takes the directory that `git clone` made",
                directory.display()
            );
        };
        let found = found.canonicalize().with_context(|| found.display().to_string())?;
        Ok(Self::Checkout(found))
    }

    /// Returns the dependency as the manifest has it, without the features.
    fn dependency(&self) -> String {
        match self {
            Self::Registry => format!("version = \"{}\"", env!("CARGO_PKG_VERSION")),
            Self::Checkout(path) => {
                format!("path = {}", toml::Value::from(path.display().to_string()))
            }
        }
    }
}

/// Returns the texts for the placeholders in a crate of this name.
///
/// # Errors
/// The chip can't have one of the features, the board has another core than the chip, or the board
/// has no memories for a program.
pub fn variables(
    name: &str,
    purpose: &Purpose<'_>,
    with: &[String],
    source: &Source,
) -> Result<Variables> {
    let with = features::check(with, purpose)?;
    let mut variables = of_purpose(purpose, &name.replace('-', "_"))?;
    variables.texts.insert("name", name.to_owned());
    variables.texts.insert("crate_name", name.replace('-', "_"));
    variables.texts.insert("quintet", source.dependency());
    for (feature, _) in FEATURES {
        variables.features.insert(feature, with.contains(&feature));
    }
    let drivers = [EMBASSY, HAL].into_iter().find(|layer| with.contains(layer)).unwrap_or_default();
    variables.texts.insert("drivers", drivers.to_owned());
    let own = variables.texts.get("hal_dispatchers").cloned().unwrap_or_default();
    if drivers == HAL && !own.is_empty() {
        variables.texts.insert("dispatchers", own);
    }
    Ok(variables)
}

/// Returns the texts that depend on the chip and the board alone. The name of the crate is part of
/// one of them.
pub(crate) fn of_purpose(purpose: &Purpose<'_>, crate_name: &str) -> Result<Variables> {
    let (board, board_file) = purpose.board()?;
    let memories = Memories::of(&board)?;
    let own = purpose.board.is_some();
    let before = memories.boot_loader.as_ref().map_or(0, |loader| loader.length);
    let flash = memories.code.length + before;
    let hex = |value: u32| format!("{value:#x}");
    let mut texts = BTreeMap::from([
        ("chip", purpose.name()),
        ("family", String::new()),
        ("series", String::new()),
        ("usual", String::new()),
        ("led_port", String::new()),
        ("led_letter", String::new()),
        ("led_pin", String::new()),
        ("led_block", String::new()),
        ("led_register", String::new()),
        ("led_bit", String::new()),
        ("led_early", String::new()),
        ("lit", String::new()),
        ("target", target(board.core).to_owned()),
        ("clock_hz", grouped(board.clock_hz)),
        ("timer", "systick".to_owned()),
        ("pac", String::new()),
        ("device", format!("{crate_name}::board::device")),
        ("embassy_package", String::new()),
        ("embassy_crate", String::new()),
        ("embassy_version", String::new()),
        ("embassy_features", String::new()),
        ("hal_package", String::new()),
        ("hal_crate", String::new()),
        ("hal_version", String::new()),
        ("hal_features", String::new()),
        ("hal_dispatchers", String::new()),
        ("dispatchers", last_interrupts(&board)?),
        ("interrupts", interrupts(&board)),
        ("priority_bits", board.priority_bits.to_string()),
        ("probe", String::new()),
        ("board", if own { String::new() } else { board_file.clone() }),
        ("board_file", if own { board_file } else { String::new() }),
        ("boot", memories.boot_loader.map_or(String::new(), |_| "rp2040".to_owned())),
        ("flash_origin", format!("{:#010x}", memories.code.origin)),
        ("flash_length", hex(memories.code.length)),
        ("flash_name", memories.code.name),
        ("flash_bytes", hex(flash)),
        ("flash_kib", (flash / 1024).to_string()),
        ("ram_origin", format!("{:#010x}", memories.data.origin)),
        ("ram_length", hex(memories.data.length)),
        ("ram_name", memories.data.name),
        ("ram_bytes", hex(memories.data.length)),
        ("ram_kib", (memories.data.length / 1024).to_string()),
    ]);
    if let Some(chip) = &purpose.chip {
        texts.extend(of_family(chip));
        if !own {
            texts.insert("clock_hz", grouped(chip.family.clock_hz));
        }
    }
    Ok(Variables { texts, features: BTreeMap::new() })
}

/// Returns the texts that depend on the chip's family.
fn of_family(chip: &Chip<'_>) -> BTreeMap<&'static str, String> {
    let family = chip.family;
    let (port, pin) = family.led();
    let mut texts = BTreeMap::from([
        ("family", family.name.clone()),
        ("series", family.series().to_owned()),
        ("led_port", port.to_owned()),
        ("led_letter", port.to_lowercase()),
        ("led_pin", pin.to_owned()),
        ("led_early", if family.has_early_ports { "yes" } else { "" }.to_owned()),
        ("led_block", family.led_block.clone()),
        ("lit", family.lit.clone()),
        ("usual", family.usual.clone()),
        ("timer", family.timer.clone()),
        ("probe", chip.probe.clone()),
    ]);
    let mut add = |name, text: String| texts.insert(name, text);
    if !chip.pac().is_empty() {
        add("pac", chip.pac());
        add("device", family.device.clone());
        add("dispatchers", family.dispatchers.join(", "));
    }
    if let Some((register, bit)) = &family.led_clock {
        add("led_register", register.clone());
        add("led_bit", bit.clone());
    }
    if let Some(hal) = &family.embassy {
        add("embassy_package", hal.package.clone());
        add("embassy_crate", hal.package.replace('-', "_"));
        add("embassy_version", hal.version.clone());
        add("embassy_features", chip.features(hal));
    }
    if let Some(hal) = &family.hal {
        add("hal_package", hal.package.clone());
        add("hal_crate", hal.package.replace('-', "_"));
        add("hal_version", hal.version.clone());
        add("hal_features", chip.features(hal));
        add("hal_dispatchers", hal.dispatchers.join(", "));
    }
    texts
}

impl Purpose<'_> {
    /// Returns the name of the chip, or else of the board.
    fn name(&self) -> String {
        match (&self.chip, &self.board) {
            (Some(chip), _) => chip.name.clone(),
            (None, Some(file)) => file.board.name.clone(),
            (None, None) => String::new(),
        }
    }

    /// Returns the board with the text of its file, or with the name of the built-in board.
    fn board(&self) -> Result<(Board, String)> {
        match (&self.chip, &self.board) {
            (None, Some(file)) => Ok((file.board.clone(), file.text.clone())),
            (Some(chip), Some(file)) => {
                let of_board = target(file.board.core);
                ensure!(
                    of_board == chip.family.target,
                    "{} is built for {}, but the core of the board \"{}\" takes {of_board}: the \
                     board file is of another chip",
                    chip.name,
                    chip.family.target,
                    file.board.name
                );
                Ok((file.board.clone(), file.text.clone()))
            }
            (Some(chip), None) => {
                let name = &chip.family.board;
                Ok((resized(chip, &Board::named(name)?)?, name.clone()))
            }
            (None, None) => bail!("a crate is for a chip or a board"),
        }
    }
}

/// Returns the built-in board with the sizes of a chip's memories.
fn resized(chip: &Chip<'_>, board: &Board) -> Result<Board> {
    let memories = Memories::of(board)?;
    let mut board = board.clone();
    for memory in &mut board.memories {
        if memory.name == memories.code.name {
            memory.size = chip.flash * 1024;
        } else if memory.name == memories.data.name {
            memory.size = chip.ram * 1024;
        }
    }
    Ok(board)
}

/// Returns the target of the compiler for a core.
pub(crate) const fn target(core: Core) -> &'static str {
    match core {
        Core::CortexM0 | Core::CortexM0Plus => "thumbv6m-none-eabi",
        Core::CortexM3 => "thumbv7m-none-eabi",
        Core::CortexM4 => "thumbv7em-none-eabi",
        Core::CortexM4F | Core::CortexM7 | Core::CortexM7Single => "thumbv7em-none-eabihf",
        Core::CortexM33 => "thumbv8m.main-none-eabi",
        Core::CortexM33F => "thumbv8m.main-none-eabihf",
    }
}

/// Returns names for the interrupts of a board without a crate of registers: their numbers.
fn interrupts(board: &Board) -> String {
    let mut text = String::new();
    for number in 0..board.interrupts {
        let is_first_of_line = number % 10 == 0;
        text.push_str(if is_first_of_line { "\n        " } else { " " });
        text.push_str(&format!("IRQ{number}"));
    }
    text
}

/// Returns the last interrupts of a board, which most applications don't use.
fn last_interrupts(board: &Board) -> Result<String> {
    let count = usize::from(board.interrupts);
    ensure!(
        count >= DISPATCHERS,
        "board \"{}\" has {count} interrupt: the levels of the new application take {DISPATCHERS}",
        board.name
    );
    let names = (count - DISPATCHERS..count).map(|number| format!("IRQ{number}"));
    Ok(names.collect::<Vec<_>>().join(", "))
}

/// Returns a number in groups of three digits, as `16_000_000`.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push('_');
        }
        text.push(digit);
    }
    text
}

/// Writes the files of a crate into a directory, which must be new or empty. A failure leaves
/// nothing behind.
///
/// # Errors
/// The directory has a file in it, or can't be written.
pub fn write(directory: &Path, files: &BTreeMap<&'static str, String>) -> Result<()> {
    check_directory(directory)?;
    let parent = directory.parent().filter(|parent| !parent.as_os_str().is_empty());
    let parent = parent.unwrap_or(Path::new("."));
    ensure!(
        parent.is_dir(),
        "there is no directory {} to put the crate into: make it first",
        parent.display()
    );
    let name = directory.file_name().unwrap_or_default().to_string_lossy();
    let beside = parent.join(format!(".{name}.{}", std::process::id()));
    let written = write_all(&beside, files).and_then(|()| {
        if directory.is_dir() {
            std::fs::remove_dir(directory).with_context(|| directory.display().to_string())?;
        }
        std::fs::rename(&beside, directory)
            .with_context(|| format!("cannot make the directory {}", directory.display()))
    });
    if written.is_err() {
        // What can't be removed could not be made either.
        let _ = std::fs::remove_dir_all(&beside);
    }
    written
}

/// Refuses a directory that isn't empty.
///
/// # Errors
/// The directory has a file in it, or the path is that of a file.
pub fn check_directory(directory: &Path) -> Result<()> {
    if let Ok(mut entries) = std::fs::read_dir(directory) {
        ensure!(
            entries.next().is_none(),
            "the directory {} is there already and isn't empty: take another name, or remove it",
            directory.display()
        );
    } else {
        ensure!(
            !directory.exists(),
            "{} is there already and is no directory: take another name, or remove it",
            directory.display()
        );
    }
    Ok(())
}

fn write_all(directory: &Path, files: &BTreeMap<&'static str, String>) -> Result<()> {
    for (path, text) in files {
        let path = directory.join(path);
        let parent = path.parent().unwrap_or(directory);
        std::fs::create_dir_all(parent)
            .with_context(|| format!("cannot make the directory {}", parent.display()))?;
        crate::output::write(&path, text.as_bytes())?;
    }
    Ok(())
}
