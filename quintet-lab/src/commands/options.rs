//! The options that all commands share that run firmware.

use crate::firmware::symbols::parse_number;
use crate::firmware::{Firmware, raw};
use crate::input;
use crate::main_stack;
use crate::output;
use crate::process;
use crate::process::names::Names;
use crate::process::pack::Extras;
use crate::process::place::{Application, Room};
use crate::process::tab::{Tab, is_tab, processor_of_board};
use crate::report::room;
use crate::svd::Svd;
use anyhow::{Context, bail};
use quintet_sim::board::Board;
use quintet_sim::image::{Found, ImageError};
use quintet_sim::machine::Machine;
use quintet_sim::script::Script;
use quintet_sim::semihosting::OUTPUT_MAX;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Firmware that has not ended by itself is stopped after so many cycles, unless `--max-cycles`
/// says otherwise: about half a minute of simulation.
pub const MAX_CYCLES: u64 = 1_000_000_000;

/// The board, the limits, and the inputs.
#[derive(clap::Args, Clone, Debug)]
#[command(next_help_heading = "Simulation")]
pub struct MachineOptions {
    /// The board: a name (see `quintet boards`) or the path of a board file
    #[arg(long, env = "QUINTET_BOARD", default_value = "lm3s6965", value_name = "BOARD")]
    pub board: String,
    /// The file is a raw image that is loaded at ADDRESS
    #[arg(long, value_name = "ADDRESS", value_parser = parse_number)]
    pub load: Option<u32>,
    /// Another file that is loaded too, as the bootloader of an application; a raw image as
    /// FILE@ADDRESS. May be given several times
    #[arg(long, value_name = "FILE")]
    pub also: Vec<String>,
    /// An application that is put into the flash of the kernel's processes: a file in the Tock
    /// binary format (see `quintet pack`), or the directory of a crate, whose programs cargo
    /// builds, or one of them as DIRECTORY:PROGRAM. May be given several times
    #[arg(long, value_name = "PATH")]
    pub process: Vec<PathBuf>,
    /// The ELF file of an application in the kernel's flash, for its functions and lines. Without
    /// it, the file beside that of --process is taken: NAME.elf or NAME for NAME.tbf. May be given
    /// several times
    #[arg(long, value_name = "FILE")]
    pub app_elf: Vec<PathBuf>,
    /// Serve semihosting to processes too. Without it, a request is a fault of the process, as on a
    /// board without a debugger
    #[arg(long)]
    pub process_semihosting: bool,
    /// The maker's file with the names of registers and fields (SVD), for reports: of what a loop
    /// waits for, of accesses that failed
    #[arg(long, value_name = "FILE")]
    pub svd: Option<PathBuf>,
    /// Start from the vector table at ADDRESS, not where the board or the file has it
    #[arg(long, value_name = "ADDRESS", value_parser = parse_number)]
    pub vector_table: Option<u32>,
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
    /// Keep N bytes of what the firmware prints, on all channels together; 0 for all (for run
    /// --json, which keeps them to its end, 64 MiB)
    #[arg(
        long, value_name = "N", value_parser = parse_count, default_value_t = OUTPUT_MAX,
        allow_negative_numbers = true
    )]
    pub max_output: u64,
    /// Inputs from outside by time (buttons, bytes on a UART): a TOML file
    #[arg(long, value_name = "FILE")]
    pub inputs: Option<PathBuf>,
    /// What the firmware reads from its standard input by semihosting, or from RTT's first
    /// down-channel: a file, or - for this command's own, read to its end before the start
    #[arg(long, value_name = "FILE")]
    pub stdin: Option<PathBuf>,
}

impl MachineOptions {
    /// Returns the limit of cycles; `None` without one.
    pub fn cycle_limit(&self) -> Option<u64> {
        (self.max_cycles > 0).then_some(self.max_cycles)
    }

    /// Returns the limit of instructions; `None` without one.
    pub fn instruction_limit(&self) -> Option<u64> {
        (self.max_instructions > 0).then_some(self.max_instructions)
    }

    /// The board.
    pub fn board(&self) -> anyhow::Result<Board> {
        Ok(Board::find(&self.board)?)
    }

    /// Opens the firmware file, and the files that run together with it.
    pub fn open(&self, file: &Path) -> anyhow::Result<Firmware> {
        let board = self.board()?;
        let target = board.target();
        let mut firmware = Firmware::open_for(file, self.load, &target)
            .map_err(|error| with_hint(error, "--load ADDRESS"))?;
        if let (Some(load), true) = (self.load, self.also.is_empty() && self.vector_table.is_none())
        {
            let bytes = firmware.image.segments.first().map(|segment| segment.bytes.as_slice());
            if let Some(problem) = raw::misplaced(bytes.unwrap_or_default(), load, &board) {
                bail!("{}: {problem}", file.display());
            }
        }
        for also in &self.also {
            let (file, load) = place(also);
            let other = Firmware::open_for(file, load, &target)
                .map_err(|error| with_hint(error, "--also FILE@ADDRESS"))?;
            firmware.add(other, &board)?;
        }
        self.add_processes(&mut firmware, Some(&board))?;
        firmware.svd = self.svd()?;
        Ok(firmware)
    }

    /// Reads the names of registers, where there are some.
    fn svd(&self) -> anyhow::Result<Option<Arc<Svd>>> {
        self.svd.as_deref().map(|path| Svd::read(path).map(Arc::new)).transpose()
    }

    /// Puts applications behind the kernel. Without a board, the kernel's core is one of RISC-V.
    pub fn add_processes(
        &self,
        kernel: &mut Firmware,
        board: Option<&Board>,
    ) -> anyhow::Result<()> {
        if self.process.is_empty() && self.app_elf.is_empty() {
            return Ok(());
        }
        let context = || process::place::context(kernel);
        let room = process::place::room(&kernel.image).with_context(context)?;
        let mut files = Vec::new();
        let mut built = Vec::new();
        let mut names = Vec::new();
        for path in &self.app_elf {
            let (file, bytes) = (path.clone(), input::firmware(path)?);
            names.push(Names { file, bytes, is_asked_for: true });
        }
        let target = process::build::target_of(&input::firmware(&kernel.path)?);
        for path in &self.process {
            match process::build::of_argument(path, target) {
                Some(programs) => built.extend(programs.build()?),
                None => {
                    files.push((path.display().to_string(), one(path, &room, board)?));
                    names.extend(process::names::beside(path));
                }
            }
        }
        if !built.is_empty() {
            files.extend(process::build::pack_all(&built, &room, Extras::default())?);
            names.extend(built.into_iter().map(|built| built.elf));
        }
        let applications: Vec<_> =
            files.iter().map(|(file, bytes)| Application { file, bytes }).collect();
        if !applications.is_empty() {
            match board {
                Some(board) => process::place::put_behind(kernel, &applications, board)?,
                None => process::place::put_behind_riscv(kernel, &applications)?,
            }
        }
        let there = process::names::in_flash(&kernel.image, room.flash);
        for text in process::place::without_memory(&room, &there) {
            output::complain(&text);
        }
        process::names::add(kernel, room.flash, &names)
    }

    /// Returns how many bytes of output are kept; `None` for all.
    pub fn output_limit(&self) -> Option<u64> {
        (self.max_output > 0).then_some(self.max_output)
    }

    /// The machine with the firmware in it, after reset.
    pub fn machine(&self, firmware: &Firmware) -> anyhow::Result<Machine> {
        let board = self.board()?;
        let (mut machine, table) = loaded(firmware, &board, self.vector_table)?;
        machine.set_output_limit(self.output_limit());
        let has_processes = process::place::flash(&firmware.image).is_ok();
        machine.processor.unprivileged_semihosting = self.process_semihosting || !has_processes;
        if let Some(table) = table {
            output::complain(&table);
        }
        if let Some(path) = &self.inputs {
            machine.set_script(Script::from_file(path, &board, firmware)?);
        }
        if let Some(path) = &self.stdin {
            machine.set_input(&input::standard_input(path)?);
        }
        start(firmware, &mut machine);
        Ok(machine)
    }
}

/// Returns an application in the Tock binary format, from a bundle if the file is one.
fn one(path: &Path, room: &Room, board: Option<&Board>) -> anyhow::Result<Vec<u8>> {
    let bytes = input::firmware(path)?;
    if !is_tab(path) {
        return Ok(bytes);
    }
    let context = || format!("cannot use {}", path.display());
    let tab = Tab::read(&bytes).with_context(context)?;
    let chosen = tab.choose(board.map(processor_of_board), room.flash);
    chosen.map(<[u8]>::to_vec).with_context(context)
}

/// Returns a machine with the firmware in it, before its reset. Also returns the message if the
/// firmware doesn't start from the board's vector table.
pub fn loaded(
    firmware: &Firmware,
    board: &Board,
    vector_table: Option<u32>,
) -> anyhow::Result<(Machine, Option<String>)> {
    let mut machine = Machine::new(board);
    machine.load_with_table(&firmware.image, vector_table).map_err(|error| {
        let place = format!("cannot run {} on the board {}", firmware.path.display(), board.name);
        let offer = match &error {
            ImageError::OutsideMemory { .. } => room::offer(&firmware.image, board, None),
            ImageError::StackPointer { table, .. } => {
                room::offer(&firmware.image, board, Some(table.address))
            }
            _ => None,
        };
        match offer {
            Some(offer) => anyhow::anyhow!("{error}; {offer}").context(place),
            None => anyhow::Error::new(error).context(place),
        }
    })?;
    machine.set_command_line(&firmware.path.display().to_string());
    let elsewhere = elsewhere(&machine, board);
    Ok((machine, elsewhere))
}

/// Resets the machine, which has all its inputs.
pub fn start(firmware: &Firmware, machine: &mut Machine) {
    machine.reset();
    main_stack::watch(&firmware.image, machine);
}

/// Returns the message about figures in cycles if the core's timing is not known.
pub fn untimed(board: &Board) -> Option<String> {
    board.core.is_untimed().then(|| {
        format!(
            "the core of {0} is not timed: it takes the cycles of a Cortex-M4 (`quintet boards \
             {0}` has more)",
            board.name
        )
    })
}

/// Returns the message if the processor doesn't start from the board's vector table, although no
/// option asks for another.
fn elsewhere(machine: &Machine, board: &Board) -> Option<String> {
    let table = machine.found_table();
    if matches!(table.found, Found::Board | Found::Asked) {
        return None;
    }
    let words = [0, 4].map(|offset| machine.read_word(board.vector_table.wrapping_add(offset)));
    let there = match words {
        [Some(0 | u32::MAX), Some(0 | u32::MAX)] | [None, _] | [_, None] => "nothing is there",
        _ => "what is there is no vector table",
    };
    Some(format!(
        "starts from {table}, not at {:#010x}, where {} does: {there}",
        board.vector_table, board.name
    ))
}

/// A file, and the address behind the last `@` where it is loaded.
fn place(text: &str) -> (&Path, Option<u32>) {
    let place = text.rsplit_once('@');
    let place = place.and_then(|(file, address)| Some((file, parse_number(address).ok()?)));
    place.map_or((Path::new(text), None), |(file, address)| (Path::new(file), Some(address)))
}

/// Says how a raw image is given an address.
fn with_hint(error: anyhow::Error, hint: &str) -> anyhow::Error {
    match error.downcast_ref::<ImageError>() {
        Some(ImageError::Unknown { .. }) => anyhow::anyhow!("{error:#} ({hint})"),
        _ => error,
    }
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

/// Parses a count that must be at least one.
pub fn parse_positive(text: &str) -> Result<u64, String> {
    match parse_count(text)? {
        0 => Err("0 leaves nothing to do: write 1 or more".into()),
        count => Ok(count),
    }
}

/// A range of addresses, as `BEGIN..END`.
pub fn parse_range(text: &str) -> anyhow::Result<(u32, u32)> {
    let parts = text.split_once("..");
    let (begin, end) = parts.with_context(|| format!("{text} is no range: write BEGIN..END"))?;
    let (begin, end) = (parse_number(begin)?, parse_number(end)?);
    anyhow::ensure!(
        begin < end,
        "the range {text} is empty: its end is to be behind its beginning"
    );
    Ok((begin, end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_raw_file_has_its_address_behind_it() {
        assert_eq!(place("boot.bin@0x0800_0000"), (Path::new("boot.bin"), Some(0x0800_0000)));
        assert_eq!(place("a@b.bin@16"), (Path::new("a@b.bin"), Some(16)));
        assert_eq!(place("a@b.elf"), (Path::new("a@b.elf"), None));
        assert_eq!(place("boot.elf"), (Path::new("boot.elf"), None));
    }

    #[test]
    fn counts_may_be_grouped() {
        assert_eq!(parse_count("1_000_000"), Ok(1_000_000));
        assert_eq!(parse_count("0x10"), Ok(16));
        assert!(parse_count("many").unwrap_err().contains("many"));
        assert!(parse_count("-1").is_err());
        assert_eq!((parse_count("0"), parse_positive("1_000")), (Ok(0), Ok(1000)));
        assert!(parse_positive("0").unwrap_err().contains("nothing to do"));
    }

    #[test]
    fn a_core_without_timing_is_told() {
        let said = |name: &str| untimed(&Board::named(name).unwrap());
        assert_eq!(said("lm3s6965"), None);
        let said = said("mps2-an505").unwrap();
        assert!(said.starts_with("the core of mps2-an505 is not timed"), "{said}");
    }
}
