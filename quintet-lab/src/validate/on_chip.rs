//! The document's programs on a chip, beside the simulator.
//!
//! The tool writes each program into the chip's RAM, with its vector table, and lets the processor
//! begin there. So nothing has to be programmed. The programs need 8 KiB of RAM at `0x2000_0000`,
//! and those of preemption four bits of priority. The code comes over another bus than from flash,
//! so the cycles are not those of the document, which ran from the flash of an STM32F100.
//!
//! ```text
//!  0x2000_0000  variables of the programs
//!  0x2000_1000  vector table and code, up to 1 KiB
//!  0x2000_2000  the top of the stack
//! ```

use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use quintet_sim::board::{Board, Core};
use quintet_sim::image::Image;
use serde::Serialize;

use super::vectors::{DIFFERENCE, Document, FLASH, Kind, STACK, VECTORS, Vector};
use crate::chip::counter::Counter;
use crate::chip::{Chip, EFFECTS, Options, Reached, simulated, why};
use crate::firmware::Firmware;
use crate::gdb::client::Remote;
use crate::report::table::{self, table};

/// Where programs are written.
pub const RAM: u32 = 0x2000_1000;

/// Where the variables of programs are, which are 0 at first.
const VARIABLES: u32 = 0x2000_0000;

/// The address of the vector table.
const VTOR: u32 = 0xe000_ed08;

const PC: u32 = 15;
const SP: u32 = 13;

/// Behind the vector table of the program that a simulated board begins with.
const RESET_OFFSET: u32 = 0x40;
const BRANCH_TO_ITSELF: u16 = 0xe7fe;

/// The second byte of a BKPT.
const BREAKPOINT: u8 = 0xbe;

/// The most halts on the way to a place.
const HALTS_MAX: usize = 8;

/// The form of `validate --gdb-remote --json`.
#[derive(Debug, Serialize)]
pub struct Report {
    /// The version of the tool.
    pub tool: &'static str,
    /// The server.
    pub remote: String,
    /// The processor behind it, by its own number.
    pub processor: String,
    /// What counts on the chip.
    pub counter: &'static str,
    /// The board that was simulated.
    pub board: String,
    /// Where the programs were.
    pub address: u32,
    /// The measurements.
    pub rows: Vec<Row>,
    /// What halting does to a count.
    pub effects: Vec<&'static str>,
}

/// A measurement, in cycles.
#[derive(Debug, Serialize)]
pub struct Row {
    /// Its name.
    pub name: String,
    /// The document's figure, of an STM32F100 whose program is in flash.
    pub document: u64,
    /// By the chip's counter; null if there is none.
    pub chip: Option<u64>,
    /// Of the simulator.
    pub simulator: Option<u64>,
    /// Why a figure is missing; null if none is.
    pub reason: Option<String>,
}

/// Repeats each measurement whose name contains `filter`, on a chip and in the simulator.
pub fn run(board: &Board, filter: &str, (options, address): (&Options, &str)) -> Result<Report> {
    options.check_reset()?;
    ensure!(
        !matches!(board.core, Core::CortexM0 | Core::CortexM0Plus),
        "the document's programs are of ARMv7-M, and {} has a core of ARMv6-M: name another \
         --board, or measure firmware of your own by `quintet measure --gdb-remote`",
        board.name
    );
    let ranges = board.memory_ranges();
    let is_there = ranges.iter().any(|range| {
        range.writable && range.start <= 0x2000_0000 && range.start + range.size >= STACK
    });
    ensure!(
        is_there,
        "{} has no 8 KiB of RAM at 0x20000000, where the programs would be written: name another \
         --board",
        board.name
    );
    let document = Document::new(Board::named("stm32f100")?)?;
    let vectors: Vec<&Vector> = document.vectors(filter).collect();
    ensure!(!vectors.is_empty(), "no measurement's name contains \"{filter}\"");
    let mut simulated = Vec::new();
    for vector in &vectors {
        let count = simulate(&document, board, vector, RAM);
        simulated.push(count.map_err(|error| format!("{error:#}")));
    }
    let mut chip = Chip::new(Remote::connect(address)?, options.counter, options.time());
    let asked = (|| {
        chip.prepare(&options.monitor)?;
        let processor = chip.processor()?;
        let mut rows = Vec::new();
        for (vector, simulator) in vectors.iter().zip(simulated) {
            let on_chip =
                if vector.start_kind == Kind::InProgram && options.counter != Counter::Cyccnt {
                    Err("the program reads CYCCNT itself".to_owned())
                } else {
                    chip.prepare(&options.monitor)?;
                    let measured = measure(&mut chip, &document, vector, RAM);
                    measured.map_err(|error| format!("{error:#}"))
                };
            rows.push(Row {
                name: vector.name.clone(),
                document: vector.cycles,
                chip: on_chip.as_ref().ok().copied(),
                simulator: simulator.as_ref().ok().copied(),
                reason: on_chip
                    .err()
                    .or(simulator.err().map(|error| format!("simulator: {error}"))),
            });
        }
        Ok((processor, rows))
    })();
    let (processor, rows) = chip.leave(asked)?;
    Ok(Report {
        tool: env!("CARGO_PKG_VERSION"),
        remote: address.to_owned(),
        processor,
        counter: options.counter.name(),
        board: board.name.clone(),
        address: RAM,
        rows,
        effects: EFFECTS.to_vec(),
    })
}

/// The same in the simulator, by the same client.
fn simulate(document: &Document, board: &Board, vector: &Vector, base: u32) -> Result<u64> {
    // The board needs something to begin with: a vector table, and a branch to itself behind it.
    let reset = board.vector_table + RESET_OFFSET;
    let mut bytes: Vec<u8> =
        [STACK, reset | 1].iter().flat_map(|word| word.to_le_bytes()).collect();
    bytes.resize(RESET_OFFSET as usize, 0);
    bytes.extend(BRANCH_TO_ITSELF.to_le_bytes());
    let image = Image::raw(&bytes, board.vector_table)?;
    let firmware = Firmware::of_image(Path::new("vectors"), image, &[]);
    simulated::with(board, &firmware, None, |chip| measure(chip, document, vector, base))
}

/// Measures on a chip that stands at its reset.
fn measure(chip: &mut Chip, document: &Document, vector: &Vector, base: u32) -> Result<u64> {
    let program = document.program(&vector.program)?;
    let at = |address: u32| address - FLASH + base;
    let mut image = document.image(&program.name)?;
    for offset in [4, VECTORS[0], VECTORS[1]] {
        move_vector(&mut image, offset as usize, base)?;
    }
    chip.remote.write(base, &image)?;
    ensure!(
        chip.remote.read(base, 16)? == image[..16],
        "the program can't be written to {base:#010x}"
    );
    chip.remote.write(VARIABLES, &[0; 16])?;
    chip.write_device(VTOR, base).context("the vector table can't be set")?;
    chip.remote.set_register(SP, STACK)?;
    chip.remote.set_register(PC, at(document.start_of(program)))?;
    let mut way = Way { chip, halts: document.breakpoints(program)?.into_iter().map(at).collect() };
    way.to(at(document.idle_breakpoint(program)))?;
    if vector.start_kind == Kind::InProgram {
        let place = way.next()?;
        ensure!(place > at(program.t1), "the program halted at {place:#010x}");
        return Ok(way.chip.remote.word(DIFFERENCE)?.into());
    }
    // A breakpoint at the instruction behind a request may halt before the interrupt comes.
    let end = at(vector.end);
    way.halts.retain(|halt| *halt != end);
    way.to(at(vector.start))?;
    let began = way.chip.read_counter()?;
    way.halts.clear();
    let place = way.run(&[end])?;
    ensure!(
        place == end,
        "the chip came to {place:#010x} before {end:#010x}, where the measurement ends"
    );
    let ended = way.chip.read_counter()?;
    Ok(way.chip.between(began, ended))
}

/// Lets a word of the vector table lead to where the program is now.
fn move_vector(image: &mut [u8], offset: usize, base: u32) -> Result<()> {
    let word = image.get_mut(offset..offset + 4).context("the program has no vector table")?;
    let target = word.iter().rev().fold(0, |target, byte| target << 8 | u32::from(*byte));
    word.copy_from_slice(&(target - FLASH + base).to_le_bytes());
    Ok(())
}

/// A chip in a program with BKPTs, each of which halts.
struct Way<'a> {
    chip: &'a mut Chip,
    halts: Vec<u32>,
}

impl Way<'_> {
    /// Runs to an address, over the BKPTs on the way.
    fn to(&mut self, address: u32) -> Result<()> {
        if self.chip.remote.pc()? == address {
            return Ok(());
        }
        for _ in 0..HALTS_MAX {
            if self.run(&[address])? == address {
                return Ok(());
            }
        }
        bail!("{address:#010x} was not reached")
    }

    /// Runs to the next BKPT.
    fn next(&mut self) -> Result<u32> {
        self.run(&[])
    }

    /// Runs to a BKPT or to one of some places.
    fn run(&mut self, places: &[u32]) -> Result<u32> {
        let mut pc = self.chip.remote.pc()?;
        // Servers differ in what they do with a BKPT where the processor stands.
        if self.chip.remote.read(pc, 2)?[1] == BREAKPOINT {
            pc += 2;
            self.chip.remote.set_register(PC, pc)?;
        }
        let all = self.halts.iter().chain(places);
        let all: Vec<u32> = all.copied().filter(|place| *place != pc).collect();
        match self.chip.reach(&all)? {
            Reached::Place(place) => Ok(place),
            // A chip halts at a BKPT by itself; QEMU doesn't.
            Reached::Elsewhere(pc) if self.chip.remote.read(pc, 2)?[1] == BREAKPOINT => Ok(pc),
            reached => {
                let time = self.chip.time();
                let place = places.first().map_or("a BKPT".to_owned(), |at| format!("{at:#010x}"));
                bail!("{}", why(reached, &place, time, &|_| "in RAM".to_owned())?)
            }
        }
    }
}

impl Report {
    /// The table for people.
    pub fn text(&self) -> String {
        let mut text = format!(
            "The document's measurements, halted, from RAM at {:#010x}, in cycles\nchip: {}, {} by \
             {}; simulator: {}\n",
            self.address, self.processor, self.remote, self.counter, self.board
        );
        let mut rows = table(&["measurement", ">in flash", ">chip", ">simulator", ">difference"]);
        let shown = |cycles: Option<u64>| cycles.map_or("-".to_owned(), |one| one.to_string());
        for row in &self.rows {
            let both = row.chip.zip(row.simulator);
            let difference = both.map_or("-".to_owned(), |(chip, simulator)| {
                let difference = simulator as i64 - chip as i64;
                if difference == 0 { "0".to_owned() } else { format!("{difference:+}") }
            });
            rows.add_row([
                row.name.clone(),
                row.document.to_string(),
                shown(row.chip),
                shown(row.simulator),
                difference,
            ]);
        }
        text.push_str(&table::text(&rows));
        for row in &self.rows {
            if let Some(reason) = &row.reason {
                text.push_str(&format!("{}: {reason}\n", row.name));
            }
        }
        text.push_str(&format!(
            "\"in flash\" is the document's figure, of an STM32F100 without wait states.\nWhat \
             halting does: {}.\n",
            EFFECTS.join("; ")
        ));
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn in_flash_the_client_counts_as_the_document_did() {
        let board = Board::named("stm32f100").unwrap();
        let document = Document::new(board.clone()).unwrap();
        for vector in document.vectors("") {
            let count = simulate(&document, &board, vector, FLASH).unwrap();
            assert_eq!(count, vector.cycles, "{}", vector.name);
        }
    }
}
