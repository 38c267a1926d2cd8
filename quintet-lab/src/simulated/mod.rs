//! What a command asks of the simulated chip, whichever core it has.
//!
//! ```text
//!   command ──> Simulation<M> ──> M: Simulated ──> cores::Core      (in the simulator)
//!                                    │
//!                     Machine ───────┴─────── riscv::machine::Machine
//!                  (cortex_m.rs)                  (riscv.rs)
//! ```
//! A command that is generic over [`Simulated`] observes either core. [`family`] says which one the
//! firmware is for, once, at the beginning. What only one core has is behind
//! [`Simulated::cortex_m`], which is known when the command is compiled.

mod cortex_m;
pub mod events;
pub mod riscv;

use std::path::Path;

use anyhow::Context;
use events::{Event, Seen};
use quintet_sim::board::Parts;
use quintet_sim::bus::{PinChange, WatchedRange};
use quintet_sim::cores::{Core, Family};
use quintet_sim::files;
use quintet_sim::image::Image;
use quintet_sim::machine::{Machine, Output};
use quintet_sim::riscv::board::{self, Board};
use quintet_sim::riscv::machine::Machine as RiscV;
use quintet_sim::script::Script;

use crate::commands::options::MachineOptions;
use crate::exit::Outcome;
use crate::firmware::Firmware;
use crate::input;
use crate::log::Log;
use crate::main_stack::Overflow;
use crate::masks::{Masked, Masks};
use crate::report::death::Cause;
use crate::simulation::{Advance, Simulation};

/// A chip that a command runs firmware on.
pub trait Simulated: Core {
    /// Opens the firmware, and the files that run together with it.
    fn open(options: &MachineOptions, file: &Path) -> anyhow::Result<Firmware>;

    /// The chip with the firmware and its inputs in it, after reset.
    fn started(options: &MachineOptions, firmware: &Firmware) -> anyhow::Result<Self>;

    /// The cycles of a second on the board that is asked for.
    fn clock_of(options: &MachineOptions, firmware: &Firmware) -> anyhow::Result<u64>;

    /// The name of the board.
    fn board_name(&self) -> String;

    /// The cycles of a second.
    fn clock_hz(&self) -> u64;

    /// The message about figures in cycles if the core's timing is not known.
    fn untimed(&self) -> Option<String>;

    /// Returns what is around the core.
    fn parts(&self) -> Parts<'_>;

    /// Sets the actions of the outside world, from power-on.
    fn set_script(&mut self, script: Script);

    /// Returns the cycle in which the script's action at a place has happened, by its number.
    fn happened(&self, number: usize) -> Option<u64>;

    /// Stops, from now on, after each step that accesses the range.
    fn watch_memory(&mut self, range: WatchedRange);

    /// Starts or stops recording changes of pins.
    fn observe_pins(&mut self, on: bool);

    /// Returns `true` if changes of pins were recorded that nobody has taken.
    fn has_pin_changes(&self) -> bool;

    /// Takes the recorded changes of pins.
    fn take_pin_changes(&mut self) -> Vec<PinChange>;

    /// Returns the level of a pin of a GPIO, the number of the device among the board's.
    fn pin_level(&self, device: usize, pin: u8) -> bool;

    /// Takes what has happened in a step, in order. `from` is where the step began.
    fn take_events(&mut self, seen: &mut Seen, from: u32) -> Vec<Event>;

    /// Notes that all handlers were left in another way than by their return.
    fn leave_handlers(&mut self);

    /// Returns the handler whose function has this name, if it is that of one alone.
    fn handler_named(&self, firmware: &Firmware, name: &str) -> Option<u16>;

    /// Returns `true` if the handler of a fault runs: nobody has handled the fault.
    fn is_in_fault(&self) -> bool;

    /// Returns `true` if the main stack has gone below its end.
    fn is_main_stack_overflown(&self) -> bool;

    /// The machine, if its core is a Cortex-M: for what only that has.
    fn cortex_m(&self) -> Option<&Machine>;

    /// The machine, if its core is a RISC-V hart.
    fn riscv(&self) -> Option<&RiscV>;

    /// Gives the pipeline the effect of a debugger's halt and what follows it.
    fn pause(&mut self);

    /// Takes the firmware's output, made readable.
    fn take_log(&mut self, log: &mut Log<'_>) -> Vec<Output>;

    /// Returns the firmware's name of a channel.
    fn channel_name(&self, channel: &str) -> String;

    /// Whether the core sleeps until an interrupt or an event.
    fn is_asleep(&self) -> bool;

    /// Returns a cause if the core can only loop on one instruction that jumps to itself. `stays`
    /// is `true` if it stood there a while ago too.
    fn dead_loop(&self, stays: bool) -> Option<Cause>;

    /// Returns `true` if the core stands on an instruction that jumps to itself.
    fn jumps_to_itself(&self) -> bool;

    /// Returns the time of held off interrupts that has ended with the step at `from`.
    fn mask(&self, masks: &mut Masks, from: u32) -> Option<Masked>;

    /// Returns what the main stack was written over, if it was.
    fn overflow(&self, firmware: &Firmware) -> Option<Overflow>;

    /// Returns the report about an end, for people.
    fn post_mortem(simulation: &Simulation<'_, Self>, cause: &Cause) -> String;

    /// Returns how the firmware ended, with what is to be said of it.
    fn ending(simulation: &Simulation<'_, Self>, end: &Advance) -> (Outcome, Vec<String>);
}

/// Returns `true` if a step has ended in the trap of the instruction at which it began: on RISC-V,
/// where this doesn't count as an instruction. `before` is the handler that ran before.
pub fn has_trapped<M: Simulated>(machine: &M, before: u16) -> bool {
    let now = machine.handler();
    M::FAMILY == Family::RiscV && now != before && now != 0 && !M::is_interrupt(now)
}

/// Returns the family of the core that a command simulates: that of the board if its name tells,
/// else that of the firmware file.
pub fn family(options: &MachineOptions, file: &Path) -> anyhow::Result<Family> {
    let is_board = board::names().any(|name| name == options.board);
    if is_board {
        return Ok(Family::RiscV);
    }
    // What can't be read is told when it is opened.
    if !file.is_file() {
        return Ok(Family::CortexM);
    }
    let is_image = Image::is_riscv_elf(&input::firmware(file)?);
    Ok(if is_image { Family::RiscV } else { Family::CortexM })
}

/// Returns the built-in board of this name, or the board of this file, if its core is a RISC-V.
///
/// # Errors
/// The file describes no board.
pub fn riscv_board(asked: &str) -> anyhow::Result<Option<Board>> {
    if board::names().any(|name| name == asked) {
        return Ok(Some(Board::named(asked)?));
    }
    let Ok(text) = files::read_text(Path::new(asked)) else { return Ok(None) };
    let table: toml::Table = text.parse().unwrap_or_default();
    let core = table.get("core").and_then(toml::Value::as_str).unwrap_or_default();
    let is_riscv = core.starts_with("rv32");
    Ok(is_riscv.then(|| Board::parse(&text, asked)).transpose()?)
}

/// Opens firmware for either family, for a command that doesn't run it.
pub fn open_any(file: &Path) -> anyhow::Result<Firmware> {
    if file.is_file() {
        let bytes = input::firmware(file)?;
        if Image::is_riscv_elf(&bytes) {
            let image = Image::parse_riscv_elf(&bytes);
            let image = image.with_context(|| format!("cannot load {}", file.display()))?;
            return Ok(Firmware::of_image(file, image, &bytes));
        }
    }
    Firmware::open(file, None)
}
