//! `quintet pack`: makes an application in the Tock binary format from an ELF file.

use crate::exit::Outcome;
use crate::firmware::Firmware;
use crate::output;
use crate::process::pack::{Wishes, pack};
use anyhow::{Context, bail};
use serde::Serialize;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  quintet pack target/thumbv7m-none-eabi/release/hello -o hello.tbf
  quintet pack hello -o hello.tbf --name greeter --heap 1024
  quintet run kernel --process hello.tbf

The ELF file is linked for the place in flash and in memory where it will be; its
header goes before its first address. How much memory it needs is what its sections
take there, the stack among them, and the heap.";

/// Make an application for a process from an ELF file
#[derive(clap::Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// The application's ELF file
    elf: PathBuf,
    /// Where the application is written
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Its name; without one, that of the ELF file
    #[arg(long)]
    name: Option<String>,
    /// How many bytes of memory it needs beyond its sections
    #[arg(long, value_name = "BYTES", default_value_t = 0)]
    heap: u32,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Report {
    file: String,
    output: String,
    name: String,
    bytes: usize,
}

impl Arguments {
    /// Makes it.
    pub fn run(&self) -> anyhow::Result<Outcome> {
        let firmware = Firmware::open(&self.elf, None)?;
        let stem = self.elf.file_stem().map(|stem| stem.to_string_lossy().into_owned());
        let Some(name) = self.name.clone().or(stem) else {
            bail!("{} has no name: give the application one by --name", self.elf.display());
        };
        let wishes = Wishes { name: &name, heap: self.heap };
        let packed = pack(&firmware.image, &wishes)
            .with_context(|| format!("cannot pack {}", self.elf.display()))?;
        std::fs::write(&self.output, &packed)
            .with_context(|| format!("cannot write {}", self.output.display()))?;
        if self.json {
            output::print_json(&Report {
                file: self.elf.display().to_string(),
                output: self.output.display().to_string(),
                name,
                bytes: packed.len(),
            })?;
            return Ok(Outcome::Done);
        }
        output::print(&format!("{}: {} bytes\n", self.output.display(), packed.len()))?;
        Ok(Outcome::Done)
    }
}
