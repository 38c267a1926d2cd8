//! Runs an ELF file on a whole simulated board.

use std::path::Path;

use anyhow::{Context, Result, bail};
use quintet_sim::board::Board;
use quintet_sim::image::Image;
use quintet_sim::machine::{Machine, Stop, Until};

/// The result of a run.
#[derive(Clone, Debug)]
pub struct Run {
    /// Everything written.
    pub text: String,
    /// The cause of the end.
    pub stop: Stop,
}

/// Loads the image on the board, reset and ready. The command line is the image's name.
pub fn load(path: &Path, board: &str) -> Result<Machine> {
    let bytes = std::fs::read(path).with_context(|| format!("reading {}", path.display()))?;
    let mut machine = Machine::new(&Board::named(board)?);
    machine.load(&Image::parse_elf(&bytes)?)?;
    machine.set_command_line(&path.file_name().unwrap_or_default().to_string_lossy());
    machine.reset();
    Ok(machine)
}

/// Runs an image until it ends.
pub fn run(path: &Path, board: &str, max_cycles: u64) -> Result<Run> {
    let mut machine = load(path, board)?;
    let stop = machine.run(&Until { max_cycles: Some(max_cycles), ..Until::default() });
    Ok(Run { text: text(&mut machine), stop })
}

/// Returns the addresses of the executed instructions, in their order, and the output.
pub fn trace(path: &Path, board: &str, limit: usize) -> Result<(Vec<u32>, String)> {
    let mut machine = load(path, board)?;
    let mut addresses = Vec::new();
    while addresses.len() < limit {
        addresses.push(machine.pc());
        match machine.step() {
            None => {}
            Some(Stop::Exit { code: 0 }) => return Ok((addresses, text(&mut machine))),
            Some(stop) => bail!("{stop:?} after {} instructions", addresses.len()),
        }
    }
    bail!("no end after {limit} instructions")
}

fn text(machine: &mut Machine) -> String {
    let output = machine.take_output();
    output.iter().map(|piece| String::from_utf8_lossy(&piece.bytes)).collect()
}
