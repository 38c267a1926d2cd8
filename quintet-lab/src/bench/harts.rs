//! The groups on boards with a RISC-V core: ours, without peers.
//!
//! The firmware is that of the groups, which `benches/riscv-tables` adapts. A row has a figure
//! here if its binary and features are in the manifest of that crate, and its marks in the
//! firmware. Other rows are left out: there is no tick on RISC-V, and no handler without the
//! kernel beside which one stands.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyhow::{Context, Result, ensure};
use quintet_sim::files;
use quintet_sim::image::Image;
use quintet_sim::riscv::board::Board;
use quintet_sim::riscv::machine::Machine;
use serde::Deserialize;

use super::column::{Part, Parts};
use super::measure::{Measured, Subject};
use super::row::{RowScenario, What};
use super::scenario::{Scenario, Variant};
use super::{Column, Group, Row, Unit, peers};
use crate::firmware::{Firmware, symbols};
use crate::input;
use crate::linker::HartMemories;
use crate::project;
use crate::toolchain::{self, Setup};

/// The crate of the firmware, below `benches/`.
const CRATE: &str = "riscv-tables";

/// The binaries and features of the crate.
struct Manifest {
    binaries: BTreeSet<String>,
    features: BTreeSet<String>,
}

#[derive(Deserialize)]
struct ManifestText {
    bin: Vec<Binary>,
    features: BTreeMap<String, toml::Value>,
}

#[derive(Deserialize)]
struct Binary {
    name: String,
}

impl Manifest {
    fn read(root: &Path) -> Result<Self> {
        let path = root.join("benches").join(CRATE).join("Cargo.toml");
        let text = files::read_text(&path).with_context(|| path.display().to_string())?;
        let text: ManifestText =
            toml::from_str(&text).with_context(|| path.display().to_string())?;
        let binaries = text.bin.into_iter().map(|binary| binary.name).collect();
        Ok(Self { binaries, features: text.features.into_keys().collect() })
    }
}

/// Builds and measures a group on a board.
///
/// # Errors
/// The board has no software interrupt, the firmware doesn't build or doesn't end well, or no row
/// of the group can be measured there.
pub fn run(root: &Path, scenario: &Scenario, board: &Board) -> Result<Group> {
    let manifest = Manifest::read(root)?;
    let mut figures = vec![Parts::default(); scenario.rows.len()];
    for variant in std::iter::once(None).chain(scenario.variants.iter().map(Some)) {
        let name = variant.map(|variant| variant.name.as_str());
        let wanted = |row: &&RowScenario| Parts::of(row, name).is_some();
        let Some(build) = Build::of(scenario, variant, &manifest) else { continue };
        if !scenario.rows.iter().any(|row| wanted(&row)) {
            continue;
        }
        let firmware = build.firmware(root, board)?;
        let rows: Vec<Option<RowScenario>> = scenario
            .rows
            .iter()
            .map(|row| wanted(&row).then(|| measurable(row, &firmware.image)).flatten())
            .collect();
        let here: Vec<&RowScenario> = rows.iter().flatten().collect();
        let mut measured = measure(&firmware, board, &here)
            .with_context(|| format!("{} on {}", build.binary, board.name))?
            .into_iter();
        for ((parts, row), is_here) in figures.iter_mut().zip(&scenario.rows).zip(&rows) {
            if is_here.is_none() {
                continue;
            }
            let measured = measured.next().context("a row has no figure")?;
            match Parts::of(row, name) {
                Some(Part::Before) => parts.before = Some(measured),
                _ => parts.take(measured),
            }
        }
    }
    let rows =
        figures.into_iter().zip(&scenario.rows).filter_map(|(parts, row)| filled(parts, row));
    let rows: Vec<Row> = rows.collect();
    ensure!(
        !rows.is_empty(),
        "the group {} has no row on a board with a RISC-V core: its firmware is a Cortex-M's",
        scenario.name
    );
    Ok(Group {
        name: scenario.name.clone(),
        title: scenario.title.clone(),
        board: board.name.clone(),
        build: peers::build_in_words(root)?,
        column: scenario.column.clone().unwrap_or_else(|| "Quintet".to_owned()),
        rows,
        ..Group::default()
    })
}

/// Returns a row with its figure, if it has one.
fn filled(parts: Parts, row: &RowScenario) -> Option<Row> {
    let measured: Column = parts.finish(row)?.into();
    let is_time = row.what().is_ok_and(|what| what.is_time());
    Some(Row {
        name: row.name.clone(),
        unit: if is_time { Unit::Cycles } else { Unit::Bytes },
        instructions: measured.instructions,
        cycles: measured.cycles,
        place: measured.place,
        ..Row::default()
    })
}

/// Returns what can be measured of a row here, if anything: without handlers beside which it
/// stands, and without the bytes of RAM, all of which `riscv-rt` gives to sections. Where nothing
/// is left of the code between two marks, they are one place.
fn measurable(row: &RowScenario, image: &Image) -> Option<RowScenario> {
    let is_of_an_image = match row.what().ok()? {
        What::Marks(_) | What::Masked(_) => !row.beyond_bare,
        What::Constant(symbol) => image.symbol(symbol).is_some(),
        What::Text => true,
        What::Ram | What::Stack(_) | What::RamAndStack(_) | What::MainStack | What::Stacks => false,
    };
    let mut row = row.clone();
    row.bare = None;
    let has_marks = row.mark_names().all(|mark| symbols::resolve(image, mark).is_ok());
    let place = |mark: &str| image.symbol(mark).map(|symbol| symbol.address);
    let is_empty = match row.what() {
        Ok(What::Marks(pairs)) => pairs.iter().any(|[from, to]| place(from) == place(to)),
        _ => false,
    };
    (is_of_an_image && has_marks && !is_empty).then_some(row)
}

fn measure(firmware: &Firmware, board: &Board, rows: &[&RowScenario]) -> Result<Vec<Measured>> {
    let mut machine = Machine::new(board);
    machine.load(&firmware.image)?;
    machine.reset();
    Subject { firmware, machine, prints: None, rows }.undisturbed()
}

/// A binary with its features.
struct Build<'a> {
    binary: &'a str,
    features: Vec<&'a str>,
}

impl<'a> Build<'a> {
    /// Returns that of a variant, if the crate has it.
    fn of(
        scenario: &'a Scenario,
        variant: Option<&'a Variant>,
        manifest: &Manifest,
    ) -> Option<Self> {
        if variant.is_some_and(|variant| variant.profile.is_some()) {
            return None;
        }
        let binary = variant
            .and_then(|variant| variant.binary_of_ours.as_ref().or(variant.binary.as_ref()))
            .unwrap_or(&scenario.binary);
        let features = variant.map_or(&[][..], |variant| &variant.features);
        let features: Vec<&str> =
            scenario.features.iter().chain(features).map(String::as_str).collect();
        let is_there = manifest.binaries.contains(binary)
            && features.iter().all(|feature| manifest.features.contains(*feature));
        is_there.then_some(Self { binary, features })
    }

    fn firmware(&self, root: &Path, board: &Board) -> Result<Firmware> {
        let memories = HartMemories::of(board)?;
        let target = memories.target;
        let output = project::firmware_directory(root).join(&board.name);
        std::fs::create_dir_all(&output).with_context(|| output.display().to_string())?;
        let script = output.join("memory.x");
        super::build::write_if_changed(&script, &memories.script())?;
        let directory = root.join("benches").join(CRATE);
        let setup = Setup { workspace: &directory, target, profile: "release", flags: &[] };
        let mut cargo = toolchain::cargo(&setup)?;
        cargo.args(["build", "--release", "--locked", "--quiet", "--target", target]);
        cargo.args(["--bin", self.binary, "--target-dir"]).arg(&output);
        if !self.features.is_empty() {
            cargo.args(["--features", &self.features.join(",")]);
        }
        cargo.env("QUINTET_MEMORY", &script).env("QUINTET_MSIP", format!("{:#x}", memories.msip));
        let status = cargo.status().context("can't start cargo to build the benchmark firmware")?;
        let words = format!("{} for {}", self.binary, board.name);
        ensure!(status.success(), "{words} does not build; cargo says why above");
        let file = output.join(target).join("release").join(self.binary);
        let bytes = input::firmware(&file)?;
        let image = Image::parse_riscv_elf(&bytes);
        let image = image.with_context(|| format!("cannot load {}", file.display()))?;
        Ok(Firmware::of_image(&file, image, &bytes))
    }
}
