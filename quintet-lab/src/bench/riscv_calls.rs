//! The group `tock` on a RISC-V core: what processes pay there for system calls, switches and
//! upcalls.
//!
//! The firmware is `benches/riscv-calls`, whose `rows.toml` names pairs of marks. It runs on the
//! machine `virt-rv32` with the core of the board that is asked for: its instructions and its
//! pipeline. The floor of a row is measured as well, between two marks of assembly in the same
//! image. Documents' figures are instructions.

use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use quintet_sim::cores::Core;
use quintet_sim::files;
use quintet_sim::image::Image;
use quintet_sim::machine::Stop;
use quintet_sim::riscv::board::{self, Board};
use quintet_sim::riscv::machine::Machine;
use serde::{Deserialize, Serialize};

use crate::bench::figures::{Figure, Figures};
use crate::bench::{DocumentFigure, fit};
use crate::input;
use crate::project;
use crate::report::table;
use crate::toolchain::{self, Setup};

/// The group that has this table on a board with a RISC-V core.
pub const GROUP: &str = "tock";

/// The board whose memory and devices the firmware is for.
const MACHINE: &str = "virt-rv32";
/// That of the document, which all of the cores run.
const TARGET: &str = "riscv32imc-unknown-none-elf";
/// Where its memory is, and `msip`: a VexRiscv doesn't cache what is above 0x8000_0000.
const MEMORY: u32 = 0x4000_0000;
const MSIP: u32 = 0xf001_0000;
const PACKAGE: &str = "riscv-calls";
const ROWS: &str = "benches/riscv-calls/rows.toml";
/// The bits of an ECALL.
const ECALL: u32 = 0x73;
/// The firmware ends long before.
const CYCLES_MAX: u64 = 1_000_000;
/// The characters of a line of the notes.
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
    marks: [String; 2],
    floor: Option<[String; 2]>,
    #[serde(default)]
    documents: Vec<[String; 2]>,
}

/// The table.
#[derive(Clone, Debug, Serialize)]
pub struct Table {
    /// The board whose core it is.
    pub board: String,
    /// What is said below the table.
    pub note: String,
    /// The rows.
    pub rows: Vec<Row>,
}

/// A row.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// What was measured.
    pub name: String,
    /// What ours takes.
    pub ours: Time,
    /// What the floor takes.
    pub floor: Option<Time>,
    /// The figures of documents, in instructions.
    pub documents: Vec<DocumentFigure>,
}

/// The time between two marks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Time {
    /// Cycles.
    pub cycles: u64,
    /// Instructions.
    pub instructions: u64,
}

/// Returns `true` if there is a board with a RISC-V core of this name.
pub fn is_board(name: &str) -> bool {
    board::names().any(|known| known == name)
}

/// Builds the firmware for the core of a board, and measures.
pub fn run(root: &Path, name: &str) -> Result<Table> {
    let asked = Board::named(name)?;
    let path = root.join(ROWS);
    let text = files::read_text(&path).with_context(|| path.display().to_string())?;
    let rows: Rows = toml::from_str(&text).with_context(|| path.display().to_string())?;
    let image = build(root)?;
    let times = Times::measure(&image, &machine(&asked)?)?;
    let figures = Figures::built_in()?;
    let row = |row: &RowText| -> Result<Row> {
        let documents = row.documents.iter().map(|[name, key]| {
            Ok(DocumentFigure { name: name.clone(), figure: figures.document(key)? })
        });
        Ok(Row {
            name: row.name.clone(),
            ours: times.last(&row.marks)?,
            floor: row.floor.as_ref().map(|marks| times.last(marks)).transpose()?,
            documents: documents.collect::<Result<_>>()?,
        })
    };
    let rows = rows.row.iter().map(|one| row(one).with_context(|| format!("row \"{}\"", one.name)));
    Ok(Table { board: asked.name.clone(), note: note(&asked), rows: rows.collect::<Result<_>>()? })
}

/// The machine with the core of a board, and with its memory and the interruptor where a VexRiscv
/// has memory and devices.
fn machine(asked: &Board) -> Result<Board> {
    let mut board = Board::named(MACHINE)?;
    board.reset_vector = MEMORY;
    for memory in &mut board.memories {
        memory.start = MEMORY;
    }
    if let Some(clint) = &mut board.clint {
        clint.base = MSIP;
    }
    board.core.clone_from(&asked.core);
    board.standard_protection = true;
    board.pipeline.clone_from(&asked.pipeline);
    Ok(board)
}

/// Says what was measured.
fn note(asked: &Board) -> String {
    let mut note = format!(
        "From the ECALL to the driver's command, or to the instruction behind the ECALL; the \
         last of three times, which finds its code in the caches. The floor is assembly in the \
         same image that saves and loads what a function may change, opens interrupts, and calls \
         a driver of a table. Tock's columns are instructions: of 2021 on a VexRiscv without its \
         record of calls, the same built for speed, and of 2026 built for speed for a HiFive1. The \
         core is that of {}, with the memory and the devices of {MACHINE}.",
        asked.name
    );
    if asked.name != MACHINE && !(asked.user_mode && asked.protection) {
        note += " This core itself has no user mode, or no protection of memory by ranges, and \
                 runs no processes: the model adds both, and the cycles are those of its pipeline.";
    }
    note
}

fn build(root: &Path) -> Result<Image> {
    let workspace = root.join("benches");
    let directory = project::firmware_directory(root).join(PACKAGE);
    let setup = Setup { workspace: &workspace, target: TARGET, profile: "release", flags: &[] };
    let mut cargo = toolchain::cargo(&setup)?;
    cargo.args(["build", "--release", "--locked", "--quiet", "--target", TARGET]);
    cargo.args(["--package", PACKAGE, "--target-dir"]).arg(&directory);
    cargo.env("QUINTET_MSIP", format!("{MSIP:#x}"));
    let status = cargo.status().context("can't start cargo to build the benchmark firmware")?;
    ensure!(status.success(), "the firmware {PACKAGE} does not build; cargo says why above");
    let file = directory.join(TARGET).join("release").join(PACKAGE);
    let image = Image::parse_riscv_elf(&input::firmware(&file)?);
    image.with_context(|| format!("cannot load {}", file.display()))
}

/// The arrivals at symbols of the firmware, in their order.
struct Times<'a> {
    image: &'a Image,
    arrivals: Vec<(u32, Time)>,
}

impl<'a> Times<'a> {
    /// Runs the firmware to its end.
    fn measure(image: &'a Image, board: &Board) -> Result<Self> {
        let marks: std::collections::BTreeSet<u32> =
            image.symbols.iter().map(|symbol| symbol.address).collect();
        let mut machine = Machine::new(board);
        machine.load(image)?;
        machine.reset();
        // An ECALL that traps counts as an instruction here, whatever the hart's counter says.
        let (mut arrivals, mut calls) = (Vec::new(), 0);
        while machine.hart.cycle() < CYCLES_MAX {
            let pc = machine.hart.pc;
            let executed = machine.hart.instructions();
            if marks.contains(&pc) {
                let cycles = machine.hart.retired().unwrap_or_else(|| machine.hart.cycle());
                arrivals.push((pc, Time { cycles, instructions: executed + calls }));
            }
            if let Some(stop) = machine.step() {
                ensure!(stop == (Stop::Exit { code: 0 }), "{PACKAGE} ended: {stop:?}");
                return Ok(Self { image, arrivals });
            }
            let is_call =
                machine.hart.instructions() == executed && machine.bits(pc) == Some(ECALL);
            calls += u64::from(is_call && machine.hart.pc != pc);
        }
        bail!("{PACKAGE} did not end in {CYCLES_MAX} cycles")
    }

    fn address(&self, mark: &str) -> Result<u32> {
        let symbol = self.image.symbol(mark);
        Ok(symbol.with_context(|| format!("the firmware has no {mark}"))?.address)
    }

    /// Returns the last time from one mark to the other one, which finds its code in the caches.
    fn last(&self, [from, to]: &[String; 2]) -> Result<Time> {
        let (first, second) = (self.address(from)?, self.address(to)?);
        let (mut begun, mut last) = (None::<Time>, None);
        for (address, now) in &self.arrivals {
            if *address == second
                && let Some(start) = begun.take()
            {
                last = Some(Time {
                    cycles: now.cycles - start.cycles,
                    instructions: now.instructions - start.instructions,
                });
            }
            if *address == first {
                begun = Some(*now);
            }
        }
        last.with_context(|| format!("the firmware never went from {from} to {to}"))
    }
}

impl Table {
    /// The table for people.
    pub fn text(&self) -> String {
        let documents: Vec<&str> = self.document_names();
        let heads = ["instructions", "cycles", "floor", "x floor"].map(str::to_owned);
        let heads = heads.into_iter().chain(documents.iter().map(|&name| name.to_owned()));
        let heads: Vec<String> = heads.map(|head| format!(">{head}")).collect();
        let title = format!("processes on the core of {}", self.board);
        let heads: Vec<&str> =
            std::iter::once(title.as_str()).chain(heads.iter().map(String::as_str)).collect();
        let mut rows = table::table(&heads);
        for row in &self.rows {
            rows.add_row(row.cells(&documents));
        }
        format!("{}\n{}\n", table::text(&rows), fit::fold(&self.note, LINE).join("\n"))
    }

    /// The names of the columns with documents' figures.
    fn document_names(&self) -> Vec<&str> {
        let mut names = Vec::new();
        for document in self.rows.iter().flat_map(|row| &row.documents) {
            if !names.contains(&document.name.as_str()) {
                names.push(document.name.as_str());
            }
        }
        names
    }
}

impl Row {
    fn cells(&self, documents: &[&str]) -> Vec<String> {
        let floor = self.floor.map(|floor| floor.cycles);
        let times = floor.map(|floor| Figure(self.ours.cycles as f64 / floor as f64));
        let mut cells = vec![
            self.name.clone(),
            self.ours.instructions.to_string(),
            self.ours.cycles.to_string(),
            floor.map_or_else(String::new, |floor| floor.to_string()),
            times.map_or_else(String::new, |times| times.to_string()),
        ];
        cells.extend(documents.iter().map(|name| {
            let figure = self.documents.iter().find(|one| one.name == *name);
            figure.map_or_else(String::new, |one| one.figure.to_string())
        }));
        cells
    }
}
