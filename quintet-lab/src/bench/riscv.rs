//! The table of RISC-V cores: what their own mechanisms cost, each core in a column.
//!
//! The firmware is `benches/riscv`, whose `rows.toml` names pairs of marks. Each board's core runs
//! it, and the last time counts of what runs several times.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use quintet_sim::files;
use quintet_sim::image::Image;
use quintet_sim::machine::Stop;
use quintet_sim::riscv::board::Board;
use quintet_sim::riscv::machine::Machine;
use serde::{Deserialize, Serialize};

use crate::bench::fit;
use crate::firmware::Firmware;
use crate::input;
use crate::project;
use crate::report::table;
use crate::toolchain::{self, Setup};

/// The group that has this table beside its own.
pub const GROUP: &str = "hardware";

const TARGET: &str = "riscv32imac-unknown-none-elf";
const PACKAGE: &str = "riscv-hardware";

/// The boards, each with the linker's symbols: the first instruction, a word of RAM, and whether
/// the board is LiteX.
const BOARDS: [(&str, [u32; 3]); 3] = [
    ("ibex", [0x0010_0080, 0x0011_0000, 0]),
    ("ibex-maxperf", [0x0010_0080, 0x0011_0000, 0]),
    ("litex-vexriscv", [0, 0x4000_0000, 1]),
];
const SYMBOLS: [&str; 3] = ["__first", "__word", "__is_litex"];

/// The firmware ends long before.
const CYCLES_MAX: u64 = 100_000;

/// What is said below the table.
const NOTE: &str = "Cycles by the models of the pipelines, which repeat the cores' own \
                    register-transfer models; code and data without wait states on an Ibex, and in \
                    the caches of the VexRiscv. A row counts from the retirement of the \
                    instruction before the first mark to that of the instruction before the second \
                    one.";

/// The characters of a line of it.
const LINE: usize = 98;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Rows {
    row: Vec<RowText>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RowText {
    name: String,
    marks: String,
}

/// The table.
#[derive(Clone, Debug, Serialize)]
pub struct Table {
    /// The boards, which are the columns.
    pub boards: Vec<String>,
    /// The rows.
    pub rows: Vec<Row>,
}

/// A row.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// What was measured.
    pub name: String,
    /// The cycles by board; none where the core has no such instruction.
    pub cycles: BTreeMap<String, u64>,
}

/// Builds the firmware for each board, and measures.
pub fn run(root: &Path) -> Result<Table> {
    let path = root.join("benches/riscv/rows.toml");
    let text = files::read_text(&path).with_context(|| path.display().to_string())?;
    let rows: Rows = toml::from_str(&text).with_context(|| path.display().to_string())?;
    let empty = |row: &RowText| Row { name: row.name.clone(), cycles: BTreeMap::new() };
    let mut table = Table { boards: Vec::new(), rows: rows.row.iter().map(empty).collect() };
    for (board, symbols) in BOARDS {
        let firmware = build(root, board, symbols)?;
        let found = measure(&firmware, board)?;
        for (row, text) in table.rows.iter_mut().zip(&rows.row) {
            let is_there = found.get(&text.marks);
            row.cycles.extend(is_there.map(|cycles| (board.to_owned(), *cycles)));
        }
        table.boards.push(board.to_owned());
    }
    let unused = table.rows.iter().find(|row| row.cycles.is_empty());
    ensure!(unused.is_none(), "{}: a row has marks that no core comes to", path.display());
    Ok(table)
}

fn build(root: &Path, board: &str, symbols: [u32; 3]) -> Result<Firmware> {
    let workspace = root.join("benches");
    let target = project::firmware_directory(root).join(board);
    let values = SYMBOLS.iter().zip(symbols);
    let defined = values.map(|(name, value)| format!("link-arg=--defsym={name}={value:#x}"));
    let flags: Vec<String> = defined.flat_map(|flag| ["-C".to_owned(), flag]).collect();
    let flags: Vec<&str> = flags.iter().map(String::as_str).collect();
    let setup = Setup { workspace: &workspace, target: TARGET, profile: "release", flags: &flags };
    let mut cargo = toolchain::cargo(&setup)?;
    cargo.args(["build", "--release", "--locked", "--quiet", "--target", TARGET]);
    cargo.args(["--package", PACKAGE, "--target-dir"]).arg(&target);
    let status = cargo.status().context("can't start cargo to build the benchmark firmware")?;
    ensure!(status.success(), "the firmware {PACKAGE} does not build; cargo says why above");
    let file = target.join(TARGET).join("release").join(PACKAGE);
    let bytes = input::firmware(&file)?;
    let image = Image::parse_riscv_elf(&bytes);
    let image = image.with_context(|| format!("cannot load {}", file.display()))?;
    Ok(Firmware::of_image(&file, image, &bytes))
}

/// Runs the firmware. Returns the cycles between marks, by their names, of the last time.
fn measure(firmware: &Firmware, board: &str) -> Result<BTreeMap<String, u64>> {
    let mut marks: BTreeMap<u32, Vec<&str>> = BTreeMap::new();
    for symbol in &firmware.image.symbols {
        let is_mark = ["_before", "_after"].iter().any(|end| symbol.name.ends_with(end));
        if is_mark {
            marks.entry(symbol.address).or_default().push(&symbol.name);
        }
    }
    let mut machine = Machine::new(&Board::named(board)?);
    machine.load(&firmware.image)?;
    let (mut begun, mut found) = (BTreeMap::new(), BTreeMap::new());
    while machine.hart.cycle() < CYCLES_MAX {
        if let Some(stop) = machine.step() {
            ensure!(stop == (Stop::Exit { code: 0 }), "{PACKAGE} on {board} ended: {stop:?}");
            return Ok(found);
        }
        let Some(names) = marks.get(&machine.hart.pc) else { continue };
        let now = machine.hart.retired().unwrap_or_else(|| machine.hart.cycle());
        for name in names {
            if let Some(name) = name.strip_suffix("_before") {
                begun.insert(name, now);
            } else if let Some(name) = name.strip_suffix("_after")
                && let Some(start) = begun.remove(name)
            {
                found.insert(name.to_owned(), now - start);
            }
        }
    }
    anyhow::bail!("{PACKAGE} on {board} did not end in {CYCLES_MAX} cycles")
}

impl Table {
    /// The table for people.
    pub fn text(&self) -> String {
        let heads: Vec<String> = self.boards.iter().map(|board| format!(">{board}")).collect();
        let heads: Vec<&str> =
            std::iter::once("cycles on RISC-V").chain(heads.iter().map(String::as_str)).collect();
        let mut rows = table::table(&heads);
        for row in &self.rows {
            let cycles = self.boards.iter().map(|board| row.cycles.get(board));
            let cycles = cycles.map(|cycles| cycles.map_or("none".to_owned(), u64::to_string));
            rows.add_row(std::iter::once(row.name.clone()).chain(cycles));
        }
        let note = fit::fold(NOTE, LINE).join("\n");
        format!("{}\n{note}\n", table::text(&rows))
    }
}
