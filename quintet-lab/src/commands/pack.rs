//! `quintet pack`: makes applications in the Tock binary format, from an ELF file or from a crate.

use crate::commands::options::parse_range;
use crate::exit::Outcome;
use crate::input;
use crate::output;
use crate::process::build::{Built, Crate, pack_all, target_directory, target_of};
use crate::process::credential;
use crate::process::independent::{self, is_independent};
use crate::process::names::Names;
use crate::process::pack::{Extras, Wishes, image_of, pack};
use crate::process::place::{Room, room};
use crate::process::relocate::Movable;
use crate::process::tab;
use anyhow::{Context, bail, ensure};
use quintet_sim::image::{Image, Target};
use serde::Serialize;
use std::path::{Path, PathBuf};

/// The processor of a crate's applications, as bundles name it.
fn processor_of(target: &str) -> &str {
    match target.split('-').next() {
        Some("riscv32imac") => "rv32imac",
        Some(processor) if processor.starts_with("riscv") => "rv32imc",
        Some("thumbv6m") => "cortex-m0",
        _ => "cortex-m3",
    }
}

const EXAMPLES: &str = "\
Examples:
  quintet pack apps --kernel kernel -o packed
  quintet pack apps --bin hello --bin blink --kernel kernel -o packed
  quintet pack apps --flash 0x30000..0x40000 --memory 0x20008000..0x20010000 -o packed
  quintet pack target/thumbv7m-none-eabi/release/hello -o hello.tbf
  quintet pack hello -o hello.tbf --name greeter --heap 1024
  quintet pack hello -o hello.tab
  quintet pack hello -o hello.tbf --sha256
  quintet run kernel --process packed/hello.tbf

Of a crate that uses `quintet-process`, cargo builds the programs, each is moved to a
place of its own behind the kernel, and becomes NAME.tbf in the directory of --output,
with the ELF file as NAME.elf beside it, for functions and lines.
The kernel says by a symbol where there is room; --flash and --memory say it of
another kernel, as one of Tock's.

An ELF file is taken for where it was linked, unless --kernel, or --flash and
--memory, move it: the linker must have left its relocations (--emit-relocs). The
header goes before its first address. One that was linked for 0x80000000, as libtock-c
does, is position independent: it is packed for any place. How much memory an
application needs is what its sections take there, the stack among them, and the heap.";

/// Make applications for processes, from a crate or from an ELF file
#[derive(clap::Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// The directory of a crate of applications, or the ELF file of one
    path: PathBuf,
    /// Where it is written: a directory for a crate, a file for an ELF file
    #[arg(short, long, value_name = "PATH")]
    output: PathBuf,
    /// A binary of the crate, in place of all. May be given several times
    #[arg(long, value_name = "NAME")]
    bin: Vec<String>,
    /// An example of the crate. May be given several times
    #[arg(long, value_name = "NAME")]
    example: Vec<String>,
    /// The profile that cargo builds the crate with
    #[arg(long, value_name = "NAME", default_value = "release")]
    profile: String,
    /// The kernel whose room for applications is used
    #[arg(long, value_name = "FILE", conflicts_with_all = ["flash", "memory"])]
    kernel: Option<PathBuf>,
    /// The target that cargo builds the crate for, in place of the one that fits --kernel; without
    /// a kernel thumbv7m-none-eabi
    #[arg(long, value_name = "TRIPLE")]
    target: Option<String>,
    /// The room in flash, as BEGIN..END
    #[arg(long, value_name = "RANGE", value_parser = parse_range, requires = "memory")]
    flash: Option<(u32, u32)>,
    /// The room in memory, as BEGIN..END
    #[arg(long, value_name = "RANGE", value_parser = parse_range, requires = "flash")]
    memory: Option<(u32, u32)>,
    /// The application's name; without one, that of the program or the ELF file
    #[arg(long)]
    name: Option<String>,
    /// How many bytes of memory each needs beyond its sections
    #[arg(long, value_name = "BYTES", default_value_t = 0)]
    heap: u32,
    /// Add a credential: the SHA-256 of header and binary, which is printed too. A kernel's policy
    /// can tell the application by it
    #[arg(long)]
    sha256: bool,
    /// Write Tock application bundles, NAME.tab, in place of NAME.tbf. Of an ELF file, an output
    /// that ends with .tab is one
    #[arg(long)]
    tab: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// An application that was written.
#[derive(Serialize)]
struct Report {
    file: String,
    output: String,
    name: String,
    bytes: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    sha256: Option<String>,
}

impl Arguments {
    /// Makes them.
    pub fn run(&self) -> anyhow::Result<Outcome> {
        if !self.path.is_dir() {
            output::check([self.output.as_path()])?;
        }
        let reports = if self.path.is_dir() { self.of_crate()? } else { vec![self.of_file()?] };
        if self.json {
            output::print_json(&reports)?;
            return Ok(Outcome::Done);
        }
        for Report { output, bytes, sha256, .. } in reports {
            let digest = sha256.map(|digest| format!(", SHA-256 {digest}")).unwrap_or_default();
            output::print(&format!("{output}: {bytes} bytes{digest}\n"))?;
        }
        Ok(Outcome::Done)
    }

    /// Builds a crate, and packs each of its programs.
    fn of_crate(&self) -> anyhow::Result<Vec<Report>> {
        let path = self.path.display();
        let room = self.room()?.with_context(|| {
            format!(
                "nothing says where the applications of {path} are to lie: name their kernel by \
                 --kernel FILE, or the room by --flash BEGIN..END and --memory BEGIN..END"
            )
        })?;
        let wanted = Crate {
            directory: self.path.clone(),
            bins: self.bin.clone(),
            examples: self.example.clone(),
            profile: self.profile.clone(),
            target_directory: target_directory(),
            target: self.target()?,
        };
        let mut built = wanted.build()?;
        if let Some(name) = &self.name {
            let [one] = built.as_mut_slice() else {
                bail!(
                    "--name is of one application, and {path} has {}: name one by --bin",
                    built.len()
                );
            };
            one.name.clone_from(name);
        }
        std::fs::create_dir_all(&self.output)
            .with_context(|| format!("cannot make the directory {}", self.output.display()))?;
        let packed = pack_all(&built, &room, self.extras())?.into_iter();
        packed
            .zip(&built)
            .map(|((name, bytes), built)| {
                // For the functions and lines of the application, beside it.
                output::write(&self.output.join(format!("{name}.elf")), &built.elf.bytes)?;
                let end = if self.tab { tab::EXTENSION } else { "tbf" };
                let file = self.output.join(format!("{name}.{end}"));
                self.write(&file, name, &bytes, processor_of(&wanted.target))
            })
            .collect()
    }

    /// Packs an ELF file.
    fn of_file(&self) -> anyhow::Result<Report> {
        let path = self.path.display();
        ensure!(
            self.bin.is_empty() && self.example.is_empty(),
            "{path} is a file: --bin and --example name programs of a crate"
        );
        let stem = self.path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
        let Some(name) = self.name.clone().or(stem) else {
            bail!("{path} has no name: give the application one by --name");
        };
        let bytes = input::firmware(&self.path)?;
        let image = if Image::is_riscv_elf(&bytes) {
            image_of(&bytes)
        } else {
            Image::parse(&bytes, &Target::default())
        };
        let image = image.with_context(|| format!("cannot load {path}"))?;
        let wishes = Wishes { name: &name, heap: self.heap, sha256: self.sha256 };
        let packed = match self.room()? {
            _ if is_independent(&image) => independent::pack(&bytes, &image, &wishes)
                .with_context(|| format!("cannot pack {path}"))?,
            Some(room) => {
                let movable =
                    Movable::read(&bytes).with_context(|| format!("cannot move {path}"))?;
                let elf = Names { file: self.path.clone(), bytes, is_asked_for: false };
                let built = [Built { name: name.clone(), movable, elf }];
                let packed = pack_all(&built, &room, self.extras())?;
                packed.into_iter().next().map(|(_, bytes)| bytes).unwrap_or_default()
            }
            None => pack(&image, &wishes).with_context(|| format!("cannot pack {path}"))?,
        };
        let processor = tab::processor_of_image(&image);
        self.write(&self.output, name, &packed, processor)
    }

    /// Returns the target of a crate.
    fn target(&self) -> anyhow::Result<String> {
        if let Some(target) = &self.target {
            return Ok(target.clone());
        }
        let kernel = self.kernel.as_ref().map(|kernel| input::firmware(kernel)).transpose()?;
        Ok(target_of(kernel.as_deref().unwrap_or_default()).to_owned())
    }

    const fn extras(&self) -> Extras {
        Extras { heap: self.heap, sha256: self.sha256 }
    }

    /// Returns the room for the applications, if an option gives it.
    fn room(&self) -> anyhow::Result<Option<Room>> {
        if let (Some(flash), Some(memory)) = (self.flash, self.memory) {
            return Ok(Some(Room { flash, memory }));
        }
        let Some(kernel) = &self.kernel else { return Ok(None) };
        let context = || format!("cannot use the kernel {}", kernel.display());
        let image = image_of(&input::firmware(kernel)?).with_context(context)?;
        room(&image).map(Some).with_context(context)
    }

    fn write(
        &self,
        file: &Path,
        name: String,
        bytes: &[u8],
        processor: &str,
    ) -> anyhow::Result<Report> {
        if tab::is_tab(file) {
            tab::write_one(file, processor, bytes)?;
        } else {
            output::write(file, bytes)?;
        }
        Ok(Report {
            file: self.path.display().to_string(),
            output: file.display().to_string(),
            name,
            bytes: bytes.len(),
            sha256: self.sha256.then(|| credential::digest(bytes)).transpose()?,
        })
    }
}
