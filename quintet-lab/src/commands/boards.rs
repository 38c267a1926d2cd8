//! `quintet boards`: the boards that can be simulated, with their parts.

mod harts;

use crate::bench::fit::fold;
use crate::exit::Outcome;
use crate::output;
use crate::report::table::{self, grouped, table};
use crate::simulated::riscv_board;
use quintet_sim::board::front::{BufferName, FrontDescription};
use quintet_sim::board::{Board, Core, MemoryKind, PortName};
use quintet_sim::board::{DeviceDescription, MemoryDescription};
use quintet_sim::chips;
use serde::Serialize;

/// The fewest letters of a part of a name.
const PART_MIN: usize = 3;

const EXAMPLES: &str = "\
Examples:
  quintet boards                   all boards, one line each
  quintet boards lm3s6965          one board: memory map, devices, interrupts, clock
  quintet boards stm32g0           the chips of a family, or with any part of a name
  quintet boards stm32g071rb       the board of a chip
  quintet boards ./my-board.toml   a board file of your own
  quintet boards --json

Firmware is simulated on lm3s6965 unless --board names another; any command
takes the path of a board file in place of a name.";

/// List the boards that can be simulated, or show one
#[derive(clap::Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// The name of a board or a chip, a part of the names of chips, or the path of a board file
    name: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Description {
    name: String,
    description: String,
    not_modelled: Option<String>,
    core: &'static str,
    clock_hz: u64,
    priority_bits: u8,
    interrupts: u16,
    vector_table: u32,
    mpu_regions: u8,
    bit_banding: bool,
    universal_hex: Vec<u16>,
    uf2_families: Vec<u32>,
    timing: Vec<Timing>,
    memories: Vec<Memory>,
    devices: Vec<Device>,
}

/// A part of the timing, and how it is known.
#[derive(Serialize)]
struct Timing {
    of: String,
    basis: &'static str,
    source: String,
}

#[derive(Serialize)]
struct Memory {
    name: String,
    kind: &'static str,
    start: u32,
    size: u32,
    port: &'static str,
    read_wait_states: u8,
    write_wait_states: u8,
    front_end: Option<String>,
    aliases: Vec<u32>,
    /// `true` if the memory holds the chip's data about itself, and no program.
    #[serde(skip)]
    is_filled: bool,
}

#[derive(Serialize)]
struct Device {
    name: String,
    kind: &'static str,
    base: u32,
    size: u32,
    interrupts: Vec<u16>,
    port: Option<String>,
}

impl Arguments {
    /// Prints the boards.
    pub fn run(&self) -> anyhow::Result<Outcome> {
        if let Some(name) = &self.name {
            if let Some(board) = riscv_board(name)? {
                return print(&harts::describe(&board), harts::text, self.json);
            }
            if let Some(chips) = several(name)? {
                return print_list(&chips, self.json);
            }
            return print(&describe(&Board::find(name)?), text, self.json);
        }
        let boards = Board::names()
            .map(|name| Ok(describe(&Board::named(name)?)))
            .collect::<anyhow::Result<Vec<_>>>()?;
        let harts = harts::all()?;
        if self.json {
            let of_cortex = boards.into_iter().map(Entry::Cortex);
            let all: Vec<Entry> = of_cortex.chain(harts.into_iter().map(Entry::Hart)).collect();
            output::print_json(&all)?;
            return Ok(Outcome::Done);
        }
        let families = chips::families().collect::<Vec<_>>().join(", ");
        let more = format!(
            "Each of {} chips is a board as well. Those of a family: quintet boards stm32g0, or \
             any other part of a name. The families: {families}",
            chips::count(),
        );
        let (more, harts) = (fold(&more, 98).join("\n"), harts::list(&harts));
        output::print(&format!("{}\n{harts}\n{ONE_IN_FULL}\n\n{more}\n", table_of(&boards)))?;
        Ok(Outcome::Done)
    }
}

/// A board of either family of cores.
#[derive(Serialize)]
#[serde(untagged)]
enum Entry {
    Cortex(Description),
    Hart(harts::Hart),
}

fn print<B: Serialize>(board: &B, text: fn(&B) -> String, json: bool) -> anyhow::Result<Outcome> {
    if json {
        output::print_json(board)?;
    } else {
        output::print(&text(board))?;
    }
    Ok(Outcome::Done)
}

/// Returns the chips whose names contain a text, unless the text is a whole name or a path.
fn several(part: &str) -> anyhow::Result<Option<Vec<Description>>> {
    let is_whole = part.contains(['/', '\\', '.'])
        || Board::names().any(|name| name == part)
        || chips::find(part)?.is_some();
    if is_whole || part.len() < PART_MIN {
        return Ok(None);
    }
    let boards = chips::boards_with(part)?;
    Ok((!boards.is_empty()).then(|| boards.iter().map(describe).collect()))
}

fn print_list(boards: &[Description], json: bool) -> anyhow::Result<Outcome> {
    if json {
        output::print_json(&boards)?;
    } else {
        output::print(&list(boards))?;
    }
    Ok(Outcome::Done)
}

fn describe(board: &Board) -> Description {
    Description {
        name: board.name.clone(),
        description: board.description.clone(),
        not_modelled: board.not_modelled.clone(),
        core: match board.core {
            Core::CortexM0 => "cortex-m0",
            Core::CortexM0Plus => "cortex-m0plus",
            Core::CortexM3 => "cortex-m3",
            Core::CortexM4 => "cortex-m4",
            Core::CortexM4F => "cortex-m4f",
            Core::CortexM7 => "cortex-m7",
            Core::CortexM7Single => "cortex-m7-single",
            Core::CortexM33 => "cortex-m33",
            Core::CortexM33F => "cortex-m33f",
        },
        clock_hz: board.clock_hz,
        priority_bits: board.priority_bits,
        interrupts: board.interrupts,
        vector_table: board.vector_table,
        mpu_regions: board.mpu_regions,
        bit_banding: board.bit_banding,
        universal_hex: board.universal_hex.clone(),
        uf2_families: board.uf2_families.clone(),
        timing: timing(board),
        memories: board.memories.iter().map(memory).collect(),
        devices: board.devices.iter().map(device).collect(),
    }
}

fn memory(memory: &MemoryDescription) -> Memory {
    Memory {
        name: memory.name.clone(),
        kind: match memory.kind {
            MemoryKind::Flash => "flash",
            MemoryKind::Ram => "ram",
        },
        start: memory.start,
        size: memory.size,
        port: match memory.port {
            PortName::CodeSeparate => "code-separate",
            PortName::CodeShared => "code-shared",
            PortName::System => "system",
        },
        read_wait_states: memory.read_wait_states,
        write_wait_states: memory.write_wait_states,
        front_end: memory.front_end.as_ref().map(front_end),
        aliases: memory.aliases.clone(),
        is_filled: !memory.words.is_empty(),
    }
}

fn device(device: &DeviceDescription) -> Device {
    Device {
        name: device.name.clone(),
        kind: device.kind.name(),
        base: device.base,
        size: device.span(),
        interrupts: device.interrupts.clone(),
        port: device.port.clone(),
    }
}

/// Returns how a board's timing is known: the core's, and the parts in the board's file.
fn timing(board: &Board) -> Vec<Timing> {
    let of_core = board.core.timing().iter().map(|(of, basis, source)| Timing {
        of: (*of).into(),
        basis: basis.name(),
        source: (*source).into(),
    });
    let of_board = board.timing.iter().map(|entry| Timing {
        of: entry.of.clone(),
        basis: entry.basis.name(),
        source: entry.source.clone(),
    });
    of_core.chain(of_board).collect()
}

/// A front end in a line.
fn front_end(front: &FrontDescription) -> String {
    let mut parts = vec![format!("lines of {} bytes", front.line_bytes)];
    match front.buffer {
        BufferName::None => {}
        BufferName::Fetches => parts.push("the last one kept for fetches".into()),
        BufferName::All => parts.push("the last one kept".into()),
    }
    if front.prefetch {
        parts.push("prefetch".into());
    }
    let ways = front.instruction_ways.filter(|ways| *ways != front.instruction_lines);
    let ways = ways.map(|ways| format!(" in {ways} ways")).unwrap_or_default();
    let cached = if front.data_shares { "fetches and data" } else { "fetches" };
    if front.instruction_lines != 0 {
        parts.push(format!("cache of {} lines{ways} for {cached}", front.instruction_lines));
    }
    if front.data_lines != 0 {
        parts.push(format!("cache of {} lines for data", front.data_lines));
    }
    if let Some(control) = &front.control {
        parts.push(format!("set by {} + {:#x}", control.device, control.offset));
    }
    parts.join(", ")
}

/// Behind a list.
const ONE_IN_FULL: &str = "One board in full: quintet boards NAME";

fn list(boards: &[Description]) -> String {
    format!("{}\n{ONE_IN_FULL}\n", table_of(boards))
}

fn table_of(boards: &[Description]) -> String {
    let mut rows = table(&["board", "core", ">MHz", ">flash", ">RAM", "description"]);
    for board in boards {
        rows.add_row([
            board.name.clone(),
            board.core.into(),
            megahertz(board.clock_hz),
            kilobytes(&board.memories, "flash"),
            kilobytes(&board.memories, "ram"),
            board.description.clone(),
        ]);
    }
    table::text(&rows)
}

/// The size of all memories of a kind, without those that a chip has filled.
fn kilobytes(memories: &[Memory], kind: &str) -> String {
    let counted = memories.iter().filter(|memory| memory.kind == kind && !memory.is_filled);
    format!("{} KiB", counted.map(|memory| u64::from(memory.size)).sum::<u64>() / 1024)
}

fn text(board: &Description) -> String {
    let list = |ids: Vec<String>| ids.join(", ");
    let hex = list(board.universal_hex.iter().map(|id| format!("{id:#x}")).collect());
    let uf2 = list(board.uf2_families.iter().map(|id| format!("{id:#x}")).collect());
    let mut images = String::new();
    for (ids, what) in [(hex, "universal hex"), (uf2, "UF2 of the families")] {
        if !ids.is_empty() {
            images.push_str(&format!("takes {what} {ids}\n"));
        }
    }
    if let Some(lacks) = &board.not_modelled {
        images.push_str(&format!("not modelled: {lacks}\n"));
    }
    format!(
        "{}: {}\n{} at {} MHz, {} interrupts, {} priority bits, {} MPU regions, {}vector table at \
         {:#x}\n{images}\n{}\n{}{}\n{}",
        board.name,
        board.description,
        board.core,
        megahertz(board.clock_hz),
        board.interrupts,
        board.priority_bits,
        board.mpu_regions,
        if board.bit_banding { "bit-banding, " } else { "" },
        board.vector_table,
        memory_table(&board.memories),
        fronts_text(board),
        timing_text(board),
        device_table(&board.devices),
    )
}

fn memory_table(memories: &[Memory]) -> String {
    let mut rows = table(&["memory", "kind", ">from", ">to", ">bytes", "port", "wait states"]);
    for memory in memories {
        for (index, start) in std::iter::once(&memory.start).chain(&memory.aliases).enumerate() {
            let name = if index == 0 { memory.name.clone() } else { format!("= {}", memory.name) };
            rows.add_row([
                name,
                memory.kind.into(),
                format!("{start:#010x}"),
                format!("{:#010x}", start.saturating_add(memory.size - 1)),
                grouped(u64::from(memory.size)),
                memory.port.into(),
                match &memory.front_end {
                    None => format!(
                        "{} read, {} write",
                        memory.read_wait_states, memory.write_wait_states
                    ),
                    Some(_) => "front end".into(),
                },
            ]);
        }
    }
    table::text(&rows)
}

fn device_table(devices: &[Device]) -> String {
    let mut rows = table(&["device", "kind", ">from", ">to", "interrupts", "pins"]);
    for device in devices {
        let interrupts: Vec<String> = device.interrupts.iter().map(ToString::to_string).collect();
        rows.add_row([
            device.name.clone(),
            device.kind.into(),
            format!("{:#010x}", device.base),
            format!("{:#010x}", device.base.saturating_add(device.size.saturating_sub(1))),
            interrupts.join(", "),
            device.port.as_ref().map(|port| format!("P{port}*")).unwrap_or_default(),
        ]);
    }
    table::text(&rows)
}

/// Returns the front ends of memories, a paragraph each.
fn fronts_text(board: &Description) -> String {
    let with_front = |memory: &Memory| Some((memory.name.clone(), memory.front_end.clone()?));
    let described = board.memories.iter().filter_map(with_front);
    let lines = described.map(|(name, front)| {
        let lines = fold(&format!("front end of {name}: {front}"), 98).join("\n  ");
        format!("{lines}\n\n")
    });
    lines.collect()
}

/// Returns how the timing is known.
fn timing_text(board: &Description) -> String {
    let mut known = table(&["time", "known by", "source"]);
    for entry in &board.timing {
        let source = fold(&entry.source, 46).join("\n");
        known.add_row([entry.of.clone(), entry.basis.into(), source]);
    }
    table::text(&known)
}

fn megahertz(hertz: u64) -> String {
    let megahertz = hertz as f64 / 1e6;
    format!("{megahertz}")
}
