//! The options that every command shares which runs firmware.

use crate::firmware::Firmware;
use crate::firmware::symbols::parse_number;
use crate::main_stack;
use crate::output;
use anyhow::Context;
use quintet_sim::board::Board;
use quintet_sim::image::ImageError;
use quintet_sim::machine::Machine;
use quintet_sim::script::Script;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Firmware that has not ended by itself is stopped after so many cycles, unless `--max-cycles`
/// says otherwise: about half a minute of simulation.
pub const MAX_CYCLES: u64 = 1_000_000_000;

/// Which board, how long, with what from outside.
#[derive(clap::Args, Clone, Debug)]
#[command(next_help_heading = "Simulation")]
pub struct MachineOptions {
    /// The board: a name (see `quintet boards`) or the path of a board file
    #[arg(long, env = "QUINTET_BOARD", default_value = "lm3s6965", value_name = "BOARD")]
    pub board: String,
    /// The file is a raw image that is loaded at ADDRESS
    #[arg(long, value_name = "ADDRESS", value_parser = parse_number)]
    pub load: Option<u32>,
    /// Stop after N cycles; 0 for no limit
    #[arg(
        long, env = "QUINTET_MAX_CYCLES", value_name = "N", value_parser = parse_count,
        default_value_t = MAX_CYCLES, allow_negative_numbers = true
    )]
    pub max_cycles: u64,
    /// Stop after N instructions; 0 for no limit
    #[arg(
        long, value_name = "N", value_parser = parse_count, default_value_t = 0,
        allow_negative_numbers = true
    )]
    pub max_instructions: u64,
    /// Inputs from outside by time (buttons, bytes on a UART): a TOML file
    #[arg(long, value_name = "FILE")]
    pub inputs: Option<PathBuf>,
    /// What the firmware reads from its standard input by semihosting: a file, or - for this
    /// command's own, read to its end before the start
    #[arg(long, value_name = "FILE")]
    pub stdin: Option<PathBuf>,
}

impl MachineOptions {
    /// The limit of cycles; `None` without one.
    pub fn cycle_limit(&self) -> Option<u64> {
        (self.max_cycles > 0).then_some(self.max_cycles)
    }

    /// The limit of instructions; `None` without one.
    pub fn instruction_limit(&self) -> Option<u64> {
        (self.max_instructions > 0).then_some(self.max_instructions)
    }

    /// The board.
    pub fn board(&self) -> anyhow::Result<Board> {
        Ok(Board::find(&self.board)?)
    }

    /// Opens the firmware file.
    pub fn open(&self, file: &Path) -> anyhow::Result<Firmware> {
        Firmware::open(file, self.load).map_err(|error| match error.downcast_ref::<ImageError>() {
            Some(ImageError::NotElf { .. }) => anyhow::anyhow!("{error:#} (--load ADDRESS)"),
            _ => error,
        })
    }

    /// The machine with the firmware in it, after reset.
    pub fn machine(&self, firmware: &Firmware) -> anyhow::Result<Machine> {
        let board = self.board()?;
        let mut machine = Machine::new(&board);
        machine.load(&firmware.image).with_context(|| {
            format!("cannot run {} on the board {}", firmware.path.display(), board.name)
        })?;
        if machine.vector_table() != board.vector_table {
            output::complain(&format!(
                "starts from the vector table at {:#010x}, not where {} does: nothing is there",
                machine.vector_table(),
                board.name
            ));
        }
        machine.set_command_line(&firmware.path.display().to_string());
        if let Some(path) = &self.inputs {
            machine.set_script(Script::from_file(path, &board)?);
        }
        if let Some(path) = &self.stdin {
            machine.set_input(&standard_input(path)?);
        }
        machine.reset();
        main_stack::watch(&firmware.image, &mut machine);
        Ok(machine)
    }
}

/// The whole of it, because a run must not depend on when bytes arrive.
fn standard_input(path: &Path) -> anyhow::Result<Vec<u8>> {
    if path != Path::new("-") {
        return std::fs::read(path).with_context(|| format!("cannot read {}", path.display()));
    }
    let mut bytes = Vec::new();
    std::io::stdin().read_to_end(&mut bytes).context("cannot read the standard input")?;
    Ok(bytes)
}

/// A count as people write it: `1000000`, `1_000_000`, `0x1000`.
pub fn parse_count(text: &str) -> Result<u64, String> {
    let clean = text.replace('_', "");
    let value = match clean.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16),
        None => clean.parse(),
    };
    value.map_err(|_| format!("\"{text}\" is not a count: write 1000000 or 1_000_000"))
}

/// A count of what there must be at least one of.
pub fn parse_positive(text: &str) -> Result<u64, String> {
    match parse_count(text)? {
        0 => Err("0 leaves nothing to do: write 1 or more".into()),
        count => Ok(count),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_may_be_grouped() {
        assert_eq!(parse_count("1_000_000"), Ok(1_000_000));
        assert_eq!(parse_count("0x10"), Ok(16));
        assert!(parse_count("many").unwrap_err().contains("many"));
        assert!(parse_count("-1").is_err());
        assert_eq!((parse_count("0"), parse_positive("1_000")), (Ok(0), Ok(1000)));
        assert!(parse_positive("0").unwrap_err().contains("nothing to do"));
    }
}
