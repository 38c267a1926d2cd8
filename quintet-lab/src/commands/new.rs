//! `quintet new`: makes a crate of firmware for a chip.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use serde::Serialize;

use crate::exit::Outcome;
use crate::linker::with_interruptor;
use crate::new::chips::{Chip, Families};
use crate::new::features::FEATURES;
use crate::new::riscv::{self, RiscVBoard};
use crate::new::{self, BoardFile, Purpose, Source, template};
use crate::output;
use crate::report::table::{self, table};

const EXAMPLES: &str = "\
Examples:
  quintet new blinky --chip stm32f446re                  the smallest
  quintet new blinky --chip stm32f103c8 --with defmt,threads
  quintet new blinky --chip nucleo-f446re                a board's name does as well
  quintet new blinky --chip rp2040 --with defmt,embassy-rp
  quintet new blinky --chip stm32f103c8 --with stm32f1xx-hal
  quintet new blinky --board my-board.toml               any Cortex-M that you describe
  quintet new blinky --board virt-rv32                   a board of the simulator with RISC-V
  quintet new blinky --chip rp2040 --path ~/src/quintet  with a checkout of Quintet
  quintet new --list                                     the chips

The crate has an application that blinks and logs, a test, and the settings for both:
`cargo run` and `cargo test` use the simulator, `cargo on-board` and `cargo
test-on-board` a debug probe, by probe-rs.

--with takes a list of:
";

/// Make a crate: it runs here at once, and on the board
#[derive(clap::Args, Debug)]
#[command(after_help = help())]
pub struct Arguments {
    /// The crate's name, or the path of its directory, which is not there yet or empty
    #[arg(required_unless_present = "list")]
    name: Option<PathBuf>,
    /// The chip, as stm32f446re, or a board that has it, as nucleo-f446re (see --list)
    #[arg(long, value_name = "CHIP")]
    chip: Option<String>,
    /// A board file of your own: its core and memories, for a chip that --list doesn't have, or in
    /// place of those of the chip; or a built-in board with a RISC-V core
    #[arg(long, value_name = "FILE")]
    board: Option<PathBuf>,
    /// What the application has besides: defmt, async, actors, threads, embassy, hal; a list with
    /// commas
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    with: Vec<String>,
    /// Take Quintet from the checkout in DIR, not from the registry
    #[arg(long, value_name = "DIR")]
    path: Option<PathBuf>,
    /// List the chips
    #[arg(long)]
    list: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

fn help() -> String {
    let lines: Vec<_> = FEATURES.iter().map(|(name, what)| format!("  {name:<9}{what}")).collect();
    format!("{EXAMPLES}{}", lines.join("\n"))
}

#[derive(Serialize)]
struct Report {
    name: String,
    directory: String,
    chip: String,
    target: String,
    files: Vec<&'static str>,
    /// The next steps in the directory.
    next: Vec<Step>,
    /// What may be missing; null if nothing is.
    note: Option<&'static str>,
}

/// What is said of a crate that takes Quintet from the registry.
const FROM_REGISTRY: &str = "It takes Quintet from the registry, crates.io. If cargo finds no such \
                             package there, this version isn't published: make the crate with \
                             --path DIR, a checkout of Quintet.";

#[derive(Serialize)]
struct Step {
    command: &'static str,
    does: String,
}

#[derive(Serialize)]
struct Listed<'a> {
    chip: &'a str,
    flash: u32,
    ram: u32,
    target: &'a str,
    board: &'a str,
    probe: &'a str,
    also: Vec<&'a str>,
}

impl Arguments {
    /// Makes the crate, or lists the chips.
    pub fn run(&self) -> Result<Outcome> {
        let mut families = Families::read()?;
        if let Some(chip) = &self.chip {
            families.add(chip)?;
        }
        match &self.name {
            Some(directory) if !self.list => self.make(directory, &families)?,
            _ => self.list(&families)?,
        }
        Ok(Outcome::Done)
    }

    fn make(&self, directory: &Path, families: &Families) -> Result<()> {
        let name = directory.file_name().unwrap_or(directory.as_os_str()).to_string_lossy();
        new::check_name(&name)?;
        new::check_directory(directory)?;
        let source = self.path.as_deref().map_or(Ok(Source::Registry), Source::checkout)?;
        let (variables, files) = match self.riscv()? {
            Some(board) => {
                let variables = board.variables(&name, &self.with, &source)?;
                let mut files = template::fill_in_all(&riscv::FILES, &variables)?;
                files.extend(board.file().map(|text| ("board.toml", text.to_owned())));
                (variables, files)
            }
            None => {
                let purpose = self.purpose(families)?;
                let variables = new::variables(&name, &purpose, &self.with, &source)?;
                let files = template::fill_in(&variables)?;
                (variables, files)
            }
        };
        new::write(directory, &files)?;
        let mut report = Report::new(directory, &variables, &files);
        report.note = (source == Source::Registry).then_some(FROM_REGISTRY);
        if self.json { output::print_json(&report) } else { output::print(&report.text()) }
    }

    /// Returns the board, if it has a RISC-V core.
    fn riscv(&self) -> Result<Option<RiscVBoard>> {
        let board = self.board.as_deref().map(RiscVBoard::find).transpose()?.flatten();
        if let (Some(chip), Some(board)) = (&self.chip, &board) {
            bail!(
                "the board {} has a RISC-V core, and {chip} is the name of a chip with a Cortex-M: \
                 leave out --chip",
                board.name()
            );
        }
        Ok(board)
    }

    fn purpose<'a>(&self, families: &'a Families) -> Result<Purpose<'a>> {
        if self.chip.is_none() && self.board.is_none() {
            bail!(
                "for which chip? Say it by --chip, as --chip stm32f446re (`quintet new --list` \
                 shows all), or give a board file by --board FILE"
            );
        }
        let chip = self.chip.as_deref().map(|chip| families.find(chip)).transpose()?;
        let board = self.board.as_deref().map(BoardFile::read).transpose()?;
        Ok(Purpose { chip, board })
    }

    fn list(&self, families: &Families) -> Result<()> {
        let chips: Vec<Chip<'_>> = families.chips().collect();
        if self.json {
            return output::print_json(&chips.iter().map(Listed::new).collect::<Vec<_>>());
        }
        let mut rows = table(&["chips", ">flash", ">RAM", "built for", "simulated as", "also"]);
        for family in families.iter() {
            let mut sizes: BTreeMap<(u32, u32), Vec<String>> = BTreeMap::new();
            for chip in family.chips() {
                sizes.entry((chip.flash, chip.ram)).or_default().push(chip.name);
            }
            let mut also = family.also().collect::<Vec<_>>().join(", ");
            for ((flash, ram), names) in sizes {
                rows.add_row([
                    names.join(" "),
                    format!("{flash} KiB"),
                    format!("{ram} KiB"),
                    family.target.clone(),
                    family.board.clone(),
                    std::mem::take(&mut also),
                ]);
            }
        }
        let count = quintet_sim::chips::count();
        let end = "Any other Cortex-M: quintet new NAME --board FILE (docs/boards.md)";
        let riscv = with_interruptor()?.join(", ");
        output::print(&format!(
            "{}\nAnd {count} STM32, with what their maker's data has of them: `quintet boards \
             stm32g0` lists\nthose of a family, or with any other part of a name.\n{end}\n\
             RISC-V: quintet new NAME --board BOARD, a file or one of {riscv}\n",
            table::text(&rows)
        ))
    }
}

impl<'a> Listed<'a> {
    fn new(chip: &'a Chip<'_>) -> Self {
        Self {
            chip: &chip.name,
            flash: chip.flash * 1024,
            ram: chip.ram * 1024,
            target: &chip.family.target,
            board: &chip.family.board,
            probe: &chip.probe,
            also: chip.family.also().collect(),
        }
    }
}

impl Report {
    fn new(
        directory: &Path,
        variables: &template::Variables,
        files: &BTreeMap<&'static str, String>,
    ) -> Self {
        let text = |name: &str| variables.texts.get(name).cloned().unwrap_or_default();
        let step = |command, does: &str| Step { command, does: does.to_owned() };
        let mut next = vec![
            step("cargo run", "the application in the simulator, for 5 simulated seconds"),
            step("cargo test", "its tests there"),
        ];
        if !text("probe").is_empty() {
            let chip = format!("the application on the board, by probe-rs ({})", text("probe"));
            next.push(step("cargo on-board", &chip));
            next.push(step("cargo test-on-board", "its tests there"));
        }
        Self {
            name: text("name"),
            directory: directory.display().to_string(),
            chip: text("chip"),
            target: text("target"),
            files: files.keys().copied().collect(),
            next,
            note: None,
        }
    }

    fn text(&self) -> String {
        let mut text =
            format!("{}: a crate for {}, in {}\n\n", self.name, self.chip, self.directory);
        text.push_str(&format!("  cd {}\n", self.directory));
        for Step { command, does } in &self.next {
            text.push_str(&format!("  {command:<22}{does}\n"));
        }
        text.push_str(
            "\nREADME.md there says more. rustup adds the compiler's target by itself.\n",
        );
        text.extend(self.note.iter().map(|note| format!("{note}\n")));
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_help_names_every_feature() {
        let help = help();
        let all = FEATURES.iter().all(|(name, what)| help.contains(name) && help.contains(what));
        assert!(all, "{help}");
    }
}
