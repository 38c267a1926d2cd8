//! Boards with a RISC-V core, as `quintet boards` shows them.

use quintet_sim::riscv::board::{self, Board};
use quintet_sim::riscv::timing::Model;
use serde::Serialize;

use super::{Device, Memory, device, device_table, kilobytes, megahertz, memory, memory_table};
use crate::bench::fit::fold;
use crate::report::table::{grouped, table, text as table_text};

/// A board with a RISC-V core.
#[derive(Serialize)]
pub struct Hart {
    name: String,
    description: String,
    not_modelled: Option<String>,
    core: String,
    pipeline: Option<&'static str>,
    wait_states: u8,
    clock_hz: u64,
    user_mode: bool,
    protection: bool,
    misaligned: bool,
    reset_vector: u32,
    controllers: Vec<Controller>,
    memories: Vec<Memory>,
    devices: Vec<Device>,
}

/// A part around the core that isn't a device of other boards.
#[derive(Serialize)]
struct Controller {
    kind: &'static str,
    base: Option<u32>,
    about: String,
}

/// All that are built in.
///
/// # Errors
/// None, unless a board that is built in is wrong.
pub fn all() -> anyhow::Result<Vec<Hart>> {
    board::names().map(|name| Ok(describe(&Board::named(name)?))).collect()
}

/// A board as data.
pub fn describe(board: &Board) -> Hart {
    let pipeline = board.pipeline;
    let is_timed = pipeline.model != Model::Untimed;
    Hart {
        name: board.name.clone(),
        description: board.description.clone(),
        not_modelled: board.not_modelled.clone(),
        core: board.core.clone(),
        pipeline: is_timed.then(|| pipeline.model.name()),
        wait_states: pipeline.wait_states,
        clock_hz: board.clock_hz,
        user_mode: board.user_mode,
        protection: board.protection,
        misaligned: board.misaligned,
        reset_vector: board.reset_vector,
        controllers: controllers(board),
        memories: board.memories.iter().map(memory).collect(),
        devices: board.devices.iter().map(device).collect(),
    }
}

fn controllers(board: &Board) -> Vec<Controller> {
    let at = |kind, base, about| Controller { kind, base: Some(base), about };
    let timer = |hertz| format!("a timer of {} ticks a second", grouped(hertz));
    let mut found = Vec::new();
    if let Some(clint) = &board.clint {
        found.push(at("clint", clint.base, timer(clint.timer_hz)));
    }
    if let Some(plic) = &board.plic {
        let about = format!("{} sources, {} contexts", plic.sources - 1, plic.contexts);
        found.push(at("plic", plic.base, about));
    }
    if let Some(of) = &board.xh3irq {
        let about = format!("{} interrupts, {} bits of priority", of.irqs, of.priority_bits);
        found.push(Controller { kind: "xh3irq", base: None, about });
    }
    if let Some(of) = &board.rp2350_timer {
        found.push(at("rp2350-timer", of.base, timer(of.timer_hz)));
    }
    if let Some(finisher) = &board.finisher {
        found.push(at("finisher", finisher.base, "ends the run".to_owned()));
    }
    if let Some(system) = &board.simple_system {
        found.push(at("simple-system", system.control, "prints, and ends the run".to_owned()));
        found.push(at("simple-system", system.timer, "a timer of cycles".to_owned()));
    }
    if let Some(litex) = &board.litex {
        found.push(at("litex", litex.base, "control, UART and timer".to_owned()));
    }
    found
}

/// A table of boards.
pub fn list(boards: &[Hart]) -> String {
    let mut rows = table(&["board", "core", ">MHz", ">RAM", "description"]);
    for board in boards {
        rows.add_row([
            board.name.clone(),
            board.core.clone(),
            megahertz(board.clock_hz),
            kilobytes(&board.memories, "ram"),
            board.description.clone(),
        ]);
    }
    table_text(&rows)
}

/// One board in full.
pub fn text(board: &Hart) -> String {
    let mut rights = vec![if board.user_mode { "machine and user mode" } else { "machine mode" }];
    if board.protection {
        rights.push("memory protection");
    }
    if board.misaligned {
        rights.push("misaligned accesses");
    }
    let time = match board.pipeline {
        Some(pipeline) => format!("timed as {pipeline}, {} wait states", board.wait_states),
        None => "not timed: a cycle for each instruction".to_owned(),
    };
    let lacks = |lacks| fold(&format!("not modelled: {lacks}"), 98).join("\n") + "\n";
    let lacks = board.not_modelled.as_ref().map(lacks);
    let mut parts = table(&["controller", ">from", "what"]);
    for controller in &board.controllers {
        let base = controller.base.map_or("-".to_owned(), |base| format!("{base:#010x}"));
        parts.add_row([controller.kind.into(), base, controller.about.clone()]);
    }
    let tables = [
        (true, memory_table(&board.memories)),
        (!board.controllers.is_empty(), table_text(&parts)),
        (!board.devices.is_empty(), device_table(&board.devices)),
    ];
    let tables = tables.into_iter().filter_map(|(has_rows, table)| has_rows.then_some(table));
    format!(
        "{}: {}\n{} at {} MHz, {}, begins at {:#010x}\n{time}\n{}\n{}",
        board.name,
        board.description,
        board.core,
        megahertz(board.clock_hz),
        rights.join(", "),
        board.reset_vector,
        lacks.unwrap_or_default(),
        tables.collect::<Vec<_>>().join("\n"),
    )
}
